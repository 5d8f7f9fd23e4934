"""Bodies of the impulse engine and the rows between them, in NumPy."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.reference.impulse.rows import (
    FREED,
    HELD,
    NV,
    SPRING,
    axis_of,
    curve_foot,
    gap_of,
    rotation,
    variables_of,
)

__all__ = ["DAMPING", "ROTOR", "STIFFNESS", "Joints"]

ROTOR, DAMPING, COULOMB, BREAKAWAY, STRIBECK, STIFFNESS, REST, LOWER, UPPER = range(9)


class Joints:
    """A world of bodies and what joins them; arrays as the compiled one takes them."""

    step: float
    gap_limit: float
    speed_limit: float
    iteration_limit: int
    sweeps: int
    stops: bool
    friction: bool
    stop_restitution: float
    poses: Floats
    twists: Floats
    q: Floats
    curve_at: Floats
    efforts: Floats
    loads: Ints
    load_numbers: Floats
    time: float
    work: float

    def __init__(self, *arrays: Floats | Ints) -> None:
        bodies, numbers, axes, gravity, curve = (
            np.array(arrays[i], dtype=np.float64) for i in (0, 2, 3, 4, 6)
        )
        bonds, first, closed = (np.array(arrays[i], dtype=np.int32) for i in (1, 5, 7))
        self.mass, self.moments = bodies[:, 0], bodies[:, 1:]
        self.moves = self.mass > 0
        self.bonds, self.axes, self.gravity = bonds.reshape(-1, 5), axes.reshape(-1, 9), gravity
        self.frames = [(_frame(n[:12]), _frame(n[12:24])) for n in numbers.reshape(-1, 25)]
        self.leads = numbers.reshape(-1, 25)[:, 24] / (2 * np.pi)
        cubics = curve.reshape(-1, 4, 3)
        self.curves = [
            (cubics[a:b], bool(c)) for (a, b), c in zip(pairwise(first), closed, strict=True)
        ]
        # joints as they are eliminated, which sweeps follow; joints outward, with loops told
        self.order = np.array(arrays[8], dtype=np.int32)
        self.outward = np.array(arrays[14], dtype=np.int32).reshape(-1, 3)
        with np.errstate(divide="ignore", invalid="ignore"):
            after, before = (np.roll(self.moments, by, axis=1) for by in (-1, -2))
            bend = (after - before) / self.moments
            self.bend = np.where(self.moves[:, None], bend, 0)
            self.inverse = np.where(self.moves[:, None], 1 / bodies, 0)
        soft = np.any(self.axes[:, [ROTOR, DAMPING, STIFFNESS]] != 0, axis=1)
        self.soft = [
            [v for v in range(b[4], b[4] + NV[b[0]]) if soft[v]] * (3 if b[0] == SPRING else 1)
            for b in self.bonds
        ]
        self.theta = np.full(len(self.axes), 0.5)
        self.rotor = np.zeros(len(self.axes))
        self.v = np.zeros(len(self.axes))
        self.touches, self.touch_numbers = np.zeros((0, 3), np.int32), np.zeros((0, 13))

    def ends(self, j: int, poses: Floats) -> tuple[Floats, Floats]:
        """Frames F and M of a joint."""
        _, a, b, _, _ = self.bonds[j]
        return _pose(poses[a]) @ self.frames[j][0], _pose(poses[b]) @ self.frames[j][1]

    def variables(self, j: int, poses: Floats) -> Floats:
        """A joint's variables where the bodies are at poses."""
        type_, _, _, q, _ = self.bonds[j]
        return variables_of(type_, *self.ends(j, poses), self.q[q:])

    def foot(self, j: int, F: Floats, M: Floats) -> tuple[float, Floats, Floats, Floats] | None:
        """Where a point on a curve is."""
        cubics, closed = self.curves[j]
        p = F[:3, :3].T @ (M[:3, 3] - F[:3, 3])
        return curve_foot(cubics, closed, p, self.curve_at[j]) if len(cubics) else None

    def gap(self, j: int, poses: Floats) -> tuple[Floats, float, float]:
        """Of a joint's held rows, along and about at their widest."""
        type_, _, _, q, _ = self.bonds[j]
        F, M = self.ends(j, poses)
        turn = variables_of(type_, F, M, self.q[q:])[0] if type_ == 2 else 0.0
        foot = self.foot(j, F, M)
        offset, normals = (foot[1], (foot[2], foot[3])) if foot else (None, None)
        return gap_of(type_, F, M, self.leads[j], turn, offset, normals)

    def gaps(self, poses: Floats) -> tuple[Floats, float, float]:
        """Of all held rows, and the widest."""
        found = [self.gap(j, poses) for j in range(len(self.bonds))]
        return (
            np.concatenate([np.zeros(0), *(g for g, _, _ in found)]),
            max((gap for _, gap, _ in found), default=0.0),
            max((angle for _, _, angle in found), default=0.0),
        )

    def row(self, kind: str, axis: Floats, place: Floats, a: int, b: int, lead: float) -> Floats:
        """Speeds of a row by all bodies' twists: b against a."""
        out = np.zeros((len(self.mass), 6))
        for body, sign in ((a, -1.0), (b, 1.0)):
            out[body] = sign * side_row(kind, axis, place - self.poses[body, 4:], lead)
        return out.ravel()

    def joint_rows(self, j: int, poses: Floats) -> list[tuple[str, Floats, int]]:
        """Kind, axis and v (-1 where it is held) of a joint's rows."""
        type_, _, _, _, v0 = self.bonds[j]
        F, M = self.ends(j, poses)
        foot = self.foot(j, F, M)
        normals = (foot[2], foot[3]) if foot else None
        kinds = [(k, -1) for k in HELD[type_]]
        if type_ == SPRING:
            kinds += [(FREED[type_][i], v) for i, v in enumerate(self.soft[j])]
        else:
            kinds += [(FREED[type_][v - v0], v) for v in self.soft[j]]
        return [(kind, axis_of(axis, F, M, normals), v) for (kind, axis), v in kinds]

    def place(self) -> None:
        """Rows, responses and variables at the present place."""
        self.turns = self.turned(self.poses)
        rows, bond, soft = [], [], []
        self.row_kind: list[str] = []
        for j, (type_, a, b, q, _) in enumerate(self.bonds):
            F, M = self.ends(j, self.poses)
            foot = self.foot(j, F, M)
            if foot:
                self.curve_at[j] = foot[0]
            else:
                found = variables_of(type_, F, M, self.q[q:])
                self.q[q : q + len(found)] = found
            for kind, axis, v in self.joint_rows(j, self.poses):
                out = np.zeros((len(self.mass), 6))
                # springs pull where they end, joints push where M is
                for body, sign, frame in ((a, -1.0, F if type_ == SPRING else M), (b, 1.0, M)):
                    arm = frame[:3, 3] - self.poses[body, 4:]
                    out[body] = sign * side_row(kind, axis, arm, self.leads[j])
                rows.append(out.ravel())
                self.row_kind.append(kind)
                bond.append(j)
                soft.append(v)
        self.J = np.array(rows).reshape(-1, 6 * len(self.mass))
        self.Y = self.spread(self.J)
        self.row_bond, self.row_v = np.array(bond, dtype=int), np.array(soft, dtype=int)
        first = np.searchsorted(self.row_bond, self.row_bond)
        self.row_part = np.arange(len(self.row_bond)) - first

    def turned(self, poses: Floats) -> Floats:
        """Inverse inertias in world axes, (bodies, 3, 3)."""
        return np.array(
            [
                rotation(p[:4]) @ np.diag(i[1:]) @ rotation(p[:4]).T
                for p, i in zip(poses, self.inverse, strict=True)
            ]
        )

    def spread(self, J: Floats) -> Floats:
        """M⁻¹ Jᵀ."""
        out = J.reshape(len(J), len(self.mass), 6).copy()
        out[:, :, :3] *= self.inverse[:, :1]
        out[:, :, 3:] = np.einsum("bij,rbj->rbi", self.turns, out[:, :, 3:])
        return out.reshape(len(J), 6 * len(self.mass)).T

    def axis_row(self, j: int, k: int) -> Floats:
        """The row of a joint's variable k."""
        type_, a, b, _, _ = self.bonds[j]
        F, M = self.ends(j, self.poses)
        kind, axis = FREED[type_][k]
        return self.row(kind, axis_of(axis, F, M), M[:3, 3], a, b, 0.0)

    def speeds(self, V: Floats) -> Floats:
        """Of all joints' variables."""
        out = np.zeros(len(self.axes))
        for j, (type_, _, _, _, v) in enumerate(self.bonds):
            for k in range(NV[type_]):
                out[v + k] = self.axis_row(j, k) @ V.ravel()
        return out


def side_row(kind: str, axis: Floats, arm: Floats, lead: float) -> Floats:
    """What a row is to a body on which it acts at an arm from its centre."""
    if kind == "about":
        return np.concatenate((np.zeros(3), axis))
    turn = np.cross(arm, axis)
    return np.concatenate((axis, turn - lead * axis if kind == "thread" else turn))


def _frame(numbers: Floats) -> Floats:
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = numbers[:9].reshape(3, 3), numbers[9:]
    return out


def _pose(pose: Floats) -> Floats:
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = rotation(pose[:4]), pose[4:]
    return out
