"""Ellipses: by corners of the box around them, by foci and radius, or by centre and half-axes."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from kinegen.curves.curve import Curve, CurvePoints, finite_point
from kinegen.errors import UsageError
from kinegen.kernels import Floats

__all__ = [
    "circle",
    "ellipse",
    "ellipse_by_corners",
    "ellipse_by_foci",
    "ellipse_in_plane",
    "plane_axes",
]


def ellipse(
    centre: npt.ArrayLike,
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    turns: float = 1.0,
    from_angle: float = 0.0,
) -> Curve:
    """The ellipse with two half-axes, as vectors from its centre [m].

    Args:
        centre: Its centre.
        first: From the centre to the first point.
        second: From the centre to the point a quarter turn later; the two need not be
            perpendicular.
        turns: Number of turns; a fraction gives an arc, a negative number the opposite direction.
        from_angle: Angle of the first point [rad], measured from ``first``.
    """
    c, a, b = (
        finite_point(value, what)
        for value, what in ((centre, "centre"), (first, "first"), (second, "second"))
    )
    if not (math.isfinite(turns) and turns != 0 and math.isfinite(from_angle)):
        raise UsageError(f"turns must be a finite number other than 0, not {turns}")
    normal = np.cross(a, b)
    size = float(np.linalg.norm(normal))
    if size <= 1e-12 * float(a @ a + b @ b):
        raise UsageError(
            "an ellipse needs two half-axes of positive length in different directions"
        )
    normal /= size

    def evaluate(shares: Floats) -> CurvePoints:
        angle = from_angle + math.tau * turns * shares
        xyz = c + np.cos(angle)[:, None] * a + np.sin(angle)[:, None] * b
        return CurvePoints(shares, xyz, np.broadcast_to(normal, xyz.shape).copy())

    return Curve("ellipse", evaluate)


def circle(centre: npt.ArrayLike, radius: float, *, normal: npt.ArrayLike = (0, 0, 1)) -> Curve:
    """The circle about a point, in the plane perpendicular to ``normal``."""
    axis = finite_point(normal, "normal")
    length = float(np.linalg.norm(axis))
    if not (math.isfinite(radius) and radius > 0 and length > 0):
        raise UsageError(f"a circle needs a positive radius and a normal, got {radius}, {normal!r}")
    across, along = plane_axes(axis / length)
    return ellipse(centre, radius * across, radius * along)


def ellipse_by_corners(
    corner: npt.ArrayLike, opposite: npt.ArrayLike, *, normal: npt.ArrayLike = (0, 0, 1)
) -> Curve:
    """The ellipse that fills the rectangle between two corners, as RobotDesigner's.

    The rectangle is perpendicular to ``normal``, one of the axes x, y, z; its sides are parallel to
    the other two. Both corners have the same coordinate along the normal.
    """
    p, r = finite_point(corner, "corner"), finite_point(opposite, "opposite")
    axis = finite_point(normal, "normal")
    if np.count_nonzero(axis) != 1:
        raise UsageError(
            f"the normal of an ellipse given by corners must be x, y or z, not {axis.tolist()}"
        )
    k = int(np.flatnonzero(axis)[0])
    half, centre = (r - p) / 2, (p + r) / 2
    if abs(half[k]) > 1e-9 * np.abs(half).max():
        raise UsageError(
            f"both corners need the same {'xyz'[k]}, got {p[k]:g} and {r[k]:g} m: the ellipse lies "
            "in the plane perpendicular to the normal"
        )
    i, j = (k + 1) % 3, (k + 2) % 3
    first, second = np.zeros(3), np.zeros(3)
    first[i], second[j] = abs(half[i]), abs(half[j]) * np.sign(axis[k])
    return ellipse(centre, first, second)


def ellipse_in_plane(
    corner: npt.ArrayLike, opposite: npt.ArrayLike, *, normal: npt.ArrayLike = (0, 0, 1)
) -> Curve:
    """The ellipse in the rectangle between two corners [m], perpendicular to any normal.

    The sides of the rectangle are parallel to the plane's own axes, which are x and y for z.
    Differences of the corners along the normal are ignored.
    """
    p, r = finite_point(corner, "corner"), finite_point(opposite, "opposite")
    axis = finite_point(normal, "normal")
    if not axis.any():
        raise UsageError("the normal of an ellipse has zero length")
    across, along = plane_axes(axis / np.linalg.norm(axis))
    half = (r - p) / 2
    a, b = abs(float(half @ across)), abs(float(half @ along))
    if min(a, b) <= 1e-9 * max(a, b, 1e-9):
        raise UsageError("the two corners do not span a rectangle: move one of them")
    return ellipse((p + r) / 2, a * across, b * along)


def ellipse_by_foci(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    radius: float,
    *,
    normal: npt.ArrayLike = (0, 0, 1),
) -> Curve:
    """The ellipse about two foci whose longer half-axis is ``radius`` [m], as RobotDesigner's.

    The distances of its points from the foci add up to twice the radius.
    """
    f, g = finite_point(first, "first focus"), finite_point(second, "second focus")
    axis = finite_point(normal, "normal")
    if not axis.any():
        raise UsageError("the normal of an ellipse has zero length")
    between = g - f
    c = float(np.linalg.norm(between)) / 2
    if c == 0:
        return circle(f, radius, normal=axis)
    if not (math.isfinite(radius) and radius > c):
        raise UsageError(
            f"the radius {radius:g} m must be longer than half the distance between the foci, "
            f"{c:g} m"
        )
    long = between / (2 * c)
    short = np.cross(axis, long)
    length = float(np.linalg.norm(short))
    if length <= 1e-9 * float(np.linalg.norm(axis)):
        raise UsageError(
            "the foci lie along the normal: specify a normal perpendicular to their line"
        )
    return ellipse((f + g) / 2, radius * long, math.sqrt(radius**2 - c**2) * short / length)


def plane_axes(normal: Floats) -> tuple[Floats, Floats]:
    """Two unit vectors across a unit normal, right-handed with it; x and y for z."""
    helper = np.eye(3)[int(np.argmin(np.abs(normal)))]
    first = helper - (helper @ normal) * normal
    first /= np.linalg.norm(first)
    return first, np.cross(normal, first)
