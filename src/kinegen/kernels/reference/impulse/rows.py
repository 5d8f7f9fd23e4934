"""What joints of the impulse engine hold: rows, gaps and variables, in NumPy."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats

__all__ = [
    "FREED", "HELD", "NQ", "NV", "SPRING", "axis_of", "curve_foot", "gap_of", "is_ball",
    "log_of", "quat_of", "rotation", "times", "variables_of",
]  # fmt: skip

(REVOLUTE, PRISMATIC, SCREW, CYLINDRICAL, UNIVERSAL, SPHERICAL, PLANAR, FREE, FIXED, ON_PLANE,
 ON_CURVE, SPRING) = range(12)  # fmt: skip
NQ = (1, 1, 1, 2, 2, 4, 3, 7, 0, 0, 0, 1)
NV = (1, 1, 1, 2, 2, 3, 3, 6, 0, 0, 0, 1)

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


def times(a: Floats, b: Floats) -> Floats:
    """Product of quaternions."""
    return np.array(
        [
            a[0] * b[0] - a[1:] @ b[1:],
            *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])),
        ]
    )


def log_of(quat: Floats) -> Floats:
    """Rotation vector of a quaternion, the short way round."""
    q = -quat if quat[0] < 0 else quat
    n = float(np.linalg.norm(q[1:]))
    return np.asarray(2 * q[1:] if n < 1e-12 else 2 * np.arctan2(n, q[0]) / n * q[1:])


def curve_foot(
    cubics: Floats, closed: bool, p: Floats, s: float
) -> tuple[float, Floats, Floats, Floats]:
    """Nearest point of a curve to p from parameter s on: parameter, offset and two normals."""
    count = len(cubics)

    def at(s: float) -> tuple[Floats, Floats, Floats]:
        k = min(max(int(np.floor(s)), 0), count - 1)
        t = s - k
        a, b, c, d = cubics[k]
        return (
            a + t * (b + t * (c + t * d)), b + t * (2 * c + 3 * t * d), 2 * c + 6 * t * d,
        )  # fmt: skip

    for _ in range(12):
        place, first, second = at(s)
        bend = first @ first - (p - place) @ second
        if bend < 0.1 * (first @ first):
            bend = first @ first
        by = float(np.clip((p - place) @ first / bend, -0.5, 0.5))
        s += by
        if closed:
            s -= count * np.floor(s / count)
        if abs(by) < 1e-14 * count:
            break
    place, first, _ = at(s)
    tangent = first / np.linalg.norm(first)
    n1 = square_to(tangent)
    return float(s), p - place, n1, np.cross(tangent, n1)


def axis_of(
    name: str, F: Floats, M: Floats, normals: tuple[Floats, Floats] | None = None
) -> Floats:
    """A row's direction or axis in the world."""
    if name == "cross":
        return np.cross(M[:3, 0], F[:3, 2])
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
    across = square_to(along)
    return np.stack((along, across, np.cross(along, across)), axis=1)


def square_to(t: Floats) -> Floats:
    """A unit vector square to a unit vector: from the axis that it follows least."""
    out = np.cross(t, np.eye(3)[int(np.argmin(np.abs(t)))])
    return np.asarray(out / np.linalg.norm(out))


def variables_of(type_: int, F: Floats, M: Floats, before: Floats) -> Floats:
    """A joint's variables from its frames; angles nearest to those before."""
    R, p = F[:3, :3].T @ M[:3, :3], F[:3, :3].T @ (M[:3, 3] - F[:3, 3])

    def near(angle: float, k: int) -> float:
        return float(angle + 2 * np.pi * np.floor((before[k] - angle) / (2 * np.pi) + 0.5))

    turn = np.arctan2(R[1, 0], R[0, 0])
    if type_ in {REVOLUTE, SCREW}:
        return np.array([near(turn, 0)])
    if type_ == PRISMATIC:
        return np.array([p[2]])
    if type_ == SPRING:
        return np.array([np.linalg.norm(p)])
    if type_ == CYLINDRICAL:
        return np.array([near(turn, 0), p[2]])
    if type_ == UNIVERSAL:
        return np.array([near(turn, 0), near(np.arctan2(R[2, 1], R[2, 2]), 1)])
    if type_ == PLANAR:
        return np.array([p[0], p[1], near(turn, 2)])
    if is_ball(type_):
        quat = quat_of(R)
        quat = -quat if quat @ before[:4] < 0 else quat
        return np.concatenate((quat, p)) if type_ == FREE else quat
    return np.zeros(0)


def gap_of(
    type_: int, F: Floats, M: Floats, lead: float, turn: float, offset: Floats | None,
    normals: tuple[Floats, Floats] | None,
) -> tuple[Floats, float, float]:  # fmt: skip
    """How far the held rows are open, widest gap [m] and angle [rad]."""
    d = M[:3, 3] - F[:3, 3]
    p = F[:3, :3].T @ d
    tilt = F[:3, :3].T @ np.cross(F[:3, 2], M[:3, 2])
    around = 0.5 * np.cross(F[:3, :3].T, M[:3, :3].T).sum(axis=0)
    along: list[float]
    about: list[float] = []
    if type_ == ON_CURVE:
        assert offset is not None and normals is not None
        along = [float(n @ offset) for n in normals]
    elif type_ in {REVOLUTE, UNIVERSAL, SPHERICAL, FIXED}:
        along = list(d)
    elif type_ in {PLANAR, ON_PLANE}:
        along = [p[2]]
    elif type_ in {FREE, SPRING}:
        along = []
    else:
        along = [p[0], p[1], *([p[2] - lead * turn] if type_ == SCREW else [])]
    if type_ in {REVOLUTE, CYLINDRICAL, PLANAR, SCREW}:
        about = [tilt[0], tilt[1]]
    elif type_ == UNIVERSAL:
        about = [float(F[:3, 2] @ M[:3, 0])]
    elif type_ in {PRISMATIC, FIXED}:
        about = list(around)
    return np.array([*along, *about]), float(np.linalg.norm(along)), float(np.linalg.norm(about))
