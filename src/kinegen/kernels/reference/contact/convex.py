"""Distance of two convex shapes and the direction between them.

By Gilbert, Johnson and Keerthi's algorithm while they are apart, by an expanding polytope where
they overlap. Balls and capsules count without their radii.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.contact.shapes import Shape

__all__ = ["Separation", "epa", "gjk", "nearest_on_triangle", "separation"]

GJK_STEPS, GJK_NEAR, GJK_ACCURACY = 64, 1e-10, 1e-12
EPA_VERTICES, EPA_ACCURACY, EPA_SEEN, EPA_THIN = 96, 1e-9, 1e-12, 1e-14
TETRA_FACES = ((0, 1, 2, 3), (0, 1, 3, 2), (0, 2, 3, 1), (1, 2, 3, 0))
"""Faces of a tetrahedron, each with the corner that it leaves out."""

Vertex = tuple[Floats, Floats, Floats]
"""A point of b - a, and those of a and b that it comes from."""


@dataclass(slots=True, eq=False)
class Separation:
    """How far two shapes are apart, without their radii."""

    distance: float
    """Negative: depth."""
    normal: Floats
    """From a to b."""
    p: Floats
    q: Floats
    """Nearest points of a and b."""


def vertex_along(a: Shape, b: Shape, d: Floats) -> Vertex:
    """The outermost point of b - a."""
    q, p = b.support(d), a.support(-d)
    return q - p, p, q


def separation(a: Shape, b: Shape, n: Floats) -> float:
    """How far b is from a along a direction."""
    return float(n @ (b.support(-n) - a.support(n)))


def nearest_on_triangle(a: Floats, b: Floats, c: Floats) -> Floats:
    """Shares of the corners in the point nearest to the origin (Ericson 2005, 5.1.5)."""
    ab, ac = b - a, c - a
    d1, d2, d3, d4, d5, d6 = -ab @ a, -ac @ a, -ab @ b, -ac @ b, -ab @ c, -ac @ c
    if d1 <= 0 and d2 <= 0:
        return np.array([1.0, 0, 0])
    if d3 >= 0 and d4 <= d3:
        return np.array([0.0, 1, 0])
    vc = d1 * d4 - d3 * d2
    if vc <= 0 and d1 >= 0 and d3 <= 0:
        t = d1 / (d1 - d3)
        return np.array([1 - t, t, 0])
    if d6 >= 0 and d5 <= d6:
        return np.array([0.0, 0, 1])
    vb = d5 * d2 - d1 * d6
    if vb <= 0 and d2 >= 0 and d6 <= 0:
        t = d2 / (d2 - d6)
        return np.array([1 - t, 0, t])
    va = d3 * d6 - d5 * d4
    if va <= 0 and d4 - d3 >= 0 and d5 - d6 >= 0:
        t = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return np.array([0, 1 - t, t])
    v, w = vb / (va + vb + vc), vc / (va + vb + vc)
    return np.array([1 - v - w, v, w])


def _nearest_on_simplex(s: list[Vertex]) -> tuple[Floats, bool]:
    """Shares of a simplex's corners, and whether the origin is inside."""
    points = [vertex[0] for vertex in s]
    if len(s) == 1:
        return np.ones(1), False
    if len(s) == 2:
        ab = points[1] - points[0]
        length = float(ab @ ab)
        t = min(1.0, max(0.0, -float(points[0] @ ab) / length if length > 0 else 0.0))
        return np.array([1 - t, t]), False
    if len(s) == 3:
        return nearest_on_triangle(*points), False
    best, share, inside = math.inf, np.zeros(4), True
    for *face, other in TETRA_FACES:
        a, b, c = (points[i] for i in face)
        n, ao = np.cross(b - a, c - a), points[other] - a
        own, ours = float(n @ ao), -float(n @ a)
        flat = 1e-13 * math.sqrt(float(n @ n) * float(ao @ ao))
        if abs(own) > flat and own * ours > 0:
            continue
        inside = False
        part = nearest_on_triangle(a, b, c)
        at = part @ np.array([a, b, c])
        if at @ at < best:
            best, share = float(at @ at), np.zeros(4)
            share[face] = part
    return share, inside


