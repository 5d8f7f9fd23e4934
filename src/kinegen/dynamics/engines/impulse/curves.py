"""Curves on which a point may slide: cubic splines through points."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.kernels import Floats

__all__ = ["curve_through"]


def curve_through(points: npt.ArrayLike, *, closed: bool = False) -> tuple[Floats, bool]:
    """The smoothest cubic spline through points: cubics (segments, 4, 3) by powers, and closed.

    Its second derivative is continuous; an open one is straight at its ends.

    Args:
        points: (n, 3) [m], three at least.
        closed: Whether the last point is followed by the first.
    """
    P = np.asarray(points, dtype=np.float64)
    if P.ndim != 2 or P.shape[1] != 3 or len(P) < 3 or not np.isfinite(P).all():
        raise UsageError(f"a curve needs three or more points, (n, 3); got shape {P.shape}")
    n = len(P)
    # slopes D of a uniform spline: D[k-1] + 4 D[k] + D[k+1] = 3 (P[k+1] - P[k-1])
    T, rhs = np.zeros((n, n)), np.zeros((n, 3))
    for k in range(n):
        if not closed and k in {0, n - 1}:
            near = 1 if k == 0 else n - 2
            T[k, k], T[k, near] = 2, 1
            rhs[k] = 3 * (P[near] - P[k]) * (1 if k == 0 else -1)
        else:
            T[k, k] = 4
            T[k, k - 1] += 1
            T[k, (k + 1) % n] += 1
            rhs[k] = 3 * (P[(k + 1) % n] - P[k - 1])
    D = np.linalg.solve(T, rhs)
    cubics = []
    for k in range(n if closed else n - 1):
        a, b, c, d = P[k], P[(k + 1) % n], D[k], D[(k + 1) % n]
        cubics.append([a, c, 3 * (b - a) - 2 * c - d, 2 * (a - b) + c + d])
    return np.array(cubics), closed
