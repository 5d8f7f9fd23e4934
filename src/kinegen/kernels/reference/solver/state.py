"""What the NumPy solver hands from step to step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinegen.kernels.layout import Floats, Ints

__all__ = ["Errors", "Options", "Reach", "Step"]


@dataclass(frozen=True, slots=True)
class Options:
    """What a call asks for, as in ``SolverOptions``."""

    iterations: int
    step: float
    gap: float
    met: float
    posture_gain: float
    limits: bool
    bounds: Floats | None
    weights: Floats
    posture: Floats | None
    locked: Ints | None
    roam: bool = False
    """Closing takes every step, even where the gap widens."""


@dataclass(slots=True)
class Errors:
    """Where a configuration stands: scaled gap, squared errors of handles and pins."""

    gap: float
    soft: float
    hard: float


@dataclass(slots=True)
class Step:
    """A scaled move, with what the linear picture says of it."""

    x: Floats
    gradient: float
    linear: float
    square: float
    freedoms: int
    redundant: int
    task_pivot: float
    loop_pivot: float
    directions: Floats
    """Orthonormal free motions, (nv, freedoms)."""


@dataclass(frozen=True, slots=True)
class Reach:
    """The moves that hard rows leave: a point plus orthonormal directions."""

    point: Floats
    directions: Floats
    redundant: int = 0
    """Rows that others implied."""
    smallest: float = 1.0
    """Smallest singular value of the last rows that counted."""

    def restricted(self, rows: Floats, rhs: Floats, tolerance: float) -> Reach:
        """The moves that meet further rows as well; rows below the tolerance are redundant."""
        N = self.directions
        U, s, Vt = np.linalg.svd(rows @ N, full_matrices=True)
        rank = int((s > tolerance).sum())
        y = Vt[:rank].T @ ((U[:, :rank].T @ (rhs - rows @ self.point)) / s[:rank])
        return Reach(
            self.point + N @ y,
            N @ Vt[rank:].T,
            self.redundant + len(rhs) - rank,
            float(s[rank - 1]) if rank else 1.0,
        )
