"""Which motions a matrix of rows forbids and leaves; the rank by the gap in its singular values."""

from __future__ import annotations

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels.layout import Floats

RANK_CLEAR = 10.0
"""Singular values that are this factor above or below the tolerance are clear cases; between, the
widest gap decides."""
_EPSILON = float(np.finfo(float).eps)


def free_motion(J: Floats, tolerance: float) -> tuple[Floats, Floats, int, float]:
    """Singular values (falling), orthonormal directions by rows, the rank and how clear it is.

    The first ``rank`` directions are forbidden, by falling value; the others are free. The last
    number is the last singular value that counts by the first that does not; inf where all count.
    """
    if not np.isfinite(J).all():
        raise UsageError("J must be finite")
    if not J.size:
        return np.zeros(0), np.eye(J.shape[1]), 0, np.inf
    _, values, Vt = np.linalg.svd(J, full_matrices=True)
    rank, gap = rank_by_gap(values, tolerance)
    return values, Vt, rank, gap


def rank_by_gap(values: Floats, tolerance: float) -> tuple[int, float]:
    """How many singular values (falling) count, and the last that does by the first that does not.

    Values up to ``tolerance`` times the largest are zero; near there the widest gap decides.
    """
    if not len(values) or not values[0] > 0:
        return 0, np.inf
    relative = np.maximum(values / values[0], _EPSILON)
    sure = int((relative > RANK_CLEAR * tolerance).sum())
    possible = int((relative > tolerance / RANK_CLEAR).sum())
    if possible in {0, len(relative)}:
        # nothing below shows where rounding begins
        rank = int((relative > tolerance).sum())
    else:
        first = max(sure, 1)  # the first always counts, however large the tolerance
        drops = relative[first - 1 : possible] / relative[first : possible + 1]
        rank = first + int(drops.argmax())
    is_clear = not 0 < rank < len(values)
    return rank, np.inf if is_clear else float(relative[rank - 1] / relative[rank])
