"""The equations of the reduced engine, dense: H v̇ + bias = tau + Jᵀ λ, J v̇ = -J̇ v.

Rank is decided by eigenvalues, where the compiled engine drops pivots: they share the method, not
the factors.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinegen.errors import KernelError
from kinegen.kernels.dynamics_protocol import Measure
from kinegen.kernels.layout import DRIVE_PARTS, TRANSFORM_SIZE, Blocks, Floats, Ints
from kinegen.kernels.reduced_protocol import RunStatus
from kinegen.kernels.reference.base.model import BoundModel
from kinegen.kernels.reference.dynamics.tasks import BoundDynamics
from kinegen.kernels.reference.reduced.chart import Chart
from kinegen.kernels.reference.reduced.loops import CutJoints

__all__ = ["Equations", "SpringRow"]

RANK = 1e-5
"""Singular values of the loops in the metric of the masses, against the largest, that are zero."""
CLOSED = 1e-13
ITERATIONS = 20
OPEN = 1e-6
"""Gap [m, rad] beyond which loops count as open."""
TOUCHING = 1e-12
"""Points nearer than this [m] have no direction between them: no spring acts."""


class SpringRow(NamedTuple):
    """A spring that is not of a tree joint, where the links stand."""

    row: Floats
    """Its speed by those of the tree, (nv,)."""
    stiffness: float
    damping: float
    stretch: float


class Equations:
    """A model, springs between its points, and the equations of its motion."""

    def __init__(
        self, ints: Ints, reals: Floats, link_a: Ints, point_a: Floats, link_b: Ints,
        point_b: Floats, numbers: Floats,
    ) -> None:  # fmt: skip
        blocks = Blocks(ints, reals)
        self._model, self._dynamics = BoundModel(ints, reals), BoundDynamics(ints, reals)
        self._cuts, self._chart = CutJoints(ints, reals), Chart(ints, reals)
        self.nq, self.nv, self._links = blocks.counts.nq, blocks.counts.nv, blocks.counts.link
        self._drive = {name: blocks.real_part(name) for name in DRIVE_PARTS}
        self._springs = (np.array(link_a), np.array(point_a).reshape(-1, 3),
                         np.array(link_b), np.array(point_b).reshape(-1, 3))  # fmt: skip
        self._numbers = np.array(numbers).reshape(3, -1)
        for name in ("lower", "upper"):
            self._drive[name] = blocks.real_part(name)
        kinds, firsts, speeds = (
            blocks.int_part(name).tolist() for name in ("joint_type", "joint_q", "joint_v")
        )
        self._variables = list(zip(kinds, firsts, speeds, strict=True))
        """Type, first place in q and first in v of every joint."""
        self._tree = np.ones(self.nv, dtype=bool)
        for loop in range(self._cuts.count):
            self._tree[self._cuts.own(loop)] = False
        self._parents = blocks.int_part("joint_parent").tolist()
        self._children = blocks.int_part("joint_child").tolist()
        self._placed = blocks.real_part("transforms").reshape(-1, TRANSFORM_SIZE)
        self._q, self._v = np.zeros(self.nq), np.zeros(self.nv)
        self._tau: Floats = np.zeros(self.nv)
        self._wrenches: Floats | None = None
        self._stiff = 0.0
        """Step over which springs and dampers stiffen the mass matrix; 0: they do not."""
        self._status, self._culprit = RunStatus.OK, -1
        self._closings = self._evaluations = 0
        self._opening = 0.0
        """Of the loops by the last step, before they were closed."""
        self._cuts.sift(self._q)

    def rows(self, q: Floats, /) -> tuple[Floats, Floats, Floats, Ints]:
        """J, C, T and the rows' loops, as the protocol has them."""
        J, T, loops = [np.zeros((0, self.nv))], [np.zeros((0, 6))], []
        C = np.zeros((self.nv, self.nv))
        for loop in range(self._cuts.count):
            cut = self._cuts.at(q, loop)
            J.append(cut.forces @ (cut.J_B - cut.J_P))
            C[self._cuts.own(loop)] = cut.axes @ (cut.J_B - cut.J_P)
            T.append(cut.forces)
            loops += [loop] * len(cut.forces)
        return np.vstack(J), C, np.vstack(T), np.array(loops, dtype=np.int32)

    def targets(self, q: Floats, v: Floats, /) -> Floats:
        """-J̇ v, (rows,)."""
        parts = [self._cuts.targets(q, v, loop) for loop in range(self._cuts.count)]
        return np.concatenate([np.zeros(0), *parts])

    @property
    def _dampers(self) -> Floats:
        return self._drive["viscous"] + self._drive["spring_damping"]

    def _of_tree(self, v: Floats) -> Floats:
        return np.where(self._tree, v, 0.0)

    # Masses and loops

    def _factors(self, q: Floats) -> tuple[Floats, Floats, Floats]:
        """H of the tree, Y = L⁻¹ Jᵀ and L, for H = L Lᵀ; stiffened in implicit steps."""
        H = self._dynamics.mass(q)
        if H is None:
            raise KernelError("the configuration holds what is no number")
        h = self._stiff
        if h > 0:
            H = H + np.diag(h * (self._dampers + h * self._drive["stiffness"]))
            for spring in self._spring_rows(q):
                slope = h * (h * spring.stiffness + spring.damping)
                H = H + slope * np.outer(spring.row, spring.row)
        inside = H[np.ix_(self._tree, self._tree)]
        try:
            L = np.linalg.cholesky(inside)
        except np.linalg.LinAlgError:
            joint = self._dynamics._massless(H)
            self._status = RunStatus.MASSLESS
            self._culprit = -1 if joint is None else self._dynamics._freedoms(joint)[0]
            L = np.eye(len(inside))
        J = self.rows(q)[0][:, self._tree]
        return inside, np.asarray(np.linalg.solve(L, J.T), dtype=np.float64), L

    @staticmethod
    def _loop_solve(Y: Floats, wanted: Floats) -> Floats:
        """Forces in the rows that change their speeds as wanted; of many, the smallest."""
        return np.asarray(np.linalg.pinv(Y.T @ Y, rcond=RANK**2, hermitian=True) @ wanted)

    def _solve(self, q: Floats, f: Floats, wanted: Floats) -> tuple[Floats, Floats]:
        """What efforts f (nv,) do to the tree (nv,) while rows change as wanted; the rows' forces.

        H x = f + Jᵀ forces, J x = wanted.
        """
        _, Y, L = self._factors(q)
        x, forces = np.linalg.solve(L, f[self._tree]), np.zeros(Y.shape[1])
        if len(forces):
            forces = self._loop_solve(Y, wanted - Y.T @ x)
            x = x + Y @ forces
        out = np.zeros(self.nv)
        out[self._tree] = np.linalg.solve(L.T, x)
        return out, forces

    def _correct(self, q: Floats, wanted: Floats) -> Floats:
        """The smallest change of the tree, by its masses, that changes the rows as wanted."""
        return self._solve(q, np.zeros(self.nv), wanted)[0]

    def _full(self, q: Floats, v: Floats) -> tuple[Floats, Floats, Floats]:
        """Whole q and v, their cut joints read off, and C."""
        whole, speed, C = q.copy(), v.copy(), self.rows(q)[1]
        for loop in range(self._cuts.count):
            self._cuts.read(whole, loop)
        speed[~self._tree] = (C @ self._of_tree(v))[~self._tree]
        return whole, speed, C

    def _gaps(self, q: Floats) -> tuple[Floats, float, float]:
        """Per row, and the widest of all loops in length and angle."""
        parts, linear, angular = [np.zeros(0)], 0.0, 0.0
        for loop in range(self._cuts.count):
            gap = self._cuts.gaps(q, loop)
            lengths = np.array(
                [kind < 3 or kind == 6 for kind in self._cuts.kinds[loop]], dtype=bool
            )
            linear = max(linear, float(np.linalg.norm(gap[lengths])))
            angular = max(angular, float(np.linalg.norm(gap[~lengths])))
            parts.append(gap)
        return np.concatenate(parts), linear, angular

    def _close(self, q: Floats) -> tuple[Floats, float, float]:
        """The place with loops closed, and what is left open."""
        gap, linear, angular = self._gaps(q)
        self._opening = max(linear, angular)
        for _ in range(ITERATIONS):
            if max(linear, angular) <= CLOSED:
                break
            closer = self._moved(q, self._correct(q, -gap))
            self._closings += 1
            left = self._gaps(closer)
            if max(left[1:]) > 0.5 * max(linear, angular):
                break
            q, (gap, linear, angular) = closer, left
        if not (linear < OPEN and angular < OPEN):
            self._status = RunStatus.OPEN
        return q, linear, angular

    def _close_speeds(self, q: Floats, v: Floats) -> Floats:
        """Speeds without what opens the loops."""
        if self._cuts.count == 0:
            return v
        return v + self._correct(q, -self.rows(q)[0] @ self._of_tree(v))

    def _settle(self, q: Floats, v: Floats) -> tuple[Floats, Floats, float, float]:
        """The state with loops closed, and what is left open."""
        if not (np.isfinite(q).all() and np.isfinite(v).all()):
            self._status = RunStatus.NOT_FINITE
            return q, v, 0.0, 0.0
        q, linear, angular = self._close(q)
        return q, self._close_speeds(q, v), linear, angular

    def _moved(self, q: Floats, xi: Floats, scale: float = 1.0) -> Floats:
        """The place moved by a change of the tree."""
        out = np.empty(self.nq)
        self._model.integrate(q, scale * self._of_tree(xi), out)
        return out

    # Forces

    def _point_springs(self, q: Floats) -> list[SpringRow]:
        """Springs between points."""
        out = []
        X = np.empty((self._links, TRANSFORM_SIZE))
        self._model.forward_links(q, X)
        for a, p_a, b, p_b, k, c, rest in zip(*self._springs, *self._numbers, strict=True):
            ends, rows = [], []
            for link, point in ((a, p_a), (b, p_b)):
                J, pose = np.empty((6, self.nv)), np.empty(7)
                self._model.site_jacobian(q, int(link), point, -1, pose, J)
                ends.append(X[link, 9:] + X[link, :9].reshape(3, 3) @ point)
                rows.append(J[:3])
            length = float(np.linalg.norm(ends[1] - ends[0]))
            along = (ends[1] - ends[0]) / length if length > TOUCHING else np.zeros(3)
            row = self._of_tree(along @ (rows[1] - rows[0]))
            out.append(SpringRow(row, float(k), float(c), length - float(rest)))
        return out

    def _spring_rows(self, q: Floats) -> list[SpringRow]:
        """Springs between points, then those of cut joints."""
        whole, _, C = self._full(q, np.zeros(self.nv))
        stretches = self._dynamics._stretches(whole)
        cut = [
            SpringRow(C[i], self._drive["stiffness"][i], self._dampers[i], stretches[i])
            for i in np.flatnonzero(~self._tree)
        ]
        return self._point_springs(q) + cut

    def _springs_on_tree(self, q: Floats, v: Floats) -> tuple[Floats, float, float]:
        """Efforts of springs between points, their energy, the power of their dampers."""
        efforts, energy, power = np.zeros(self.nv), 0.0, 0.0
        for spring in self._point_springs(q):
            apart = float(spring.row @ v)
            efforts -= spring.row * (spring.stiffness * spring.stretch + spring.damping * apart)
            energy += 0.5 * spring.stiffness * spring.stretch**2
            power -= spring.damping * apart * apart
        return efforts, energy, power

    def _bias(self, q: Floats, v: Floats) -> tuple[Floats, float]:
        """What motion, gravity and wrenches ask of the tree, and the wrenches' power."""
        speeds = self._of_tree(v)
        bias = self._dynamics.bias(q, speeds, self._wrenches)
        if bias is None:
            raise KernelError("the state holds what is no number")
        power = 0.0
        if self._wrenches is not None:
            twists = np.empty((self._links, 6))
            self._model.link_twists(q, speeds, twists)
            power = float(np.sum(self._wrenches * twists))
        return bias, power

    def _efforts(self, q: Floats, v: Floats) -> tuple[Floats, float]:
        """All efforts on the tree (nv,), and the power of loads and dampers."""
        whole, speed, C = self._full(q, v)
        bias, pushed = self._bias(q, v)
        effort = self._tau - self._dampers * speed
        power = pushed + float(effort @ speed)
        effort = effort - self._drive["stiffness"] * self._dynamics._stretches(whole)
        pull, _, damped = self._springs_on_tree(q, self._of_tree(v))
        return self._of_tree(effort) + C.T @ effort + pull - bias, power + damped

    # Energy

    def _energies(self, q: Floats, v: Floats) -> tuple[float, float]:
        """Kinetic and potential; q with its cut joints."""
        measures = self._dynamics.measures(q, self._of_tree(v))
        if measures is None:
            return np.nan, np.nan
        stored = self._springs_on_tree(q, v)[1]
        height = measures[Measure.POTENTIAL] + measures[Measure.SPRINGS] + stored
        return float(measures[Measure.KINETIC]), float(height)

    def _energy_of(self, q: Floats, v: Floats) -> float:
        return sum(self._energies(q, v))
