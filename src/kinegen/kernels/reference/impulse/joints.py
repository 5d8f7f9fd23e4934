"""What joints of the impulse engine hold and leave free, by their types."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats
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
 ON_CURVE, SPRING) = range(12)  # fmt: skip
NQ = (1, 1, 1, 2, 2, 4, 3, 7, 0, 0, 0, 1)
NV = (1, 1, 1, 2, 2, 3, 3, 6, 0, 0, 0, 1)

(ROTOR, DAMPING, COULOMB, BREAKAWAY, STRIBECK, STIFFNESS, REST, LOWER, UPPER) = range(9)
"""Columns of a variable's numbers."""

# (kind, axis): along a direction, about an axis, or a thread; of the world W, of F or of M, of the
# line between them L
_W = [("along", "W0"), ("along", "W1"), ("along", "W2")]
_TURN_W = [("about", "W0"), ("about", "W1"), ("about", "W2")]
_TILT = [("about", "F0"), ("about", "F1")]
_SIDE = [("along", "F0"), ("along", "F1")]
HELD: tuple[list[tuple[str, str]], ...] = (
    [*_W, *_TILT],
    [*_SIDE, *_TURN_W],
    [*_SIDE, ("thread", "F2"), *_TILT],
    [*_SIDE, *_TILT],
    [*_W, ("about", "cross")],
    _W,
    [("along", "F2"), *_TILT],
    [],
    [*_W, *_TURN_W],
    [("along", "F2")],
    [("along", "n1"), ("along", "n2")],
    [],
)
FREED: tuple[list[tuple[str, str]], ...] = (
    [("about", "F2")],
    [("along", "F2")],
    [("about", "F2")],
    [("about", "F2"), ("along", "F2")],
    [("about", "F2"), ("about", "M0")],
    [("about", "M0"), ("about", "M1"), ("about", "M2")],
    [("along", "F0"), ("along", "F1"), ("about", "F2")],
    [(kind, f"M{i}") for kind in ("along", "about") for i in range(3)],
    [], [], [],
    [("along", f"L{i}") for i in range(3)],
)  # fmt: skip


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
    name: str, F: Floats, M: Floats, normals: tuple[Floats, Floats] | None = None
) -> Floats:
    """A row's direction or axis in the world."""
    if name == "cross":
        return cross(M[:3, 0], F[:3, 2])
    if name in {"n1", "n2"}:
        assert normals is not None
        return np.asarray(F[:3, :3] @ normals[int(name[1]) - 1])
    frame = {"W": np.eye(3), "F": F[:3, :3], "M": M[:3, :3], "L": line_frame(F, M)}[name[0]]
    return np.asarray(frame[:, int(name[1])])


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
