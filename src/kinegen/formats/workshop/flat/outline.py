"""Outline: a closed line of straight pieces and arcs, around the holes of a flat part."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Floats
from kinegen.mechanism.shapes.solid import convex_hull

__all__ = ["Outline", "Point", "circle", "outline_around", "slot_around"]

Point = tuple[float, float]
"""In a plane [m]."""

_FLAT = 1e-12
"""Turns of less [rad] are no corner."""


@dataclass(frozen=True, slots=True)
class Outline:
    """A closed line, counter-clockwise; every corner begins a straight piece or an arc."""

    corners: tuple[Point, ...]
    """Where pieces meet [m]."""
    bulges: tuple[float, ...]
    """Of the piece that begins at each corner: the tangent of a quarter of its arc's angle, 0 for a
    straight piece, as DXF has it."""

    @property
    def area(self) -> float:
        """What it encloses [m²], exact."""
        total = 0.0
        for (x0, y0), (x1, y1), bulge in self.pieces():
            total += (x0 * y1 - x1 * y0) / 2
            if bulge:
                chord, sweep = math.hypot(x1 - x0, y1 - y0), 4 * math.atan(bulge)
                radius = chord / (2 * math.sin(sweep / 2))
                total += radius**2 / 2 * (sweep - math.sin(sweep))
        return total

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Least x, least y, largest x, largest y [m]; arcs are followed closely."""
        points = self.polygon(64)
        low, high = points.min(axis=0), points.max(axis=0)
        return float(low[0]), float(low[1]), float(high[0]), float(high[1])

    def pieces(self) -> list[tuple[Point, Point, float]]:
        """Start, end and bulge of every piece."""
        ends = self.corners[1:] + self.corners[:1]
        return list(zip(self.corners, ends, self.bulges, strict=True))

    def polygon(self, steps: int = 16, *, outside: bool = False) -> Floats:
        """Corners of a polygon near it, (n, 2) [m].

        Args:
            steps: Straight pieces in a quarter turn of an arc.
            outside: Whether it contains the outline; else its corners lie on it.
        """
        found: list[Point] = []
        for start, end, bulge in self.pieces():
            if not outside or not bulge:
                found.append(start)
            if bulge:
                found += _arc(start, end, bulge, steps, outside=outside)
        return np.array(found)

    def moved(self, x: float, y: float, angle: float) -> Outline:
        """The same outline, turned and then shifted."""
        c, s = math.cos(angle), math.sin(angle)
        corners = tuple((x + c * u - s * v, y + s * u + c * v) for u, v in self.corners)
        return Outline(corners, self.bulges)


def outline_around(points: Sequence[Point], distance: float, corner: float) -> Outline:
    """The convex outline around points.

    Straight sides lie at the distance from the points; corners turn by at most a right angle and
    are rounded. With a radius equal to the distance the outline consists of arcs around the points.

    Args:
        points: At least one [m].
        distance: Of the sides from the points [m].
        corner: Radius of its corners [m], at most the distance.
    """
    hull = list(points) if len(points) == 1 else convex_hull(points)
    corners: list[Point] = []
    bulges: list[float] = []
    for index, (x, y) in enumerate(hull):
        before, after = hull[index - 1], hull[(index + 1) % len(hull)]
        if len(hull) == 1:
            first, turn = 0.0, math.tau
        else:
            first = math.atan2(y - before[1], x - before[0]) - math.pi / 2
            last = math.atan2(after[1] - y, after[0] - x) - math.pi / 2
            turn = (last - first) % math.tau
        if turn < _FLAT or (turn > math.tau - _FLAT and len(hull) > 1):
            continue
        count = max(1, math.ceil(turn / (math.pi / 2) - 1e-9))
        part = turn / count
        for step in range(count):
            # The corner of two tangents to the circle around the point, then rounded.
            middle = first + (step + 0.5) * part
            to_corner = distance / math.cos(part / 2)
            to_centre = to_corner - corner / math.cos(part / 2)
            cx, cy = x + to_centre * math.cos(middle), y + to_centre * math.sin(middle)
            start, end = middle - part / 2, middle + part / 2
            corners.append((cx + corner * math.cos(start), cy + corner * math.sin(start)))
            bulges.append(math.tan(part / 4) if corner > 0 else 0.0)
            if corner <= 0:
                continue
            corners.append((cx + corner * math.cos(end), cy + corner * math.sin(end)))
            bulges.append(0.0)
    return _tidy(corners, bulges, 1e-9 * distance)


def slot_around(a: Point, b: Point, width: float) -> Outline:
    """A slot with round ends whose pin's middle runs from a to b."""
    return outline_around([a, b], width / 2, width / 2)


def circle(centre: Point, diameter: float) -> Outline:
    """A round hole."""
    return outline_around([centre], diameter / 2, diameter / 2)


def _tidy(corners: list[Point], bulges: list[float], near: float) -> Outline:
    """Without straight pieces of no length, as between two arcs of one circle."""
    kept = [
        index
        for index in range(len(corners))
        if bulges[index] or math.dist(corners[index], corners[(index + 1) % len(corners)]) > near
    ]
    return Outline(tuple(corners[i] for i in kept), tuple(bulges[i] for i in kept))


def _arc(start: Point, end: Point, bulge: float, steps: int, *, outside: bool) -> list[Point]:
    """Points between the ends of an arc, on it or on its tangents."""
    sweep = 4 * math.atan(bulge)
    count = max(1, math.ceil(steps * abs(sweep) / (math.pi / 2) - 1e-6))
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    across = (1 / bulge - bulge) / 4
    centre = (
        middle[0] - across * (end[1] - start[1]),
        middle[1] + across * (end[0] - start[0]),
    )
    radius = math.dist(centre, start)
    first = math.atan2(start[1] - centre[1], start[0] - centre[0])
    if outside:
        radius /= math.cos(sweep / count / 2)
        angles = [first + sweep * (k + 0.5) / count for k in range(count)]
    else:
        angles = [first + sweep * k / count for k in range(1, count)]
    return [(centre[0] + radius * math.cos(a), centre[1] + radius * math.sin(a)) for a in angles]
