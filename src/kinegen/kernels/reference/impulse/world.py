"""The impulse engine in NumPy: dense, slow, to be read; the compiled one solves block by block."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.reference.impulse.rows import FREED, HELD, NV, SPRING, axis_of
from kinegen.kernels.reference.impulse.soft import FULLY_SOFT
from kinegen.kernels.reference.impulse.sweeps import FAST_TURN, Sweeps

__all__ = ["BoundImpulse"]

WIDE_TURN, HALVINGS = 0.25, 7
STEADY, SWINGING, ALIKE = 3e-5, 1e-3, 8


class BoundImpulse(Sweeps):
    """A world of bodies that can be run."""

    last: Floats
    """Impulses that made speeds agree at the end of the last step."""

    def set(
        self, step: float, gap_limit: float, speed_limit: float, iteration_limit: int,
        sweeps: int, stops: bool, friction: bool, stop_restitution: float,
    ) -> None:  # fmt: skip
        """How to run."""
        self.step, self.gap_limit, self.speed_limit = step, gap_limit, speed_limit
        self.iteration_limit, self.sweeps = iteration_limit, sweeps
        self.stops, self.friction, self.stop_restitution = stops, friction, stop_restitution

    def snapshot(self) -> tuple[Any, ...]:
        """All that it is at."""
        return (copy.deepcopy(vars(self)),)

    def resume(self, *state: Any) -> None:
        """Continue from a state of the same world."""
        vars(self).update(copy.deepcopy(state[0]))

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
        self.balance, self.swing, self.change = np.inf, 0.0, np.inf
        self.limits = []
        self.place()
        self.lam, self.last, self.late = np.zeros(len(self.J)), np.zeros(len(self.J)), {}
        self.carried: tuple[Floats, dict[int, Floats]] = self.lam, {}
        self.efforts = np.zeros(len(self.axes))
        self.v = self.speeds(self.twists)
        self.rotor = self.v.copy()

    def run(
        self, steps: int, efforts: Floats, loads: Ints, load_numbers: Floats
    ) -> tuple[int, int, float, float, float, float, float, float, float, int, int, int]:
        """Run steps; see the protocol."""
        self.efforts, self.loads, self.load_numbers = efforts, loads, load_numbers.reshape(-1, 9)
        start, widest, contacts, iterations, done = self.time, np.zeros(3), 0, 0, 0
        status = 0
        self.place()
        if self.balance == np.inf:
            self.balance = self.kinetic() + self.potential() - self.work
        if steps == 0:
            _, gap, angle = self.gaps(self.poses)
            widest[:] = gap, angle, self.opening()
        while done < steps:
            held = self.state()
            found = self.whole_step()
            if found is None:
                status = 1
                break
            widest, contacts = np.maximum(widest, found[0]), found[1]
            iterations += found[2]
            if self.sweeps:
                self.guard(held)
            done += 1
            self.time = start + done * self.step
        self.v = self.speeds(self.twists)
        return (
            done, status, self.time, float(widest[0]), float(widest[1]), float(widest[2]),
            self.kinetic(), self.potential(),
            self.work, contacts, iterations, iterations * len(self.bonds),
        )  # fmt: skip

    # A step

    def whole_step(self) -> tuple[Floats, int, int] | None:
        """One step, in parts where bodies turn far or it does not close; None: not even so."""
        whole, first, held = self.step, 0, self.state()
        while not self.sweeps and first < HALVINGS and self.turns_fast(self.twists, WIDE_TURN):
            self.step, first = self.step / 2, first + 1
        for depth in range(first, HALVINGS + 1):
            if depth:
                self.lam[:] = 0
            carried, late = np.zeros(len(self.J)), dict[int, Floats]()
            widest: Floats = np.zeros(3)
            contacts, iterations, closed = 0, 0, True
            for _ in range(1 << depth):
                gaps, miss, contacts, count = self.one_step()
                widest, iterations = np.maximum(widest, gaps), iterations + count
                carried += self.lam + self.last
                late = {j: p + late.get(j, 0) for j, p in self.late.items()}
                most = max(self.gap_limit, 1e-6 if depth == HALVINGS else 1e-9)
                closed = bool(self.sweeps) or max(gaps[0], gaps[1], miss) <= most
                if not (closed and np.isfinite(self.twists).all()):
                    break
            if closed:
                self.v = self.speeds(self.twists)
                self.add_work(*held[:4])
            if closed and self.keeps_energy(is_shortest=depth == HALVINGS):
                self.carried, self.step = (carried, late), whole
                if depth:
                    self.lam[:] = 0
                return widest, contacts, iterations
            self.restore(held)
            self.step /= 2
        self.step = whole
        return None

    def one_step(self) -> tuple[Floats, float, int, int]:
        """Half the forces; impulses that close the joints ahead; flight; the other half; speeds."""
        h, V = self.step, self.twists
        self.soften(starts=True)
        contacts = self.collide(V)
        start = V.copy()
        self.kick(V, h / 2)
        self.list_limits("ahead", V)
        was = self.limit_speeds(start)
        is_fast = self.sweeps > 0 and self.turns_fast(V, FAST_TURN)
        if self.sweeps:
            self.lam[:] = 0
            self.foresee(V)
            look = self.close_at_end(V) if is_fast else self.close_by_sweeps(V)
        else:
            if self.looped and self.limits and len(self.touches):
                self.lam[:] = 0  # loops and contacts share what joints bore
            V += (self.Y @ self.lam).reshape(-1, 6)
            look = self.close_direct(V)
        poses, speeds, gap, angle, miss, turns = look
        self.add_flight_work(was, V, speeds, starts=True)
        left = V.copy()
        self.settle(poses)
        self.poses, self.twists = poses, speeds
        self.place()
        V = self.twists
        self.soften(starts=False)
        start = V.copy()
        self.kick(V, h / 2)
        self.push_late(V)
        self.list_limits("now", V)
        was = self.limit_speeds(start)
        self.agree(V)
        self.add_flight_work(was, V, left, starts=False)
        contacts += sum(1 for limit in self.limits if limit.kind == "touch" and limit.p > 0)
        opening = self.opening()
        if is_fast:
            self.slow_down(gap)
        for row, (j, v) in enumerate(zip(self.row_bond, self.row_v, strict=True)):
            if v >= 0 and self.bonds[j, 0] != SPRING:
                self.rotor[v] = self.J[row] @ V.ravel()
        return np.array([gap, angle, opening]), miss, contacts, turns

    def agree(self, V: Floats) -> None:
        """Impulses that make all speeds agree."""
        rho = self.J @ V.ravel()
        for row, v in enumerate(self.row_v):
            if v >= 0:
                rho[row] = 0 if self.yields[row] >= FULLY_SOFT else (
                    rho[row] - self.keep[row] * self.rotor[v]
                )  # fmt: skip
        self.last = np.asarray(-np.linalg.solve(self.A, rho), dtype=np.float64)
        V += (self.Y @ self.last).reshape(-1, 6)
        self.last += self.meet_limits(self.limit_speeds(V), self.responses(), V)

    def state(self) -> tuple[Floats, Floats, Floats, Floats, Floats, float]:
        """What a step starts from."""
        parts = self.poses, self.twists, self.q, self.v, self.rotor
        poses, twists, q, v, rotor = (part.copy() for part in parts)
        return poses, twists, q, v, rotor, self.work

    def restore(self, held: tuple[Floats, Floats, Floats, Floats, Floats, float]) -> None:
        """Start from there again."""
        self.poses, self.twists, self.q, self.v, self.rotor = (part.copy() for part in held[:5])
        self.work = held[5]
        self.place()

    def keeps_energy(self, *, is_shortest: bool) -> bool:
        """Whether a step kept its energy: loops may not where they jump over a singular pose."""
        if self.sweeps or not self.outward[:, 2].any():
            return True
        motion = self.kinetic()
        balance = motion + self.potential() - self.work
        self.swing = max(0.99 * self.swing, motion)
        change = abs(balance - self.balance)
        most = STEADY * self.swing + 1e-9 * (abs(balance) + motion)
        most = max(most, min(SWINGING * self.swing, ALIKE * self.change))
        if not (is_shortest or self.limits or change <= most):
            return False
        self.balance = balance
        self.change = max(change, 0.5 * self.change) if self.change < np.inf else change
        return True

    def guard(self, held: tuple[Floats, Floats, Floats, Floats, Floats, float]) -> None:
        """Sweeps bring no energy; where bodies turned too far, all stay, at half the speed."""
        balance = self.balance
        if self.keep_passive() or not self.turns_fast(held[1], WIDE_TURN):
            return
        self.restore(held)
        self.scale_speeds(0.5)
        self.balance = balance

    # What can be read

    def opening(self) -> float:
        """How fast the widest joint opens [m/s]."""
        speeds, widest, row = self.J @ self.twists.ravel(), 0.0, 0
        for j, (type_, *_) in enumerate(self.bonds):
            own = [speeds[row + i] for i, (kind, _) in enumerate(HELD[type_]) if kind != "about"]
            widest = max(widest, float(np.linalg.norm(own)))
            row += len(HELD[type_]) + len(self.soft[j])
        return widest

    def reactions(self) -> Floats:
        """Mean force and moment about M's origin on b through each joint, last step."""
        out = np.zeros((len(self.bonds), 6))
        p, late = self.carried
        for j, (type_, _, _, _, v0) in enumerate(self.bonds):
            F, M = self.ends(j, self.poses)
            own = p[self.row_bond == j]
            for (kind, axis, _), size in zip(self.joint_rows(j, self.poses), own, strict=True):
                if kind != "about":
                    out[j, :3] += size * axis
                if kind != "along":
                    out[j, 3:] += size * axis * (1 if kind == "about" else -self.leads[j])
            if type_ == SPRING:
                out[j, :3] += late.get(j, np.zeros(3))
                continue
            known = self.step * self.efforts[v0 : v0 + NV[type_]] + late.get(j, 0)
            for k, (kind, name) in enumerate(FREED[type_]):
                part = slice(3, 6) if kind == "about" else slice(0, 3)
                out[j, part] += known[k] * axis_of(name, F, M)
        return out / self.step