def gjk(a: Shape, b: Shape, scale: float, beyond: float) -> tuple[Separation | None, list[Vertex]]:
    """How shapes are apart; None with a simplex where they overlap or nearly touch.

    No distance farther than ``beyond`` is of interest: then it is a lower bound.
    """
    v = b.p - a.p
    if not v.any():
        v = np.array([1.0, 0.0, 0.0])
    s: list[Vertex] = []
    share = np.ones(1)
    for step in range(GJK_STEPS):
        w = vertex_along(a, b, -v)
        size, along = float(v @ v), float(v @ w[0])
        if step and size - along <= GJK_ACCURACY * size:
            break
        if along > 0 and along * along > beyond * beyond * size:
            length = math.sqrt(size)
            return Separation(along / length, v / length, w[1], w[2]), s
        best, best_share = s, share
        s = [*s, w]
        share, inside = _nearest_on_simplex(s)
        if inside:
            return None, s
        s = list(itertools.compress(s, share > 0))
        share = share[share > 0]
        nearer = share @ np.array([vertex[0] for vertex in s])
        if step and not float(nearer @ nearer) < size:
            # rounding alone: of a simplex that is nearly flat anything may come out
            s, share = best, best_share
            break
        v = nearer
        if v @ v <= (GJK_NEAR * scale) ** 2:
            return None, s
    p, q = (share @ np.array([vertex[k] for vertex in s]) for k in (1, 2))
    length = math.sqrt(float(v @ v))
    return Separation(length, v / length, p, q), s


def _widen(a: Shape, b: Shape, s: list[Vertex]) -> list[Vertex] | None:
    """A tetrahedron with volume, from a simplex; None: b - a is flat."""
    for axis, side in itertools.product(range(3), (-1.0, 1.0)):
        if len(s) < 2:
            w = vertex_along(a, b, side * np.eye(3)[axis])
            if not s or float(np.sum((w[0] - s[0][0]) ** 2)) > 1e-24:
                s = [*s, w]
    if len(s) == 2:
        ab = s[1][0] - s[0][0]
        d = np.cross(ab, np.eye(3)[int(np.argmin(np.abs(ab)))])
        e = np.cross(ab, d)
        for i in range(6):
            c, t = math.cos(i * math.pi / 3), math.sin(i * math.pi / 3)
            w = vertex_along(a, b, c * d / np.linalg.norm(d) + t * e / np.linalg.norm(e))
            if float(np.sum(np.cross(ab, w[0] - s[0][0]) ** 2)) > 1e-24 * float(ab @ ab):
                s = [*s, w]
                break
    if len(s) == 3:
        n = np.cross(s[1][0] - s[0][0], s[2][0] - s[0][0])
        for side in (-1.0, 1.0):
            w = vertex_along(a, b, side * n)
            if abs(float((w[0] - s[0][0]) @ n)) > 1e-12 * float(np.linalg.norm(n)):
                s = [*s, w]
                break
    return s if len(s) == 4 else None


Facet = tuple[int, int, int, Floats, float]
"""Three vertices, outward normal, distance from the origin."""


def _facet(points: list[Vertex], i: int, j: int, k: int, thin: float) -> Facet | None:
    n = np.cross(points[j][0] - points[i][0], points[k][0] - points[i][0])
    size = float(np.linalg.norm(n))
    return (i, j, k, n / size, float(n @ points[i][0]) / size) if size > thin else None


def epa(a: Shape, b: Shape, scale: float, simplex: list[Vertex]) -> Separation | None:
    """How deep two shapes are in each other; None: they have no volume between them."""
    points = _widen(a, b, simplex)
    if points is None:
        return None
    faces: list[Facet] = []
    thin = EPA_THIN * scale * scale
    for i, j, k, other in TETRA_FACES:
        n = np.cross(points[j][0] - points[i][0], points[k][0] - points[i][0])
        outwards = float(n @ (points[other][0] - points[i][0])) < 0
        made = _facet(points, i, *((j, k) if outwards else (k, j)), thin)
        if made is None:
            return None
        faces.append(made)
    complete = True
    while complete:
        best = min(faces, key=lambda face: face[4])
        if len(points) == EPA_VERTICES:
            break
        w = vertex_along(a, b, best[3])
        if float(w[0] @ best[3]) - best[4] <= EPA_ACCURACY * scale:
            break
        # faces that see the new vertex go; their rim is joined to it
        seeing = [f for f in faces if float(f[3] @ (w[0] - points[f[0]][0])) > EPA_SEEN * scale]
        if not seeing:
            break
        edges = [e for i, j, k, *_ in seeing for e in ((i, j), (j, k), (k, i))]
        faces = [f for f in faces if not any(f is gone for gone in seeing)]
        points = [*points, w]
        made_all = [
            _facet(points, i, j, len(points) - 1, thin) for i, j in edges if (j, i) not in edges
        ]
        complete = all(made is not None for made in made_all)
        faces += [made for made in made_all if made is not None]
    i, j, k, n, distance = best
    at = [points[i], points[j], points[k]]
    share = nearest_on_triangle(*(vertex[0] - distance * n for vertex in at))
    p, q = (share @ np.array([vertex[c] for vertex in at]) for c in (1, 2))
    return Separation(-distance, -n, p, q)
