"""Parameters: the tree of values that a ROS 1 master keeps for all nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["Parameters", "resolved"]

Answer = list[Any]


def resolved(caller: str, name: str) -> str:
    """A name as seen by a node: ``~gain`` is its own, ``gain`` is of its namespace."""
    if name.startswith("/"):
        full = name
    elif name.startswith("~"):
        full = f"{caller}/{name[1:]}"
    else:
        full = f"{caller.rpartition('/')[0]}/{name}"
    return "/" + "/".join(filter(None, full.split("/")))


class Parameters:
    """The parameter part of a master's API; answers are ``[code, text, value]``."""

    def __init__(self, notify: Callable[[str, str, tuple[Any, ...]], None]) -> None:
        """No parameters.

        Args:
            notify: Calls a method of the node at an address.
        """
        self._notify = notify
        self._tree: dict[str, Any] = {}
        self._watchers: dict[str, dict[str, str]] = {}
        """Addresses of nodes by their names, by the name that they watch."""
        self.methods: dict[str, Callable[..., Answer]] = {
            "setParam": self.set, "getParam": self.get, "hasParam": self.has,
            "deleteParam": self.delete, "searchParam": self.search,
            "getParamNames": self.names, "subscribeParam": self.watch,
            "unsubscribeParam": self.unwatch,
        }  # fmt: skip

    def set(self, caller: str, name: str, value: Any) -> Answer:
        """Put a value, or a tree of values, at a name."""
        key = resolved(caller, name)
        if key == "/":
            if not isinstance(value, dict):
                return [-1, "the root of all parameters is a dictionary", 0]
            self._tree = value
        else:
            *folders, last = key[1:].split("/")
            place = self._tree
            for one in folders:
                inner = place.get(one)
                if not isinstance(inner, dict):
                    inner = place[one] = {}
                place = inner
            place[last] = value
        self._changed(key)
        return [1, f"parameter {key} set", 0]

    def get(self, caller: str, name: str) -> Answer:
        """The value, or the tree, at a name."""
        key = resolved(caller, name)
        found = self._find(key)
        return [1, f"parameter {key}", found[0]] if found else [-1, f"{key} is not set", 0]

    def has(self, caller: str, name: str) -> Answer:
        """Whether there is a value."""
        key = resolved(caller, name)
        return [1, key, bool(self._find(key))]

    def delete(self, caller: str, name: str) -> Answer:
        """Remove a value or a tree."""
        key = resolved(caller, name)
        folder, _, last = key.rpartition("/")
        found = self._find(folder or "/")
        if not last or not found or not isinstance(found[0], dict) or last not in found[0]:
            return [-1, f"{key} is not set", 0]
        del found[0][last]
        self._changed(key)
        return [1, f"parameter {key} deleted", 0]

    def search(self, caller: str, name: str) -> Answer:
        """The name in the nearest namespace, from the node's own up, that has its first part."""
        if name.startswith("/"):
            return [1, name, name] if self._find(name) else [-1, f"{name} is not set", 0]
        first = name.split("/", maxsplit=1)[0]
        spaces = [one for one in caller.split("/") if one]
        for count in range(len(spaces), -1, -1):
            base = "/".join(["", *spaces[:count]])
            if self._find(f"{base}/{first}"):
                return [1, "found", f"{base}/{name}"]
        return [-1, f"{name} is set in no namespace of {caller}", 0]

    def names(self, caller: str) -> Answer:
        """Of all values."""
        found: list[str] = []
        waiting: list[tuple[str, Any]] = [("", self._tree)]
        for base, place in waiting:  # grows
            for key, value in place.items():
                if isinstance(value, dict):
                    waiting.append((f"{base}/{key}", value))
                else:
                    found.append(f"{base}/{key}")
        return [1, "parameter names", sorted(found)]

    def watch(self, caller: str, uri: str, name: str) -> Answer:
        """The value now, {} where there is none, and every change of it from now on."""
        key = resolved(caller, name)
        self._watchers.setdefault(key, {})[caller] = uri
        found = self._find(key)
        return [1, f"subscribed to {key}", found[0] if found else {}]

    def unwatch(self, caller: str, uri: str, name: str) -> Answer:
        """No more changes."""
        found = self._watchers.get(resolved(caller, name), {}).pop(caller, None)
        return [1, "unsubscribed", int(found is not None)]

    def forget(self, caller: str) -> None:
        """A node is gone."""
        for one in self._watchers.values():
            one.pop(caller, None)

    def _find(self, key: str) -> tuple[Any] | None:
        place: Any = self._tree
        for one in filter(None, key.split("/")):
            if not isinstance(place, dict) or one not in place:
                return None
            place = place[one]
        return (place,)

    def _changed(self, key: str) -> None:
        """Nodes that watch the value, a tree that it is in, or a part of it."""
        for name, nodes in self._watchers.items():
            above, below = name.rstrip("/") + "/", key.rstrip("/") + "/"
            if below.startswith(above) or above.startswith(below):
                shown = name if len(above) > len(below) else key
                found = self._find(shown)
                for uri in nodes.values():
                    self._notify(uri, "paramUpdate", ("/master", shown, found[0] if found else {}))
