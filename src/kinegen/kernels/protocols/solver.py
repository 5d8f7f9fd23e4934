"""What every set of kernels offers for drags, assembly and inverse kinematics."""

from __future__ import annotations

import enum
from typing import Protocol, TypeAlias

from kinegen.kernels.layout import Floats, Ints

__all__ = ["BoundSolver", "HandleKind", "Outcome", "RawReport", "Ticker"]

RawReport: TypeAlias = tuple[
    int, int, int, int, float, float, float, float, float, float, float, float, int
]
"""The numbers of a :class:`~kinegen.kernels.call_records.SolverReport`, in order."""


class HandleKind(enum.IntEnum):
    """What a handle asks of its site."""

    POINT = 0
    """A point of the site comes to a place."""
    POSE = 1
    """The point, and the site's rotation."""
    DIRECTION = 2
    """The point, and an axis of the site along a direction."""
    ROTATION = 3
    """The site's rotation alone."""


class Outcome(enum.IntEnum):
    """Why the solver stopped."""

    REACHED = 0
    """Handles met, loops closed."""
    NEAREST = 1
    """No better pose in reach: the handles are as near as they can be."""
    MOVING = 2
    """The bounds of the call ended it: call again to continue."""
    STUCK = 3
    """Loops or pins cannot be closed; q is the last good one."""


class BoundSolver(Protocol):
    """A model's solver. Handles and options are rows of ``call_records``."""

    def run(
        self,
        q: Floats,
        handle_ints: Ints,
        handle_reals: Floats,
        options: Floats,
        bounds: Floats | None,
        weights: Floats | None,
        posture: Floats | None,
        locked: Ints | None,
        held: Ints,
    ) -> RawReport:
        """Move q in place towards the handles; held: -1 or 1 where a limit held a variable."""
        ...

    def search(
        self,
        q: Floats,
        handle_ints: Ints,
        handle_reals: Floats,
        options: Floats,
        weights: Floats | None,
        posture: Floats | None,
        locked: Ints | None,
        attempts: int,
        seed: int,
        held: Ints,
    ) -> tuple[int, RawReport]:
        """Solve from q, then from random starts; attempts made and the best answer's report."""
        ...

    def enumerate(
        self,
        q: Floats,
        handle_ints: Ints,
        handle_reals: Floats,
        options: Floats,
        locked: Ints | None,
        attempts: int,
        seed: int,
        distinct: float,
        by_variables: bool,
        capacity: int,
    ) -> Floats:
        """Different answers that random starts lead to, (count, nq)."""
        ...

    def close_many(
        self, qs: Floats, options: Floats, locked: Ints | None, gaps: Floats, threads: int
    ) -> None:
        """Close the loops of many configurations (n, nq) in place; scaled gaps (n)."""
        ...

    def meet_many(
        self,
        qs: Floats,
        handle_ints: Ints,
        handle_reals: Floats,
        options: Floats,
        locked: Ints | None,
        follow: bool,
        outcomes: Ints,
        gaps: Floats,
        threads: int,
    ) -> None:
        """Meet many targets of the same handles, (n, 15 per handle), each from its row of qs.

        With ``follow`` from the answer before it, where that was met. Outcomes and scaled gaps (n).
        """
        ...


class Ticker(Protocol):
    """One call of a solver's ``run`` again and again, its arrays checked once.

    Numbers in q and in the handles may change between calls; which handles there are may not.
    """

    def __call__(self) -> RawReport:
        """Move q in place towards the handles."""
        ...
