"""What the kernels offer for haptics: one touched point, and the thread that runs it."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from kinegen.kernels.layout import Floats, Ints

__all__ = ["STATE_COUNT", "BoundHapticLoop", "BoundHapticPoint", "HapticSettings"]

STATE_COUNT = 26
"""Numbers that a mechanism tells of its touched point: mode (0 none, 1 push, 2 pull), point (3),
velocity (3), acceleration without the hand (3), mobility (9), normal (3), stiffness, damping, energy
given to the mechanism, time for which the answered packet waited."""


class HapticSettings(NamedTuple):
    """How a touched point is run; in the order of native/kernel/haptic_point.hpp."""

    step: float = 1e-3
    """[s]"""
    deadline: float = 1e-3
    """Age of the mechanism's last word beyond which a tick counts as one without [s]."""
    horizon: float = 0.05
    """How far the last word is carried on [s]."""
    silence: float = 0.25
    """Age at which the other side counts as gone [s]."""
    fade: float = 0.05
    """Time in which the force comes and goes [s]."""
    blend: float = 5e-3
    """Time in which the point is led to what was told [s]."""
    force_most: float = 20.0
    """[N]"""
    reserve: float = 0.01
    """Energy that the hand may get for nothing [J]."""
    credit_most: float = 1.0
    """Energy given by the hand that is remembered [J]."""
    hand_mass: float = 0.1
    """Of the lightest hand with its device [kg]: how far a force may move it until the next tick."""
    is_passive: float = 1.0
    """0: the ledger is kept and nobody minds it."""

    @property
    def numbers(self) -> Floats:
        """As the kernels take them."""
        return np.array(self, dtype=np.float64)


class BoundHapticPoint(Protocol):
    """One touched point, stepped by the caller."""

    def hear(self, sequence: int, now: float, echo: float, told: Floats, /) -> int:
        """A word of the mechanism: 0 new, 1 old or double, 2 nonsense."""
        ...

    def tick(self, now: float, x: Floats, v: Floats, is_faulty: bool, /) -> Floats:
        """The force on a hand at x with speed v, (3,) [N]."""
        ...

    def state(self) -> tuple[Floats, float, float, float, float]:
        """The point and its speed (6,), strength, energy that the hand gave, energy that the hand
        was refused, one-way delay."""
        ...

    def counts(self) -> tuple[int, int, int, int, int, int]:
        """Ticks, new words, ticks without one, old words, nonsense, ticks that were limited."""
        ...


class BoundHapticLoop(Protocol):
    """A thread that runs a touched point at a fixed rate."""

    @property
    def is_running(self) -> bool:
        """Whether the thread is there."""
        ...

    def link(self, address: str, port: int, host: str, host_port: int, /) -> int:
        """Open the port for the mechanism's words; the port."""
        ...

    def device(self, address: str, port: int, host: str, host_port: int, /) -> int:
        """Open the port for a device's words; the port."""
        ...

    def hand(self, table: Floats, mass: float, stiffness: float, damping: float, /) -> None:
        """Simulate a hand that follows rows of time, x, y, z, (n, 4)."""
        ...

    def start(self) -> None:
        """Begin."""
        ...

    def stop(self) -> None:
        """End."""
        ...

    def set(self, settings: Floats, /) -> None:
        """Other settings from the next tick on; the rate stays."""
        ...

    def snapshot(self) -> tuple[Floats, float, float, int, float]:
        """Hand, speed, force, point, its speed (15,); energy; strength; trouble; delay."""
        ...

    def counts(self) -> tuple[int, ...]:
        """As of a point, then flooded ticks, missed ones, packets sent, whether in real time."""
        ...

    def lateness(self) -> tuple[Ints, float, float]:
        """Ticks by microseconds of lateness, the latest one and the longest work [s]."""
        ...
