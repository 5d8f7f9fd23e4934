"""The impulse engine in NumPy: dense, slow, to be read; the compiled one solves block by block.

Only the direct solution is here; the sweeps of the anytime mode are the compiled kernels' alone.
"""

from __future__ import annotations

import itertools

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.reference.impulse_limits import Limits
from kinegen.kernels.reference.impulse_rows import (
    FREED,
    HELD,
    NV,
    axis_of,
    curve_foot,
    gap_of,
    is_ball,
    log_of,
    rotation,
    variables_of,
)  # fmt: skip

__all__ = ["BoundImpulse"]

SOFTNESS = 1e-6
"""Part of a row's own compliance that keeps rows that repeat others from dividing by zero."""
WIDE_TURN, HALVINGS = 0.25, 7
FULLY_SOFT = 1e30
ROTOR, DAMPING, COULOMB, BREAKAWAY, STRIBECK, STIFFNESS, REST, LOWER, UPPER = range(9)


def fly(bend: Floats, quat: Floats, w: Floats, t: float) -> tuple[Floats, Floats]:
    """Torque-free rotation over t by Taylor series: quaternion and w (body axes)."""
    W, P = [w], [np.array([1.0, 0, 0, 0])]
    for n in range(16):
        pairs = [(W[i], W[n - i], P[i]) for i in range(n + 1)]
        a = np.sum([np.roll(u, -1) * np.roll(v, -2) for u, v, _ in pairs], axis=0)
        p = np.sum([_times(p, np.concatenate(([0.0], v))) for _, v, p in pairs], axis=0)
        W.append(t / (n + 1) * bend * a)
        P.append(0.5 * t / (n + 1) * p)
    out = _times(quat, np.sum(P, axis=0))
    return out / np.linalg.norm(out), np.sum(W, axis=0)


def _times(a: Floats, b: Floats) -> Floats:
    return np.array(
        [
            a[0] * b[0] - a[1:] @ b[1:],
            *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])),
        ]
    )


