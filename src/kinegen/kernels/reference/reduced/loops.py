"""Cut joints as the forces they transmit: rows, their rates, and the joints' own variables.

Relations between joint variables are among them: one row each, and no force between two links.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinegen.kernels.layout import TRANSFORM_SIZE, Blocks, Floats, Ints
from kinegen.kernels.protocols.reduced import CUT_ROWS, RowKind
from kinegen.kernels.reference.base.bound import BoundModel
from kinegen.kernels.reference.base.joint_types import (
    CYLINDRICAL,
    FIXED,
    FREE,
    NV,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    SCREW,
    SPHERICAL,
    UNIVERSAL,
)
from kinegen.kernels.reference.base.rotation import cross, cross_matrix, matrix_to_quat
from kinegen.kernels.reference.loops.coupling import (
    coupling_bias,
    coupling_residual,
    coupling_row,
)

__all__ = ["CutJoint", "CutJoints"]

THREAD, CROSS, SLIDES, TURNS = RowKind.THREAD, RowKind.CROSS, RowKind.SLIDES, RowKind.TURNS
EMPTY_ROW = 1e-11
"""Rows that no degree of freedom moves by more are none."""


class CutJoint(NamedTuple):
    """A cut joint where the links stand; world axes."""

    R_F: Floats
    R_K: Floats
    offset: Floats
    """From F's origin to K's."""
    p_K: Floats
    J_P: Floats
    """Of the carrying link at K's origin, (6, nv)."""
    J_B: Floats
    forces: Floats
    """T of every row, (rows, 6): about K's origin."""
    axes: Floats
    """Forces that do one unit of work per unit of each variable, (dof, 6)."""


