"""All contacts of the shapes where they are: which pairs may touch, and where they do."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.protocols.contact import FoundContacts, ShapeKind
from kinegen.kernels.reference.contact.boxes import separate_boxes
from kinegen.kernels.reference.contact.convex import (
    Separation,
    epa,
    gjk,
    nearest_on_triangle,
    separation,
)
from kinegen.kernels.reference.contact.faces import (
    Face,
    Touching,
    choose_points,
    face_along,
    touch_at,
    touch_faces,
)
from kinegen.kernels.reference.contact.shapes import Shape, Shapes

__all__ = ["find_contacts", "separate", "touch_heights", "touch_pair"]

SNAP, SNAP_FACING = 1e-9, 0.95

Rows = list[tuple[int, int, Floats, Floats, float]]
"""Shapes, point, normal, distance."""


def _own_directions(shape: Shape, found: Floats, side: float) -> list[tuple[Floats, bool]]:
    """Directions that a shape has by itself; whether either sign counts."""
    match shape.kind:
        case ShapeKind.BOX:
            return [(axis, True) for axis in shape.R.T]
        case ShapeKind.HULL:
            if not len(shape.planes):
                return []
            facet = int(np.argmax(side * (shape.planes[:, :3] @ (found @ shape.R))))
            return [(side * (shape.R @ shape.planes[facet, :3]), False)]
        case ShapeKind.CYLINDER:
            axis = shape.R[:, 2]
            aside = found - float(axis @ found) * axis
            size = float(np.linalg.norm(aside))
            return [(axis, True), *([(aside / size, False)] if size > 0.1 else [])]
    return []


def _snap(a: Shape, b: Shape, scale: float, sep: Separation) -> None:
    """Prefer a direction that one of the shapes has by itself, where it separates as well."""
    found = sep.normal
    anywhere = abs(sep.distance) < 1e-7 * scale
    best = sep.distance - SNAP * scale
    offers = _own_directions(a, found, 1.0) + _own_directions(b, found, -1.0)
    if a.kind == b.kind == ShapeKind.CYLINDER:
        n = np.cross(a.R[:, 2], b.R[:, 2])
        size = float(np.linalg.norm(n))
        offers += [(n / size, True)] if size > 1e-3 else []
    for direction, either in offers:
        ways = (1.0, -1.0) if anywhere else (-1.0 if direction @ found < 0 else 1.0,)
        for side in ways if either else (1.0,):
            way = side * direction
            if not anywhere and way @ found < SNAP_FACING:
                continue
            distance = separation(a, b, way)
            if distance >= best:
                best = max(best, distance)
                sep.distance, sep.normal = distance, way


def separate(a: Shape, b: Shape, scale: float, margin: float) -> Separation | None:
    """Distance and direction of two convex shapes; None: farther apart than the margin."""
    if a.kind == b.kind == ShapeKind.BOX:
        return separate_boxes(a, b, margin)
    radii = a.radius + b.radius
    sep, simplex = gjk(a, b, scale, margin + radii)
    if sep is None:
        sep = epa(a, b, scale, simplex)
        if sep is None:
            n = np.array([0.0, 0.0, 1.0])
            p = a.support(n)
            sep = Separation(separation(a, b, n), n, p, p)
    elif sep.distance - radii > margin:
        return None
    _snap(a, b, scale, sep)
    return sep


def _convex(a: Shape, b: Shape, margin: float) -> tuple[Touching, Floats]:
    sep = separate(a, b, a.reach + b.reach, margin)
    if sep is None or sep.distance - a.radius - b.radius >= margin:
        return [], np.zeros(3)
    f, g = face_along(a, sep.normal), face_along(b, -sep.normal)
    return touch_faces(f, g, sep, a.radius, b.radius, margin)


def _plane(a: Shape, b: Shape, margin: float) -> tuple[Touching, Floats]:
    n = a.R[:, 2]
    points = list(face_along(b, -n).p)
    if b.kind == ShapeKind.HULL:
        lowest = b.support(-n)
        if not any(np.array_equal(lowest, p) for p in points):
            points.append(lowest)
    found: Touching = []
    for p in points:
        touch_at(found, p, n, float((p - a.p) @ n), b.radius, 0.0, margin)
    return found, n


def touch_heights(a: Shape, b: Shape, margin: float) -> Rows:
    """The shape meets each triangle below it, as a prism down to the field's bottom."""
    centre, reach = a.local(b.p), b.reach + margin
    spans = []
    for k, count in enumerate(a.heights.shape[::-1]):
        width = 2 * a.size[k] / (count - 1)
        low, high = (math.floor((centre[k] + s * reach + a.size[k]) / width) for s in (-1, 1))
        if high < 0 or low > count - 2:
            return []
        spans.append(range(max(low, 0), min(high, count - 2) + 1))
    rows: Rows = []
    for top in a.triangles(spans[1], spans[0]):
        if centre[2] - reach > top[:, 2].max():
            continue
        bottom = top.copy()
        bottom[:, 2] = np.minimum(-a.size[2], top[:, 2] - a.size[2])
        up = np.cross(top[1] - top[0], top[2] - top[0])
        size = float(np.linalg.norm(up))
        f = Face(a.world(top), a.R @ (up / size))
        prism = replace(
            a, kind=ShapeKind.HULL, corners=np.concatenate([top, bottom]), planes=np.zeros((0, 4))
        )
        sep = separate(prism, b, b.reach + math.sqrt(size), margin)
        if sep is None:
            continue
        out = separation(prism, b, f.normal)
        by_face = out >= sep.distance - 1e-9 * b.reach or float(sep.normal @ f.normal) < 0.5
        if by_face:
            if out < -(a.size[2] + b.reach):
                continue
            q = b.support(-f.normal)
            sep = Separation(out, f.normal, q - out * f.normal, q)
        if sep.distance - b.radius >= margin:
            continue
        g = face_along(b, -sep.normal)
        if by_face and len(g.p) < 2:
            corners = top - a.local(sep.p)
            off = nearest_on_triangle(*corners) @ corners
            if off @ off > 1e-18 * size:
                continue
        found, n = touch_faces(f, g, sep, 0.0, b.radius, margin)
        fresh = [
            (p, d)
            for p, d in found
            if not any(float(np.sum((p - row[2]) ** 2)) < 1e-12 * size for row in rows)
        ]
        rows += [(a.index, b.index, p, n, d) for p, d in choose_points(fresh, n)]
    return rows


