"""Driver of the line follower: turns towards the dark pixels of its camera."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["follow"]

SPEED = 8.0
"""Of the wheels on a straight line [rad/s]."""


def follow(time: float, seen: Mapping[str, Any]) -> dict[str, float]:
    """Targets of the wheels [rad/s]."""
    dark = seen["eye"].mean(axis=2) < 80
    if not dark.any():
        return {"wheel1": 3.0, "wheel2": -3.0, "sees": 0.0}  # turn and look for it
    columns = np.flatnonzero(dark.any(axis=0))
    side = 1.0 - 2.0 * columns.mean() / (dark.shape[1] - 1)  # 1: at the left edge
    turn = 6.0 * side
    return {"wheel1": SPEED - turn, "wheel2": SPEED + turn, "sees": 1.0, "side": side}
