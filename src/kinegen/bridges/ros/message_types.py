"""MessageTypes: messages between plain dictionaries and bytes, by rosbags."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kinegen.bridges.ros.definitions import ros2_name, text_of
from kinegen.bridges.ros.source import Message
from kinegen.bridges.ros.values import Time
from kinegen.errors import UsageError

__all__ = ["MessageTypes", "plain"]

_BASE, _NAME, _ARRAY, _SEQUENCE = 1, 2, 3, 4
"""How rosbags marks what a field is."""
_SEQ = 0
"""Of a header; a transport counts."""


class MessageTypes:
    """The types of a release of ROS; messages are plain dictionaries on this side."""

    def __init__(self, kind: str, release: str, more: tuple[str, ...] = ()) -> None:
        """All types of a release.

        Args:
            kind: The bridge that needs them.
            release: As rosbags calls it.
            more: Types of our own table that rosbags does not have.

        Raises:
            UsageError: rosbags is not installed.
        """
        try:
            from rosbags.typesys import Stores, get_types_from_msg, get_typestore
        except ImportError:
            raise UsageError(
                f"{kind} needs the package rosbags: pip install 'kinegen[bridges]'"
            ) from None
        self._store: Any = get_typestore(Stores[release])
        for name in more:
            if not self.has(name):
                self._store.register(get_types_from_msg(text_of(name), ros2_name(name)))

    def has(self, name: str) -> bool:
        """Whether a type is one of them."""
        return ros2_name(name) in self._store.fielddefs

    def made(self, name: str, value: Any) -> Any:
        """A message as an object of rosbags."""
        fields = self._store.fielddefs[name][1]
        if isinstance(value, Time):
            value = {"sec": value.sec, "nanosec": value.nanosec}
        return self._store.types[name](
            **{key: self._part(what, _field(value, key)) for key, what in fields}
        )

    def _part(self, what: Any, value: Any) -> Any:
        kind, inner = int(what[0]), what[1]
        if kind == _NAME:
            return self.made(inner, value)
        if kind in (_ARRAY, _SEQUENCE):
            item, word = inner[0], inner[0][1]
            if int(item[0]) == _NAME:
                return [self.made(word, one) for one in value]
            base = word[0] if isinstance(word, tuple) else word
            if base == "string":
                return list(value)
            if isinstance(value, bytes):
                return np.frombuffer(value, np.uint8)
            return np.asarray(value, base)
        return value


def _field(value: Message, key: str) -> Any:
    """A field by the name that ROS 1 or ROS 2 gives it: ``K`` is ``k``."""
    if key in value:
        return value[key]
    return _SEQ if key == "seq" else value[key.lower()]


def plain(value: Any) -> Any:
    """Dictionaries, lists and numbers of a message of rosbags."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, Mapping):
        return {key: plain(one) for key, one in value.items()}
    fields = getattr(value, "__dataclass_fields__", None)
    if fields is not None:
        return {key: plain(getattr(value, key)) for key in fields if not key.startswith("__")}
    return value
