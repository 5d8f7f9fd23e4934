"""Trackers of the file whose poses come by UDP: switched on by a page, which they move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from kinegen.studio.wire.message import Delivery, Length, Message, Pose

__all__ = ["SwitchTracker", "TrackerState"]


@dataclass(slots=True)
class SwitchTracker(Message):
    """A page wants the poses of a tracker, or no longer."""

    KIND: ClassVar[str] = "switch_tracker"
    request: int
    name: Annotated[str, Length(1, 200)]
    """As the file calls it."""
    on: bool


@dataclass(slots=True)
class TrackerState(Message):
    """Where a tracker is; sent to the page that has switched it on, at most 90 times a second."""

    KIND: ClassVar[str] = "tracker"
    DELIVERY: ClassVar[Delivery] = "snapshot"
    name: str
    port: int
    """Where its packets are expected; 0: it is off."""
    pose: Pose | None
    """In its own space; None: no packets."""
    trouble: str
    """Why there is no pose, in words; empty: nothing is wrong."""
