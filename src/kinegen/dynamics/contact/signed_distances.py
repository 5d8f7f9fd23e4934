"""Signed distances from a point to simple bodies, and the directions out of them.

Plain numbers, not arrays: a hand asks about one or two bodies a thousand times a second.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

__all__ = ["BOX", "CAPSULE", "CYLINDER", "PLANE", "SPHERE", "signed_distance"]

PLANE, SPHERE, CAPSULE, CYLINDER, BOX = 0, 2, 3, 5, 6
"""Kinds of bodies, numbered as MuJoCo does."""

Point = Sequence[float]
Found = tuple[float, tuple[float, float, float]]


def signed_distance(kind: int, size: Point, point: Point) -> Found:
    """Distance [m], negative inside, and the direction out of a body, in its axes.

    Args:
        kind: One of the numbers above; others are infinitely far.
        size: Half sizes as MuJoCo has them: radius; radius and half length along z; half edges.
        point: In the body's axes [m].
    """
    measure = _MEASURES.get(kind)
    return (math.inf, (0.0, 0.0, 1.0)) if measure is None else measure(point, size)


def _plane(p: Point, _: Point) -> Found:
    return p[2], (0.0, 0.0, 1.0)


def _sphere(p: Point, size: Point) -> Found:
    length = math.hypot(p[0], p[1], p[2])
    return length - size[0], _unit(p[0], p[1], p[2], length, (0.0, 0.0, 1.0))


def _capsule(p: Point, size: Point) -> Found:
    z = p[2] - min(max(p[2], -size[1]), size[1])
    length = math.hypot(p[0], p[1], z)
    return length - size[0], _unit(p[0], p[1], z, length, (1.0, 0.0, 0.0))


def _cylinder(p: Point, size: Point) -> Found:
    """As a box in the plane of radius and height."""
    radius = math.hypot(p[0], p[1])
    distance, (out, up) = _box_in([radius, p[2]], size)
    x, y, _ = _unit(p[0], p[1], 0.0, radius, (1.0, 0.0, 0.0))
    return distance, (out * x, out * y, up)


def _box(p: Point, size: Point) -> Found:
    distance, (x, y, z) = _box_in(p, size)
    return distance, (x, y, z)


def _box_in(p: Point, half: Point) -> tuple[float, list[float]]:
    """A box in as many dimensions as the point has."""
    over = [abs(a) - b for a, b in zip(p, half, strict=False)]
    sides = [-1.0 if a < 0 else 1.0 for a in p]
    most = max(over)
    if most <= 0:
        nearest = over.index(most)
        return most, [sides[k] if k == nearest else 0.0 for k in range(len(over))]
    beyond = [max(x, 0.0) for x in over]
    length = math.hypot(*beyond)
    return length, [side * x / length for side, x in zip(sides, beyond, strict=True)]


def _unit(
    x: float, y: float, z: float, length: float, middle: tuple[float, float, float]
) -> tuple[float, float, float]:
    """A direction; a fixed one in the very middle."""
    return (x / length, y / length, z / length) if length > 1e-300 else middle


_MEASURES: dict[int, Callable[[Point, Point], Found]] = {
    PLANE: _plane,
    SPHERE: _sphere,
    CAPSULE: _capsule,
    CYLINDER: _cylinder,
    BOX: _box,
}
