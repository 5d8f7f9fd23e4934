"""Carriers: two arms that grip a bar, lift it and carry it to the side, keeping it level."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.handles import Handle
from kinegen.kinematics.solving.inverse import solve
from kinegen.mechanism.load import load_raff
from kinegen.spatial.rotation import SO3

__all__ = ["Carriers"]

DOWN = SO3.from_rpy(np.pi, 0.0, np.pi / 2)
"""A hand that points down and closes along x."""
PLAN = (
    (0.0, (0.0, 0.0, 0.30)),  # above the bar
    (1.0, (0.0, 0.0, 0.22)),  # around it
    (1.6, (0.0, 0.0, 0.22)),  # gripped
    (3.0, (0.0, 0.0, 0.45)),  # lifted
    (3.6, (0.0, 0.0, 0.45)),
    (5.6, (-0.08, 0.12, 0.45)),  # carried to the side
    (7.8, (0.05, -0.08, 0.40)),
    (10.0, (0.0, 0.0, 0.45)),
)
"""Time [s], and where the middle between the hands is: x and y from the start, height [m]."""
HANDS = 2 * 0.76 * 9.81
"""Weight of both hands with their fingers [N]."""
GRIP = 60.0
"""Force of the fingers [N]."""


class Carriers:
    """Both hands follow one plan for the bar; inverse kinematics gives the joints."""

    def __init__(self, between: float = 0.9) -> None:
        """Remember how far the hands are apart along the bar [m]."""
        self.model = load_raff("franka-hand").compile()
        self.arms = [joint for joint in self.model.joints if joint.name.startswith("joint")]
        self.sides = {"left": between / 2, "right": -between / 2}
        self.q: dict[str, Any] = dict.fromkeys(self.sides)

    def step(self, time: float, seen: Mapping[str, Any]) -> dict[str, float]:
        """Targets of all joints [rad], and forces of the fingers [N]."""
        middle = _planned(time)
        targets: dict[str, float] = {}
        for side, y in self.sides.items():
            # each arm stands at 0.45 m to its side, and its model at the origin
            place = np.array([0.5 + middle[0], middle[1] + y - np.sign(y) * 0.45, middle[2]])
            found = solve(self.model, Handle("tool", place, DOWN), start=self.q[side])
            self.q[side] = found.q
            targets |= {f"{side}.{one.name}": float(found.q[one.q.start]) for one in self.arms}
            targets[f"{side}.finger_left"] = GRIP if time < 1.1 else -GRIP
        # a sensor's z axis points down, like the hand's
        felt = seen["left_hand.force"][2] + seen["right_hand.force"][2]
        return targets | {"load": float(felt - HANDS)}


def _planned(time: float) -> Floats:
    """Where the middle between the hands is to be, starting and ending each move gently."""
    for (begin, start), (end, goal) in pairwise(PLAN):
        if time < end:
            share = (time - begin) / (end - begin)
            return np.asarray(start + share**2 * (3 - 2 * share) * np.subtract(goal, start))
    return np.array(PLAN[-1][1])
