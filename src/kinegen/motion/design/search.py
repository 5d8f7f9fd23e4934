"""The search of a design: many starts, each improved by steps through the closure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinegen.errors import AssemblyError, KinegenError, NumberError, UsageError
from kinegen.kernels import Floats
from kinegen.kernels.tolerances import SHUT
from kinegen.kinematics.handles import Handle
from kinegen.kinematics.solving.assembling.assembly import assemble, close, inputs_of
from kinegen.kinematics.solving.dragging import Dragger
from kinegen.mechanism.model import Model
from kinegen.motion.design.clearance import Clearance
from kinegen.motion.design.data import Candidate, Design, DesignProgress, Improvement, Progress
from kinegen.motion.design.gradient import ClosureGradient

__all__ = ["DesignSearch", "DesignStep"]

ITERATIONS = 80
"""Gauss-Newton steps per start."""
SWEEP = 72
"""Poses of a whole turn of the input, to compare a design's curve with the wanted one."""
REPORT_EVERY = 10
"""Tries between two reports."""


@dataclass(frozen=True, slots=True, eq=False)
class DesignStep:
    """A design on the way from one start."""

    iteration: int
    error: float
    """Mean distance [m], clearance included."""
    p: Floats
    """Its free parameters, (k,)."""
    qs: Floats
    """Its pose at each wanted point, (n, nq)."""


_Move = tuple[Any, ...]
"""D, N, the inner solution, the distance and its derivative at one pose."""


class _Cancelled(Exception):
    """No error, only a way out."""


