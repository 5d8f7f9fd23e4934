"""The signals of a running world, and what stands between their writers and readers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kinegen.studio.wire.message import Message

__all__ = [
    "CutSignal",
    "DelaySignal",
    "DisturbSignal",
    "ForceSignal",
    "FreezeSignal",
    "ReleaseSignal",
    "ReleaseSignals",
    "ScaleSignal",
    "SignalData",
    "SignalOverride",
]


@dataclass(slots=True)
class SignalData:
    """A signal of a running world; its numbers come with the frames."""

    name: str
    unit: str
    """Of its numbers, '' where they have none."""
    size: int
    """How many numbers it has."""
    writer: str
    """Name of the sensor, agent or joint that writes it."""
    override: str
    """What stands between writer and readers, in words: 'forced to 0.05 m'; '' for nothing."""


@dataclass(slots=True)
class SignalOverride(Message):
    """What readers of a signal of the running world get from now on; no answer."""

    name: str


@dataclass(slots=True)
class ForceSignal(SignalOverride):
    """Readers get a value, whatever is written."""

    KIND: ClassVar[str] = "force_signal"
    value: float
    """In the signal's unit."""


@dataclass(slots=True)
class FreezeSignal(SignalOverride):
    """Readers get what was written last."""

    KIND: ClassVar[str] = "freeze_signal"


@dataclass(slots=True)
class ScaleSignal(SignalOverride):
    """Readers get a multiple of what is written, and an offset."""

    KIND: ClassVar[str] = "scale_signal"
    factor: float
    offset: float = 0.0
    """In the signal's unit."""


@dataclass(slots=True)
class DelaySignal(SignalOverride):
    """Readers get what is written later."""

    KIND: ClassVar[str] = "delay_signal"
    time: float
    """[s]"""


@dataclass(slots=True)
class DisturbSignal(SignalOverride):
    """Readers get noise on what is written."""

    KIND: ClassVar[str] = "disturb_signal"
    deviation: float
    """Standard deviation, in the signal's unit."""


@dataclass(slots=True)
class CutSignal(SignalOverride):
    """Readers get nothing."""

    KIND: ClassVar[str] = "cut_signal"


@dataclass(slots=True)
class ReleaseSignal(SignalOverride):
    """Readers get again what is written."""

    KIND: ClassVar[str] = "release_signal"


@dataclass(slots=True)
class ReleaseSignals(Message):
    """Readers of all signals of the running world get again what is written; no answer."""

    KIND: ClassVar[str] = "release_signals"
