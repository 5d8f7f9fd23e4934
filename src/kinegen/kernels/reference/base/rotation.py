"""Rotations, quaternions (wxyz) and rigid transforms (4 × 4) in NumPy."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.tolerances import UPRIGHT

SMALL_ANGLE = 1e-4
"""Below this angle [rad] series replace quotients that would lose digits."""


_EYE = np.eye(4)


def cross_matrix(w: Floats) -> Floats:
    """The matrix [w]× with [w]× a = w × a."""
    x, y, z = w.tolist()
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def cross(a: Floats, b: Floats) -> Floats:
    """The product a × b of two vectors; ``np.cross``, made for many, takes ten times as long."""
    (a1, a2, a3), (b1, b2, b3) = a.tolist(), b.tolist()
    return np.array([a2 * b3 - a3 * b2, a3 * b1 - a1 * b3, a1 * b2 - a2 * b1])


def quat_multiply(a: Floats, b: Floats) -> Floats:
    """Hamilton product."""
    (aw, ax, ay, az), (bw, bx, by, bz) = a.tolist(), b.tolist()
    return np.array(
        [
            aw * bw - (ax * bx + ay * by + az * bz),
            aw * bx + bw * ax + (ay * bz - az * by),
            aw * by + bw * ay + (az * bx - ax * bz),
            aw * bz + bw * az + (ax * by - ay * bx),
        ]
    )


def quat_exp(w: Floats) -> Floats:
    """Unit quaternion of a rotation vector."""
    angle = float(np.linalg.norm(w))
    sinc = 0.5 - angle**2 / 48 if angle < SMALL_ANGLE else math.sin(angle / 2) / angle
    return np.concatenate([[math.cos(angle / 2)], sinc * w])


def quat_log(quat: Floats) -> Floats:
    """Rotation vector of a unit quaternion, the short way round."""
    if quat[0] < 0:
        quat = -quat
    sine = float(np.linalg.norm(quat[1:]))
    scale = 2.0 if sine < 1e-12 else 2 * math.atan2(sine, quat[0]) / sine
    return scale * quat[1:]


def quat_normalize(quat: Floats) -> Floats:
    """The unit quaternion of the same direction; the identity for zero."""
    length = float(np.linalg.norm(quat))
    return quat / length if length > 0 else np.array([1.0, 0, 0, 0])


def quat_to_matrix(quat: Floats) -> Floats:
    """Rotation matrix of a quaternion of any length but zero."""
    w, x, y, z = quat_normalize(quat).tolist()
    return np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )


def matrix_to_quat(R: Floats) -> Floats:
    """Quaternion of a rotation matrix, w ≥ 0: the eigenvector of Bar-Itzhack's matrix."""
    K = np.array(
        [
            [R[0, 0] + R[1, 1] + R[2, 2], 0, 0, 0],
            [R[2, 1] - R[1, 2], R[0, 0] - R[1, 1] - R[2, 2], 0, 0],
            [R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], R[1, 1] - R[0, 0] - R[2, 2], 0],
            [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], R[2, 2] - R[0, 0] - R[1, 1]],
        ]
    )
    quat: Floats = np.linalg.eigh(K, UPLO="L")[1][:, -1]
    return -quat if quat[0] < 0 else quat


def rotation_log(R: Floats) -> Floats:
    """Rotation vector of a rotation matrix."""
    return quat_log(matrix_to_quat(R))


def left_jacobian(w: Floats) -> Floats:
    """V(w): the translation of exp(v, w) is V(w) v."""
    angle = float(np.linalg.norm(w))
    W = cross_matrix(w)
    if angle < SMALL_ANGLE:
        return np.eye(3) + W / 2 + W @ W / 6
    return np.asarray(
        np.eye(3)
        + 2 * math.sin(angle / 2) ** 2 / angle**2 * W
        + (angle - math.sin(angle)) / angle**3 * W @ W
    )


def right_jacobian_inverse(w: Floats) -> Floats:
    """Jr(w)⁻¹: d log R = Jr(log R)⁻¹ · (angular velocity in the moving axes)."""
    return np.asarray(np.linalg.inv(left_jacobian(-w)), dtype=np.float64)


def transform(R: Floats | None = None, p: Floats | Sequence[float] | None = None) -> Floats:
    """The 4 × 4 matrix of a rotation and a translation."""
    X = _EYE.copy()
    if R is not None:
        X[:3, :3] = R
    if p is not None:
        X[:3, 3] = p
    return X


def inverse(X: Floats) -> Floats:
    """The inverse of a rigid transform."""
    return transform(X[:3, :3].T, -X[:3, :3].T @ X[:3, 3])


def turn(axis: int, angle: float) -> Floats:
    """Rotation about the x, y or z axis as a 4 × 4 matrix."""
    X, cosine, sine = _EYE.copy(), math.cos(angle), math.sin(angle)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    X[j, j] = X[k, k] = cosine
    X[k, j], X[j, k] = sine, -sine
    return X


def shift(axis: int, length: float) -> Floats:
    """Translation along the x, y or z axis as a 4 × 4 matrix."""
    X = _EYE.copy()
    X[axis, 3] = length
    return X


def pose_of(X: Floats) -> Floats:
    """Seven numbers of a transform: quaternion, then translation."""
    return np.concatenate([matrix_to_quat(X[:3, :3]), X[:3, 3]])


def adjoint(X_AB: Floats) -> Floats:
    """Ad(X_AB): turns a twist (linear first) at B in B's axes into the same at A in A's axes."""
    R, p = X_AB[:3, :3], X_AB[:3, 3]
    Ad = np.zeros((6, 6))
    Ad[:3, :3] = Ad[3:, 3:] = R
    Ad[:3, 3:] = cross_matrix(p) @ R
    return Ad


def twist_bracket(V: Floats) -> Floats:
    """ad(V), the 6 × 6 matrix of the Lie bracket of twists (linear first)."""
    ad = np.zeros((6, 6))
    ad[:3, :3] = ad[3:, 3:] = cross_matrix(V[3:])
    ad[:3, 3:] = cross_matrix(V[:3])
    return ad


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
