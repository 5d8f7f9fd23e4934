"""What the kernels offer for haptics: one touched point, and the thread that runs it."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from kinegen.kernels.layout import Floats, Ints

__all__ = ["STATE_COUNT", "BoundHapticLoop", "BoundHapticPoint", "HapticSettings"]

STATE_COUNT = 65
"""Numbers that a mechanism tells of its touched point: mode (0 none, 1 push, 2 pull), point (3),
orientation wxyz (4), velocity (6), acceleration without the hand (6), mobility (36), normal (3),
stiffness (linear, angular), damping (alike), energy given to the mechanism, time for which the
answered packet waited. Linear comes first; an angular stiffness of 0 couples the place alone."""


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
    """Of the lightest hand with its device [kg]: how far a force may move it within a tick."""
    is_passive: float = 1.0
    """0: the ledger is kept and nobody minds it."""
    torque_most: float = 1.0
    """[N m]"""
    hand_inertia: float = 1e-4
    """Of the lightest hand with its device [kg m²]: that of 0.1 kg some 3 cm away."""

    @property
    def numbers(self) -> Floats:
        """As the kernels take them."""
        return np.array(self, dtype=np.float64)


class BoundHapticPoint(Protocol):
    """One touched point, stepped by the caller."""

    def hear(self, sequence: int, now: float, echo: float, told: Floats, /) -> int:
        """A word of the mechanism: 0 new, 1 old or double, 2 nonsense."""
        ...

    def tick(
        self, now: float, x: Floats, turn: Floats | None, v: Floats, is_faulty: bool, /
    ) -> Floats:
        """The force on a hand at x with speed v, (3,) [N].

        With its orientation ``turn`` (wxyz), v has six numbers and a torque [N m] comes too, (6,).
        """
        ...

    def state(self) -> tuple[Floats, float, float, float, float]:
        """The point, its orientation and speeds (13,), strength, energies, one-way delay.

        The energies are what the hand gave and what it was refused [J].
        """
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
        """Where everything is (25,); energy; strength; trouble; delay.

        Hand, its speed, the force on it, the point, its speed, 3 each; then orientation of the hand
        (4), its angular velocity (3), the torque on it (3).
        """
        ...

    def counts(self) -> tuple[int, ...]:
        """As of a point, then flooded ticks, missed ones, packets sent, whether in real time."""
        ...

    def lateness(self) -> tuple[Ints, float, float]:
        """Ticks by microseconds of lateness, the latest one and the longest work [s]."""
        ...
