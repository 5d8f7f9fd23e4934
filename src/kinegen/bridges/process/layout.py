"""Layout: what stands where in the two blocks between physics and protocols."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

__all__ = [
    "CLOCK",
    "Command",
    "Layout",
    "Measured",
    "Picture",
    "SensorData",
    "SensorSignal",
    "ServoData",
]

CLOCK = 2
"""Numbers at the start of the state: steps made, and time [s]."""


class Measured(IntEnum):
    """Columns of the state: what is measured of every servo."""

    POSITION = 0
    VELOCITY = 1
    EFFORT = 2
    CURRENT = 3
    TEMPERATURE = 4


class Command(IntEnum):
    """Columns of the commands: what every servo is asked."""

    ON = 0
    MODE = 1
    """0: position, 1: velocity, 2: effort."""
    POSITION = 2
    VELOCITY = 3
    EFFORT = 4
    SPEED = 5
    """Of its way to a position; inf: as fast as it can."""
    ACCELERATION = 6
    KP = 7
    """Times the stiffness of the file."""
    KD = 8
    LIMIT = 9
    """Share of the largest effort."""
    COUNT = 10
    """Of the commands so far: 0 means that nobody has commanded it."""


@dataclass(frozen=True, slots=True)
class ServoData:
    """What does not change of a servo, in SI units of its joint."""

    name: str
    """Of its joint, or ``joint.variable``."""
    joint: str
    index: int
    """Place of its variable in q of the model."""
    is_slide: bool
    lower: float
    upper: float
    largest: float
    """Effort [N m, N]."""
    fastest: float
    """Speed [rad/s, m/s]; inf where the file gives none."""


@dataclass(frozen=True, slots=True)
class SensorSignal:
    """A signal of a sensor."""

    name: str
    unit: str
    shape: tuple[int, ...]
    sensor: str
    start: int
    """Of its time and its numbers in the state."""

    @property
    def size(self) -> int:
        """Numbers, without the time."""
        return math.prod(self.shape)


@dataclass(frozen=True, slots=True)
class SensorData:
    """What does not change of a sensor."""

    name: str
    kind: str
    """Its type in the file, such as 'lidar'."""
    link: str
    """What it is mounted on; empty where it has no place."""
    X_LS: tuple[float, ...]
    """Its pose there: quaternion wxyz, xyz [m]."""
    period: float
    """Between measurements [s]."""
    facts: dict[str, float]
    """By its type: ``nearest`` and ``farthest`` [m], ``first`` and ``last`` [rad] of a scan."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A signal of a camera, which has a block of its own."""

    name: str
    sensor: str
    shape: tuple[int, ...]
    """Height, width, and 3 where it has colours."""
    dtype: str
    """Of NumPy: uint8 for colours, float32 for depths [m], int32 for segments."""
    intrinsics: tuple[float, float, float, float]
    """fx, fy, cx, cy [pixels]."""
    names: tuple[str, ...]
    """Of what the numbers of segments stand for."""

    @property
    def size(self) -> int:
        """Numbers of its block: the time, and all pixels."""
        return 1 + (math.prod(self.shape) * np.dtype(self.dtype).itemsize + 7) // 8


@dataclass(frozen=True, slots=True)
class Layout:
    """Of both blocks."""

    servos: tuple[ServoData, ...]
    nq: int
    nv: int
    signals: tuple[SensorSignal, ...]
    step: float
    """Of the world [s]."""
    pictures: tuple[Picture, ...] = ()
    sensors: tuple[SensorData, ...] = ()

    @property
    def servo_start(self) -> int:
        """Of the table of servos in the state."""
        return CLOCK + self.nq + 2 * self.nv

    @property
    def signal_start(self) -> int:
        """Of the signals in the state."""
        return self.servo_start + len(self.servos) * len(Measured)

    @property
    def state_size(self) -> int:
        """Numbers of the state."""
        last = self.signals[-1] if self.signals else None
        return self.signal_start if last is None else last.start + 1 + last.size

    @property
    def command_size(self) -> int:
        """Numbers of the commands."""
        return len(self.servos) * len(Command)
