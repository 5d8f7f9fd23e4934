"""A solver's call made ready: the NumPy twin of the compiled ``Ticker``."""

from __future__ import annotations

import functools

from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.protocol import SolverReport
from kinegen.kernels.reference.solver.solver import BoundSolver


class Ticker:
    """One call of ``run`` again and again."""

    def __init__(
        self, solver: BoundSolver, q: Floats, handle_ints: Ints, handle_reals: Floats,
        options: Floats, bounds: Floats | None, weights: Floats | None, posture: Floats | None,
        locked: Ints | None, held: Ints,
    ) -> None:  # fmt: skip
        self._run = functools.partial(
            solver.run, q, handle_ints, handle_reals, options, bounds, weights, posture, locked,
            held,
        )  # fmt: skip

    def __call__(self) -> SolverReport:
        """Move q in place towards the handles."""
        return self._run()
