"""Balancer: holds a body upright on two wheels, and brings it back to where it stood."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

__all__ = ["Balancer"]

RADIUS = 0.1
"""Of the wheels [m]."""
GAINS = (2.8, 4.9, 23.5, 4.3)
"""Torque of both wheels per place [m], speed [m/s], tilt [rad] and its rate [rad/s]."""


class Balancer:
    """Torque by place, speed, tilt and rate of tilt: the feedback of every textbook."""

    def step(self, time: float, seen: Mapping[str, Any]) -> dict[str, float]:
        """Torques of the wheels [N m]."""
        w, x, y, z = seen["imu.orientation"]
        tilt = math.asin(2 * (w * y - z * x))
        tilting = seen["imu.rate"][1]
        # the encoders count from the body, which tilts
        turned = (seen["encoder1.position"] + seen["encoder2.position"]) / 2 + tilt
        turning = (seen["encoder1.velocity"] + seen["encoder2.velocity"]) / 2 + tilting
        state = (RADIUS * turned, RADIUS * turning, tilt, tilting)
        torque = sum(gain * one for gain, one in zip(GAINS, state, strict=True)) / 2
        yaw = seen["encoder1.position"] - seen["encoder2.position"]
        return {"wheel1": torque - 0.2 * yaw, "wheel2": torque + 0.2 * yaw}
