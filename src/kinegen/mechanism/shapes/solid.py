"""Small geometry behind the automatic shapes: bars between points, elbows, rounded plates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from kinegen.mechanism.shapes import proportions as proportion
from kinegen.mechanism.shapes.data import (
    Array,
    Capsule,
    Cylinder,
    Matrix3,
    Plate,
    Primitive,
    Vector3,
)

__all__ = [
    "capsule_between",
    "cylinder_between",
    "drawn_outline",
    "elbow_path",
    "moved",
    "plate_around",
    "rotation_with_z",
    "rounded_outline",
]

P = TypeVar("P", bound=Primitive)


def vector(p: Any) -> Vector3:
    """Three plain floats."""
    return (float(p[0]), float(p[1]), float(p[2]))


def matrix(R: Any) -> Matrix3:
    """Three rows of three plain floats."""
    return (vector(R[0]), vector(R[1]), vector(R[2]))


def moved(shape: P, R: Array, p: Array) -> P:
    """The shape, given in frame A, expressed in the frame where A has the pose (R, p)."""
    rotation = R @ np.array(shape.rotation)
    translation = p + R @ np.array(shape.translation)
    return replace(shape, rotation=matrix(rotation), translation=vector(translation))


def rotation_with_z(z: Array, x_hint: Array | None = None) -> Array:
    """A rotation whose third column is along z; x as near to the hint as possible."""
    z = z / np.linalg.norm(z)
    hint = np.array([1.0, 0.0, 0.0]) if x_hint is None else x_hint
    x = hint - (hint @ z) * z
    if np.linalg.norm(x) < 1e-6:
        hint = np.array([0.0, 1.0, 0.0])
        x = hint - (hint @ z) * z
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def capsule_between(a: Array, b: Array, radius: float, **look: Any) -> Capsule:
    """A round bar whose ball centres are a and b."""
    length = float(np.linalg.norm(b - a))
    rotation = rotation_with_z(b - a) if length > 0 else np.eye(3)
    middle = vector((a + b) / 2)
    return Capsule(
        radius=radius, length=length, rotation=matrix(rotation), translation=middle, **look
    )


def cylinder_between(a: Array, b: Array, radius: float, **look: Any) -> Cylinder:
    """A round bar with flat ends at a and b."""
    length, rotation = float(np.linalg.norm(b - a)), matrix(rotation_with_z(b - a))
    middle = vector((a + b) / 2)
    return Cylinder(radius=radius, length=length, rotation=rotation, translation=middle, **look)


def elbow_path(
    a: Array, z_a: Array | None, b: Array, z_b: Array | None, shortest: float
) -> list[Array]:
    """Corners of a bar from a to b that follows the axes, as the Kleinfinger offsets do.

    Along the axis z_a to the foot of the common normal, along that normal, then along z_b: the
    way `b`, `d`, `r` lead from one joint to the next. Without axes, or where the feet lie far
    away (axes almost parallel), the bar is straight.

    Args:
        a: Start [m].
        z_a: Axis through a, or None.
        b: End [m].
        z_b: Axis through b, or None.
        shortest: Corners nearer than this to their neighbours are left out [m].
    """
    if z_a is None or z_b is None:
        return [a, b]
    way = b - a
    cosine = float(z_a @ z_b)
    if 1.0 - abs(cosine) < 1e-9:
        # Parallel axes have many common normals: take the one that keeps the bar with its end.
        feet = [a + (way @ z_a) * z_a]
    else:
        # Feet of the common normal of the lines a + s z_a and b - t z_b.
        s, t = np.linalg.solve(
            np.array([[1.0, cosine], [cosine, 1.0]]), np.array([way @ z_a, way @ z_b])
        )
        feet = [a + s * z_a, b - t * z_b]
    longest = proportion.LONGEST_ELBOW * float(np.linalg.norm(way))
    if any(np.linalg.norm(f - a) > longest or np.linalg.norm(f - b) > longest for f in feet):
        return [a, b]
    path = [a]
    for foot in feet:
        if min(np.linalg.norm(foot - path[-1]), np.linalg.norm(foot - b)) > shortest:
            path.append(foot)
    return [*path, b]


def rounded_outline(
    points: Sequence[tuple[float, float]], radius: float, steps: int = 5
) -> tuple[tuple[float, float], ...]:
    """Outline around points at a distance, convex, with round corners, counter-clockwise.

    Args:
        points: At least one point [m].
        radius: Distance of the outline from the points [m].
        steps: Straight pieces in a quarter turn.
    """
    hull = convex_hull(points)
    outline: list[tuple[float, float]] = []
    for index, (x, y) in enumerate(hull):
        before, after = hull[index - 1], hull[(index + 1) % len(hull)]
        if len(hull) == 1:
            first, turn = 0.0, math.tau
        else:
            # The corner's arc runs from the normal of the edge before to that of the edge after.
            first = math.atan2(y - before[1], x - before[0]) - math.pi / 2
            last = math.atan2(after[1] - y, after[0] - x) - math.pi / 2
            turn = (last - first) % math.tau
        # A little less than the exact number, so that rounding errors do not add a corner.
        count = max(1, math.ceil(steps * turn / (math.pi / 2) - 1e-6))
        stop = count if len(hull) == 1 else count + 1
        for step in range(stop):
            angle = first + turn * step / count
            outline.append((x + radius * math.cos(angle), y + radius * math.sin(angle)))
    return tuple(outline)


def convex_hull(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Corners of the convex hull, counter-clockwise (Andrew's monotone chain)."""
    scale = max((abs(c) for point in points for c in point), default=0.0) or 1.0
    ordered = sorted({(round(x / scale, 9), round(y / scale, 9)) for x, y in points})
    if len(ordered) < 3:
        return [(x * scale, y * scale) for x, y in ordered]

    def half(chain: list[tuple[float, float]]) -> list[tuple[float, float]]:
        kept: list[tuple[float, float]] = []
        for point in chain:
            while len(kept) > 1 and _turn(kept[-2], kept[-1], point) <= 1e-12:
                kept.pop()
            kept.append(point)
        return kept[:-1]

    corners = half(ordered) + half(ordered[::-1])
    return [(x * scale, y * scale) for x, y in corners]


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def plate_around(
    points: Sequence[Array], normal: Array, radius: float, thickness: float, **look: Any
) -> Plate:
    """A flat piece with round corners that carries all points in its middle plane.

    Args:
        points: At least one point [m]; their spread along the normal is ignored.
        normal: Unit normal of the plate.
        radius: Of the corners, and how far the plate reaches beyond the points [m].
        thickness: Along the normal [m].
        look: Role, branch, tone, color.
    """
    R = rotation_with_z(normal)
    centre = np.mean(points, axis=0)
    turned = [(R.T @ (p - centre)) for p in points]
    flat = tuple((float(p[0]), float(p[1])) for p in turned)
    return Plate(
        outline=rounded_outline(flat, radius),
        thickness=thickness,
        points=flat,
        radius=radius,
        rotation=matrix(R),
        translation=vector(centre),
        **look,
    )


def drawn_outline(plate: Plate, steps: int) -> tuple[tuple[float, float], ...]:
    """The outline for a picture, its round corners with so many pieces in a quarter turn.

    A picture may be as fine as it likes: mass and contacts keep to the plate's own outline.
    """
    if not plate.points:
        return plate.outline
    return rounded_outline(plate.points, plate.radius, steps)
