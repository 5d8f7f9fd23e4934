"""Walker: turns the cranks of six legs, those in front the other way."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

__all__ = ["walk"]

SPEED = 2.5
"""Of the cranks [rad/s]."""
START = 1.0
"""How long it takes to get going [s]."""


def walk(time: float, seen: Mapping[str, Any]) -> dict[str, float]:
    """Targets of the cranks [rad]."""
    turned = SPEED * (time - START / 2 if time > START else time**2 / (2 * START))
    cranks = {}
    for n in range(1, 7):
        way = 1.0 if n > 3 else -1.0
        cranks[f"crank{n}"] = math.radians(120 * n) + way * turned
    return cranks
