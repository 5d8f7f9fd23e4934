"""Sorter: finds coloured parts in a picture, picks them from a moving belt and places them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.handles import Handle
from kinegen.kinematics.solving.inverse import solve
from kinegen.mechanism.load import load_raff
from kinegen.spatial.rotation import SO3

__all__ = ["Sorter", "find"]

SPEED = 0.08
"""Of the belt [m/s]."""
GRIP = 40.0
"""Force of the fingers [N]."""
EYE = np.array([0.55, -0.35, 0.65])
"""Where the camera is [m]; it looks down, and the top of its picture is ahead of the arm (x)."""
FOCAL = 0.5 / np.tan(np.radians(15))
"""Focal length of the camera, in heights of its picture."""
TOP = 0.15
"""Height of the tops of the parts [m]."""
TABLES = {"red": (0.25, -0.34), "blue": (0.25, 0.34)}
"""Where parts of each colour go, two side by side [m]."""
REACH = -0.22
"""Parts are picked once they are here, along y [m]."""
PLAN = (
    (0.65, "part", 0.10, GRIP),  # above the part, and on with it
    (0.3, "part", 0.0, GRIP),
    (0.2, "part", 0.0, -GRIP),
    (0.25, "part", 0.10, -GRIP),
    (0.85, "table", 0.10, -GRIP),
    (0.3, "table", 0.0, -GRIP),
    (0.12, "table", 0.0, GRIP),
    (0.18, "table", 0.10, GRIP),
)
"""How long [s], where the hand goes, how far above its place, and the force of the fingers [N]."""


class Sorter:
    """Queues the parts that the camera sees, and takes them one by one from belt to table."""

    def __init__(self) -> None:
        """Begin with the hand at rest between the tables."""
        self.model = load_raff("franka-hand").compile()
        self.joints = [joint for joint in self.model.joints if joint.name.startswith("joint")]
        self.q: Any = None
        self.seen: list[tuple[str, Floats]] = []  # colour; x, y with the belt at 0, direction
        self.done = 0
        self.began: float | None = None
        self.rest = np.array([0.4, 0.0, 0.25, 0.0])

    def step(self, time: float, seen: Mapping[str, Any]) -> dict[str, float]:
        """Targets of the arm [rad] and the belt [m/s], and the force of the fingers [N]."""
        belt = float(seen["belt.position"])
        part = find(seen["eye"])
        if part is not None and abs(part[1][1] - EYE[1]) < 6e-3:  # right below the camera
            place = part[1] - [0.0, belt, 0.0]
            if not self.seen or self.seen[-1][1][1] - place[1] > 0.05:
                self.seen.append((part[0], place))
        hand, force = self._hand(time, belt)
        turn = SO3.from_rpy(np.pi, 0.0, hand[3])
        found = solve(self.model, Handle("tool", hand[:3], turn), start=self.q)
        self.q = found.q
        targets = {f"arm.{one.name}": float(found.q[one.q.start]) for one in self.joints}
        return targets | {"arm.finger_left": force, "belt": SPEED if belt < 1.45 else 0.0,
                          "seen": len(self.seen), "placed": self.done}  # fmt: skip

    def _hand(self, time: float, belt: float) -> tuple[Floats, float]:
        """Where the hand is to be: x, y, z, direction; and the force of its fingers."""
        if self.done == len(self.seen):
            return self.rest, GRIP
        colour, place = self.seen[self.done]
        if self.began is None:
            if place[1] + belt < REACH:
                return self.rest, GRIP
            self.began = time
        before = sum(one == colour for one, _ in self.seen[: self.done])
        x, y = TABLES[colour]
        places = {
            "part": np.array([place[0], place[1] + belt, TOP - 0.025, place[2]]),
            "table": np.array([x + 0.12 * before - 0.06, y, TOP - 0.024, 0.0]),
        }
        past, start = time - self.began, self.rest
        for length, where, above, force in PLAN:
            goal = places[where] + [0.0, 0.0, above, 0.0]
            if past < length:
                share = past / length
                return start + share**2 * (3 - 2 * share) * (goal - start), force
            past, start = past - length, goal
        self.done, self.began, self.rest = self.done + 1, None, start
        return start, force


def find(picture: Any) -> tuple[str, Floats] | None:
    """Colour of the part in a picture, and its x, y [m] and direction [rad], -90 to 90 degrees."""
    if picture is None:
        return None
    rgb = np.asarray(picture, float)
    for colour, one, other in (("red", 0, 2), ("blue", 2, 0)):
        rows, columns = np.nonzero(rgb[..., one] > 40 + 1.6 * rgb[..., [1, other]].max(axis=2))
        whole = {0, rgb.shape[1] - 1}.isdisjoint(columns)
        if len(rows) < 20 or not whole:
            continue
        scale = (EYE[2] - TOP) / (FOCAL * len(rgb))
        x = EYE[0] + (len(rgb) / 2 - 0.5 - rows) * scale
        y = EYE[1] + (rgb.shape[1] / 2 - 0.5 - columns) * scale
        (xx, xy), (_, yy) = np.cov(x, y)
        return colour, np.array([x.mean(), y.mean(), np.arctan2(2 * xy, xx - yy) / 2])
    return None
