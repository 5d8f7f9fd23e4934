"""How far joints of the impulse engine are open, and their variables."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.base.rotation import cross
from kinegen.kernels.reference.impulse.joints import (
    CYLINDRICAL,
    FIXED,
    FREE,
    ON_CURVE,
    ON_PLANE,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    SCREW,
    SPHERICAL,
    SPRING,
    UNIVERSAL,
    is_ball,
    perpendicular_to,
    quat_of,
)
from kinegen.kernels.reference.impulse.world import World, bond_frames

__all__ = ["all_gaps", "bond_foot", "bond_gap", "bond_variables", "variables_of"]


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
    n1 = perpendicular_to(tangent)
    return float(s), p - place, n1, cross(tangent, n1)


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
    tilt = F[:3, :3].T @ cross(F[:3, 2], M[:3, 2])
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


def bond_foot(
    w: World, j: int, F: Floats, M: Floats
) -> tuple[float, Floats, Floats, Floats] | None:
    """Where a point on a curve is."""
    cubics, closed = w.curves[j]
    p = F[:3, :3].T @ (M[:3, 3] - F[:3, 3])
    return curve_foot(cubics, closed, p, w.curve_at[j]) if len(cubics) else None


def bond_variables(w: World, j: int, poses: Floats) -> Floats:
    """A joint's variables where the bodies are at poses."""
    type_, _, _, q, _ = w.bonds[j]
    return variables_of(type_, *bond_frames(w, j, poses), w.q[q:])


def bond_gap(w: World, j: int, poses: Floats) -> tuple[Floats, float, float]:
    """Of a joint's held rows, along and about at their widest."""
    type_, _, _, q, _ = w.bonds[j]
    F, M = bond_frames(w, j, poses)
    turn = variables_of(type_, F, M, w.q[q:])[0] if type_ == 2 else 0.0
    foot = bond_foot(w, j, F, M)
    offset, normals = (foot[1], (foot[2], foot[3])) if foot else (None, None)
    return gap_of(type_, F, M, w.leads[j], turn, offset, normals)


def all_gaps(w: World, poses: Floats) -> tuple[Floats, float, float]:
    """Of all held rows, and the widest."""
    found = [bond_gap(w, j, poses) for j in range(len(w.bonds))]
    return (
        np.concatenate([np.zeros(0), *(g for g, _, _ in found)]),
        max((gap for _, gap, _ in found), default=0.0),
        max((angle for _, _, angle in found), default=0.0),
    )
