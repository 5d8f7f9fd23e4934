"""Rays against shapes: where a ray first crosses the surface of any."""

from __future__ import annotations

import math

import numpy as np

from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.protocols.contact import ShapeKind
from kinegen.kernels.reference.contact.shapes import Shape, Shapes

__all__ = ["cast_ray"]

Hits = list[tuple[float, Floats]]
"""Distances and normals of all crossings, in the shape's axes."""


def _ball(o: Floats, d: Floats, z: float, r: float, side: float) -> Hits:
    """Both crossings of a ball around (0, 0, z), of which those on one side count."""
    c = o - [0.0, 0.0, z]
    b = float(c @ d)
    off = c - b * d
    left = r * r - float(off @ off)
    if left < 0:
        return []
    hits = [(t, (c + t * d) / r) for t in (-b - math.sqrt(left), -b + math.sqrt(left))]
    return [(t, n) for t, n in hits if n[2] * side >= 0]


def _tube(o: Floats, d: Floats, r: float, h: float) -> Hits:
    """The round side of a cylinder."""
    a = float(d[0] ** 2 + d[1] ** 2)
    if a < 1e-30:
        return []
    b = float(o[:2] @ d[:2]) / a
    off = o[:2] - b * d[:2]
    left = (r * r - float(off @ off)) / a
    if left < 0:
        return []
    times = (-b - math.sqrt(left), -b + math.sqrt(left))
    points = [(t, o + t * d) for t in times]
    return [(t, np.array([p[0] / r, p[1] / r, 0.0])) for t, p in points if abs(p[2]) <= h]


def _within(o: Floats, d: Floats, planes: Floats) -> Hits:
    """A convex body as what is within planes n x <= offset."""
    enter, leave = (-math.inf, np.zeros(3)), (math.inf, np.zeros(3))
    for plane in planes:
        speed, room = float(plane[:3] @ d), float(plane[3] - plane[:3] @ o)
        if speed == 0:
            if room < 0:
                return []
            continue
        t = room / speed
        if speed < 0 and t > enter[0]:
            enter = t, plane[:3]
        elif speed > 0 and t < leave[0]:
            leave = t, plane[:3]
    if enter[0] > leave[0]:
        return []
    return [enter if enter[0] >= 0 else leave]


def _triangle(o: Floats, d: Floats, corners: Floats) -> Hits:
    a, b, c = corners
    n = np.cross(b - a, c - a)
    speed = float(n @ d)
    if speed == 0:
        return []
    t = -float(n @ (o - a)) / speed
    at, size = o - a + t * d, float(n @ n)
    u, v = float(n @ np.cross(at, c - a)) / size, float(n @ np.cross(b - a, at)) / size
    if min(u, v) < -1e-12 or u + v > 1 + 1e-12:
        return []
    return [(t, n / (math.copysign(1.0, n[2]) * math.sqrt(size)))]


def _hits(shape: Shape, o: Floats, d: Floats) -> Hits:
    size = shape.size
    match shape.kind:
        case ShapeKind.PLANE:
            return [(-o[2] / d[2], np.array([0.0, 0.0, 1.0]))] if d[2] < 0 else []
        case ShapeKind.BALL:
            return _ball(o, d, 0.0, size[0], 0.0)
        case ShapeKind.CAPSULE:
            ends = _ball(o, d, size[1], size[0], 1.0) + _ball(o, d, -size[1], size[0], -1.0)
            return ends + _tube(o, d, size[0], size[1])
        case ShapeKind.CYLINDER:
            hits = _tube(o, d, size[0], size[1])
            for side in (-1.0, 1.0):
                if d[2] != 0:
                    t = float(side * size[1] - o[2]) / float(d[2])
                    if np.hypot(*(o + t * d)[:2]) <= size[0]:
                        hits.append((t, np.array([0.0, 0.0, side])))
            return hits
        case ShapeKind.BOX:
            normals = np.concatenate([-np.eye(3), np.eye(3)])
            return _within(o, d, np.column_stack([normals, np.tile(size, 2)]))
        case ShapeKind.HULL:
            return _within(o, d, shape.planes)
    rows, columns = shape.heights.shape
    cells = shape.triangles(range(rows - 1), range(columns - 1))
    return [hit for corners in cells for hit in _triangle(o, d, corners)]


def cast_ray(
    shapes: Shapes, origin: Floats, direction: Floats, most: float, seen: Ints
) -> tuple[float, int, Floats]:
    """Distance (inf: nothing), shape (-1) and normal of what a ray meets first."""
    length = float(np.linalg.norm(direction))
    best, found, normal = most, -1, np.zeros(3)
    if not length > 0:
        return math.inf, -1, normal
    for shape in shapes.all:
        if not seen[shape.index]:
            continue
        for t, n in _hits(shape, shape.local(origin), direction / length @ shape.R):
            if 0 <= t < best:
                best, found, normal = float(t), shape.index, shape.R @ n
    return (best if found >= 0 else math.inf), found, normal
