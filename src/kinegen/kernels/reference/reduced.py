"""The reduced engine by dense matrices: H v̇ + bias = tau + Jᵀ λ, J v̇ = -J̇ v, rank by the SVD.

Two of the compiled integrators are here, without stops and dry friction: what they share with
the compiled ones is the method, not the factors.
"""

from __future__ import annotations

import numpy as np

from kinegen.errors import KernelError
from kinegen.kernels.dynamics_protocol import Measure
from kinegen.kernels.layout import DRIVE_PARTS, TRANSFORM_SIZE, Blocks, Floats, Ints
from kinegen.kernels.reduced_protocol import Integrator, RunStatus
from kinegen.kernels.reference.dynamics import BoundDynamics
from kinegen.kernels.reference.model import BoundModel
from kinegen.kernels.reference.reduced_chart import Chart
from kinegen.kernels.reference.reduced_contacts import SHARE, SLOP, Touch, sweep, tangents
from kinegen.kernels.reference.reduced_rows import CutJoints

__all__ = ["BoundReduced"]

RANK = 1e-5
"""Singular values of the loops in the metric of the masses, against the largest, that are zero."""
CLOSED = 1e-13
ITERATIONS = 20


class BoundReduced:
    """The reduced engine of a model and springs between its points."""

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
        self._tree = np.ones(self.nv, dtype=bool)
        for loop in range(self._cuts.count):
            self._tree[self._cuts.own(loop)] = False
        self._parents = blocks.int_part("joint_parent").tolist()
        self._children = blocks.int_part("joint_child").tolist()
        self._placed = blocks.real_part("transforms").reshape(-1, TRANSFORM_SIZE)
        self._q, self._v = np.zeros(self.nq), np.zeros(self.nv)
        self._time = self._work = self._step = 0.0
        self._integrator = Integrator.RK4
        self._cuts.sift(self._q)

    def set(
        self, integrator: int, step: float, tolerance: float, stops: bool, friction: bool,
        restitution: float, refine: float, /,
    ) -> None:  # fmt: skip
        self._integrator, self._step = Integrator(integrator), step

    def set_springs(self, numbers: Floats, /) -> None:
        self._numbers = np.array(numbers).reshape(3, -1)

    @property
    def q(self) -> Floats:
        return self._q.copy()

    @property
    def v(self) -> Floats:
        return self._v.copy()

    # Equations

    def rows(self, q: Floats, /) -> tuple[Floats, Floats, Floats, Ints]:
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
        parts = [self._cuts.targets(q, v, loop) for loop in range(self._cuts.count)]
        return np.concatenate([np.zeros(0), *parts])

    def _factors(self, q: Floats) -> tuple[Floats, Floats, Floats]:
        """H of the tree, Y = L⁻¹ Jᵀ and L, for H = L Lᵀ."""
        H = self._dynamics.mass(q)
        if H is None:
            raise KernelError("the configuration holds what is no number")
        inside = H[np.ix_(self._tree, self._tree)]
        L = np.linalg.cholesky(inside)
        J = self.rows(q)[0][:, self._tree]
        return inside, np.asarray(np.linalg.solve(L, J.T), dtype=np.float64), L

    def _springs_on_tree(self, q: Floats, v: Floats) -> tuple[Floats, float, float]:
        """Efforts of springs between points, their energy, the power of their dampers."""
        efforts, energy, power = np.zeros(self.nv), 0.0, 0.0
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
            if length < 1e-12:
                continue
            row = (ends[1] - ends[0]) / length @ (rows[1] - rows[0])
            apart = float(row @ v)
            efforts -= row * (k * (length - rest) + c * apart)
            energy += 0.5 * k * (length - rest) ** 2
            power -= c * apart * apart
        return efforts, energy, power

    def _full(self, q: Floats, v: Floats) -> tuple[Floats, Floats, Floats]:
        """Whole q and v, their cut joints read off, and C."""
        whole, speed, C = q.copy(), v.copy(), self.rows(q)[1]
        for loop in range(self._cuts.count):
            self._cuts.read(whole, loop)
        speed[~self._tree] = (C @ np.where(self._tree, v, 0))[~self._tree]
        return whole, speed, C

    def _accelerate(
        self, q: Floats, v: Floats, tau: Floats, wrenches: Floats | None
    ) -> tuple[Floats, Floats, float]:
        """Accelerations of the tree, forces in the rows, power of loads and dampers."""
        whole, speed, C = self._full(q, v)
        bias = self._dynamics.bias(q, np.where(self._tree, v, 0), wrenches)
        if bias is None:
            raise KernelError("the state holds what is no number")
        effort = tau - (self._drive["viscous"] + self._drive["spring_damping"]) * speed
        power = float(effort @ speed)
        effort -= self._drive["stiffness"] * self._dynamics._stretches(whole)
        pull, _, damped = self._springs_on_tree(q, np.where(self._tree, v, 0))
        f = (np.where(self._tree, effort, 0) + C.T @ effort + pull - bias)[self._tree]
        if wrenches is not None:
            twists = np.empty((self._links, 6))
            self._model.link_twists(q, np.where(self._tree, v, 0), twists)
            power += float(np.sum(wrenches * twists))
        _, Y, L = self._factors(q)
        x = np.linalg.solve(L, f)
        forces = np.zeros(Y.shape[1])
        if Y.shape[1]:
            wanted = self.targets(q, np.where(self._tree, v, 0)) - Y.T @ x
            forces = np.asarray(np.linalg.pinv(Y.T @ Y, rcond=RANK**2, hermitian=True) @ wanted)
            x = x + Y @ forces
        vdot = np.zeros(self.nv)
        vdot[self._tree] = np.linalg.solve(L.T, x)
        return vdot, forces, power + damped

    def accelerations(self, tau: Floats, wrenches: Floats | None, /) -> tuple[Floats, Floats]:
        return self._accelerate(self._q, self._v, tau, wrenches)[:2]

    def stiffness(self) -> float:
        H = self._factors(self._q)[0]
        mobility = np.zeros(self.nv)
        mobility[self._tree] = np.diag(np.linalg.inv(H))
        c = self._drive["viscous"] + self._drive["spring_damping"]
        h, k = self._step, self._drive["stiffness"]
        return float(np.max(np.maximum(h * c, h * h * k) * mobility, initial=0.0))

    # Steps

    def _correct(self, q: Floats, wanted: Floats) -> Floats:
        """The smallest change of the tree, by its masses, that changes the rows as wanted."""
        _, Y, L = self._factors(q)
        out = np.zeros(self.nv)
        x = Y @ (np.linalg.pinv(Y.T @ Y, rcond=RANK**2, hermitian=True) @ wanted)
        out[self._tree] = np.linalg.solve(L.T, x)
        return out

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

    def _settle(self, q: Floats, v: Floats) -> tuple[Floats, Floats, float, float]:
        """The state with loops closed, and what is left open."""
        gap, linear, angular = self._gaps(q)
        for _ in range(ITERATIONS):
            if max(linear, angular) <= CLOSED:
                break
            closer = np.empty(self.nq)
            self._model.integrate(q, self._correct(q, -gap), closer)
            left = self._gaps(closer)
            if max(left[1:]) > 0.5 * max(linear, angular):
                break
            q, (gap, linear, angular) = closer, left
        if len(gap):
            v = v + self._correct(q, -self.rows(q)[0] @ np.where(self._tree, v, 0))
        return q, v, linear, angular

    def start(self, q: Floats, v: Floats, time: float, /) -> tuple[bool, float, float]:
        self._cuts.sift(q)
        q, v, linear, angular = self._settle(np.array(q), np.array(v))
        self._q, self._v, _ = self._full(q, v)
        self._time, self._work = time, 0.0
        return linear < 1e-6 and angular < 1e-6, linear, angular

    def run(self, steps: int, tau: Floats, wrenches: Floats | None, /) -> tuple[float | int, ...]:
        linear, angular = self._gaps(self._q)[1:]
        for _ in range(steps):
            q, v, work = self._one_step(self._q, self._v, tau, wrenches)
            q, v, now, turned = self._settle(q, v)
            if self._integrator == Integrator.SEMI_IMPLICIT:
                v, work = self._second_half(q, v, tau, wrenches)
                v = self._settle(q, v)[1]
            linear, angular = max(linear, now), max(angular, turned)
            self._q, self._v, _ = self._full(q, v)
            self._work += work
            self._time += self._step
        measures = self._dynamics.measures(self._q, np.where(self._tree, self._v, 0))
        if measures is None:
            raise KernelError("the state holds what is no number")
        stored = self._springs_on_tree(self._q, self._v)[1]
        opening = self.rows(self._q)[0] @ np.where(self._tree, self._v, 0)
        return (
            steps, int(RunStatus.OK), self._time, linear, angular,
            float(np.abs(opening).max(initial=0.0)), float(measures[Measure.KINETIC]),
            float(measures[Measure.POTENTIAL] + measures[Measure.SPRINGS] + stored), self._work,
            0, 0, 0, 0, 0, 1.0, -1,
        )  # fmt: skip

    def _one_step(
        self, q: Floats, v: Floats, tau: Floats, wrenches: Floats | None
    ) -> tuple[Floats, Floats, float]:
        """Nyström's method of order four, or the first half of Verlet's."""
        h, chart = self._step, self._chart

        def rate(xi: Floats, p: Floats) -> tuple[Floats, float]:
            at, speed = chart.leave(q, xi, p)
            vdot, _, power = self._accelerate(at, speed, tau, wrenches)
            return chart.accelerations(at, speed, xi, p, vdot), power

        p0, zero = chart.enter(q, v), np.zeros(self.nv)
        a1, w1 = rate(zero, p0)
        if self._integrator == Integrator.SEMI_IMPLICIT:
            xi = h * p0 + h * h / 2 * a1
            self._half = q, xi, p0, a1, w1
            return *chart.leave(q, xi, p0 + h * a1), 0.0
        if self._integrator != Integrator.RK4:
            raise KernelError("the NumPy kernels run 'rk4' and 'semi-implicit' only")
        middle = h / 2 * p0 + h * h / 8 * a1
        a2, w2 = rate(middle, p0 + h / 2 * a1)
        a3, w3 = rate(middle, p0 + h / 2 * a2)
        a4, w4 = rate(h * p0 + h * h / 2 * a3, p0 + h * a3)
        xi = h * p0 + h * h / 6 * (a1 + a2 + a3)
        p = p0 + h / 6 * (a1 + 2 * (a2 + a3) + a4)
        return *chart.leave(q, xi, p), h / 6 * (w1 + 2 * (w2 + w3) + w4)

    def _second_half(
        self, q: Floats, v: Floats, tau: Floats, wrenches: Floats | None
    ) -> tuple[Floats, float]:
        h, (q0, xi, p0, a1, w1) = self._step, self._half
        vdot, _, w2 = self._accelerate(q, v, tau, wrenches)
        a2 = self._chart.accelerations(q, v, xi, p0 + h * a1, vdot)
        return self._chart.leave(q0, xi, p0 + h / 2 * (a1 + a2))[1], h / 2 * (w1 + w2)

    # Contacts

    def meet_later(self, later: bool, /) -> None:
        """Stops and friction are not here: nothing to put off."""

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
            inner = np.linalg.pinv(Y_loops.T @ Y_loops, rcond=RANK**2, hermitian=True)
            Y = Y - Y_loops @ (inner @ (Y_loops.T @ Y))
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
        kinetic = self.run(0, np.zeros(self.nv), None)[6]
        excess = self._energy() - energy
        if excess > 0 and kinetic > 0:
            self._v *= np.sqrt(max(0.0, 1 - excess / kinetic))
        self._work += self._energy() - before

    def _energy(self) -> float:
        report = self.run(0, np.zeros(self.nv), None)
        return float(report[6] + report[7])

    # Forces in the joints

    def reactions(
        self, q: Floats, v: Floats, vdot: Floats, forces: Floats, tau: Floats,
        wrenches: Floats | None, /,
    ) -> Floats:  # fmt: skip
        whole, speed, _ = self._full(q, v)
        effort = tau - (self._drive["viscous"] + self._drive["spring_damping"]) * speed
        effort = effort - self._drive["stiffness"] * self._dynamics._stretches(whole)
        X = np.empty((self._links, TRANSFORM_SIZE))
        self._model.forward_links(q, X)
        out = np.zeros((len(self._parents), 6))
        # what every link needs, as force and moment about the world's origin
        needs = self._needs(q, np.where(self._tree, v, 0), vdot, X)
        if wrenches is not None:
            for link in range(1, self._links):
                needs[link] -= _about(wrenches[link], X[link, 9:])
        self._take_springs(q, speed, X, needs)
        row = 0
        for loop in range(self._cuts.count):
            cut, joint = self._cuts.at(q, loop), self._cuts.joint(loop)
            count = len(cut.forces)
            wrench = (
                forces[row : row + count] @ cut.forces + effort[self._cuts.own(loop)] @ cut.axes
            )
            row += count
            wrench = _about(wrench, cut.p_K)
            needs[self._cuts.child[loop]] -= wrench
            needs[self._cuts.parent[loop]] += wrench
            out[joint] = wrench
        for joint in reversed(self._dynamics._order):
            out[joint] = needs[self._children[joint]]
            needs[self._parents[joint]] += out[joint]
        for joint, parent in enumerate(self._parents):
            R, p = X[parent, :9].reshape(3, 3), X[parent, 9:]
            out[joint] = _about(out[joint], -(p + R @ self._placed[joint, 9:]))
        return out

    def _needs(self, q: Floats, v: Floats, vdot: Floats, X: Floats) -> Floats:
        out = np.zeros((self._links, 6))
        twists = np.empty((self._links, 6))
        self._model.link_twists(q, v, twists)
        for link in range(1, self._links):
            mass, J, place, tensor, centre = self._dynamics._body(q, link)
            J_dot = np.empty((6, self.nv))
            self._model.site_jacobian_dot(q, v, link, centre, -1, J_dot)
            rate, w = J @ vdot + J_dot @ v, twists[link, 3:]
            force = mass * (rate[:3] - self._dynamics._gravity)
            moment = tensor @ rate[3:] + np.cross(w, tensor @ w)
            out[link] = _about(np.concatenate([force, moment]), place)
        return out

    def _take_springs(self, q: Floats, v: Floats, X: Floats, needs: Floats) -> None:
        twists = np.empty((self._links, 6))
        self._model.link_twists(q, np.where(self._tree, v, 0), twists)
        for a, p_a, b, p_b, k, c, rest in zip(*self._springs, *self._numbers, strict=True):
            places, speeds = [], []
            for link, point in ((a, p_a), (b, p_b)):
                arm = X[link, :9].reshape(3, 3) @ point
                places.append(X[link, 9:] + arm)
                speeds.append(twists[link, :3] + np.cross(twists[link, 3:], arm))
            length = float(np.linalg.norm(places[1] - places[0]))
            along = (places[1] - places[0]) / max(length, 1e-12)
            pull = k * (length - rest) + c * float(along @ (speeds[1] - speeds[0]))
            force = np.concatenate([pull * along, np.zeros(3)])
            needs[a] -= _about(force, places[0])
            needs[b] += _about(force, places[1])


def _about(wrench: Floats, p: Floats) -> Floats:
    """A wrench given about p, about the origin instead."""
    return np.concatenate([wrench[:3], wrench[3:] + np.cross(p, wrench[:3])])
