"""CarefulRobot: repeats a job, slowly where a person is near, not at all while a hand says stop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.handles import Handle
from kinegen.kinematics.solving.inverse import solve
from kinegen.mechanism.load import load_raff
from kinegen.mechanism.model import Model
from kinegen.spatial.rotation import SO3

__all__ = ["CarefulRobot", "speed_near"]

PARTS = ((0.55, -0.3), (0.55, -0.1), (0.55, 0.1), (0.55, 0.3))
"""Where the parts are [m], from the foot of the arm."""
ABOVE, DOWN = 0.26, 0.1
"""Heights of the flange over the table: between two parts, and on a part [m]."""
MOVES = (1.0, 0.45, 0.3, 0.45)
"""Times at full speed: to the next part, down, on the part, up [s]."""
STOP_WITHIN, FULL_FROM = 0.5, 2.5
"""Nearer than this nothing moves, farther than this the robot is at full speed [m]."""
RAMP = 2.5
"""The share of full speed changes so fast [1/s]: nothing jerks."""
STOP = 2.0
"""The gesture of a flat hand that is held up."""


def speed_near(distance: float, gesture: float) -> float:
    """Share of full speed that is allowed, 0 to 1.

    Args:
        distance: To the nearest person [m].
        gesture: What their hands show, as a code.
    """
    if gesture == STOP or not np.isfinite(distance):
        return 0.0
    return float(np.clip((distance - STOP_WITHIN) / (FULL_FROM - STOP_WITHIN), 0.0, 1.0))


class CarefulRobot:
    """Its job has a clock of its own, which people slow down."""

    def __init__(self) -> None:
        """Plan the job: joint angles above and on each part."""
        model = load_raff("ur5e").compile()
        self.joints = [joint.name for joint in model.joints]
        self.points = _plan(model)
        self.lengths = np.tile(MOVES, len(PARTS))
        self.clock, self.share = 0.0, 0.0
        self.before: float | None = None

    def step(self, time: float, seen: Mapping[str, Any]) -> dict[str, float]:
        """Targets of the arm's joints [rad], and the present share of full speed."""
        passed = 0.0 if self.before is None else time - self.before
        self.before = time
        allowed = speed_near(seen["guard.distance"], seen["guard.gesture"])
        self.share += float(np.clip(allowed - self.share, -RAMP * passed, RAMP * passed))
        self.clock = (self.clock + self.share * passed) % float(self.lengths.sum())
        q = self._at(self.clock)
        targets = {f"arm.{name}": float(one) for name, one in zip(self.joints, q, strict=True)}
        return targets | {"speed": self.share}

    def _at(self, clock: float) -> Floats:
        """Joint angles at a time of the job [s]."""
        ends = np.cumsum(self.lengths)
        i = int(np.searchsorted(ends, clock, side="right"))
        share = 1 - (ends[i] - clock) / self.lengths[i]
        ease = share**3 * (10 - 15 * share + 6 * share**2)
        start, end = self.points[i - 1], self.points[i]
        return np.asarray(start + ease * (end - start))


def _plan(model: Model) -> Floats:
    """Where each of the moves ends: above a part, on it, still on it, above it."""
    down = SO3.from_rpy(np.pi, 0.0, 0.0)
    q, rows = model.start(), []
    for x, y in PARTS:
        above = solve(model, Handle("tool", [x, y, ABOVE], down), start=q).q
        on = solve(model, Handle("tool", [x, y, DOWN], down), start=above).q
        rows += [above, on, on, above]
        q = above
    return np.array(rows)
