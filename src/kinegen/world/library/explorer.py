"""Explorer: drives a cart on, and turns away from what its distance rays see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["Explorer"]

WHEELS = ("front_left", "front_right", "rear_left", "rear_right")


class Explorer:
    """Steers away from the nearer side; where it is blocked, it backs up and turns."""

    def __init__(self, speed: float = 8.0, near: float = 0.5) -> None:
        """Remember how fast to drive [rad/s], and from where on a wall is near [m]."""
        self.speed, self.near, self.back_until, self.side = speed, near, 0.0, 1.0

    def step(self, time: float, seen: Mapping[str, Any]) -> dict[str, float]:
        """Targets of the wheels [rad/s] and of the steering [rad]."""
        ahead, left, right = seen["cart.eye"], seen["left"], seen["right"]
        if time >= self.back_until and min(ahead, left, right) < self.near:
            if time > self.back_until + 3:  # else it is in a corner: turn on the same way
                self.side = 1.0 if left > right else -1.0
            self.back_until = time + 1.5
        if time < self.back_until:
            speed, steer = -self.speed, -0.6 * self.side
        else:
            speed, steer = self.speed, max(-0.6, min(0.6, 0.5 * (left - right)))
        wheels = {f"cart.wheel_{one}": speed for one in WHEELS}
        return wheels | {"cart.steer_left": steer, "cart.steer_right": steer}
