"""Seen: the signals that an agent reads, by the names of its own file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kinegen.errors import unknown_name

__all__ = ["Seen"]


class Seen(Mapping[str, Any]):
    """Values of signals at the time of the agent's step.

    A value is a float or an array, or NaN if there is none yet. The name of a sensor with one
    output stands for that output: ``seen["eye"]`` is ``seen["eye.distance"]``.
    """

    def __init__(
        self, values: Mapping[str, Any], short: Mapping[str, str], agent: str, read: set[str]
    ) -> None:
        self._values, self._short, self._agent = values, short, agent
        self._read = read

    def __getitem__(self, name: str) -> Any:
        found = name if name in self._values else self._short.get(name, name)
        if found not in self._values:
            raise unknown_name("signal", name, f"what agent '{self._agent}' reads", self._values)
        self._read.add(found)
        return self._values[found]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Seen({dict(self._values)})"
