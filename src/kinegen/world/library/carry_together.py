"""Follower: an arm that carries one end of a bar and follows the person at the other end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.handles import Handle
from kinegen.kinematics.positions import pose
from kinegen.kinematics.solving.inverse import solve
from kinegen.mechanism.load import load_raff
from kinegen.spatial.rotation import SO3

__all__ = ["Follower"]

PERIOD = 0.02
"""Between two decisions [s]."""
LENGTH = 1.1
"""Of the bar between the hands [m]."""
MASS, DAMPING = 4.0, 40.0
"""Of the hand along the bar, as the person feels it [kg, N s/m]."""
RATE = 5.0
"""How quickly the arm corrects the bar's direction [1/s]."""
FASTEST = 0.5
"""Speed of the hand [m/s]."""
TILT = 0.12
"""A bar that is steeper [rad] is not carried by anybody else."""
DOWN, LOWEST = 0.12, 0.1
"""How fast it lowers a bar that it holds alone [m/s], and to which height [m]."""
GRIP = 10.0
"""Force of the fingers, which only look as if they held the bar [N]."""


class Follower:
    """Admittance along the bar, by the force in the hand; across it, it keeps the bar straight."""

    def __init__(self) -> None:
        """Begin at the start of the arm, at rest."""
        self.model = load_raff("franka-hand").compile()
        self.arms = [joint for joint in self.model.joints if joint.name.startswith("joint")]
        self.q = self.model.start()
        start = pose(self.model, self.q, "tool")
        self.place = np.array(start.translation)
        self.turn = start.so3
        self.along = 0.0
        """Speed of the hand along the bar [m/s]."""
        self.is_alone = False
        """Whether nobody else carries the bar."""

    def step(self, time: float, seen: Mapping[str, Any]) -> dict[str, float]:
        """Targets of all joints [rad, N], the tilt of the bar [rad], and whether it is alone."""
        w, x, y, z = seen["bar_pose.orientation"]
        # to the person
        bar = SO3(np.array([w, x, y, z])).matrix[:, 0]
        steep = float(np.arcsin(np.clip(bar[2], -1, 1)))
        self.is_alone = self.is_alone or abs(steep) > TILT
        velocity = self._lower() if self.is_alone else self._follow(bar, seen["hand.force"])
        self.place = self.place + np.clip(velocity, -FASTEST, FASTEST) * PERIOD
        found = solve(self.model, Handle("tool", self.place, self.turn), start=self.q)
        self.q = found.q
        targets = {f"arm.{one.name}": float(found.q[one.q.start]) for one in self.arms}
        return targets | {"arm.finger_left": -GRIP, "tilt": steep, "alone": float(self.is_alone)}

    def _follow(self, bar: Floats, felt: Floats) -> Floats:
        """Velocity of the hand [m/s]: what the force asks for along the bar, straight across it."""
        R_WH = self.turn.matrix
        ahead = np.array([bar[0], bar[1], 0.0]) / np.hypot(bar[0], bar[1])
        force = float(ahead @ (R_WH @ felt))
        self.along += (force - DAMPING * self.along) / MASS * PERIOD
        # how far the person's hand is to the side and above
        across = LENGTH * np.array([0.0, bar[1], bar[2]])
        return np.asarray(self.along * np.array([1.0, 0.0, 0.0]) + RATE * across)

    def _lower(self) -> Floats:
        """Velocity of the hand [m/s] with a bar that it holds alone: slowly down, then still."""
        return np.array([0.0, 0.0, -DOWN if self.place[2] > LOWEST else 0.0])
