"""Moving on the configuration manifold: q ⊕ v and q1 ⊖ q0, quaternions handled exactly."""

from __future__ import annotations

import math

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.base.joint_types import FREE, QUATERNIONS
from kinegen.kernels.reference.base.model import Model
from kinegen.kernels.reference.base.rotation import (
    left_jacobian,
    quat_exp,
    quat_log,
    quat_multiply,
    quat_normalize,
    quat_to_matrix,
)
from kinegen.kernels.tolerances import UPRIGHT


def swing_angle(quat: Floats) -> float:
    """The angle by which a rotation wxyz tilts the z axis [rad]."""
    return 2 * math.atan2(math.hypot(quat[1], quat[2]), math.hypot(quat[0], quat[3]))


def swing_axis(quat: Floats) -> Floats:
    """X and y of the body axis about which a turn widens the swing by its own angle, (2,).

    Zero where every axis does: at no swing at all, and at half a turn.
    """
    w, x, y, z = quat
    axis = np.array([2 * (y * z + w * x), -2 * (x * z - w * y)])
    sine = float(np.hypot(*axis))
    return axis / sine if sine > UPRIGHT else np.zeros(2)


def swing_bend(quat: Floats, w: Floats) -> float:
    """Acceleration of the swing under steady angular velocity, body axes, where it has an axis."""
    u = quat_to_matrix(quat)[2]
    sine = math.hypot(u[0], u[1])
    rate = (u[1] * w[0] - u[0] * w[1]) / sine
    return float(((w @ w - rate * rate) * u[2] - (u @ w) * w[2]) / sine)


def with_swing(quat: Floats, angle: float) -> Floats:
    """A rotation whose swing is wider by an angle, its z axis in the same plane."""
    x, y = math.sin(angle / 2) * swing_axis(quat)
    turned = quat_multiply(quat, np.array([math.cos(angle / 2), x, y, 0.0]))
    return np.asarray(turned / np.linalg.norm(turned))


def integrate(m: Model, q: Floats, v: Floats) -> Floats:
    """The configuration q moved by the tangent vector v (a velocity times a time step)."""
    out = np.empty(m.nq)
    for joint, kind in enumerate(m.joint_type):
        a, d, o = q[m.q_of(joint)], v[m.v_of(joint)], out[m.q_of(joint)]
        if kind == FREE:
            o[4:] = a[4:] + quat_to_matrix(a[:4]) @ left_jacobian(d[3:]) @ d[:3]
        if kind in QUATERNIONS:
            o[:4] = quat_normalize(quat_multiply(quat_normalize(a[:4]), quat_exp(d[-3:])))
        else:
            o[:] = a + d
    return out


def difference(m: Model, q0: Floats, q1: Floats) -> Floats:
    """The tangent vector from q0 to q1."""
    out = np.empty(m.nv)
    for joint, kind in enumerate(m.joint_type):
        a, b, o = q0[m.q_of(joint)], q1[m.q_of(joint)], out[m.v_of(joint)]
        if kind in QUATERNIONS:
            relative = quat_multiply(a[:4] * [1, -1, -1, -1], b[:4])
            o[-3:] = quat_log(quat_normalize(relative))
            if kind == FREE:
                p = quat_to_matrix(a[:4]).T @ (b[4:] - a[4:])
                o[:3] = np.linalg.solve(left_jacobian(o[3:]), p)
        else:
            o[:] = b - a
    return out
