"""Swing: by how much a spherical joint tilts its z axis, which its limit bounds."""

from __future__ import annotations

import numpy as np

from kinegen.kernels import Floats
from kinegen.mechanism.joint_types import JointType
from kinegen.mechanism.model import Model

__all__ = ["past_swing", "swing_angles"]


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
        if joint.type is JointType.SPHERICAL and np.isfinite(model.upper[joint.v.start])
    }
