"""Rows that give way: rotors, dampers and springs by the implicit midpoint rule, in NumPy."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.impulse.joints import DAMPING, REST, ROTOR, STIFFNESS
from kinegen.kernels.reference.impulse.limits import Limits
from kinegen.kernels.reference.impulse.rows import NV, SPRING, is_ball, log_of, rotation, times

__all__ = ["FULLY_SOFT", "SOFTNESS", "SoftRows"]

SOFTNESS = 1e-6
"""Part of a row's own compliance that keeps rows that repeat others from dividing by zero."""
FULLY_SOFT = 1e30
"""A compliance that lets a row do nothing."""


class SoftRows(Limits):
    """The part of a world that gives way."""

    lam: Floats
    late: dict[int, Floats]
    """Impulses of springs and dampers at a step's end: per variable; of a spring, as a vector."""

    def soften(self, *, starts: bool) -> None:
        """Compliance of all rows, and A; dampers and springs have theirs at a step's start."""
        A, h = self.J @ self.Y, self.step
        own = np.diag(A)
        self.own = own
        # along: that of the masses alone, which thin bodies do not stiffen
        share = self.inverse[self.bonds[:, 1], 0] + self.inverse[self.bonds[:, 2], 0]
        along = np.array([kind != "about" for kind in self.row_kind], dtype=bool)
        self.yields = SOFTNESS * np.where(along, share[self.row_bond], own)
        self.keep = np.zeros(len(own))
        for row, (j, v) in enumerate(zip(self.row_bond, self.row_v, strict=True)):
            if v < 0:
                continue
            rotor, damping, stiffness = self.axes[v, [ROTOR, DAMPING, STIFFNESS]]
            across = self.bonds[j, 0] == SPRING and self.row_part[row] > 0
            mass = rotor
            if starts and across:
                mass += 0.25 * h * h * max(0.0, self._sideways(j))
            elif starts:
                if damping > 0:
                    free = rotor + (1 / own[row] if own[row] > 0 else 0)
                    x = 0.5 * h * damping / free
                    self.theta[v] = 5 / 9 - 0.5 / x if x > 9 else 0.5
                mass += 0.25 * h * h * max(0.0, stiffness) + self.theta[v] * h * damping
            yielding = mass > 1 / FULLY_SOFT
            self.yields[row] = 1 / mass if yielding else FULLY_SOFT
            self.keep[row] = rotor / mass if yielding else 0
        self.A = A + np.diag(self.yields)

    def _sideways(self, j: int) -> float:
        """Stiffness across a spring: what it pulls at turns with it."""
        _, _, _, q, v = self.bonds[j]
        stiffness, rest, length = self.axes[v, STIFFNESS], self.axes[v, REST], self.q[q]
        if rest == 0:
            return float(stiffness)
        return float(stiffness * (1 - rest / length)) if length > 1e-9 else 0.0

    def mean_speed(self, j: int, k: int, after: Floats) -> float:
        """Mean speed of a joint's variable over a step that ends with variables `after`."""
        type_, _, _, q, _ = self.bonds[j]
        before = self.q[q:]
        if not is_ball(type_):
            return float((after[k] - before[k]) / self.step)
        turn = log_of(times(before[:4] * [1, -1, -1, -1], after[:4]))
        if len(after) == 4 or k >= 3:
            return float(turn[k % 3] / self.step)
        d = rotation(before[:4]).T @ (after[4:7] - before[4:7])
        t2 = float(turn @ turn)
        half = 0.5 * np.sqrt(t2)
        beta = 1 / 12 + t2 / 720 if t2 < 1e-4 else (1 - half / np.tan(half)) / t2
        cross = np.cross(turn, d)
        return float((d - cross / 2 + beta * np.cross(turn, cross))[k] / self.step)

    def pull(self, j: int, k: int, after: Floats) -> tuple[float, float, float]:
        """Mean speed, and the impulses of a spring and damper at a step's start and end."""
        _, _, _, q, v0 = self.bonds[j]
        v, h = v0 + k, self.step
        u = self.mean_speed(j, k, after)
        half, drag = 0.0, h * self.axes[v, DAMPING] * u
        if self.axes[v, STIFFNESS]:
            both = self.stretch(j, k, self.q[q:]) + self.stretch(j, k, after)
            half = 0.25 * h * self.axes[v, STIFFNESS] * both
        theta = self.theta[v]
        return u, float(-half - theta * drag), float(-half - (1 - theta) * drag)

    def _direction(self, j: int, poses: Floats, after: Floats) -> Floats:
        """Of a spring over a step: from both its ends' places."""
        (F, M), (F1, M1) = self.ends(j, self.poses), self.ends(j, poses)
        both = float(self.q[self.bonds[j, 3]] + after[0])
        way = (M - F + M1 - F1)[:3, 3]
        return np.asarray(way / both if both > 1e-12 else 0 * way)

    def soft_residuals(self, j: int, poses: Floats) -> Floats:
        """Of a joint's soft rows where the step ends at poses."""
        rows = np.flatnonzero((self.row_bond == j) & (self.row_v >= 0))
        after, b, out = self.variables(j, poses), self.bonds[j, 2], []
        for row in rows:
            v = self.row_v[row]
            u, start, _ = self.pull(j, v - self.bonds[j, 4], after)
            if self.bonds[j, 0] == SPRING:
                axis = self.J[row].reshape(-1, 6)[b, :3]
                miss = self.lam[row] - start * (axis @ self._direction(j, poses, after))
            else:
                miss = self.lam[row] + self.axes[v, ROTOR] * (u - self.rotor[v]) - start
            out.append(self.yields[row] * miss)
        return np.array(out)

    def joint_residuals(self, j: int, poses: Floats) -> tuple[Floats, float, float, float]:
        """Of all a joint's rows at the step's end; its gap, angle, and miss of soft rows."""
        g, gap, angle = self.gap(j, poses)
        rows = self.row_bond == j
        lam, own, yields = self.lam[rows], self.own[rows], self.yields[rows]
        soft = self.soft_residuals(j, poses)
        rho = np.concatenate((g / self.step + yields[: len(g)] * lam[: len(g)], soft))
        own, yields = own[len(g) :], yields[len(g) :]
        # as ways that bodies miss; stiff springs turn small ones into energy, and must miss less
        share = own / np.sqrt((own + yields) * yields)
        return rho, gap, angle, float(np.max(self.step * np.abs(soft) * share, initial=0))

    def ahead(self, poses: Floats) -> tuple[Floats, float, float, float]:
        """Residuals of all rows at the step's end, widest gap, angle, miss of soft rows."""
        found = [self.joint_residuals(j, poses) for j in range(len(self.bonds))]
        return (
            np.concatenate([np.zeros(0), *(f[0] for f in found)]),
            max((f[1] for f in found), default=0.0),
            max((f[2] for f in found), default=0.0),
            max((f[3] for f in found), default=0.0),
        )

    def settle(self, poses: Floats) -> None:
        """What dampers took, what is left for the step's end; rotors as fast as their joints."""
        self.late = {}
        for j, vs in enumerate(self.soft):
            if not vs:
                continue
            type_, _, _, _, v0 = self.bonds[j]
            after, late = self.variables(j, poses), np.zeros(NV[type_])
            for v in dict.fromkeys(vs):
                u, _, late[v - v0] = self.pull(j, v - v0, after)
                self.work -= self.step * self.axes[v, DAMPING] * u * u
                self.rotor[v] = u
            spring = type_ == SPRING
            self.late[j] = late[0] * self._direction(j, poses, after) if spring else late

    def push_late(self, V: Floats) -> None:
        """The impulses of springs and dampers at a step's end."""
        for j, late in self.late.items():
            type_, a, b, _, _ = self.bonds[j]
            if type_ == SPRING:
                F, M = self.ends(j, self.poses)
                self.push(V, a, F[:3, 3], -late, np.zeros(3))
                self.push(V, b, M[:3, 3], late, np.zeros(3))
                continue
            for k in np.flatnonzero(late):
                V += late[k] * self.spread(self.axis_row(j, int(k))[None]).reshape(-1, 6)
