"""The plane in which a set of points lies, if it does: areas instead of thin volumes."""

from __future__ import annotations

import numpy as np

from kinegen.kernels import Floats

__all__ = ["Plane"]

FLAT = 1e-9
"""Points that spread less than this share of their largest extent along an axis lie in a plane."""


class Plane:
    """The two axes of a set in a plane, or the one of a line; all three otherwise."""

    def __init__(self, points: Floats) -> None:
        """Look at points [m], (3, n)."""
        self.centre = points.mean(axis=1)
        spans = np.ptp(points, axis=1)
        moving = spans > FLAT * max(float(spans.max(initial=0.0)), 1e-300)
        self.axes = np.eye(3)[:, moving]
        """Directions in the world, (3, d)."""
        if moving.sum() == 3:
            directions, values, _ = np.linalg.svd(np.cov(points))
            rank = int((values > 1e-12 * values[0]).sum())
            self.axes = self.axes if rank == 3 else directions[:, :rank]
        # what is not along the axes stays as it is
        onto = self.axes @ self.axes.T
        self.origin = self.centre - onto @ self.centre

    def down(self, points: Floats) -> Floats:
        """Places along the axes, (d, n)."""
        flat: Floats = self.axes.T @ points
        return flat

    def up(self, places: Floats) -> Floats:
        """Points in space, (3, n), of places along the axes, (d, n)."""
        raised: Floats = self.axes @ places + self.origin[:, None]
        return raised
