"""Bézier curves: drawn towards their control points, through the first and the last."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kinegen.curves.curve import Curve, CurvePoints, finite_points
from kinegen.errors import UsageError
from kinegen.kernels import Floats

__all__ = ["bezier"]

MOST_CONTROLS = 64
"""Control points: beyond this nobody sees what one of them does; take a spline."""


def bezier(controls: npt.ArrayLike) -> Curve:
    """The Bézier curve of control points, (n, 3) [m]: four of them give the usual cubic."""
    points = finite_points(controls, "a Bézier curve", 2)
    if len(points) > MOST_CONTROLS:
        raise UsageError(
            f"a Bézier curve takes at most {MOST_CONTROLS} control points, not {len(points)}; a "
            "spline takes more"
        )

    def evaluate(shares: Floats) -> CurvePoints:
        # De Casteljau: between neighbours, until one is left
        s = shares[:, None, None]
        rows = np.broadcast_to(points, (len(shares), *points.shape))
        while rows.shape[1] > 1:
            rows = (1 - s) * rows[:, :-1] + s * rows[:, 1:]
        return CurvePoints(shares, np.array(rows[:, 0]))

    return Curve("Bézier curve", evaluate)
