"""Events: what happened in a world that a person should know, in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kinegen.results import Result

__all__ = ["Event", "Events"]

MOST = 1000
"""Events that are kept; the log has all of them."""


@dataclass(frozen=True, slots=True)
class Event(Result):
    """An event of a world."""

    time: float
    """[s]"""
    source: str
    """Name of the agent, sensor or signal concerned; "world" for the world."""
    message: str
    """In words."""
    is_problem: bool = True
    """Whether it reports a problem."""

    def __str__(self) -> str:
        """As a line for people."""
        return f"{self.time:.3f} s: {self.message}"


class Events:
    """The last events of a world; others can listen."""

    def __init__(self) -> None:
        self.count = 0
        """How many there were, those that are no longer kept included."""
        self.listeners: list[Callable[[Event], None]] = []
        self._kept: deque[Event] = deque(maxlen=MOST)

    def add(self, event: Event) -> None:
        """One more."""
        self.count += 1
        self._kept.append(event)
        for listener in self.listeners:
            listener(event)

    def __iter__(self) -> Iterator[Event]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    def __getitem__(self, index: int) -> Event:
        return self._kept[index]

    def of(self, source: str) -> list[Event]:
        """Those about one agent, sensor or signal."""
        return [event for event in self._kept if event.source == source]
