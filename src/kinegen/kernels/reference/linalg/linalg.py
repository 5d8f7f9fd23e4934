"""Small dense linear algebra in NumPy: what its parts have in common.

Matrices are float64, C-contiguous, of any size, empty ones included; they are not changed, results
are new arrays. ``tolerance`` is relative and decides the rank; negative means that of rounding,
``eps · max(m, n)``. NaN and infinity are refused.
"""

from __future__ import annotations

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels.layout import Floats

__all__ = ["matrix", "rank_tolerance", "right_side", "safe_scale"]


def matrix(given: Floats, name: str) -> Floats:
    """The matrix, once it is known to be one."""
    if not isinstance(given, np.ndarray) or not given.flags.c_contiguous:
        raise UsageError(f"{name} must be a C-contiguous array")
    if given.ndim != 2:
        raise UsageError(f"{name} must have shape (any, any), has {given.shape}")
    if given.dtype != np.float64:
        raise UsageError(f"{name} must be of type float64")
    if not np.isfinite(given).all():
        raise UsageError(f"{name} contains NaN or infinity")
    return given


def right_side(given: Floats, rows: int) -> Floats:
    """The right side of a system with so many rows."""
    B = matrix(given, "B")
    if B.shape[0] != rows:
        raise UsageError(f"B must have {rows} rows, has {B.shape[0]}")
    return B


def rank_tolerance(tolerance: float, A: Floats) -> float:
    """The tolerance for the rank; that of rounding where it is negative."""
    return tolerance if tolerance >= 0 else float(np.finfo(float).eps) * max(A.shape)


def safe_scale(A: Floats) -> float:
    """A power of two that brings extreme numbers to where their squares exist; 1 for others."""
    top = float(np.abs(A).max(initial=0))
    if top == 0 or 1e-120 < top < 1e120:
        return 1.0
    return float(2.0 ** -np.clip(np.frexp(top)[1], -1000, 1000))
