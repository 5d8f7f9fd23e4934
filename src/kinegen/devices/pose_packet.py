"""Packets with a pose, as text: what heads and trackers send by UDP."""

from __future__ import annotations

import math

import numpy as np

from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3

__all__ = ["FORM", "packet_pose"]

FORM = "a packet is the text 'x y z' or 'x y z roll pitch yaw', in m and rad"
FARTHEST = 100.0
"""[m] What is farther away is a mistake."""


def packet_pose(data: bytes) -> SE3 | None:
    """The pose in a packet: ``x y z`` [m], or ``x y z roll pitch yaw`` [m, rad]; None: no pose."""
    try:
        numbers = [float(word) for word in data.decode("ascii").replace(",", " ").split()]
    except ValueError:
        return None
    if len(numbers) not in (3, 6) or not all(math.isfinite(x) for x in numbers):
        return None
    if max(map(abs, numbers[:3])) > FARTHEST:
        return None
    roll, pitch, yaw = numbers[3:] or (0.0, 0.0, 0.0)
    return SE3(SO3.from_rpy(roll, pitch, yaw), np.array(numbers[:3]))
