"""Rotations and quaternions (wxyz) in NumPy."""

from __future__ import annotations

import math

import numpy as np

from kinegen.kernels.layout import Floats

SMALL_ANGLE = 1e-4
"""Below this angle [rad] series replace quotients that would lose digits."""


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
