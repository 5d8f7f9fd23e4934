"""Directions across an axis, and turns about it."""

from __future__ import annotations

import math

import numpy as np

from kinegen.kernels import Floats

__all__ = ["across", "turn_about_z"]


def across(axis: Floats) -> tuple[Floats, Floats]:
    """Two directions across an axis: the same for every gear about it."""
    helper = np.eye(3)[int(np.abs(axis).argmin())]
    x = np.cross(helper, axis)
    x = x / np.linalg.norm(x)
    return x, np.cross(axis, x)


def turn_about_z(angle: float) -> Floats:
    """The rotation about z by an angle [rad]."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
