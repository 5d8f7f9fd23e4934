"""Convex hulls of points in space, with facets of any number of corners."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats, Ints

__all__ = ["MOST_CORNERS", "Hull", "convex_hull"]

MOST_CORNERS = 128
"""Of a hull that is made for contacts: farthest points come first, so it is nearly the whole."""
_FLAT = 1e-9
"""Distance from a facet's plane, in sizes, up to which a point is in it."""
_SAME = 1 - 1e-9
"""Cosine from which on neighbouring triangles are one facet."""


@dataclass(frozen=True, slots=True, eq=False)
class Hull:
    """A convex body."""

    corners: Floats
    """(n, 3) [m]"""
    planes: Floats
    """Outward normal and distance from the origin of each facet, (m, 4)."""
    facets: tuple[Ints, ...]
    """Corners of each facet in order, counter-clockwise from outside."""


def convex_hull(points: Floats, *, most: int = MOST_CORNERS) -> Hull:
    """The smallest convex body around points, by adding the farthest point again and again.

    Args:
        points: (n, 3) [m].
        most: Corners at most; then the body is slightly smaller than the whole hull.

    Raises:
        UsageError: When the points lie in a plane: there is no body.
    """
    points = np.unique(np.asarray(points, dtype=np.float64).reshape(-1, 3), axis=0)
    middle = points.mean(axis=0) if len(points) else np.zeros(3)
    P = points - middle
    size = float(np.abs(P).max()) if len(P) else 0.0
    first = _tetrahedron(P, 1e-7 * size)
    if first is None:
        raise UsageError("its points lie in a plane: there is no body to touch")
    inside = P[first].mean(axis=0)
    faces = np.array([(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)])
    triangles = np.array(first)[faces]
    normals, offsets = _planes(P, triangles)
    flip = normals @ inside > offsets
    triangles[flip] = triangles[flip][:, ::-1]
    normals, offsets = _planes(P, triangles)
    used = set(first)
    while len(used) < most:
        heights = P @ normals.T - offsets
        point, _ = np.unravel_index(int(np.argmax(heights)), heights.shape)
        if heights[point].max() <= _FLAT * size:
            break
        seeing = heights[point] > 0.1 * _FLAT * size
        rim = _rim(triangles[seeing])
        fresh = np.array([(i, j, point) for i, j in rim])
        triangles = np.concatenate([triangles[~seeing], fresh])
        normals, offsets = _planes(P, triangles)
        used.add(int(point))
    return _with_facets(P, triangles, normals, middle, size)


def _tetrahedron(P: Floats, least: float) -> list[int] | None:
    """Four points far from each other, not in a plane."""
    if len(P) < 4:
        return None
    a = int(np.argmin(P[:, 0]))
    b = int(np.argmax(np.linalg.norm(P - P[a], axis=1)))
    along = P[b] - P[a]
    off = np.linalg.norm(np.cross(P - P[a], along), axis=1)
    c = int(np.argmax(off))
    if not off[c] > least * max(float(np.linalg.norm(along)), 1e-300):
        return None
    n = np.cross(along, P[c] - P[a])
    height = np.abs((P - P[a]) @ n) / np.linalg.norm(n)
    d = int(np.argmax(height))
    return [a, b, c, d] if height[d] > least else None


def _planes(P: Floats, triangles: Ints) -> tuple[Floats, Floats]:
    a, b, c = (P[triangles[:, k]] for k in range(3))
    n = np.cross(b - a, c - a)
    n /= np.maximum(np.linalg.norm(n, axis=1), 1e-300)[:, None]
    return n, np.einsum("ij,ij->i", n, a)


def _rim(triangles: Ints) -> list[tuple[int, int]]:
    """Edges of triangles that no other of them shares, in their direction."""
    edges = {(int(t[i]), int(t[(i + 1) % 3])) for t in triangles for i in range(3)}
    return [(i, j) for i, j in sorted(edges) if (j, i) not in edges]


def _with_facets(P: Floats, triangles: Ints, normals: Floats, middle: Floats, size: float) -> Hull:
    """Triangles of one plane as one facet."""
    index = {int(p): k for k, p in enumerate(np.unique(triangles))}
    corners = P[list(index)]
    left = list(range(len(triangles)))
    planes, facets = [], []
    while left:
        n = normals[left[0]]
        offset = float(n @ P[triangles[left[0]][0]])
        same = [
            f
            for f in left
            if normals[f] @ n > _SAME
            and np.abs(P[triangles[f]] @ n - offset).max() <= 10 * _FLAT * size
        ]
        left = [f for f in left if f not in same]
        ring = np.unique(triangles[same])
        away = P[ring] - P[ring].mean(axis=0)
        u = away[int(np.argmax(np.linalg.norm(away, axis=1)))]
        u = u / np.linalg.norm(u)
        order = np.argsort(np.arctan2(away @ np.cross(n, u), away @ u))
        facets.append(np.array([index[int(p)] for p in ring[order]], dtype=np.int32))
        planes.append([*n, offset + float(n @ middle)])
    return Hull(corners + middle, np.array(planes), tuple(facets))
