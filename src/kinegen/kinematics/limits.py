"""Joint limits: which joints are beyond theirs. That of a spherical joint bounds its swing."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kinegen.kernels import Floats
from kinegen.kernels.tolerances import LIMIT_SLACK
from kinegen.mechanism.model import Model

__all__ = ["any_outside_limits", "outside_limits", "past_limits", "past_swing", "swing_angles"]


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


def past_limits(model: Model, q: Floats, *, turns: bool = False) -> Floats:
    """How far variables are past their limits [rad; lengths in sizes of the mechanism], (…, nv).

    Negative within the limits, -inf where there are none. The swing of a spherical joint stands at
    its first variable.

    Args:
        model: The model.
        q: Configurations, (…, nq).
        turns: Whether angles between two limits count modulo a turn, but for those of coupled
            joints, of which a turn alone is another pose.
    """
    coupled = {model.joints[i].name for one in model.couplings for i in one.joints}
    past = np.full((*q.shape[:-1], model.nv), -np.inf)
    for name, swing in past_swing(model, q).items():
        past[..., model.joint(name).v.start] = swing
    for joint in model.joints:
        if joint.type.info.has_quaternion:
            continue
        low, high, values = model.lower[joint.v], model.upper[joint.v], q[..., joint.q]
        angles = ~np.array(joint.type.info.is_length, dtype=bool)  # of a fixed joint: none
        if turns:
            between = angles & np.isfinite(low) & np.isfinite(high) & (joint.name not in coupled)
            first = np.where(between, low, 0.0) - LIMIT_SLACK
            values = np.where(between, first + np.remainder(values - first, 2 * np.pi), values)
        scale = np.where(angles, 1.0, model.size)
        past[..., joint.v] = np.maximum(low - values, values - high) / scale
    return past


def outside_limits(model: Model, q: Floats) -> list[str]:
    """Names of the joints beyond their limits at q, by more than rounding."""
    lower, upper = model.lower, model.upper
    if not (np.isfinite(lower).any() or np.isfinite(upper).any()):
        return []
    if model.nq == model.nv and not ((q < lower) | (q > upper)).any():
        return []
    outside = past_limits(model, q) > LIMIT_SLACK
    return [joint.name for joint in model.joints if outside[joint.v].any()]


def any_outside_limits(model: Model, qs: Floats) -> npt.NDArray[np.bool_]:
    """Which configurations (n, nq) have a joint beyond its limits; angles count modulo a turn."""
    return np.asarray((past_limits(model, qs, turns=True) > LIMIT_SLACK).any(axis=1))
