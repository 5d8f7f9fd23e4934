"""Rigid transforms as plain tuples: rotation by rows (9), then translation (3).

Robots have hundreds of them, and a file is read once: tuples are made faster than arrays.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

__all__ = [
    "IDENTITY",
    "Transform",
    "Vector",
    "align_z",
    "apply",
    "compose",
    "from_axes",
    "from_quat",
    "from_rpy",
    "inverse",
    "is_identity",
    "rotate",
    "rotate_inertia",
    "to_quat",
    "to_rpy",
]

Transform: TypeAlias = tuple[float, ...]
"""Rotation by rows (9), translation (3)."""
Vector: TypeAlias = tuple[float, float, float]
IDENTITY: Transform = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
_TINY = 1e-12
"""Below this a number of a rotation is rounding."""


def from_rpy(xyz: Sequence[float], rpy: Sequence[float]) -> Transform:
    """``T(x, y, z) Rz(yaw) Ry(pitch) Rx(roll)``."""
    x, y, z = xyz
    roll, pitch, yaw = rpy
    if roll == pitch == yaw == 0:
        if x == y == z == 0:
            return IDENTITY
        return (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, x, y, z)
    cr, sr = math.cos(roll), math.sin(roll)
    cp, sp = math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    return (
        cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr,
        sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr,
        -sp, cp * sr, cp * cr,
        x, y, z,
    )  # fmt: skip


def from_quat(xyz: Sequence[float], quat: Sequence[float]) -> Transform:
    """From a position and a quaternion w, x, y, z of any length but 0."""
    w, x, y, z = quat
    n = math.sqrt(w * w + x * x + y * y + z * z)
    w, x, y, z = w / n, x / n, y / n, z / n
    return (
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
        *xyz,
    )  # fmt: skip


def from_axes(x: Vector, z: Vector) -> Transform:
    """The rotation whose x and z axes are given: perpendicular unit vectors."""
    y = (z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0])
    return (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2], 0.0, 0.0, 0.0)


def to_rpy(X: Transform) -> tuple[Vector, Vector]:
    """Position, and roll, pitch, yaw."""
    pitch = math.atan2(-X[6], math.sqrt(X[0] * X[0] + X[3] * X[3]))
    roll = math.atan2(X[7], X[8]) if abs(X[7]) + abs(X[8]) > 1e-9 else 0.0
    # what is left after this roll and no other: near pitch ±90° only their sum is well defined
    cr, sr = math.cos(roll), math.sin(roll)
    yaw = math.atan2(sr * X[2] - cr * X[1], cr * X[4] - sr * X[5])
    return (X[9], X[10], X[11]), (roll, pitch, yaw)


def to_quat(X: Transform) -> tuple[float, float, float, float]:
    """The rotation as a unit quaternion w, x, y, z, with w ≥ 0."""
    (roll, pitch, yaw) = to_rpy(X)[1]
    cr, sr = math.cos(roll / 2), math.sin(roll / 2)
    cp, sp = math.cos(pitch / 2), math.sin(pitch / 2)
    cy, sy = math.cos(yaw / 2), math.sin(yaw / 2)
    w = cr * cp * cy + sr * sp * sy
    sign = -1.0 if w < 0 else 1.0
    return (
        sign * w,
        sign * (sr * cp * cy - cr * sp * sy),
        sign * (cr * sp * cy + sr * cp * sy),
        sign * (cr * cp * sy - sr * sp * cy),
    )


def compose(A: Transform, B: Transform) -> Transform:
    """X_AC = X_AB @ X_BC."""
    if A is IDENTITY:
        return B
    if B is IDENTITY:
        return A
    a0, a1, a2, a3, a4, a5, a6, a7, a8, ax, ay, az = A
    b0, b1, b2, b3, b4, b5, b6, b7, b8, bx, by, bz = B
    return (
        a0 * b0 + a1 * b3 + a2 * b6, a0 * b1 + a1 * b4 + a2 * b7, a0 * b2 + a1 * b5 + a2 * b8,
        a3 * b0 + a4 * b3 + a5 * b6, a3 * b1 + a4 * b4 + a5 * b7, a3 * b2 + a4 * b5 + a5 * b8,
        a6 * b0 + a7 * b3 + a8 * b6, a6 * b1 + a7 * b4 + a8 * b7, a6 * b2 + a7 * b5 + a8 * b8,
        a0 * bx + a1 * by + a2 * bz + ax,
        a3 * bx + a4 * by + a5 * bz + ay,
        a6 * bx + a7 * by + a8 * bz + az,
    )  # fmt: skip


def inverse(X: Transform) -> Transform:
    """X_BA of X_AB."""
    r0, r1, r2, r3, r4, r5, r6, r7, r8, x, y, z = X
    return (
        r0, r3, r6, r1, r4, r7, r2, r5, r8,
        -(r0 * x + r3 * y + r6 * z), -(r1 * x + r4 * y + r7 * z), -(r2 * x + r5 * y + r8 * z),
    )  # fmt: skip


def rotate(X: Transform, v: Sequence[float]) -> Vector:
    """A vector given in B, expressed in A."""
    return (
        X[0] * v[0] + X[1] * v[1] + X[2] * v[2],
        X[3] * v[0] + X[4] * v[1] + X[5] * v[2],
        X[6] * v[0] + X[7] * v[1] + X[8] * v[2],
    )


def apply(X: Transform, p: Sequence[float]) -> Vector:
    """A point given in B, in A."""
    x, y, z = rotate(X, p)
    return x + X[9], y + X[10], z + X[11]


def is_identity(X: Transform) -> bool:
    """Whether it moves nothing, but for rounding."""
    return all(abs(a - b) < _TINY for a, b in zip(X, IDENTITY, strict=True))


def align_z(axis: Vector) -> Transform:
    """A rotation whose z axis is a unit vector: quarter turns where these do, else the shortest."""
    for known, X in _QUARTERS:
        if all(abs(a - b) < _TINY for a, b in zip(axis, known, strict=True)):
            return X
    x, y, z = axis
    w = 1 + z
    if w < 1e-9:  # nearly opposite: by way of x
        return _from_columns(axis)
    return from_quat((0.0, 0.0, 0.0), (w, -y, x, 0.0))


def _from_columns(z: Vector) -> Transform:
    """Some rotation whose z axis is given, for those that point downwards."""
    x = (1.0 - z[0] * z[0], -z[0] * z[1], -z[0] * z[2])
    n = math.sqrt(sum(c * c for c in x))
    return from_axes((x[0] / n, x[1] / n, x[2] / n), z)


_QUARTERS: tuple[tuple[Vector, Transform], ...] = (
    ((0.0, 0.0, 1.0), IDENTITY),
    ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0)),
    ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0)),
    ((0.0, 0.0, -1.0), (1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0)),
    ((-1.0, 0.0, 0.0), (0.0, 0.0, -1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)),
    ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0)),
)


def rotate_inertia(X: Transform, inertia: Sequence[float]) -> tuple[float, ...]:
    """Xx yy zz xy xz yz given in B's axes, in A's: R I Rᵀ."""
    xx, yy, zz, xy, xz, yz = inertia
    r0, r1, r2, r3, r4, r5, r6, r7, r8 = X[:9]
    # rows of R I, then their products with rows of R
    a0, a1 = r0 * xx + r1 * xy + r2 * xz, r0 * xy + r1 * yy + r2 * yz
    a2 = r0 * xz + r1 * yz + r2 * zz
    b0, b1 = r3 * xx + r4 * xy + r5 * xz, r3 * xy + r4 * yy + r5 * yz
    b2 = r3 * xz + r4 * yz + r5 * zz
    c0, c1 = r6 * xx + r7 * xy + r8 * xz, r6 * xy + r7 * yy + r8 * yz
    c2 = r6 * xz + r7 * yz + r8 * zz
    return (
        a0 * r0 + a1 * r1 + a2 * r2, b0 * r3 + b1 * r4 + b2 * r5, c0 * r6 + c1 * r7 + c2 * r8,
        a0 * r3 + a1 * r4 + a2 * r5, a0 * r6 + a1 * r7 + a2 * r8, b0 * r6 + b1 * r7 + b2 * r8,
    )  # fmt: skip
