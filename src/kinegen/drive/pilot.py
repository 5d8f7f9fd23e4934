"""Pilot: where the goals of all servos are next: no jumps, limits of the file, dead man's switch.

It knows neither wires nor clocks: whoever calls it says what time it is.
"""

from __future__ import annotations

import math

import numpy as np

from kinegen.kernels import Floats

__all__ = ["Pilot"]

RISE = 0.3
"""Time from rest to full speed, and back [s]."""


class Pilot:
    """Leads goals from where the arm is to where it shall be, on a straight line in joint space."""

    def __init__(
        self, speeds: Floats, patience: float, longest: float = 0.05, *, hears_commands: bool = True
    ) -> None:
        """At rest.

        Args:
            speeds: Fastest of every joint [rad/s, m/s].
            patience: Time without a command or heartbeat after which a moving arm stops [s].
            longest: Most time that counts between two cycles [s]: after a pause goals do not leap.
            hears_commands: Whether a command says that somebody is there; else heartbeats only.
        """
        self._hears_commands = hears_commands
        self.speeds, self.patience, self.longest = speeds, patience, longest
        self.goals: Floats = np.zeros(len(speeds))
        """What the servos are asked now."""
        self.targets: Floats = self.goals
        """Where the goals are led."""
        self.pace = 0.0
        """Share of the full speed."""
        self.is_on = False
        self._heard = self._time = -math.inf
        self._tracks = False
        self._last: Floats = np.zeros(len(speeds))

    def begin(self, positions: Floats, now: float) -> None:
        """Begin where the arm is."""
        self.goals = positions.copy()
        self.targets = positions.copy()
        self.pace, self.is_on = 0.0, True
        self._heard = self._time = now

    def aim(self, targets: Floats, now: float, *, tracks: bool = False) -> None:
        """Lead the goals somewhere else.

        Args:
            targets: Of all joints [rad, m].
            now: [s]
            tracks: Whether the targets are points of a motion that has its own timing: the goals
                follow at once, no faster than the speeds.
        """
        self.targets, self._tracks = targets.copy(), tracks
        if self._hears_commands:
            self._heard = now

    def hear(self, now: float) -> None:
        """Somebody is there."""
        self._heard = now

    def time_to(self, targets: Floats) -> float:
        """Time that the goals need to some targets at full speed [s]."""
        return float(np.max(np.abs(targets - self.goals) / self.speeds, initial=0.0))

    @property
    def has_arrived(self) -> bool:
        """Whether the goals are at their targets."""
        return bool(self._left < 1e-9)

    def is_deserted(self, now: float) -> bool:
        """Whether the arm moves and nobody has been heard for too long."""
        return self.is_on and not self.has_arrived and now - self._heard > self.patience

    def advance(self, now: float) -> Floats:
        """The goals of this cycle."""
        step = min(max(now - self._time, 0.0), self.longest)
        self._time = now
        left, way = self._left, self.targets - self.goals
        if left < 1e-9:
            self.pace = 0.0
            self.goals = self.targets.copy()
            return self.goals
        if self._tracks:
            self.pace = min(left / step, 1.0) if step > 0 else 0.0
        else:
            if float(way @ self._last) < 0:
                self.pace = 0.0  # back: it has to stop first
            self.pace = min(self.pace + step / RISE, 1.0, math.sqrt(2 * left / RISE))
        self._last = way
        self.goals = self.goals + way * min(self.pace * step / left, 1.0)
        return self.goals

    @property
    def _left(self) -> float:
        return self.time_to(self.targets)
