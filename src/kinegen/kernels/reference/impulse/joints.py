"""What joints of the impulse engine hold and leave free, by their types."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.protocols.impulse import BONDS, AxisNumber, BondType, RowAxis
from kinegen.kernels.reference.base.rotation import cross

__all__ = [
    "CYLINDRICAL",
    "DAMPING",
    "FIXED",
    "FREE",
    "FREED",
    "HELD",
    "NV",
    "ON_CURVE",
    "ON_PLANE",
    "PLANAR",
    "PRISMATIC",
    "REST",
    "REVOLUTE",
    "ROTOR",
    "SCREW",
    "SPHERICAL",
    "SPRING",
    "STIFFNESS",
    "UNIVERSAL",
    "axis_of",
    "is_ball",
    "log_of",
    "perpendicular_to",
    "quat_of",
    "rotation",
]

(REVOLUTE, PRISMATIC, SCREW, CYLINDRICAL, UNIVERSAL, SPHERICAL, PLANAR, FREE, FIXED, ON_PLANE,
 ON_CURVE, SPRING) = BondType  # fmt: skip
NV = tuple(bond.nv for bond in BONDS)
HELD = tuple(bond.held for bond in BONDS)
FREED = tuple(bond.freed for bond in BONDS)
(ROTOR, DAMPING, COULOMB, BREAKAWAY, STRIBECK, STIFFNESS, REST, LOWER, UPPER) = AxisNumber
"""Columns of a variable's numbers."""


def is_ball(type_: int) -> bool:
    """Whether a joint's q begins with a quaternion."""
    return type_ in {SPHERICAL, FREE}


def rotation(quat: Floats) -> Floats:
    """Matrix of a quaternion."""
    w, x, y, z = quat / np.linalg.norm(quat)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def quat_of(R: Floats) -> Floats:
    """Quaternion of a matrix: the largest eigenvector of Bar-Itzhack's (2000)."""
    K = np.array(
        [
            [R[0, 0] - R[1, 1] - R[2, 2], R[1, 0] + R[0, 1], R[2, 0] + R[0, 2], R[2, 1] - R[1, 2]],
            [R[1, 0] + R[0, 1], R[1, 1] - R[0, 0] - R[2, 2], R[2, 1] + R[1, 2], R[0, 2] - R[2, 0]],
            [R[2, 0] + R[0, 2], R[2, 1] + R[1, 2], R[2, 2] - R[0, 0] - R[1, 1], R[1, 0] - R[0, 1]],
            [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], R[0, 0] + R[1, 1] + R[2, 2]],
        ]
    )
    x, y, z, w = np.linalg.eigh(K)[1][:, -1]
    return np.array([w, x, y, z])


def log_of(quat: Floats) -> Floats:
    """Rotation vector of a quaternion, the short way round."""
    q = -quat if quat[0] < 0 else quat
    n = float(np.linalg.norm(q[1:]))
    return np.asarray(2 * q[1:] if n < 1e-12 else 2 * np.arctan2(n, q[0]) / n * q[1:])


def axis_of(
    axis: RowAxis, F: Floats, M: Floats, normals: tuple[Floats, Floats] | None = None
) -> Floats:
    """A row's direction or axis in the world."""
    if axis == RowAxis.CROSS:
        return cross(M[:3, 0], F[:3, 2])
    if axis in {RowAxis.NORMAL, RowAxis.BINORMAL}:
        assert normals is not None
        return np.asarray(F[:3, :3] @ normals[axis - RowAxis.NORMAL])
    for first, frame in (
        (RowAxis.LINE, line_frame),
        (RowAxis.M_X, lambda _, M: M[:3, :3]),
        (RowAxis.F_X, lambda F, _: F[:3, :3]),
        (RowAxis.WORLD_X, lambda *_: np.eye(3)),
    ):
        if axis >= first:
            return np.asarray(frame(F, M)[:, axis - first])
    raise AssertionError(axis)


def line_frame(F: Floats, M: Floats) -> Floats:
    """Along the line from F's origin to M's, and across it, as columns."""
    d = M[:3, 3] - F[:3, 3]
    length = float(np.linalg.norm(d))
    along = d / length if length > 0 else np.array([0.0, 0, 1])
    across = perpendicular_to(along)
    return np.stack((along, across, cross(along, across)), axis=1)


def perpendicular_to(t: Floats) -> Floats:
    """A unit vector perpendicular to a unit vector: from the axis that it follows least."""
    out = cross(t, np.eye(3)[int(np.argmin(np.abs(t)))])
    return np.asarray(out / np.linalg.norm(out))
