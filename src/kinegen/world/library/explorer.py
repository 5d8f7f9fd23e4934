"""Explorer: drives a cart on, and turns away from what its distance rays see."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from kinegen.spatial.rotation import SO3

__all__ = ["Explorer"]

CELL, CELLS = 0.16, 40
"""Size of a cell of the map [m], and how many there are along each side."""
FARTHEST = 3.0
"""Range of the rays [m]."""
RAYS = {"cart.eye": (0.23, 0.0, 0.0), "left": (0.23, 0.1, math.radians(35)),
        "right": (0.23, -0.1, math.radians(-35))}  # fmt: skip
"""Where each ray begins on the cart [m], and where it points [rad]."""
WHEELS = ("front_left", "front_right", "rear_left", "rear_right")


class Explorer:
    """Steers away from the nearer side; where it is blocked, it backs up and turns.

    On its way it draws a map: 1 where a ray ended, -1 where rays passed, 0 where none was.
    """

    def __init__(self, speed: float = 8.0, near: float = 0.5) -> None:
        """Remember how fast to drive [rad/s], and from where on a wall is near [m]."""
        self.speed, self.near, self.back_until, self.side = speed, near, 0.0, 1.0
        self.map = np.zeros((CELLS, CELLS))

    def step(self, time: float, seen: Mapping[str, Any]) -> dict[str, Any]:
        """Targets of the wheels [rad/s] and of the steering [rad], and the map."""
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
        self.look(seen)
        drawn = {"map": self.map, "map_cell": CELL}
        return wheels | {"cart.steer_left": steer, "cart.steer_right": steer} | drawn

    def look(self, seen: Mapping[str, Any]) -> None:
        """Draw what the rays saw: from the nose along each ray up to where it ended."""
        if "place.position" not in seen or not np.isfinite(seen["place.position"]).all():
            return  # a cart that does not know where it is draws no map
        R = SO3(np.array(seen["place.orientation"])).matrix
        for name, (x, y, turn) in RAYS.items():
            start = np.array(seen["place.position"]) + R @ [x, y, 0.0]
            ahead = R @ [math.cos(turn), math.sin(turn), 0.0]
            far = np.arange(0.0, seen[name], CELL / 2)
            self._mark(start + far[:, None] * ahead, -1.0)
            if seen[name] < FARTHEST:
                self._mark((start + seen[name] * ahead)[None], 1.0)

    def _mark(self, points: Any, value: float) -> None:
        column, row = np.floor(points[:, :2].T / CELL).astype(int) + CELLS // 2
        inside = (0 <= row) & (row < CELLS) & (0 <= column) & (column < CELLS)
        if value < 0:  # a wall that was seen once stays
            inside &= self.map[row * inside, column * inside] < 1
        self.map[row[inside], column[inside]] = value
