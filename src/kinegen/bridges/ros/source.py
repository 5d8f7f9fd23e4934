"""Source: a topic that the robot publishes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["Message", "Source"]

Message = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A topic, and how its next message is made."""

    topic: str
    type: str
    """By its ROS 1 name."""
    make: Callable[[], Message | None]
    """None where there is nothing yet."""
    when: Callable[[], float]
    """Changes when there is a new message; below 0: there is none yet [s]."""
    latched: bool = False
    """Whether a new subscriber gets the last message at once."""