class DesignSearch:
    """One search: the designs tried, and the best of them."""

    def __init__(
        self,
        model: Model,
        frame: str,
        ranges: dict[str, tuple[float, float]],
        targets: Floats,
        starts: int,
        progress: Progress | None,
        clear: float,
    ) -> None:
        self.clearance = Clearance(model, frame, clear)
        self.model, self.frame, self.targets, self.starts = model, frame, targets, starts
        self.names = tuple(ranges)
        self.low, self.high = np.array(list(ranges.values())).T
        self.scale = self.high - self.low
        self.gradient = ClosureGradient(model, frame, self.names, self.scale)
        self.progress = progress
        self.best: DesignStep | None = None
        self.history: list[Improvement] = []
        self.candidates: list[Candidate] = []
        self.steps, self.made, self.tried, self.cancelled = 0, 0, 0, False
        drive = [n for n in inputs_of(model) if model.joint(n).type.info.is_hinge]
        self.input = drive[0] if len(drive) == 1 and model.constraint_count else None

    def take(self, starts: Iterable[Iterable[DesignStep]]) -> None:
        """Keep the best of the steps of all starts, in their order; report each."""
        try:
            for k, steps in enumerate(starts):
                self.made = k + 1
                last = None
                for last in steps:
                    self.steps += last.iteration > 0
                    self._take_step(k, last)
                if last is not None:
                    self.candidates.append(self._candidate(k, last.p, last.qs))
                    self._report(k, last, self.candidates[-1])
        except _Cancelled:
            self.cancelled = True

    def score(self, p: Floats) -> float:
        """Mean distance of a design before it is improved; infinite when it cannot be built."""
        qs = self.begin(p)
        return math.inf if qs is None else self.error(qs)

    def put(self, p: Floats) -> bool:
        """Give the model these parameters; whether its formulas have values then."""
        try:
            for name, value in zip(self.names, p.tolist(), strict=True):
                self.model.parameters[name] = value
        except NumberError:
            return False
        return True

    def begin(self, p: Floats) -> Floats | None:
        """A closed pose for each wanted point, from which steps can begin."""
        if not self.put(p):
            return None
        self.clearance.renew()  # what went before must not matter
        try:
            home = assemble(self.model, attempts=10).q
        except (AssemblyError, KinegenError):
            return None
        return self._along_turn(home) if self.input else self._dragged(home)

    def _along_turn(self, home: Floats) -> Floats | None:
        """Points in turn along a whole turn of the input, begun and directed as fits best."""
        qs = self._walk(home, SWEEP)
        if qs is None:
            return None
        xyz = np.array([self.gradient.point(q) for q in qs])
        n = len(self.targets)
        picks = (np.arange(n) * SWEEP / n).astype(int)
        best = (math.inf, picks)
        for way in (picks, -picks):
            for shift in range(SWEEP):
                at = (way + shift) % SWEEP
                off = float(np.sum((xyz[at] - self.targets) ** 2))
                if off < best[0]:
                    best = (off, at)
        return np.array(qs[best[1]])

    def _dragged(self, home: Floats) -> Floats:
        dragger = Dragger(self.model, home, [Handle(self.frame, self.targets[0])])
        rows = []
        for target in self.targets:
            dragger.move(0, target)
            for _ in range(8):
                if not dragger.tick().moving:
                    break
            rows.append(dragger.q.copy())
        return np.array(rows)

    def error(self, qs: Floats) -> float:
        """What the search lessens: mean distance, and what is missing of the clearance [m]."""
        off = np.array([self.gradient.point(q) for q in qs]) - self.targets
        square = (off**2).sum(axis=1)
        if self.clearance.wanted > 0:
            square = square + self.clearance.lacks(qs) ** 2
        return float(np.sqrt(square.mean()))

    def improve(self, p: Floats) -> Iterator[DesignStep]:
        """Levenberg-Marquardt over the parameters; the motion at each point is eliminated."""
        qs = self.begin(p)
        if qs is None:
            return
        error, damping = self.error(qs), 1e-3
        yield DesignStep(0, error, p, qs)
        for iteration in range(1, ITERATIONS + 1):
            self.put(p)
            moves, rows, off = self._linear(qs)
            step_p = self._step(rows, off, damping, p)
            wanted = np.clip(p + step_p, self.low, self.high)
            found = self._moved(qs, moves, wanted - p, wanted)
            new = math.inf if found is None else self.error(found)
            if found is not None and new < error:
                done = error - new < 1e-10 * error + 1e-15
                p, qs, error, damping = wanted, found, new, max(damping / 5, 1e-12)
            else:
                done = damping > 1e8
                damping *= 4
            yield DesignStep(iteration, error, p, qs)
            if done:
                break

    def _linear(self, qs: Floats) -> tuple[list[_Move], Floats, Floats]:
        """Rows of the eliminated system, and what is needed to move each pose."""
        phi_p, x_p = self.gradient.partials(qs)
        moves, rows, offs = [], [], []
        for i, q in enumerate(qs):
            D, N, dx, JN = self.gradient.at(q, phi_p[i], x_p[i])
            off = self.gradient.point(q) - self.targets[i]
            # damped a little: a frame may stand still at a dead centre
            square = JN.T @ JN
            little = 1e-10 * max(1.0, float(np.trace(square)))  # more than rounding in any size
            inner = np.linalg.solve(square + little * np.eye(JN.shape[1]), JN.T)
            rest = np.eye(3) - JN @ inner
            rows.append(rest @ dx * self.scale)
            offs.append(rest @ off)
            moves.append((D, N, inner, off, dx))
        if self.clearance.wanted > 0:
            rows.append(self.clearance.slopes(qs, [m[0] for m in moves], self.names, self.scale))
            offs.append(self.clearance.lacks(qs))
        return moves, np.asarray(np.concatenate(rows)), np.asarray(np.concatenate(offs))

    def _step(self, rows: Floats, off: Floats, damping: float, p: Floats) -> Floats:
        """The damped step; parameters that would leave their range hold still in it."""
        A, b = rows.T @ rows, rows.T @ off
        A += damping * (np.diag(np.diag(A)) + 1e-12 * np.eye(len(A)) * max(A.max(), 1e-300))
        free = np.ones(len(p), dtype=bool)
        step = np.zeros(len(p))
        for _ in range(len(p)):
            step[:] = 0.0
            step[free] = -np.linalg.lstsq(A[np.ix_(free, free)], b[free], rcond=None)[0]
            out = ((p <= self.low) & (step < 0)) | ((p >= self.high) & (step > 0))
            if not (out & free).any():
                break
            free &= ~out
        return np.asarray(step * self.scale)

    def _moved(self, qs: Floats, moves: list[_Move], dp: Floats, p: Floats) -> Floats | None:
        """Every pose moved with the parameters and along its free motion, closed again."""
        if not self.put(p):
            return None
        out, moved = np.empty_like(qs), np.empty(self.model.nq)
        for i, (q, (D, N, inner, off, dx)) in enumerate(zip(qs, moves, strict=True)):
            a = -inner @ (off + dx @ dp)
            dq = D @ dp + N @ a
            length = float(np.abs(dq).max(initial=0.0))
            if length > 0.5:  # linear pictures do not hold further
                dq *= 0.5 / length
            self.model.kernels.integrate(q, dq, moved)
            out[i], gap = close(self.model, moved, iterations=20)
            if gap > SHUT * self.model.size:
                return None
        return out if self._turns(out[0]) else None

    def _turns(self, q: Floats) -> bool:
        """Whether the input still goes all round."""
        if self.input is None:
            return True
        return self._walk(q, SWEEP // 2) is not None

    def _walk(self, q: Floats, count: int) -> Floats | None:
        """Poses of a whole turn of the input, each closed from the last: one assembly mode.

        None when the turn cannot be made, or ends elsewhere than it began.
        """
        assert self.input is not None
        column, here, rows = self.model.joint(self.input).q.start, q.copy(), [q]
        before = q
        for _ in range(count):
            guess = 2 * here - before if not self.model.quaternion_joints else here.copy()
            guess[column] = here[column] + math.tau / count
            before = here
            here, gap = close(self.model, guess, locked=[self.input], iterations=20)
            if gap > SHUT * self.model.size:
                return None
            rows.append(here)
        near = self.gradient.point(rows[-1]) - self.gradient.point(q)
        return np.array(rows[:-1]) if np.abs(near).max() < 1e-6 * self.model.size else None

    def count_tried(self) -> None:
        """Count a random design that was compared; report now and then."""
        self.tried += 1
        if self.tried % REPORT_EVERY == 0 and self.best is not None:
            self._report(0, self.best)

    def _take_step(self, start: int, step: DesignStep) -> None:
        if self.best is None or step.error < self.best.error * (1 - 1e-12):
            self.best = step
            self.history.append(Improvement(self._named(step.p), step.error))
        self._report(start, step)

    def _report(self, start: int, step: DesignStep, found: Candidate | None = None) -> None:
        if self.progress is None:
            return
        best = math.inf if self.best is None else self.best.error
        report = DesignProgress(
            start, self.starts, step.iteration, step.error, best, self._named(step.p), self.tried,
            is_best=step.error <= best, motion=lambda: self._motion(step.p, step.qs), found=found,
        )  # fmt: skip
        if self.progress(report) is False:
            raise _Cancelled

    def _named(self, p: Floats) -> dict[str, float]:
        return dict(zip(self.names, p.tolist(), strict=True))

    def _motion(self, p: Floats, qs: Floats) -> Floats:
        """Configurations in turn: a whole turn of the input, else those at the wanted points."""
        self.put(p)
        rows = self._walk(qs[0], SWEEP) if self.input else None
        return qs.copy() if rows is None else rows

    @property
    def extent(self) -> float:
        """Diagonal of the box around the wanted points [m]."""
        return float(np.linalg.norm(np.ptp(self.targets, axis=0)))

    def _candidate(self, start: int, p: Floats, qs: Floats) -> Candidate:
        """A design, looked at once more."""
        motion = self._motion(p, qs)
        self.clearance.renew()
        off = np.linalg.norm(np.array([self.gradient.point(q) for q in qs]) - self.targets, axis=1)
        extent = self.extent
        return Candidate(
            start=start,
            parameters=self._named(p),
            error=float(np.sqrt((off**2).mean())),
            worst=float(off.max()),
            share=float(off.max()) / extent if extent > 0 else math.inf,
            q=qs.copy(),
            connected=self._connected(qs),
            clearance=float(self.clearance.distances(qs).min()),
            motion=motion,
        )

    def result(self) -> Design:
        """The best design, looked at once more."""
        if self.best is None:
            raise UsageError(
                "no design could be assembled: neither the current nor any random design closes "
                "its loops; try other ranges"
            )
        best = self._candidate(-1, self.best.p, self.best.qs)
        return Design(
            parameters=best.parameters,
            error=best.error,
            worst=best.worst,
            share=best.share,
            q=best.q,
            connected=best.connected,
            clearance=best.clearance,
            extent=self.extent,
            starts=self.made,
            steps=self.steps,
            cancelled=self.cancelled,
            history=tuple(self.history),
            candidates=tuple(sorted(self.candidates, key=lambda one: one.error)),
        )

    def _connected(self, qs: Floats) -> bool:
        """Whether the poses lie on one motion of the input: walked round in small steps."""
        if self.input is None:
            return True
        rows = self._walk(qs[0], 720)
        if rows is None:
            return False
        way = np.array([self.gradient.point(q) for q in rows])
        step = float(np.linalg.norm(np.diff(way, axis=0), axis=1).max())
        there = np.array([self.gradient.point(q) for q in qs])
        far = np.linalg.norm(way[None] - there[:, None], axis=2).min(axis=1)
        return bool(far.max() <= step)
