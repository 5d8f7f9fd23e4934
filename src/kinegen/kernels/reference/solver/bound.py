"""The solver of a model as the protocol has it, on the NumPy kernels."""

from __future__ import annotations

import functools

import numpy as np

from kinegen.kernels.call_records import HandleInts, HandleReals, SolverReport
from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.protocols.solver import Outcome
from kinegen.kernels.records import size_of
from kinegen.kernels.reference.contact.clearance import BoundClearance
from kinegen.kernels.reference.solver.avoid import Avoidance
from kinegen.kernels.reference.solver.search import enumerate_poses, search
from kinegen.kernels.reference.solver.solver import solve
from kinegen.kernels.reference.solver.state import bind_solver, read_task

__all__ = ["BoundSolver", "Ticker"]

NO_HANDLES = np.zeros((0, size_of(HandleInts)), np.int32), np.zeros((0, size_of(HandleReals)))


class BoundSolver:
    """A model's solver; see the protocol."""

    def __init__(self, ints: Ints, reals: Floats) -> None:
        self._solver = bind_solver(ints, reals)

    def run(
        self, q: Floats, handle_ints: Ints, handle_reals: Floats, options: Floats,
        bounds: Floats | None, weights: Floats | None, posture: Floats | None,
        locked: Ints | None, held: Ints, avoid: BoundClearance | None = None, keep: float = 0.0,
    ) -> SolverReport:  # fmt: skip
        s = self._solver
        task = read_task(
            s, handle_ints, handle_reals, options, bounds, weights, posture, locked,
            None if avoid is None else Avoidance(avoid, keep),
        )  # fmt: skip
        q[:], report = solve(s, q.copy(), task)
        held[:] = s.held
        return report

    def search(
        self, q: Floats, handle_ints: Ints, handle_reals: Floats, options: Floats,
        weights: Floats | None, posture: Floats | None, locked: Ints | None, attempts: int,
        seed: int, held: Ints,
    ) -> tuple[int, SolverReport]:  # fmt: skip
        s = self._solver
        task = read_task(s, handle_ints, handle_reals, options, None, weights, posture, locked)
        return search(s, q, task, attempts, seed, held, quick=weights is None)

    def enumerate(
        self, q: Floats, handle_ints: Ints, handle_reals: Floats, options: Floats,
        locked: Ints | None, attempts: int, seed: int, distinct: float, by_variables: bool,
        capacity: int,
    ) -> Floats:  # fmt: skip
        s = self._solver
        task = read_task(s, handle_ints, handle_reals, options, locked=locked)
        return enumerate_poses(
            s, q, task, attempts, seed, distinct, capacity, by_variables=by_variables
        )

    def close_many(
        self, qs: Floats, options: Floats, locked: Ints | None, gaps: Floats, threads: int
    ) -> None:
        s = self._solver
        task = read_task(s, *NO_HANDLES, options, locked=locked)
        for i, q in enumerate(qs):
            qs[i], report = solve(s, q.copy(), task)
            gaps[i] = report.gap

    def meet_many(
        self, qs: Floats, handle_ints: Ints, handle_reals: Floats, options: Floats,
        locked: Ints | None, follow: bool, outcomes: Ints, gaps: Floats, threads: int,
    ) -> None:  # fmt: skip
        s = self._solver
        starts, met = qs.copy(), False
        for i, start in enumerate(starts):
            reals = np.ascontiguousarray(handle_reals[i].reshape(len(handle_ints), -1))
            task = read_task(s, handle_ints, reals, options, locked=locked)
            first = qs[i - 1] if follow and met else start
            qs[i], report = solve(s, first.copy(), task)
            if follow and met and report.outcome != Outcome.REACHED:
                qs[i], report = solve(s, start.copy(), task)
            met = report.outcome == Outcome.REACHED
            outcomes[i], gaps[i] = report.outcome, report.gap


class Ticker:
    """One call of ``run`` again and again: a call made ready."""

    def __init__(
        self, solver: BoundSolver, q: Floats, handle_ints: Ints, handle_reals: Floats,
        options: Floats, bounds: Floats | None, weights: Floats | None, posture: Floats | None,
        locked: Ints | None, held: Ints, avoid: BoundClearance | None = None, keep: float = 0.0,
    ) -> None:  # fmt: skip
        self._run = functools.partial(
            solver.run, q, handle_ints, handle_reals, options, bounds, weights, posture, locked,
            held, avoid, keep,
        )  # fmt: skip

    def __call__(self) -> SolverReport:
        """Move q in place towards the handles."""
        return self._run()
