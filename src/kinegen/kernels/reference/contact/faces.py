"""Faces of shapes that meet, and the points where they touch: one face clipped to the other."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.protocols.contact import ShapeKind
from kinegen.kernels.reference.contact.convex import Separation
from kinegen.kernels.reference.contact.shapes import Shape

__all__ = ["Face", "Touching", "choose_points", "face_along", "touch_at", "touch_faces"]

FACE_CORNERS, CAP_CORNERS, POINTS = 16, 8, 4
FACING, PARALLEL = 1 - 1e-6, 1e-3

Touching = list[tuple[Floats, float]]
"""Points midway between the surfaces, and distances."""


@dataclass(slots=True, eq=False)
class Face:
    """A point, an edge or a polygon, without the radius."""

    p: Floats
    """(n, 3), world axes."""
    normal: Floats
    """Outwards, of three corners or more."""


def face_along(shape: Shape, along: Floats) -> Face:
    """The face of a shape that looks along a direction."""
    d, size, none = along @ shape.R, shape.size, np.zeros(3)
    match shape.kind:
        case ShapeKind.CAPSULE:
            ends = np.array([[0, 0, -size[1]], [0, 0, size[1]]])
            return Face(shape.world(ends), none)
        case ShapeKind.CYLINDER:
            flat = math.hypot(d[0], d[1])
            x, y = d[:2] / flat if flat > 1e-9 else (1.0, 0.0)
            if abs(d[2]) < 0.7:
                ends = np.array([[size[0] * x, size[0] * y, z] for z in (-size[1], size[1])])
                return Face(shape.world(ends), none)
            side = -1.0 if d[2] < 0 else 1.0
            angles = side * np.arange(CAP_CORNERS) * 2 * np.pi / CAP_CORNERS
            u, v = np.cos(angles), np.sin(angles)
            rim = [size[0] * (u * x - v * y), size[0] * (v * x + u * y), side * size[1] + 0 * u]
            return Face(shape.world(np.stack(rim, axis=1)), side * shape.R[:, 2])
        case ShapeKind.BOX:
            axis = 0 if abs(d[0]) > abs(d[1]) else 1
            axis = 2 if abs(d[2]) > abs(d[axis]) else axis
            side = -1.0 if d[axis] < 0 else 1.0
            points = np.zeros((4, 3))
            one, two = (axis + 1) % 3, (axis + 2) % 3
            points[:, axis] = side * size[axis]
            points[:, one] = np.array([1, -1, -1, 1]) * size[one]
            points[:, two] = side * np.array([1, 1, -1, -1]) * size[two]
            return Face(shape.world(points), side * shape.R[:, axis])
        case ShapeKind.HULL:
            facet = int(np.argmax(shape.planes[:, :3] @ d))
            ring = shape.facets[facet]
            count = min(len(ring), FACE_CORNERS)
            ring = ring[[k * len(ring) // count for k in range(count)]]
            return Face(shape.world(shape.corners[ring]), shape.R @ shape.planes[facet, :3])
    return Face(shape.p[None], none)


def _clip(points: Floats, n: Floats, offset: float) -> Floats:
    """The part of a polygon, or of an edge, on the inner side of a plane."""
    kept: list[Floats] = []
    count = len(points)
    for e in range(1 if count == 2 else count):
        p, q = points[e], points[(e + 1) % count]
        at, after = float(n @ p) - offset, float(n @ q) - offset
        if at <= 0:
            kept.append(p)
        if (at < 0 < after) or (after < 0 < at):
            kept.append(p + at / (at - after) * (q - p))
        if count == 2 and after <= 0:
            kept.append(q)
    return np.array(kept).reshape(-1, 3)


def choose_points(found: Touching, n: Floats) -> Touching:
    """Four points that hold as much as all."""
    if len(found) <= POINTS:
        return found
    first, deepest = 0, math.inf
    for i, (_, distance) in enumerate(found):
        if distance < deepest - 1e-9:
            first, deepest = i, distance
    points = np.array([p for p, _ in found])
    away = points - points[first]
    second, far = 0, -1.0
    for i, size in enumerate(np.einsum("ij,ij->i", away, away).tolist()):
        if size > far + 1e-12:
            second, far = i, size
    off = away @ np.cross(n, away[second])
    chosen = [first, *([second] if second != first else [])]
    chosen += [int(np.argmax(off))] if off.max() > 1e-12 else []
    chosen += [int(np.argmin(off))] if off.min() < -1e-12 else []
    return [found[i] for i in chosen]


def touch_at(
    found: Touching, x: Floats, out: Floats, height: float, own: float, other: float, margin: float
) -> None:
    """A point of one shape at a height over the other's face, from which both radii go."""
    distance = height - own - other
    if distance < margin:
        found.append((x - (own + distance / 2) * out, distance))


def _touch_edges(f: Face, g: Face, n: Floats, ra: float, rb: float, margin: float) -> Touching:
    """Where two edges that run side by side touch; none: they cross."""
    u, v = f.p[1] - f.p[0], g.p[1] - g.p[0]
    across = np.cross(u, v)
    if not (u.any() and v.any()) or across @ across > PARALLEL**2 * (u @ u) * (v @ v):
        return []
    ends = (g.p - f.p[0]) @ u / (u @ u)
    if ends[0] == ends[1]:
        return []
    low, high = max(0.0, float(ends.min())), min(1.0, float(ends.max()))
    found: Touching = []
    if low <= high:
        for at in (low, high) if low < high else (low,):
            x = g.p[0] + (at - ends[0]) / (ends[1] - ends[0]) * v
            touch_at(found, x, n, float((x - f.p[0] - at * u) @ n), rb, ra, margin)
    return found


def touch_faces(
    f: Face, g: Face, sep: Separation, ra: float, rb: float, margin: float
) -> tuple[Touching, Floats]:
    """All points where two convex shapes touch or come within a margin, and their normal."""
    n, found = sep.normal, []
    facing_f = float(f.normal @ n) if len(f.p) > 2 else -1.0
    facing_g = -float(g.normal @ n) if len(g.p) > 2 else -1.0
    if len(f.p) == 2 and len(g.p) == 2:
        found = _touch_edges(f, g, n, ra, rb, margin)
        if found:
            return found, n
    if max(facing_f, facing_g) > FACING and len(f.p) > 1 and len(g.p) > 1:
        by_f = facing_f >= facing_g - 1e-9
        own, other = (f, g) if by_f else (g, f)
        points = other.p
        for p, q in zip(own.p, np.roll(own.p, -1, axis=0), strict=True):
            out = np.cross(q - p, own.normal)
            slack = 1e-9 * float(np.linalg.norm(out)) * float(np.linalg.norm(q - p))
            points = _clip(points, out, float(out @ p) + slack)
        radii = (rb, ra) if by_f else (ra, rb)
        for x in points:
            touch_at(found, x, own.normal, float((x - own.p[0]) @ own.normal), *radii, margin)
        n = f.normal if by_f else -g.normal
        if found:
            return found, n
    touch_at(found, sep.q, n, sep.distance, rb, ra, margin)
    return found, n
