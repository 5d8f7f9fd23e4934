"""Numbers to propose to people: round ones, of the size of a mechanism."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from kinegen.kinematics.configurations import Configuration
from kinegen.kinematics.positions import forward
from kinegen.mechanism.model import Model

__all__ = ["neat_number", "pose_extent"]


def neat_number(x: float, steps: Sequence[float] = (1, 2, 5)) -> float:
    """The largest of some digits times a power of ten that is not above x.

    Args:
        x: A positive number.
        steps: The digits to choose from, rising from 1.
    """
    power = 10.0 ** math.floor(math.log10(max(x, 1e-9)))
    return max(k for k in steps if k * power <= x * (1 + 1e-9)) * power


def pose_extent(model: Model, q: Configuration = None) -> float:
    """Diagonal of the box around all links and frames in a pose [m]; the model's size for none."""
    sites = forward(model, q)[:, 4:]
    return float(np.linalg.norm(np.ptp(sites, axis=0))) or model.size
