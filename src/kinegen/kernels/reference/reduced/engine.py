"""The reduced engine by dense matrices: the compiled one's method without its factors."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinegen.errors import KernelError
from kinegen.kernels.layout import TRANSFORM_SIZE, Floats, Ints
from kinegen.kernels.reduced_protocol import Integrator, Method, RunStatus
from kinegen.kernels.reference.reduced.contacts import SHARE, SLOP, Touch, sweep, tangents
from kinegen.kernels.reference.reduced.reactions import Reactions

__all__ = ["BoundReduced"]


class BoundReduced(Reactions):
    """The reduced engine of a model and springs between its points."""

    def set(
        self, integrator: int, step: float, tolerance: float, stops: bool, friction: bool,
        restitution: float, refine: float, /,
    ) -> None:  # fmt: skip
        self._integrator, self._step = Integrator(integrator), step
        self._tolerance, self._refine, self._trial = tolerance, refine, 0.0
        self._with_stops, self._with_friction = stops, friction
        self._restitution = restitution

    def choose(self, method: int, /) -> None:
        """All methods give the same motion: here it is always dense matrices."""

    @property
    def method(self) -> int:
        return Method.MATRICES

    def set_springs(self, numbers: Floats, /) -> None:
        self._numbers = np.array(numbers).reshape(3, -1)

    @property
    def held(self) -> Floats:
        return self._held_impulse / self._step

    @property
    def q(self) -> Floats:
        return self._q.copy()

    @property
    def v(self) -> Floats:
        return self._v.copy()

    def accelerations(self, tau: Floats, wrenches: Floats | None, /) -> tuple[Floats, Floats]:
        self._tau, self._wrenches = np.array(tau), wrenches
        return self._accelerate(self._q, self._v)[:2]

    def stiffness(self) -> float:
        L = self._factors(self._q)[2]
        k, c = self._drive["stiffness"], self._dampers
        rows = [(np.eye(self.nv)[i], k[i], c[i]) for i in np.flatnonzero(self._tree)]
        rows += [(row, k, c) for row, k, c, _ in self._spring_rows(self._q)]
        most, h = 0.0, self._step
        for row, stiff, damp in rows:
            y = np.linalg.solve(L, row[self._tree])
            most = max(most, max(h * damp, h * h * stiff) * float(y @ y))
        return most

    def start(self, q: Floats, v: Floats, time: float, /) -> tuple[bool, float, float]:
        self._cuts.sift(q)
        self._status, self._trial = RunStatus.OK, 0.0
        q, v, linear, angular = self._settle(np.array(q), np.array(v))
        self._q, self._v, _ = self._full(q, v)
        self._time, self._work = time, 0.0
        self._held_impulse = np.zeros(self.nv)
        return self._status == RunStatus.OK, linear, angular

    def run(self, steps: int, tau: Floats, wrenches: Floats | None, /) -> tuple[float | int, ...]:
        self._tau, self._wrenches = np.array(tau), wrenches
        self._status, self._culprit = RunStatus.OK, -1
        self._closings = self._evaluations = self._refined = self._stop_count = 0
        self._stiff = self._step / 2 if self._integrator == Integrator.IMPLICIT else 0.0
        start, done = self._time, 0
        # numbers of the model may have changed: loops are closed again
        self._q, self._gap, self._angle = self._close(self._q)
        while done < steps and self._status == RunStatus.OK:
            try:
                q, v = self._step_to_stops(self._q, self._v, self._step)
                self._q, self._v, _ = self._full(q, v)
            except KernelError:
                self._status = RunStatus.NOT_FINITE
            done += 1
            self._time = start + done * self._step
        self._stiff = 0.0
        kinetic, potential = self._energies(self._q, self._v)
        opening = self.rows(self._q)[0] @ self._of_tree(self._v)
        return (
            done, int(self._status), self._time, self._gap, self._angle,
            float(np.abs(opening).max(initial=0.0)), kinetic, potential, self._work,
            self._stop_count, self._closings, self._evaluations, self._refined, 0, 1.0,
            self._culprit,
        )  # fmt: skip

    # Contacts

    def snapshot(self) -> tuple[Any, ...]:
        return (
            self._q.copy(), self._v.copy(), self._held_impulse.copy(), self._time, self._work,
            self._trial,
        )  # fmt: skip

    def resume(self, *state: Any) -> None:
        q, v, held, self._time, self._work, self._trial = state
        self._q, self._v, self._held_impulse = q.copy(), v.copy(), held.copy()

    def meet_later(self, later: bool, /) -> None:
        self._meets_later = later

    def meet(
        self, link_a: Ints, link_b: Ints, points: Floats, normals: Floats, distances: Floats,
        friction: Floats, restitution: Floats, guess: Floats, /,
    ) -> tuple[tuple[float | int, ...], Floats, int]:  # fmt: skip
        h, tree, found, sweeps = self._step, self._tree, np.zeros((len(link_a), 3)), 0
        zero = np.zeros(self.nv)
        if len(link_a):
            energy = self._energy()
            L, touch, along = self._touch(
                link_a, link_b, points, normals, distances, friction, guess
            )
            gravity = float(np.linalg.norm(self._dynamics._gravity))
            aims, bounces = touch.aims(restitution, h, gravity)
            x, sweeps = sweep(touch, aims, pushes_only=False)
            found = np.einsum("ni,nij->nj", touch.p.reshape(-1, 3), along)
            by = touch.Y @ x
            self._work += float(touch.p @ (touch.before + by / 2))
            gap = touch.gap + (0.0 if bounces else h / 2 * by)
            shift = np.zeros(self.nv)
            change = np.linalg.solve(L.T, x)
            touched = bool(touch.p[::3].any())
            self._v[tree] += change
            shift[tree] = 0.0 if bounces else h / 2 * change
            deep = gap[::3].min() < -SLOP
            if deep:
                room = np.where(gap < -SLOP, SHARE * (-gap - SLOP), -gap)
                apart = Touch(touch.Y, np.zeros(len(gap)), gap, touch.friction, np.zeros(len(gap)))
                shift[tree] += np.linalg.solve(L.T, sweep(apart, room, pushes_only=True)[0])
            if touched or deep:
                self._shift(shift, energy)
        self._keep_stops()
        return self.run(0, zero, None), found, sweeps

    def _touch(
        self, link_a: Ints, link_b: Ints, points: Floats, normals: Floats, distances: Floats,
        friction: Floats, guess: Floats,
    ) -> tuple[Floats, Touch, Floats]:  # fmt: skip
        """L of H = L Lᵀ, the rows of contacts, and their directions (n, 3, 3)."""
        _, Y_loops, L = self._factors(self._q)
        X = np.empty((self._links, TRANSFORM_SIZE))
        self._model.forward_links(self._q, X)
        J, along = np.zeros((len(link_a), 3, self.nv)), np.zeros((len(link_a), 3, 3))
        for i, (a, b, p, n) in enumerate(zip(link_a, link_b, points, normals, strict=True)):
            along[i] = n, *tangents(n)
            for link, sign in ((a, -1.0), (b, 1.0)):
                if link:
                    local = X[link, :9].reshape(3, 3).T @ (p - X[link, 9:])
                    rows, pose = np.empty((6, self.nv)), np.empty(7)
                    self._model.site_jacobian(self._q, int(link), local, -1, pose, rows)
                    J[i] += sign * along[i] @ rows[:3]
        flat = J.reshape(-1, self.nv)[:, self._tree]
        Y = np.linalg.solve(L, flat.T)
        if Y_loops.shape[1]:
            Y = Y - Y_loops @ self._loop_solve(Y_loops, Y_loops.T @ Y)
        p = np.einsum("nij,nj->ni", along, guess)
        p[:, 0] = np.maximum(p[:, 0], 0.0)
        gap = np.zeros(len(flat))
        gap[::3] = distances
        touch = Touch(
            np.ascontiguousarray(Y.T), flat @ self._v[self._tree], gap, np.repeat(friction, 3),
            p.ravel().copy(),
        )  # fmt: skip
        return L, touch, along

    def _shift(self, shift: Floats, energy: float) -> None:
        """Move the place; speeds keep their world axes and bring no more energy than there was."""
        before = self._energy()
        moved = np.empty(self.nq)
        self._model.integrate(self._q, shift, moved)
        v = self._chart.turned(self._v, shift)
        self._q, self._v, _ = self._full(*self._settle(moved, v)[:2])
        self._v = self._without_excess(self._q, self._v, energy)
        self._work += self._energy() - before

    def _energy(self) -> float:
        return self._energy_of(self._q, self._v)
