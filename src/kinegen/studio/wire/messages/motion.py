"""Recorded motions: stored, changed, and recordings in progress."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from kinegen.studio.wire.message import Message

__all__ = ["ChangeMotion", "MotionData", "RecordSamples", "StoreMotion"]


@dataclass(slots=True)
class MotionData:
    """A recorded motion: a table of joint values over time."""

    name: str
    joints: list[str]
    times: list[float]
    """[s]"""
    values: list[list[float]]
    """One row per time, the numbers of the joints in order."""
    interpolation: Literal["linear", "cubic"]
    note: str | None


@dataclass(slots=True)
class StoreMotion(Message):
    """Keep a motion in the mechanism's text, in place of one of the same name."""

    KIND: ClassVar[str] = "store_motion"
    request: int
    motion: MotionData


@dataclass(slots=True)
class ChangeMotion(Message):
    """Remove, rename, trim, smooth or resample a stored motion."""

    KIND: ClassVar[str] = "change_motion"
    request: int
    name: str
    verb: Literal["remove", "rename", "trim", "smooth", "resample", "speed"]
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class RecordSamples(Message):
    """Part of a recording in progress, so that a lost page loses nothing."""

    KIND: ClassVar[str] = "record_samples"
    name: str
    start: bool
    times: list[float]
    values: list[list[float]]
