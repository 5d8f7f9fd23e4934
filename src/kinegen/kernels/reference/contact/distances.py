"""Signed distances from a point to shapes, and the directions out of them."""

from __future__ import annotations

import math

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.protocols.contact import ShapeKind
from kinegen.kernels.reference.contact.convex import gjk, nearest_on_triangle
from kinegen.kernels.reference.contact.shapes import Shape, Shapes

__all__ = ["nearest_shape", "shape_distance"]

UP, ASIDE = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])


def _box(p: Floats, half: Floats) -> tuple[float, Floats]:
    """A box in as many dimensions as the point has."""
    over, sides = np.abs(p) - half, np.where(p < 0, -1.0, 1.0)
    most = float(over.max())
    if most <= 0:
        out = np.zeros(len(p))
        out[int(np.argmax(over))] = sides[int(np.argmax(over))]
        return most, out
    beyond = np.maximum(over, 0.0)
    length = float(np.linalg.norm(beyond))
    return length, sides * beyond / length


def _round(p: Floats, middle: Floats, radius: float) -> tuple[float, Floats]:
    length = float(np.linalg.norm(p))
    return length - radius, p / length if length > 1e-300 else middle


def _hull(shape: Shape, p: Floats) -> tuple[float, Floats]:
    over = shape.planes[:, :3] @ p - shape.planes[:, 3]
    facet = int(np.argmax(over))
    if over[facet] <= 0:
        return float(over[facet]), shape.planes[facet, :3]
    apart = gjk(shape, _point(shape.world(p)), shape.reach, math.inf)[0]
    if apart is None:
        return float(over[facet]), shape.planes[facet, :3]
    return apart.distance, apart.normal @ shape.R


def _point(p: Floats) -> Shape:
    none = np.zeros((0, 3))
    return Shape(
        -1, ShapeKind.BALL, 0, np.zeros(3), np.zeros(12), none, none, [], none, 0.0, np.eye(3), p
    )


def _heights(shape: Shape, p: Floats) -> tuple[float, Floats]:
    rows, columns = shape.heights.shape
    best, away, up = math.inf, UP, UP
    for corners in shape.triangles(range(rows - 1), range(columns - 1)):
        at = nearest_on_triangle(*(corners - p)) @ (corners - p)
        if at @ at < best:
            best, away = float(at @ at), -at
            up = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    length, side = math.sqrt(best), -1.0 if away @ up < 0 else 1.0
    if length > 1e-300:
        return side * length, side * away / length
    return side * length, up / np.linalg.norm(up)


def shape_distance(shape: Shape, p: Floats) -> tuple[float, Floats]:
    """Distance of a point in a shape's axes, negative inside, and the direction out."""
    size = shape.size
    match shape.kind:
        case ShapeKind.PLANE:
            return float(p[2]), UP
        case ShapeKind.BALL:
            return _round(p, UP, size[0])
        case ShapeKind.CAPSULE:
            along = np.array([0.0, 0.0, np.clip(p[2], -size[1], size[1])])
            return _round(p - along, ASIDE, size[0])
        case ShapeKind.CYLINDER:
            flat = math.hypot(p[0], p[1])
            distance, (out, up) = _box(np.array([flat, p[2]]), size[:2])
            x, y = p[:2] / flat if flat > 1e-300 else ASIDE[:2]
            return distance, np.array([out * x, out * y, up])
        case ShapeKind.BOX:
            return _box(p, size)
        case ShapeKind.HULL:
            return _hull(shape, p)
    return _heights(shape, p)


def nearest_shape(shapes: Shapes, point: Floats) -> tuple[float, int, Floats]:
    """Signed distance to the nearest shape, which (-1: none), and the way out."""
    best, found, normal = math.inf, -1, UP
    for shape in shapes.all:
        distance, out = shape_distance(shape, shape.local(point))
        if distance < best:
            best, found, normal = distance, shape.index, shape.R @ out
    return best, found, normal