def _may_touch(a: Shape, b: Shape, margin: float) -> bool:
    if a.kind == ShapeKind.PLANE:
        return bool((b.p - a.p) @ a.R[:, 2] < margin + b.reach)
    return bool(np.linalg.norm(b.p - a.p) < a.reach + b.reach + margin)


def touch_pair(one: Shape, other: Shape, margin: float) -> Rows:
    """Contacts of two shapes that are nearer than a margin."""
    a, b = sorted((one, other), key=lambda shape: (shape.kind, shape.index))
    if b.kind <= ShapeKind.HEIGHTS or not _may_touch(a, b, margin):
        return []
    if a.kind == ShapeKind.HEIGHTS:
        return touch_heights(a, b, margin)
    touch = _plane if a.kind == ShapeKind.PLANE else _convex
    found, n = touch(a, b, margin)
    return [(a.index, b.index, p, n, d) for p, d in choose_points(found, n)]


def find_contacts(shapes: Shapes, margin: float) -> FoundContacts:
    """All contacts nearer than a margin, in the order in which pairs come along x."""
    rows: Rows = []

    def low(shape: Shape) -> float:
        return -math.inf if shape.kind == ShapeKind.PLANE else float(shape.p[0]) - shape.reach

    order = sorted(shapes.all, key=lambda shape: (low(shape), shape.index))
    for k, one in enumerate(order):
        for other in order[k + 1 :]:
            if shapes.meets[one.index, other.index]:
                rows += touch_pair(one, other, margin)
    pairs = np.array([row[:2] for row in rows], dtype=np.int32).reshape(-1, 2)
    points, normals = (np.array([row[k] for row in rows]).reshape(-1, 3) for k in (2, 3))
    return pairs, points, normals, np.array([row[4] for row in rows], dtype=np.float64)
