"""Gait of the crawling robot: lift, stretch, press, bend, again and again."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

__all__ = ["crawl"]

PERIOD = 2.0
"""[s]"""
GAIT = (
    (0.0, (-49, 75, 55)),  # the tip is just above the floor
    (0.25, (-75, 60, 10)),  # lifted
    (0.45, (-10, 20, 20)),  # stretched
    (0.55, (10, 20, 20)),  # pressed on the floor
    (0.85, (-30, 100, 40)),  # bent: the body has followed
    (1.0, (-49, 75, 55)),
)
"""Share of the period; shoulder, elbow and wrist [deg]."""


def crawl(time: float, seen: Mapping[str, Any]) -> dict[str, float]:
    """Targets of the arm's joints [rad]."""
    share = time % PERIOD / PERIOD
    for (a, start), (b, end) in pairwise(GAIT):
        if a <= share < b:
            part = (share - a) / (b - a)
            angles = [math.radians(x + part * (y - x)) for x, y in zip(start, end, strict=True)]
            names = ("robot.shoulder", "robot.elbow", "robot.wrist")
            return dict(zip(names, angles, strict=True))
    return {}
