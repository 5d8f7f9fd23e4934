"""The solver in NumPy: the steps of the compiled one with dense linear algebra.

Where the compiled solver eliminates loop after loop, this one takes the null space of all hard rows
by singular values; where that one factors small systems, this one calls LAPACK. Both minimise the
same thing, so they end in the same pose whenever the handles leave no choice.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels.layout import Blocks, Floats, Ints
from kinegen.kernels.protocol import HandleKind, Outcome, SolverReport
from kinegen.kernels.reference.base.model import BoundModel
from kinegen.kernels.reference.base.rotation import (
    quat_to_matrix,
    rotation_log,
    swing_angle,
    swing_axis,
    with_swing,
)
from kinegen.kernels.reference.base.steps import (
    CYLINDRICAL,
    FIXED,
    FREE,
    NQ,
    NV,
    PLANAR,
    PRISMATIC,
    SPHERICAL,
    UNIVERSAL,
)
from kinegen.kernels.reference.solver.descent import Descent, find_chain
from kinegen.kernels.reference.solver.search_starts import Starts, within_limits
from kinegen.kernels.reference.solver.state import Errors, Options, Reach, Step

NUDGE = 0.02
"""How far to step off level ground, scaled."""
ROAM_STEP = 1.5
"""Largest move per step of a search for assembly modes, scaled."""
NEARLY, LONGER, PATIENCE = 1e-3, 10, 5
"""An attempt that ends with less than this error may take so many times as many steps, a few times
in a search."""
RANK_TOLERANCE = 1e-7
"""Scaled rows smaller than this are redundant, once the loops are closed."""


class BoundSolver:
    """A model's solver on the NumPy kernels."""

    def __init__(self, ints: Ints, reals: Floats) -> None:
        self._blocks = Blocks(ints, reals)
        self._model = BoundModel(ints, reals)
        counts = self._blocks.counts
        self._nv, self._nq, self._loops = counts.nv, counts.nq, counts.loop
        self._type = self._blocks.int_part("joint_type").tolist()
        self._q = self._blocks.int_part("joint_q").tolist()
        self._v = self._blocks.int_part("joint_v").tolist()
        self._held = np.zeros(self._nv, dtype=np.int32)
        self.size, self.scale = 1.0, np.ones(self._nv)

    # Scales: lengths by the mechanism's own size, angles by one

    def _set_scales(self) -> None:
        reach = np.abs(self._blocks.real_part("transforms").reshape(-1, 12)[:, 9:]).sum(axis=1)
        placed = reach[reach > 0]
        self.size = float(placed.mean()) if len(placed) else 1.0
        lengths = {PRISMATIC: [0], CYLINDRICAL: [1], PLANAR: [0, 1], FREE: [0, 1, 2]}
        self.scale = np.ones(self._nv)
        for kind, v in zip(self._type, self._v, strict=True):
            self.scale[[v + k for k in lengths.get(kind, [])]] = self.size

    # Equations

    def _loop_equations(self, q: Floats) -> tuple[Floats, Floats]:
        """Scaled rows and right sides of all loops."""
        J, phi = np.zeros((6 * self._loops, self._nv)), np.zeros(6 * self._loops)
        self._model.loop_jacobian(q, J)
        self._model.loop_residual(q, phi)
        by_size = np.tile([1 / self.size] * 3 + [1.0] * 3, self._loops)
        return by_size[:, None] * J * self.scale, -by_size * phi

    def _handle_equations(self, q: Floats, ints: Ints, reals: Floats) -> tuple[Floats, Floats]:
        """Scaled, weighted rows and right side of one handle, world axes."""
        site, kind = int(ints[0]), HandleKind(int(ints[1]))
        point, axis, position, quat = reals[0:3], reals[3:6], reals[6:9], reals[9:13]
        pose, J = np.zeros(7), np.zeros((6, self._nv))
        self._model.site_jacobian(q, site, np.ascontiguousarray(point), -1, pose, J)
        R = quat_to_matrix(pose[:4])
        J[:3] /= self.size
        J *= self.scale
        go = (position - pose[4:] - R @ point) / self.size
        rows, rhs = [reals[13] * J[:3]], [reals[13] * go]
        if kind is HandleKind.ROTATION:
            rows, rhs = [], []
        if kind in {HandleKind.POSE, HandleKind.ROTATION}:
            rows.append(reals[14] * J[3:])
            rhs.append(reals[14] * (R @ rotation_log(R.T @ quat_to_matrix(quat))))
        if kind is HandleKind.DIRECTION:
            a, wanted = R @ axis, quat[:3]
            across = np.linalg.svd(a[None])[2][1:]
            turn = np.cross(a, wanted)
            sine, cosine = float(np.linalg.norm(turn)), float(a @ wanted)
            if sine > 1e-12:
                turn = turn * (math.atan2(sine, cosine) / sine)
            elif cosine < 0:
                turn = math.pi * across[0]
            rows.append(reals[14] * across @ J[3:])
            rhs.append(reals[14] * across @ turn)
        return np.vstack(rows), np.concatenate(rhs)

    def _errors(self, q: Floats, ints: Ints, reals: Floats) -> Errors:
        _, rhs = self._loop_equations(q)
        gap = float(np.linalg.norm(rhs.reshape(-1, 6), axis=1).max(initial=0.0))
        errors = Errors(gap, 0.0, 0.0)
        for handle, numbers in zip(ints, reals, strict=True):
            _, lack = self._handle_equations(q, handle, numbers)
            if handle[2]:
                errors.hard += float(lack @ lack)
            else:
                errors.soft += float(lack @ lack)
        return errors

    # One step

    def _find_step(
        self, q: Floats, ints: Ints, reals: Floats, o: Options, gap: float, damping: float
    ) -> Step:
        """Meet the hard rows, then the soft ones as far as damping lets it."""
        nv = self._nv
        reach = Reach(np.zeros(nv), np.eye(nv))
        if o.locked is not None:
            fixed = np.eye(nv)[o.locked.astype(bool)]
            reach = reach.restricted(fixed, np.zeros(len(fixed)), 1e-9)
        loops, loop_rhs = self._loop_equations(q)
        tolerance = max(RANK_TOLERANCE, min(10 * gap, 0.05))
        reach = reach.restricted(loops, loop_rhs, tolerance)
        loop_pivot = reach.smallest
        tasks, lacks = [np.zeros((0, nv))], [np.zeros(0)]
        for handle, numbers in zip(ints, reals, strict=True):
            rows, rhs = self._handle_equations(q, handle, numbers)
            if handle[2]:
                reach = reach.restricted(rows, rhs, 1e-6)
            else:
                tasks.append(rows)
                lacks.append(rhs)
        A, e = np.vstack(tasks), np.concatenate(lacks)
        wish = np.zeros(nv)
        if o.posture is not None and o.posture_gain:
            self._model.difference(q, o.posture, wish)
            wish *= o.posture_gain / self.scale
        self._held[:] = 0
        while True:
            step = self._solve(reach, A, e, o, damping, wish)
            step.loop_pivot = loop_pivot
            held = self._hold_limit(q, step.x, o) if o.limits else None
            if held is None:
                return step
            reach = reach.restricted(*held, 1e-9)

    def _solve(
        self, reach: Reach, A: Floats, e: Floats, o: Options, damping: float, wish: Floats
    ) -> Step:
        N = reach.directions
        # the metric: what moving the free directions costs
        M = N.T @ (o.weights[:, None] * N)
        lean = np.linalg.solve(M, N.T @ (o.weights * (wish - reach.point)))
        x = base = reach.point + N @ lean
        gradient, pivot = 0.0, 1.0
        if len(e) and N.shape[1]:
            AN = A @ N
            lack = e - A @ x
            spread = np.linalg.solve(M, AN.T)
            system = AN @ spread
            gradient = math.sqrt(max(0.0, float(lack @ system @ lack)))
            z = np.linalg.solve(system + damping * np.eye(len(e)), lack)
            values = np.linalg.svd(system, compute_uv=False)
            pivot = float(values[-1] / values[0]) if values[0] > 0 else 0.0
            x = x + N @ (spread @ z)
        gain = A @ (x - base)
        linear, square = float(gain @ (e - A @ base)), float(gain @ gain)
        return Step(x, gradient, linear, square, N.shape[1], reach.redundant, pivot, 1.0, N)

    def _hold_limit(self, q: Floats, x: Floats, o: Options) -> tuple[Floats, Floats] | None:
        """The limit that the move would pass furthest, as a hard row; None if there is none."""
        lower, upper = self._blocks.real_part("lower"), self._blocks.real_part("upper")
        longest = float(np.abs(x).max(initial=0.0))
        share = min(1.0, o.step / longest) if longest > 0 else 1.0
        worst, furthest, room, side = -1, 1e-12, 0.0, 0
        row = np.zeros((1, self._nv))
        for v, quat in self._swings(q):
            # to first order; _moved sees to the rest
            axis, left = swing_axis(quat), float(upper[v]) - swing_angle(quat)
            wider = share * float(axis @ x[v : v + 2])
            if not self._held[v] and wider > 0 and wider - left > furthest:
                worst, furthest, room, side = v, wider - left, max(left, 0.0), 1
                row[:] = 0
                row[0, v : v + 2] = axis
        for kind, at_q, at_v in zip(self._type, self._q, self._v, strict=True):
            for k in range(0 if kind in {SPHERICAL, FREE} else NV[kind]):
                i, here = at_v + k, float(q[at_q + k])
                if self._held[i] or x[i] == 0:
                    continue
                up = x[i] > 0
                bound = float(upper[i] if up else lower[i])
                beyond = here + share * x[i] * self.scale[i] - bound
                over = (beyond if up else -beyond) / self.scale[i]
                if over > furthest:
                    worst, furthest, side = i, over, 1 if up else -1
                    row[:] = 0
                    row[0, i] = 1
                    room = (bound - here) / self.scale[i]
                    room = max(room, 0.0) if up else min(room, 0.0)
        if worst < 0:
            return None
        self._held[worst] = side
        return row, np.array([room])

    def _swings(self, q: Floats) -> Iterator[tuple[int, Floats]]:
        """Where each swing limit stands in v, and its joint's quaternion."""
        upper = self._blocks.real_part("upper")
        for kind, at_q, at_v in zip(self._type, self._q, self._v, strict=True):
            if kind == SPHERICAL and upper[at_v] < math.pi:
                yield at_v, q[at_q : at_q + 4]

    def _limit_excess(self, q: Floats) -> float:
        """How far the variable furthest beyond its limits is out, scaled."""
        lower, upper = self._blocks.real_part("lower"), self._blocks.real_part("upper")
        excess = max((swing_angle(quat) - upper[v] for v, quat in self._swings(q)), default=0.0)
        excess = max(float(excess), 0.0)
        for kind, at_q, at_v in zip(self._type, self._q, self._v, strict=True):
            for k in range(0 if kind in {SPHERICAL, FREE} else NV[kind]):
                x, i = q[at_q + k], at_v + k
                out = max(float(x - upper[i]), float(lower[i] - x))
                excess = max(excess, out / float(self.scale[i]))
        return excess

    def _nudge(self, q: Floats, step: Step, number: int, o: Options) -> Floats:
        """A small free motion in no particular direction: one way, then the other."""
        x = step.directions @ np.linspace(1.0, 0.6, step.freedoms)
        size = min(NUDGE, o.step) / max(float(np.abs(x).max()), 1e-300)
        x = (-size if number else size) * x
        # no further than the limits let it
        lower, upper = self._blocks.real_part("lower"), self._blocks.real_part("upper")
        share = 1.0
        for kind, at_q, at_v in zip(self._type, self._q, self._v, strict=True):
            for k in range(0 if kind in {SPHERICAL, FREE} or not o.limits else NV[kind]):
                move, here = x[at_v + k] * self.scale[at_v + k], q[at_q + k]
                room = upper[at_v + k] - here if move > 0 else here - lower[at_v + k]
                if abs(move) > 1e-15 and room < abs(move):
                    share = min(share, max(float(room), 0.0) / abs(move))
        return share * x

    def _allowed_share(self, x: Floats, moved: Floats, o: Options, radius: float) -> float:
        longest = float(np.abs(x).max(initial=0.0))
        share = min(1.0, radius / longest) if longest > 0 else 1.0
        if o.bounds is not None:
            bounds = o.bounds / self.scale
            for move, done, bound in zip(x, moved, bounds, strict=True):
                if move != 0 and abs(done + share * move) > bound:
                    room = bound - done if move > 0 else bound + done
                    share = max(0.0, min(share, room / abs(move)))
        return share

    def _moved(self, q: Floats, x: Floats, o: Options) -> Floats:
        """Q moved by x; swings end at their limits, or no wider than where they began beyond."""
        out = np.empty(self._nq)
        self._model.integrate(q, x * self.scale, out)
        if o.limits:
            upper = self._blocks.real_part("upper")
            for (v, before), (_, quat) in zip(self._swings(q), self._swings(out), strict=True):
                over = swing_angle(quat) - max(float(upper[v]), swing_angle(before))
                if over > 0:
                    quat[:] = with_swing(quat, -over)
        return out

    def _close(
        self, q: Floats, ints: Ints, reals: Floats, o: Options, now: Errors, iterations: int
    ) -> tuple[Floats, Errors, int]:
        """Close loops and pins by the shortest moves; configuration, errors, iterations."""
        pins = ints[:, 2].astype(bool)
        free = replace(o, posture_gain=0.0, bounds=None, posture=None)
        for n in range(iterations):
            if self._closed(now, o):
                return q, now, n
            x = self._find_step(q, ints[pins], reals[pins], free, now.gap, 0.0).x
            share = self._allowed_share(x, np.zeros(self._nv), free, o.step)
            for _ in range(10):
                trial = self._moved(q, share * x, o)
                errors = self._errors(trial, ints, reals)
                before = 1e300 if o.roam else now.gap**2 + now.hard
                if errors.gap**2 + errors.hard < before:
                    q, now = trial, errors
                    break
                share *= 0.4
            else:
                return q, now, n + 1
        return q, now, iterations

    @staticmethod
    def _closed(now: Errors, o: Options) -> bool:
        return now.gap <= o.gap and now.hard <= o.met**2

    # The whole solve

    def _run(self, q: Floats, ints: Ints, reals: Floats, o: Options) -> tuple[Floats, SolverReport]:
        self._set_scales()
        self._held[:] = 0
        now = self._errors(q, ints, reals)
        step = Step(np.zeros(self._nv), 0.0, 0.0, 0.0, 0, 0, 1.0, 1.0, np.eye(self._nv))
        iterations = 0
        if not self._closed(now, o):
            q, now, iterations = self._close(q, ints, reals, o, now, o.iterations)
            if not self._closed(now, o):
                return q, self._report(Outcome.STUCK, iterations, step, now)
        if len(ints) == 0 and o.posture_gain == 0:
            return q, self._report(Outcome.REACHED, iterations, step, now)
        met = o.met**2
        anchor_q, anchor, anchor_moved = q, now, np.zeros(self._nv)
        moved = anchor_moved
        radius, extra, promised, open_for, settling, nudges = o.step, 0.0, 0.0, 0, 0, 0
        outcome, soft_at_start = Outcome.MOVING, now.soft
        anchor_excess = self._limit_excess(q) if o.limits else 0.0
        while iterations < o.iterations:
            closed = self._closed(now, o)
            if closed and now.soft <= met and o.posture_gain == 0:
                outcome = Outcome.REACHED
                break
            damping = 0.1 * min(math.sqrt(now.soft), 1.0) + 1e-13 + extra
            limited = replace(o, step=radius, posture=None if settling else o.posture)
            step = self._find_step(q, ints, reals, limited, now.gap, damping)
            share = self._allowed_share(step.x, moved, o, radius)
            longest = float(np.abs(share * step.x).max(initial=0.0))
            flat = (
                o.posture_gain == 0
                and longest < 1e-3
                and step.gradient <= 1e-6 * math.sqrt(now.soft)
            )
            level = closed and (longest < 1e-12 or flat) and now.soft > met
            if level and step.freedoms and o.posture_gain == 0 and o.bounds is None and nudges < 2:
                # level ground may be a saddle (a dead centre, a stretched leg): step off it a
                # little and see; what does not lead downhill from there leads back to the anchor
                x = self._nudge(q, step, nudges, o)
                nudges += 1
                q, moved = self._moved(q, x, o), moved + x
                now = self._errors(q, ints, reals)
                iterations += 1
                q, now, _ = self._close(q, ints, reals, o, now, 4)
                promised = 0.0
                continue
            if closed and (longest < 1e-12 or flat):
                outcome = (
                    Outcome.MOVING if share < 1e-6 and not flat
                    else Outcome.REACHED if now.soft <= met
                    else Outcome.NEAREST
                )  # fmt: skip
                break
            if closed:
                promised = share * (2 * step.linear - share * step.square)
            before = now.soft
            q, moved = self._moved(q, share * step.x, o), moved + share * step.x
            now = self._errors(q, ints, reals)
            iterations += 1
            # while the error falls fast, the next step may close the loops on the way
            if not self._closed(now, o) and now.gap < 0.02 and now.soft < 0.1 * before:
                open_for += 1
                if open_for < 4 and iterations < o.iterations:
                    continue
            if not self._closed(now, o) and now.gap < 0.3:
                q, now, _ = self._close(q, ints, reals, o, now, 6)
            open_for = 0
            # leaning to the posture may lift the handles a little: put them back before judging
            lifted = self._closed(now, o) and max(anchor.soft, met) < now.soft < 1e-2
            if o.posture_gain != 0 and lifted:
                settling += 1
                if settling < 5 and iterations < o.iterations:
                    continue
            settling = 0
            leaning = o.posture_gain != 0 and now.soft <= max(anchor.soft, met)
            # limits that the loops leave no way to hold stop the motion instead
            excess = self._limit_excess(q) if o.limits else 0.0
            kept_in = excess <= max(anchor_excess, 1e-10)
            nearer = now.soft < anchor.soft * (1 - 1e-9 if nudges else 1) or now.soft <= met
            better = self._closed(now, o) and kept_in and (nearer or leaning)
            # how well the linear picture foretold the gain sets how much it is trusted next
            kept = (anchor.soft - now.soft) / promised if promised > 0 else 1.0
            if better:
                if kept < 0.25:
                    extra = max(4 * extra, 1e-3 * min(now.soft, 1.0))
                    radius = max(0.5 * min(radius, longest), 1e-6)
                elif kept > 0.7:
                    extra *= 0.1
                    radius = min(2 * radius, o.step)
                anchor_q, anchor, anchor_moved = q, now, moved
                anchor_excess = excess
            else:
                q, moved = anchor_q, anchor_moved
                now = self._errors(q, ints, reals)
                radius = 0.3 * min(radius, longest)
                extra = max(8 * extra, 1e-2 * min(now.soft, 1.0))
                if nudges:
                    radius = o.step  # it was the nudge that did not lead anywhere
                if radius < 1e-9:
                    outcome = Outcome.REACHED if now.soft <= met else Outcome.NEAREST
                    break
        if not self._closed(now, o):
            q, now = anchor_q, anchor
        # the last step may have been the one that was missing
        there = self._closed(now, o) and now.soft <= met and o.posture_gain == 0
        if outcome is Outcome.MOVING and there:
            outcome = Outcome.REACHED
        # a whole call that gains next to nothing: this is the edge of what can be reached
        creeps = soft_at_start - now.soft <= 1e-6 * soft_at_start
        if outcome is Outcome.MOVING and o.bounds is None and o.posture_gain == 0 and creeps:
            outcome = Outcome.NEAREST
        return q, self._report(outcome, iterations, step, now)

    def _report(self, outcome: Outcome, iterations: int, step: Step, now: Errors) -> SolverReport:
        return (
            int(outcome), iterations, step.freedoms, step.redundant, now.gap, math.sqrt(now.hard),
            math.sqrt(now.soft), step.gradient, step.task_pivot, step.loop_pivot, self.size,
        )  # fmt: skip

    def _options(
        self, options: Floats, bounds: Floats | None, weights: Floats | None,
        posture: Floats | None, locked: Ints | None,
    ) -> Options:  # fmt: skip
        if options.shape != (6,):
            raise UsageError("options are six numbers")
        cost = np.ones(self._nv) if weights is None else weights
        return Options(
            int(options[0]), float(options[1]), float(options[2]), float(options[3]),
            float(options[4]), bool(options[5]), bounds, cost, posture, locked,
        )  # fmt: skip

    # The protocol

    def run(
        self, q: Floats, handle_ints: Ints, handle_reals: Floats, options: Floats,
        bounds: Floats | None, weights: Floats | None, posture: Floats | None,
        locked: Ints | None, held: Ints,
    ) -> SolverReport:  # fmt: skip
        o = self._options(options, bounds, weights, posture, locked)
        ints, reals = handle_ints.reshape(-1, 3), handle_reals.reshape(-1, 15)
        q[:], report = self._run(q.copy(), ints, reals, o)
        held[:] = self._held
        return report

    def search(
        self, q: Floats, handle_ints: Ints, handle_reals: Floats, options: Floats,
        weights: Floats | None, posture: Floats | None, locked: Ints | None, attempts: int,
        seed: int, held: Ints,
    ) -> tuple[int, SolverReport]:  # fmt: skip
        o = self._options(options, None, weights, posture, locked)
        ints, reals = handle_ints.reshape(-1, 3), handle_reals.reshape(-1, 15)
        self._set_scales()
        chain = None
        if len(ints) == 1 and not ints[0, 2] and not self._loops and weights is None:
            chain = find_chain(self._blocks, int(ints[0, 0])) if o.posture_gain == 0 else None
        if chain is not None:
            descent = Descent(
                chain, lambda at: self._handle_equations(at, ints[0], reals[0]), self._blocks,
                self.scale, self.size, locked, limits=o.limits, step=o.step, met=o.met,
            )  # fmt: skip
            made, answer = descent.search(q, attempts, seed)
            if made:
                q[:], report = self._run(answer, ints, reals, o)
                held[:] = self._held
                return made, report
        starts = Starts(self._blocks, self.scale, self.size, seed)
        best_score, best_q, best = math.inf, q.copy(), None
        made, patience = 0, PATIENCE
        for attempt in range(attempts):
            trial = q.copy() if attempt == 0 else starts.draw(q, locked)
            trial, report = self._run(trial, ints, reals, o)
            # nearly there, but slow as beside a singular pose: worth more steps than a new start
            if report[0] == Outcome.MOVING and report[6] < NEARLY and patience > 0:
                patience -= 1
                longer = replace(o, iterations=LONGER * o.iterations)
                trial, report = self._run(trial, ints, reals, longer)
            made = attempt + 1
            inside = not o.limits or within_limits(self._blocks, trial, self.scale)
            closed = report[0] != Outcome.STUCK
            score = report[6] + (0 if closed else 1e3 * (1 + report[4])) + (0 if inside else 1e2)
            if score < best_score:
                best_score, best_q, best = score, trial, report
                held[:] = self._held
            if report[0] == Outcome.REACHED and inside:
                break
        if best is None:
            raise UsageError("a search needs at least one attempt")
        q[:] = best_q
        return made, best

    def enumerate(
        self, q: Floats, handle_ints: Ints, handle_reals: Floats, options: Floats,
        locked: Ints | None, attempts: int, seed: int, distinct: float, by_variables: bool,
        capacity: int,
    ) -> Floats:  # fmt: skip
        o = self._options(options, None, None, None, locked)
        ints, reals = handle_ints.reshape(-1, 3), handle_reals.reshape(-1, 15)
        self._set_scales()
        starts = Starts(self._blocks, self.scale, self.size, seed)
        found: list[Floats] = []
        for attempt in range(attempts):
            if attempt > 0 and len(ints) == 0:
                trial, report = self._roam(q, starts.draw(q, locked), o)
            else:
                trial = q.copy() if attempt == 0 else starts.draw(q, locked)
                trial, report = self._run(trial, ints, reals, o)
            inside = not o.limits or within_limits(self._blocks, trial, self.scale)
            if report[0] != Outcome.REACHED or not inside:
                continue
            apart = self._variables_apart if by_variables else self._marks_apart
            if all(apart(other, trial) >= distinct for other in found):
                found.append(trial)
            if len(found) == capacity:
                break
        return np.array(found).reshape(-1, self._nq)

    def _roam(self, q: Floats, trial: Floats, o: Options) -> tuple[Floats, SolverReport]:
        """Close the loops with the inputs free, then with these put back, by plain Newton steps."""
        none = np.zeros((0, 3), dtype=np.int32), np.zeros((0, 15))
        roaming = replace(o, roam=True, step=ROAM_STEP)
        if o.locked is not None:
            trial, _ = self._run(trial, *none, replace(roaming, locked=None))
            for kind, at_q, at_v in zip(self._type, self._q, self._v, strict=True):
                for k in range(NQ[kind]):
                    if o.locked[at_v if kind in {SPHERICAL, FREE} else at_v + k]:
                        trial[at_q + k] = q[at_q + k]
        return self._run(trial, *none, roaming)

    def close_many(
        self, qs: Floats, options: Floats, locked: Ints | None, gaps: Floats, threads: int
    ) -> None:
        o = self._options(options, None, None, None, locked)
        none = np.zeros((0, 3), dtype=np.int32), np.zeros((0, 15))
        for i, q in enumerate(qs):
            qs[i], report = self._run(q.copy(), *none, o)
            gaps[i] = report[4]

    def meet_many(
        self, qs: Floats, handle_ints: Ints, handle_reals: Floats, options: Floats,
        locked: Ints | None, follow: bool, outcomes: Ints, gaps: Floats, threads: int,
    ) -> None:  # fmt: skip
        o = self._options(options, None, None, None, locked)
        starts, met = qs.copy(), False
        for i, start in enumerate(starts):
            reals = np.ascontiguousarray(handle_reals[i].reshape(len(handle_ints), -1))
            first = qs[i - 1] if follow and met else start
            qs[i], report = self._run(first.copy(), handle_ints, reals, o)
            if follow and met and report[0] != Outcome.REACHED:
                qs[i], report = self._run(start.copy(), handle_ints, reals, o)
            met = report[0] == Outcome.REACHED
            outcomes[i], gaps[i] = report[0], report[4]

    def _variables_apart(self, a: Floats, b: Floats) -> float:
        v = np.empty(self._nv)
        self._model.difference(a, b, v)
        turns = self.scale == 1
        v[turns] = np.remainder(v[turns] + math.pi, math.tau) - math.pi
        return float(np.abs(v / self.scale).max(initial=0.0))

    def _marks_apart(self, a: Floats, b: Floats) -> float:
        return float(np.abs(self._marks(a) - self._marks(b)).max(initial=0.0)) / self.size

    def _marks(self, q: Floats) -> Floats:
        """What can be seen of a pose: positions of placed frames, and lines of axes as n nᵀ."""
        counts = self._blocks.counts
        child, landing = self._blocks.int_part("joint_child"), self._blocks.int_part("loop_joint")
        links = [
            *self._blocks.int_part("joint_parent").tolist(),
            *(int(child[j]) for j in landing),
            *self._blocks.int_part("frame_link").tolist(),
        ]
        X = np.zeros((counts.link, 12))
        self._model.forward_links(q, X)
        placed = self._blocks.real_part("transforms").reshape(-1, 12)
        R = X[links, :9].reshape(-1, 3, 3)
        points = np.einsum("nij,nj->ni", R, placed[:, 9:]) + X[links, 9:]
        axes = np.zeros((len(links), 3))
        for n, joint in enumerate([*range(counts.joint), *landing.tolist()]):
            kind = self._type[joint]
            if kind not in {FIXED, SPHERICAL, FREE}:
                # a universal joint lands on its second axis, x
                column = 0 if kind == UNIVERSAL and n >= counts.joint else 2
                axes[n] = R[n] @ placed[n, column:9:3]
        lines = self.size * np.einsum("ni,nj->nij", axes, axes)
        return np.concatenate([points.ravel(), lines.ravel()])