class CutJoints:
    """All cut joints of a model."""

    def __init__(self, ints: Ints, reals: Floats) -> None:
        self._blocks = blocks = Blocks(ints, reals)
        self._cut_count = blocks.counts.cut
        self._model = BoundModel(ints, reals)
        self.count, self.nv = blocks.counts.loop, blocks.counts.nv
        self._links = blocks.counts.link
        self._joint = blocks.int_part("loop_joint").tolist()
        self._type = blocks.int_part("joint_type").tolist()
        self.parent = [int(blocks.int_part("joint_parent")[j]) for j in self._joint]
        self.child = [int(blocks.int_part("joint_child")[j]) for j in self._joint]
        self._q = blocks.int_part("joint_q").tolist()
        self._v = blocks.int_part("joint_v").tolist()
        self._pitch = blocks.real_part("pitch")
        self._placed = blocks.real_part("transforms").reshape(-1, TRANSFORM_SIZE)
        self._joint_count = len(self._type)
        self.kinds = self._all_kinds()

    def _all_kinds(self) -> list[tuple[int, ...]]:
        lengths = self._blocks.int_part("coupling_length").tolist()
        cuts = [CUT_ROWS[self._type[j]] for j in self._joint[: self._cut_count]]
        return [*cuts, *((SLIDES if length else TURNS,) for length in lengths)]

    def relation(self, loop: int) -> int:
        """The coupling that a loop is, -1 for a cut joint's."""
        return max(loop - self._cut_count, -1)

    def rows(self, q: Floats, loop: int) -> Floats:
        """Speeds of its rows by those of the tree, (rows, nv)."""
        if self.relation(loop) >= 0:
            every = coupling_row(self._blocks, q, self.relation(loop))
            return every[[0 if kind == SLIDES else 3 for kind in self.kinds[loop]]]
        cut = self.at(q, loop)
        return np.asarray(cut.forces @ (cut.J_B - cut.J_P))

    def joint(self, loop: int) -> int:
        """The cut joint of a loop."""
        return int(self._joint[loop])

    def own(self, loop: int) -> slice:
        """Its part of v."""
        first = self._v[self._joint[loop]]
        return slice(first, first + NV[self._type[self._joint[loop]]])

    def sift(self, q: Floats) -> None:
        """Keep the rows that some degree of freedom moves, tried at random places."""
        self.kinds = self._all_kinds()
        rng = np.random.default_rng(11)
        most = [np.zeros(len(kinds)) for kinds in self.kinds]
        for _ in range(3):
            at = rng.normal(size=len(q))
            for loop in range(self.count):
                rows = np.abs(self.rows(at, loop))
                most[loop] = np.maximum(most[loop], rows.max(axis=1, initial=0.0))
        self.kinds = [
            tuple(kind for kind, size in zip(kinds, sizes, strict=True) if size > EMPTY_ROW)
            for kinds, sizes in zip(self.kinds, most, strict=True)
        ]

    def at(self, q: Floats, loop: int) -> CutJoint:
        """One cut joint at q."""
        X = np.empty((self._links, TRANSFORM_SIZE))
        self._model.forward_links(q, X)
        R_F, p_F = self._frame(X, self.parent[loop], self._placed[self._joint[loop]])
        R_K, p_K = self._frame(X, self.child[loop], self._placed[self._joint_count + loop])
        ends = []
        for link in (self.parent[loop], self.child[loop]):
            R, p = X[link, :9].reshape(3, 3), X[link, 9:]
            J, pose = np.empty((6, self.nv)), np.empty(7)
            self._model.site_jacobian(q, link, R.T @ (p_K - p), -1, pose, J)
            ends.append(J)
        lead = self._pitch[self._joint[loop]] / (2 * np.pi)
        forces = [self._force(kind, R_F, R_K, lead) for kind in self.kinds[loop]]
        return CutJoint(
            R_F, R_K, p_K - p_F, p_K, ends[0], ends[1], np.array(forces).reshape(-1, 6),
            self._axes(loop, R_F, R_K),
        )  # fmt: skip

    @staticmethod
    def _frame(X: Floats, link: int, placed: Floats) -> tuple[Floats, Floats]:
        R = X[link, :9].reshape(3, 3)
        return R @ placed[:9].reshape(3, 3), X[link, 9:] + R @ placed[9:]

    @staticmethod
    def _force(kind: int, R_F: Floats, R_K: Floats, lead: float) -> Floats:
        zero = np.zeros(3)
        if kind in (SLIDES, TURNS):
            return np.zeros(6)
        if kind < 3:
            return np.concatenate([R_K[:, kind], zero])
        if kind == THREAD:
            return np.concatenate([R_K[:, 2], -lead * R_K[:, 2]])
        axis = cross(R_F[:, 2], R_K[:, 0]) if kind == CROSS else R_K[:, kind - 3]
        return np.concatenate([zero, axis])

    def _axes(self, loop: int, R_F: Floats, R_K: Floats) -> Floats:
        turn = [np.concatenate([np.zeros(3), R_K[:, k]]) for k in range(3)]
        push = [np.concatenate([R_K[:, k], np.zeros(3)]) for k in range(3)]
        match self._type[self._joint[loop]]:
            case kind if kind in {REVOLUTE, SCREW}:
                rows = [turn[2]]
            case kind if kind == PRISMATIC:
                rows = [push[2]]
            case kind if kind == CYLINDRICAL:
                rows = [turn[2], push[2]]
            case kind if kind == UNIVERSAL:
                rows = [np.concatenate([np.zeros(3), R_F[:, 2]]), turn[0]]
            case kind if kind == SPHERICAL:
                rows = turn
            case kind if kind == PLANAR:
                rows = [np.concatenate([R_F[:, k], np.zeros(3)]) for k in (0, 1)] + [turn[2]]
            case kind if kind == FREE:
                rows = push + turn
            case _:
                rows = []
        return np.array(rows).reshape(-1, 6)

    def gaps(self, q: Floats, loop: int) -> Floats:
        """How far the loop is open, per row."""
        if self.relation(loop) >= 0:
            phi = coupling_residual(self._blocks, q, self.relation(loop))
            return phi[[0 if kind == SLIDES else 3 for kind in self.kinds[loop]]]
        cut = self.at(q, loop)
        local = cut.R_K.T @ cut.offset
        R = cut.R_F.T @ cut.R_K
        kind = self._type[self._joint[loop]]
        if kind in {PRISMATIC, FIXED}:
            turned = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
        else:
            turned = cut.R_K.T @ cross(cut.R_F[:, 2], cut.R_K[:, 2])
        out = []
        for row in self.kinds[loop]:
            if row < 3:
                out.append(local[row])
            elif row < THREAD:
                out.append(turned[row - 3])
            elif row == THREAD:
                joint = self._joint[loop]
                angle = self._near(
                    np.arctan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1]), q[self._q[joint]]
                )
                out.append(local[2] - self._pitch[joint] / (2 * np.pi) * angle)
            else:
                out.append(-cut.R_F[:, 2] @ cut.R_K[:, 0])
        return np.array(out)

    @staticmethod
    def _near(angle: float, old: float) -> float:
        return float(angle + 2 * np.pi * np.floor((old - angle) / (2 * np.pi) + 0.5))

    def targets(self, q: Floats, v: Floats, loop: int) -> Floats:
        """What the rows' accelerations must be made up to by the degrees of freedom: -J̇ v."""
        if self.relation(loop) >= 0:
            bias = coupling_bias(self._blocks, q, v, self.relation(loop))
            return -bias[[0 if kind == SLIDES else 3 for kind in self.kinds[loop]]]
        cut = self.at(q, loop)
        change, angular, relative, w_P, w_B = self._drift(cut, q, v, loop)
        out = []
        for kind, force in zip(self.kinds[loop], cut.forces, strict=True):
            if kind == CROSS:
                z, x = cut.R_F[:, 2], cut.R_K[:, 0]
                n_dot = cross(cross(w_P, z), x) + cross(z, cross(w_B, x))
                out.append(-force[3:] @ angular - n_dot @ relative[3:])
            else:
                out.append(-force @ change)
        return np.array(out)

    def axis_targets(self, q: Floats, v: Floats, loop: int) -> Floats:
        """The same for the joint's own variables: what motion takes from their accelerations."""
        cut = self.at(q, loop)
        change, _, relative, _, _ = self._drift(cut, q, v, loop)
        out = -cut.axes @ change
        if self._type[self._joint[loop]] == PLANAR:
            # these axes turn with the link that carries them, not with K
            turning = np.cross(relative[3:], cut.axes[:2, :3])
            out[:2] += turning @ relative[:3]
        return np.asarray(out)

    def _drift(
        self, cut: CutJoint, q: Floats, v: Floats, loop: int
    ) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """How motion changes the speed of K against the carrying link, seen from K.

        Also its angular part without K's turning, the relative motion, and both angular velocities.
        """
        X = np.empty((self._links, TRANSFORM_SIZE))
        self._model.forward_links(q, X)
        rates = []
        for link in (self.parent[loop], self.child[loop]):
            J_dot = np.empty((6, self.nv))
            point = X[link, :9].reshape(3, 3).T @ (cut.p_K - X[link, 9:])
            self._model.site_jacobian_dot(q, v, link, point, -1, J_dot)
            rates.append(J_dot @ v)
        V_P, V_B = cut.J_P @ v, cut.J_B @ v
        relative, w_P, w_B = V_B - V_P, V_P[3:], V_B[3:]
        change = rates[1] - rates[0]
        # the point of P that is at K changes with K; T turns with K
        change[:3] -= cross_matrix(w_P) @ relative[:3]
        angular = change[3:].copy()
        change[:3] -= cross(w_B, relative[:3])
        change[3:] -= cross(w_B, relative[3:])
        return change, angular, relative, w_P, w_B

    def read(self, q: Floats, loop: int) -> None:
        """Write the joint's variables into q as the links stand; angles nearest to q's."""
        cut, joint = self.at(q, loop), self._joint[loop]
        kind, first = self._type[joint], self._q[joint]
        local, R = cut.R_F.T @ cut.offset, cut.R_F.T @ cut.R_K
        about_z = np.arctan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1])
        if kind in {REVOLUTE, SCREW, CYLINDRICAL}:
            q[first] = self._near(about_z, q[first])
            if kind == CYLINDRICAL:
                q[first + 1] = local[2]
        elif kind == PRISMATIC:
            q[first] = local[2]
        elif kind == PLANAR:
            q[first : first + 2] = local[:2]
            q[first + 2] = self._near(about_z, q[first + 2])
        elif kind == UNIVERSAL:
            q[first] = self._near(np.arctan2(R[1, 0], R[0, 0]), q[first])
            q[first + 1] = self._near(np.arctan2(R[2, 1], R[2, 2]), q[first + 1])
        elif kind in {SPHERICAL, FREE}:
            quat = matrix_to_quat(R)
            q[first : first + 4] = quat if quat @ q[first : first + 4] >= 0 else -quat
            if kind == FREE:
                q[first + 4 : first + 7] = local