class BoundImpulse(Limits):
    """A world of bodies; arrays as the compiled one takes them."""

    def __init__(self, *arrays: Floats | Ints) -> None:
        bodies, numbers, axes, gravity, spring_numbers, curve = (
            np.array(arrays[i], dtype=np.float64) for i in (0, 2, 3, 4, 6, 8)
        )
        bonds, springs, first, closed = (np.array(arrays[i], dtype=np.int32) for i in (1, 5, 7, 9))
        self.mass, self.moments = bodies[:, 0], bodies[:, 1:]
        self.moves = self.mass > 0
        self.bonds, self.axes, self.gravity = bonds.reshape(-1, 5), axes.reshape(-1, 9), gravity
        self.frames = [(_frame(n[:12]), _frame(n[12:24])) for n in numbers.reshape(-1, 25)]
        self.leads = numbers.reshape(-1, 25)[:, 24] / (2 * np.pi)
        self.springs, self.spring_numbers = springs.reshape(-1, 2), spring_numbers.reshape(-1, 9)
        cubics = curve.reshape(-1, 4, 3)
        self.curves = [(cubics[a:b], bool(c)) for a, b, c in zip(first, first[1:], closed)]  # noqa: B905
        with np.errstate(divide="ignore", invalid="ignore"):
            I = self.moments  # noqa: E741
            bend = (np.roll(I, -1, axis=1) - np.roll(I, -2, axis=1)) / I
            self.bend = np.where(self.moves[:, None], bend, 0)
            self.inverse = np.where(self.moves[:, None], 1 / bodies, 0)
        self.soft = [
            [v for v in range(b[4], b[4] + NV[b[0]]) if self.axes[v, 0] > 0 or self.axes[v, 1] > 0]
            for b in self.bonds
        ]
        self.theta = np.full(len(self.axes), 0.5)
        self.rotor = np.zeros(len(self.axes))
        self.touches, self.touch_numbers = np.zeros((0, 3), np.int32), np.zeros((0, 13))
        self.v = np.zeros(len(self.axes))

    def set(
        self, step: float, gap_limit: float, speed_limit: float, iteration_limit: int,
        sweeps: int, stops: bool, friction: bool, stop_restitution: float,
    ) -> None:  # fmt: skip
        """How to run."""
        if sweeps:
            raise UsageError("sweeps are the compiled kernels' alone: leave them out here")
        self.step, self.gap_limit, self.speed_limit = step, gap_limit, speed_limit
        self.iteration_limit, self.stops, self.friction = iteration_limit, stops, friction
        self.stop_restitution = stop_restitution

    def set_touches(self, touches: Ints, numbers: Floats) -> None:
        """Pairs that may touch."""
        self.touches, self.touch_numbers = touches.reshape(-1, 3), numbers.reshape(-1, 13)

    def start(
        self, poses: Floats, twists: Floats, q: Floats, curve_at: Floats, time: float
    ) -> None:
        """Begin at poses and twists."""
        self.poses = np.array(poses, dtype=np.float64)
        self.poses[:, :4] /= np.linalg.norm(self.poses[:, :4], axis=1, keepdims=True)
        self.twists = np.where(self.moves[:, None], twists, 0.0)
        self.q, self.curve_at = np.array(q, dtype=np.float64), np.array(curve_at)
        self.time, self.work = time, 0.0
        self.mean: dict[tuple[int, int], float] = {}
        self.place()
        self.lam = np.zeros(len(self.J))
        self.v = self.speeds(self.twists)
        self.rotor = self.v.copy()

    def run(
        self, steps: int, efforts: Floats, loads: Ints, load_numbers: Floats
    ) -> tuple[int, int, float, float, float, float, float, float, float, int, int, int]:
        """Run steps; see the protocol."""
        self.efforts, self.loads, self.load_numbers = efforts, loads, load_numbers.reshape(-1, 9)
        start, widest, contacts, iterations, done = self.time, np.zeros(3), 0, 0, 0
        self.place()
        if steps == 0:
            _, gap, angle = self.gaps(self.poses)
            widest[:] = gap, angle, self.opening()
        for done in range(1, steps + 1):
            before = self.poses.copy(), self.twists.copy(), self.q.copy(), self.v.copy()
            gaps, contacts, count = self.whole_step()
            widest = np.maximum(widest, gaps)
            iterations += count
            self.v = self.speeds(self.twists)
            self.add_work(*before)
            self.time = start + done * self.step
        self.v = self.speeds(self.twists)
        return (
            done, 0, self.time, float(widest[0]), float(widest[1]), float(widest[2]),
            self.kinetic(), self.potential(),
            self.work, contacts, iterations, iterations * len(self.bonds),
        )  # fmt: skip

    # A step

    def whole_step(self) -> tuple[Floats, int, int]:
        """One step, in parts where bodies turn far."""
        whole, depth = self.step, 0
        spin = float(np.linalg.norm(self.twists[self.moves, 3:], axis=1).max(initial=0))
        while depth < HALVINGS and spin * self.step > WIDE_TURN:
            self.step, depth = self.step / 2, depth + 1
        if depth:
            self.lam[:] = 0
        widest, contacts, iterations = np.zeros(3), 0, 0
        for _ in range(1 << depth):
            gaps, contacts, count = self.one_step()
            widest, iterations = np.maximum(widest, gaps), iterations + count
        if depth:
            self.lam[:] = 0
        self.step = whole
        return widest, contacts, iterations

    def one_step(self) -> tuple[Floats, int, int]:
        """Half the forces; impulses that close the joints ahead; flight; the other half; speeds."""
        h, V = self.step, self.twists
        self.soften(starts=True)
        contacts = self.collide(V)
        start = V.copy()
        self.kick(V, h / 2, ends=False)
        self.list_limits("ahead", V)
        was = self.limit_speeds(start)
        V += (self.Y @ self.lam).reshape(-1, 6)
        respond = self.responses()
        for turn in itertools.count():
            poses, speeds = self.flight(V)
            rho, gap, angle, miss = self.ahead(poses)
            done = turn > (1 if self.limits else 0) and max(gap, angle, miss) <= self.gap_limit
            if done or turn == self.iteration_limit:
                break
            look = self.look_at_limits(poses) - self.limit_speeds(V)
            by = -np.linalg.solve(self.A, rho)
            self.lam += by
            V += (self.Y @ by).reshape(-1, 6)
            self.lam += self.meet_limits(look + self.limit_speeds(V), respond, V)
        self.add_limit_work(was, V)
        for j, vs in enumerate(self.soft):
            for v in vs:
                mean = self.mean[j, v]
                self.work -= self.theta[v] * h * self.axes[v, DAMPING] * mean * mean
                self.rotor[v] = mean
        self.poses, self.twists = poses, speeds
        self.place()
        V = self.twists
        self.soften(starts=False)
        start = V.copy()
        self.kick(V, h / 2, ends=True)
        self.list_limits("now", V)
        was = self.limit_speeds(start)
        rho = self.J @ V.ravel()
        for row, v in enumerate(self.row_v):
            if v >= 0:
                rho[row] = 0 if self.yields[row] >= FULLY_SOFT else (
                    rho[row] - self.keep[row] * self.rotor[v]
                )  # fmt: skip
        self.last = -np.linalg.solve(self.A, rho)
        V += (self.Y @ self.last).reshape(-1, 6)
        self.last += self.meet_limits(self.limit_speeds(V), self.responses(), V)
        self.add_limit_work(was, V)
        contacts += sum(1 for limit in self.limits if limit.kind == "touch" and limit.p > 0)
        for row, v in enumerate(self.row_v):
            if v >= 0:
                self.rotor[v] = self.J[row] @ V.ravel()
        return np.array([gap, angle, self.opening()]), contacts, turn

    def flight(self, V: Floats) -> tuple[Floats, Floats]:
        """Poses and twists of all bodies after free flight over a step."""
        poses, out, h = self.poses.copy(), V.copy(), self.step
        for b in np.flatnonzero(self.moves):
            R = rotation(self.poses[b, :4])
            poses[b, :4], turn = fly(self.bend[b], self.poses[b, :4], R.T @ V[b, 3:], h)
            poses[b, 4:] += h * V[b, :3] + h * h / 2 * self.gravity
            out[b, :3] += h * self.gravity
            out[b, 3:] = rotation(poses[b, :4]) @ turn
        return poses, out

    def ahead(self, poses: Floats) -> tuple[Floats, float, float, float]:
        """Residuals of all rows at the step's end, widest gap, angle, miss of soft rows."""
        g, gap, angle = self.gaps(poses)
        rho = self.yields * self.lam
        rho[self.row_v < 0] += g / self.step
        miss = 0.0
        for row, (j, v) in enumerate(zip(self.row_bond, self.row_v, strict=True)):
            if v < 0:
                continue
            v0 = int(self.bonds[j, 4])
            mean = self.mean_speed(j, v - v0, poses)
            self.mean[j, v] = mean
            rho[row] += mean - self.keep[row] * self.rotor[v]
            miss = max(miss, self.step * abs(rho[row]))
        return rho, gap, angle, miss

    def mean_speed(self, j: int, k: int, poses: Floats) -> float:
        """Mean speed of a joint's variable over the step."""
        type_, _, _, q, _ = self.bonds[j]
        before = self.q[q:]
        after = variables_of(type_, *self.ends(j, poses), before)
        if not is_ball(type_):
            return float((after[k] - before[k]) / self.step)
        turn = log_of(_times(before[:4] * [1, -1, -1, -1], after[:4]))
        if len(after) == 4 or k >= 3:
            return float(turn[k % 3] / self.step)
        d = rotation(before[:4]).T @ (after[4:7] - before[4:7])
        t2 = float(turn @ turn)
        half = 0.5 * np.sqrt(t2)
        beta = 1 / 12 + t2 / 720 if t2 < 1e-4 else (1 - half / np.tan(half)) / t2
        cross = np.cross(turn, d)
        return float((d - cross / 2 + beta * np.cross(turn, cross))[k] / self.step)

    # Joints

    def ends(self, j: int, poses: Floats) -> tuple[Floats, Floats]:
        """Frames F and M of a joint."""
        _, a, b, _, _ = self.bonds[j]
        return _pose(poses[a]) @ self.frames[j][0], _pose(poses[b]) @ self.frames[j][1]

    def foot(self, j: int, F: Floats, M: Floats) -> tuple[float, Floats, Floats, Floats] | None:
        """Where a point on a curve is."""
        cubics, closed = self.curves[j]
        p = F[:3, :3].T @ (M[:3, 3] - F[:3, 3])
        return curve_foot(cubics, closed, p, self.curve_at[j]) if len(cubics) else None

    def gaps(self, poses: Floats) -> tuple[Floats, float, float]:
        """Of all held rows, and the widest."""
        rows, gap, angle = [np.zeros(0)], 0.0, 0.0
        for j, (type_, _, _, q, _) in enumerate(self.bonds):
            F, M = self.ends(j, poses)
            turn = variables_of(type_, F, M, self.q[q:])[0] if type_ == 2 else 0.0
            foot = self.foot(j, F, M)
            offset, normals = (foot[1], (foot[2], foot[3])) if foot else (None, None)
            g, along, about = gap_of(type_, F, M, self.leads[j], turn, offset, normals)
            rows.append(g)
            gap, angle = max(gap, along), max(angle, about)
        return np.concatenate(rows), gap, angle

    def row(self, kind: str, axis: Floats, place: Floats, a: int, b: int, lead: float) -> Floats:
        """Speeds of a row by all bodies' twists: b against a."""
        out = np.zeros((len(self.mass), 6))
        for body, sign in ((a, -1.0), (b, 1.0)):
            if kind == "about":
                out[body, 3:] = sign * axis
            else:
                arm = np.cross(place - self.poses[body, 4:], axis)
                out[body] = sign * np.concatenate((axis, arm))
                if kind == "thread":
                    out[body, 3:] -= sign * lead * axis
        return out.ravel()

    def place(self) -> None:
        """Rows, responses and variables at the present place."""
        self.turns = np.array(
            [
                rotation(p[:4]) @ np.diag(i[1:]) @ rotation(p[:4]).T
                for p, i in zip(self.poses, self.inverse, strict=True)
            ]
        )
        rows, bond, soft = [], [], []
        for j, (type_, a, b, q, v0) in enumerate(self.bonds):
            F, M = self.ends(j, self.poses)
            foot = self.foot(j, F, M)
            if foot:
                self.curve_at[j] = foot[0]
            else:
                found = variables_of(type_, F, M, self.q[q:])
                self.q[q : q + len(found)] = found
            normals = (foot[2], foot[3]) if foot else None
            kinds = [(k, -1) for k in HELD[type_]]
            kinds += [(FREED[type_][v - v0], v) for v in self.soft[j]]
            for (kind, axis), v in kinds:
                direction = axis_of(axis, F, M, normals)
                rows.append(self.row(kind, direction, M[:3, 3], a, b, self.leads[j]))
                bond.append(j)
                soft.append(v)
        self.J = np.array(rows).reshape(-1, 6 * len(self.mass))
        self.Y = self.spread(self.J)
        self.row_bond, self.row_v = np.array(bond, dtype=int), np.array(soft, dtype=int)

    def spread(self, J: Floats) -> Floats:
        """M⁻¹ Jᵀ."""
        out = J.reshape(len(J), len(self.mass), 6).copy()
        out[:, :, :3] *= self.inverse[:, :1]
        out[:, :, 3:] = np.einsum("bij,rbj->rbi", self.turns, out[:, :, 3:])
        return out.reshape(len(J), 6 * len(self.mass)).T

    def soften(self, *, starts: bool) -> None:
        """Compliance of all rows, and A."""
        A = self.J @ self.Y
        own = np.diag(A)
        self.yields, self.keep = SOFTNESS * own, np.zeros(len(own))
        for row, v in enumerate(self.row_v):
            if v < 0:
                continue
            rotor, damping = self.axes[v, ROTOR], self.axes[v, DAMPING]
            if starts and damping > 0:
                x = 0.5 * self.step * damping / (rotor + (1 / own[row] if own[row] > 0 else 0))
                self.theta[v] = 1 - 0.25 / x if x > 0.5 else 0.5
            mass = rotor + (self.theta[v] * self.step * damping if starts else 0)
            self.yields[row] = 1 / mass if mass > 0 else FULLY_SOFT
            self.keep[row] = rotor / mass if mass > 0 else 0
        self.A = A + np.diag(self.yields)

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

    def opening(self) -> float:
        """How fast the widest joint opens [m/s]."""
        speeds, widest, row = self.J @ self.twists.ravel(), 0.0, 0
        for j, (type_, *_) in enumerate(self.bonds):
            own = [speeds[row + i] for i, (kind, _) in enumerate(HELD[type_]) if kind != "about"]
            widest = max(widest, float(np.linalg.norm(own)))
            row += len(HELD[type_]) + len(self.soft[j])
        return widest

    def reactions(self) -> Floats:
        """The compiled kernels' alone."""
        raise UsageError("reactions of the impulse engine are the compiled kernels' alone")


def _frame(numbers: Floats) -> Floats:
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = numbers[:9].reshape(3, 3), numbers[9:]
    return out


def _pose(pose: Floats) -> Floats:
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = rotation(pose[:4]), pose[4:]
    return out
