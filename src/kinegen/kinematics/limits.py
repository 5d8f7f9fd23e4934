"""Joint limits: which joints are beyond theirs. That of a spherical joint bounds its swing."""

from __future__ import annotations

import numpy as np

from kinegen.kernels import Floats
from kinegen.kernels.tolerances import LIMIT_SLACK
from kinegen.kinematics.tolerances import variable_scale
from kinegen.mechanism.model import Model

__all__ = ["outside_limits", "past_swing", "swing_angles"]


def swing_angles(quats: Floats) -> Floats:
    """The angles by which rotations wxyz tilt the z axis [rad], (…) for (…, 4)."""
    tilt = np.hypot(quats[..., 1], quats[..., 2])
    return np.asarray(2 * np.arctan2(tilt, np.hypot(quats[..., 0], quats[..., 3])))


def past_swing(model: Model, q: Floats) -> dict[str, Floats]:
    """How far spherical joints swing beyond their limits [rad], negative within, by joint name.

    Args:
        model: The model.
        q: Configurations, (…, nq).
    """
    return {
        joint.name: np.asarray(swing_angles(q[..., joint.q]) - model.upper[joint.v.start])
        for joint in model.joints
        if joint.type.info.swings and np.isfinite(model.upper[joint.v.start])
    }


def outside_limits(model: Model, q: Floats) -> list[str]:
    """Names of the joints beyond their limits at q, by more than rounding."""
    lower, upper = model.lower, model.upper
    if not (np.isfinite(lower).any() or np.isfinite(upper).any()):
        return []
    slack = LIMIT_SLACK * variable_scale(model)
    lower, upper = lower - slack, upper + slack
    if model.nq == model.nv and not ((q < lower) | (q > upper)).any():
        return []
    swings = past_swing(model, q)
    return [
        joint.name
        for joint in model.joints
        if (
            swings[joint.name] > LIMIT_SLACK
            if joint.name in swings
            else joint.q.stop - joint.q.start == joint.v.stop - joint.v.start
            and ((q[joint.q] < lower[joint.v]) | (q[joint.q] > upper[joint.v])).any()
        )
    ]
