"""Recorded motions: stored, changed, and recordings in progress."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from kinegen.studio.wire.message import Message

__all__ = [
    "MotionData",
    "MotionEdit",
    "RecordSamples",
    "RemoveMotion",
    "RenameMotion",
    "ResampleMotion",
    "SmoothMotion",
    "SpeedMotion",
    "StoreMotion",
    "TrimMotion",
]


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
class MotionEdit(Message):
    """A change of a stored motion."""

    request: int
    """The page's number for the answer."""
    name: str
    """The motion's."""


@dataclass(slots=True)
class RemoveMotion(MotionEdit):
    """Remove a motion."""

    KIND: ClassVar[str] = "remove_motion"


@dataclass(slots=True)
class RenameMotion(MotionEdit):
    """Give a motion another name."""

    KIND: ClassVar[str] = "rename_motion"
    new: str


@dataclass(slots=True)
class TrimMotion(MotionEdit):
    """Keep a part of a motion."""

    KIND: ClassVar[str] = "trim_motion"
    start: float
    """[s]"""
    end: float
    """[s]"""


@dataclass(slots=True)
class SmoothMotion(MotionEdit):
    """Take the shaking out of a motion."""

    KIND: ClassVar[str] = "smooth_motion"
    seconds: float


@dataclass(slots=True)
class ResampleMotion(MotionEdit):
    """Give a motion even times."""

    KIND: ClassVar[str] = "resample_motion"
    step: float
    """[s]"""


@dataclass(slots=True)
class SpeedMotion(MotionEdit):
    """Make a motion faster or slower."""

    KIND: ClassVar[str] = "speed_motion"
    factor: float


@dataclass(slots=True)
class RecordSamples(Message):
    """Part of a recording in progress, so that a lost page loses nothing."""

    KIND: ClassVar[str] = "record_samples"
    name: str
    start: bool
    times: list[float]
    values: list[list[float]]
