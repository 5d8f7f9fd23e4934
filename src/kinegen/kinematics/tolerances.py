"""Gaps and moves as shares of the mechanism's size, so that its unit of length does not matter.

Sizes are those of :attr:`Model.size`; angles count in radians beside them.
"""

from __future__ import annotations

import numpy as np

from kinegen.kernels import Floats
from kinegen.kernels.tolerances import SHUT
from kinegen.kinematics.closure import loop_gap
from kinegen.mechanism.model import Model

__all__ = ["is_closed", "relative_gap", "variable_scale"]


def relative_gap(model: Model, q: Floats) -> float:
    """The widest gap of the loops [sizes, rad]."""
    gap = loop_gap(model, q)
    return max(gap.distance / model.size, gap.angle)


def is_closed(model: Model, q: Floats, within: float = SHUT) -> bool:
    """Whether all loops are closed at q, in position and in orientation."""
    return not model.constraint_count or relative_gap(model, q) <= within


def variable_scale(model: Model) -> Floats:
    """What moves of each variable are measured in: radians, or sizes of the mechanism, (nv,)."""
    scale = np.ones(model.nv)
    for joint in model.joints:
        kinds = [kind for _, kind in joint.type.info.variables]
        if len(kinds) == joint.v.stop - joint.v.start:
            scale[joint.v] = [model.size if kind == "length" else 1.0 for kind in kinds]
    return scale
