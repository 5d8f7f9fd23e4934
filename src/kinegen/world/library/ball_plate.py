"""BallBalancer: tilts a Stewart platform so that a ball on it rolls along a circle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kinegen.kernels import Floats
from kinegen.spatial.rotation import SO3

__all__ = ["BallBalancer", "leg_lengths"]

STIFFNESS, DAMPING = 4.0, 3.5
"""Acceleration of the ball per distance [1/s²] and per speed [1/s] off its way."""
LEGS = np.radians([[2.5, 50], [117.5, 70], [122.5, 170], [237.5, 190], [242.5, 290], [357.5, 310]])
"""Where each leg begins on the ground (radius 3 m) and ends on the platform (radius 1 m)."""


def leg_lengths(roll: float, pitch: float) -> Floats:
    """Lengths of the six legs [m] that tilt the platform, its middle 2 m above the ground."""
    ground = 3.0 * np.column_stack([np.cos(LEGS[:, 0]), np.sin(LEGS[:, 0]), np.zeros(6)])
    top = np.column_stack([np.cos(LEGS[:, 1]), np.sin(LEGS[:, 1]), np.zeros(6)])
    tilted = top @ SO3.from_rpy(roll, pitch, 0.0).matrix.T + [0.0, 0.0, 2.0]
    return np.asarray(np.linalg.norm(tilted - ground, axis=1))


class BallBalancer:
    """The plate's slope accelerates the ball: five sevenths of g times the slope."""

    def __init__(self, radius: float = 0.5, period: float = 4.0) -> None:
        """Remember the circle: its radius [m] and how long it takes [s]."""
        self.radius, self.period = radius, period
        self.before: Floats | None = None
        self.velocity, self.slope = np.zeros(2), np.zeros(2)

    def step(self, time: float, seen: Mapping[str, Any]) -> dict[str, float]:
        """Lengths of the legs [m]."""
        place = np.array(seen["ball_place.position"][:2])
        moved = np.zeros(2) if self.before is None else (place - self.before) * 100
        self.before = place
        self.velocity += 0.2 * (moved - self.velocity)  # the sensor is noisy
        turn = 2 * np.pi / self.period
        goal = self.radius * np.array([np.cos(turn * time), np.sin(turn * time)])
        ahead = turn * np.array([-goal[1], goal[0]])
        push = STIFFNESS * (goal - place) + DAMPING * (ahead - self.velocity) - turn**2 * goal
        asked = np.clip(push / (5 / 7 * 9.81), -0.3, 0.3)
        self.slope += np.clip(asked - self.slope, -0.008, 0.008)  # a jerk would throw the ball
        lengths = leg_lengths(-self.slope[1], self.slope[0])
        legs = {f"hexapod.leg{i + 1}": float(lengths[i]) for i in range(6)}
        return legs | {"off": float(np.linalg.norm(goal - place))}
