"""Splines: the smoothest curve through given points."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kinegen.curves.curve import Curve, CurvePoints, finite_points
from kinegen.errors import UsageError
from kinegen.kernels import Floats

__all__ = ["CubicSpline", "spline"]

MOST_KNOTS = 2000
"""Points of a spline: the equations are solved dense."""


def spline(points: npt.ArrayLike, *, closed: bool = False) -> Curve:
    """The cubic spline through points, (n, 3) [m], with even curvature at each.

    Open splines have no curvature at their ends; ``closed`` ones return smoothly to the first
    point.
    """
    through = finite_points(points, "a spline", 3 if closed else 2)
    if closed and not np.array_equal(through[0], through[-1]):
        through = np.vstack([through, through[:1]])
    chords = np.linalg.norm(np.diff(through, axis=0), axis=1)
    if len(through) > MOST_KNOTS:
        raise UsageError(f"a spline takes at most {MOST_KNOTS} points, not {len(through)}")
    if np.any(chords == 0):
        same = int(np.flatnonzero(chords == 0)[0])
        raise UsageError(f"points {same + 1} and {same + 2} of a spline are the same")
    # square roots of the chords keep sharp turns from overshooting (centripetal)
    knots = np.concatenate([[0.0], np.cumsum(np.sqrt(chords))])
    knots /= knots[-1]
    value = CubicSpline(knots, through, closed=closed)

    def evaluate(shares: Floats) -> CurvePoints:
        return CurvePoints(shares, value(shares)[0])

    return Curve("spline", evaluate)


class CubicSpline:
    """A cubic spline over knots: values and two derivatives."""

    def __init__(self, knots: Floats, values: Floats, *, closed: bool = False) -> None:
        self.knots, self.values = knots, values
        h = np.diff(knots)[:, None]
        slope = np.diff(values, axis=0) / h
        n = len(knots)
        A, b = np.zeros((n, n)), np.zeros(values.shape)
        # second derivatives M: equal slopes from both sides at every inner knot
        for i in range(1, n - 1):
            A[i, i - 1 : i + 2] = h[i - 1, 0], 2 * (h[i - 1, 0] + h[i, 0]), h[i, 0]
            b[i] = 6 * (slope[i] - slope[i - 1])
        A[0, 0] = A[-1, -1] = 1.0
        if closed:
            A[0, 0], A[0, 1] = 2 * (h[0, 0] + h[-1, 0]), h[0, 0]
            A[0, -2] += h[-1, 0]
            b[0] = 6 * (slope[0] - slope[-1])
            A[-1, 0] = -1.0
        self.M = np.linalg.solve(A, b)

    def __call__(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Value, first and second derivative at each x."""
        i = np.clip(np.searchsorted(self.knots, x, side="right") - 1, 0, len(self.knots) - 2)
        h = (self.knots[i + 1] - self.knots[i])[:, None]
        a = (self.knots[i + 1] - x)[:, None] / h
        b = 1 - a
        y0, y1, m0, m1 = self.values[i], self.values[i + 1], self.M[i], self.M[i + 1]
        value = a * y0 + b * y1 + ((a**3 - a) * m0 + (b**3 - b) * m1) * h**2 / 6
        slope = (y1 - y0) / h + (-(3 * a**2 - 1) * m0 + (3 * b**2 - 1) * m1) * h / 6
        return value, slope, a * m0 + b * m1
