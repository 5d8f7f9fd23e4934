"""Polylines: straight from point to point."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kinegen.curves.curve import Curve, CurvePoints, finite_points
from kinegen.errors import UsageError
from kinegen.kernels import Floats

__all__ = ["polyline"]


def polyline(
    points: npt.ArrayLike,
    *,
    closed: bool = False,
    normals: npt.ArrayLike | None = None,
    name: str = "polyline",
) -> Curve:
    """Straight lines through points, (n, 3) [m], such as picks on a mesh.

    Args:
        points: The corners.
        closed: Whether it returns to the first point.
        normals: Of the surface at each point, if it lies on one; any length but 0.
        name: What it is called.
    """
    through = finite_points(points, f"a {name}", 2)
    across = None
    if normals is not None:
        across = finite_points(normals, f"the normals of a {name}", 2)
        if across.shape != through.shape:
            raise UsageError(f"a {name} of {len(through)} points needs the same number of normals")
    if closed and not np.array_equal(through[0], through[-1]):
        through = np.vstack([through, through[:1]])
        across = None if across is None else np.vstack([across, across[:1]])
    chords = np.linalg.norm(np.diff(through, axis=0), axis=1)
    if not chords.sum() > 0:
        raise UsageError(f"all points of the {name} are the same")
    knots = np.concatenate([[0.0], np.cumsum(chords)]) / chords.sum()

    def evaluate(shares: Floats) -> CurvePoints:
        xyz = np.stack([np.interp(shares, knots, column) for column in through.T], axis=1)
        if across is None:
            return CurvePoints(shares, xyz)
        turned = np.stack([np.interp(shares, knots, column) for column in across.T], axis=1)
        lengths = np.linalg.norm(turned, axis=1, keepdims=True)
        return CurvePoints(shares, xyz, turned / np.where(lengths > 0, lengths, 1.0))

    return Curve(name, evaluate)
