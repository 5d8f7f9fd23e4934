"""Joints that hold still, as the kernels take them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kinegen.kernels import Ints
from kinegen.mechanism.model import Model

__all__ = ["locked_variables"]


def locked_variables(model: Model, joints: Sequence[str] | Mapping[str, object]) -> Ints | None:
    """One int per variable, 1 where its joint is named; None when none is."""
    if not joints:
        return None
    locked = np.zeros(model.nv, dtype=np.int32)
    for name in joints:
        locked[model.joint(name).v] = 1
    return locked
