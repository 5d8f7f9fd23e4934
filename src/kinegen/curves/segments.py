"""Segment: the straight way from one point to another."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kinegen.curves.curve import Curve, CurvePoints, finite_point
from kinegen.errors import UsageError
from kinegen.kernels import Floats

__all__ = ["segment"]


def segment(start: npt.ArrayLike, end: npt.ArrayLike) -> Curve:
    """The straight line from ``start`` to ``end`` [m]."""
    a, b = finite_point(start, "start"), finite_point(end, "end")
    if np.array_equal(a, b):
        raise UsageError(f"a segment needs two different ends, both are {a.tolist()}")

    def evaluate(shares: Floats) -> CurvePoints:
        return CurvePoints(shares, a + shares[:, None] * (b - a))

    return Curve("segment", evaluate)
