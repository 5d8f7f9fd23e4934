"""Node: anything in a world that has a name; it can be given attributes while the world runs."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import TYPE_CHECKING, Any

import numpy as np

from kinegen.errors import UsageError, unknown_name
from kinegen.spatial.pose import SE3

if TYPE_CHECKING:
    from kinegen.world.bodies.mount import Mount
    from kinegen.world.signalling.signals import Signals

__all__ = ["Node"]


class Node(MutableMapping[str, Any]):
    """A robot, link, object, sensor, agent or light, with attributes of your choice.

    ``node["load"] = 0.7`` adds an attribute. An attribute that is a number or an array is also a
    signal, ``name.load``, which is listed, plotted and logged.
    """

    def __init__(
        self, signals: Signals, name: str, kind: str, parent: str = "", mount: Mount | None = None
    ) -> None:
        self._signals = signals
        self.name, self.kind, self.parent = name, kind, parent
        self._mount = mount
        self._attributes: dict[str, Any] = {}

    def __repr__(self) -> str:
        return f"Node('{self.name}', {self.kind}, {self._attributes})"

    @property
    def pose(self) -> SE3:
        """Its current pose X_WN; UsageError for a node without a pose, such as an agent."""
        if self._mount is None:
            raise UsageError(f"{self.kind} '{self.name}' has no pose in the world")
        return self._mount.pose

    @property
    def has_place(self) -> bool:
        """Whether it has a pose in the world."""
        return self._mount is not None

    def set(self, attribute: str, value: Any, unit: str = "") -> None:
        """Set an attribute; a number may have a unit."""
        if not isinstance(attribute, str) or not attribute or "." in attribute:
            raise UsageError(
                f"an attribute's name must be a string without dots, got {attribute!r}"
            )
        numbers = _numbers(value)
        name = f"{self.name}.{attribute}"
        if numbers is not None:
            if attribute not in self._attributes and name in self._signals:
                raise UsageError(f"'{name}' is a signal already: choose another attribute")
            if name not in self._signals:
                self._signals.add(name, unit, shape=numbers.shape, writer=self.name)
            signal = self._signals[name]
            if signal.shape != numbers.shape:
                raise UsageError(f"attribute '{name}' has shape {signal.shape}, got {value!r}")
            signal.write(numbers)
        self._attributes[attribute] = value

    def __getitem__(self, attribute: str) -> Any:
        if attribute not in self._attributes:
            raise unknown_name(
                "attribute", attribute, f"{self.kind} '{self.name}'", self._attributes
            )
        return self._attributes[attribute]

    def __setitem__(self, attribute: str, value: Any) -> None:
        self.set(attribute, value)

    def __delitem__(self, attribute: str) -> None:
        self[attribute]
        del self._attributes[attribute]

    def __iter__(self) -> Iterator[str]:
        return iter(self._attributes)

    def __len__(self) -> int:
        return len(self._attributes)


def _numbers(value: Any) -> Any:
    """A number or an array of numbers as an array, else None."""
    if isinstance(value, str | bytes | bool | None):
        return None
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return array
