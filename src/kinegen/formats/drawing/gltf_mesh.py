"""Primitives as triangles with normals, for viewers that draw triangles."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kinegen.formats.drawing.svg_solid import Solid, tessellate
from kinegen.mechanism.shapes.shapes import Primitive

__all__ = ["Triangles", "triangles_of"]

SIDES = 24
"""Of round things."""
SMOOTH = np.cos(np.radians(40))
"""Faces that meet at less than this angle look like one curved surface."""

Triangles = tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.uint32]]
"""Positions (n, 3) [m], normals (n, 3), corners of triangles (m, 3)."""


def triangles_of(shape: Primitive) -> Triangles | None:
    """Triangles of a primitive in its link's frame; None for mesh files."""
    solid = tessellate(shape, SIDES)
    if solid is None:
        return None
    R, p = np.array(shape.rotation), np.array(shape.translation)
    points, normals, corners = _triangulated(solid)
    return (
        (points @ R.T + p).astype(np.float32),
        (normals @ R.T).astype(np.float32),
        np.array(corners, dtype=np.uint32),
    )


def _triangulated(
    solid: Solid,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], list[tuple[int, int, int]]]:
    """Every face as a fan with corners of its own; normals shared with faces that continue it."""
    around: list[list[int]] = [[] for _ in solid.vertices]
    for i, face in enumerate(solid.faces):
        for vertex in face:
            around[vertex].append(i)
    points: list[npt.NDArray[np.float64]] = []
    normals: list[npt.NDArray[np.float64]] = []
    corners: list[tuple[int, int, int]] = []
    for i, face in enumerate(solid.faces):
        first = len(points)
        for vertex in face:
            near = [
                solid.normals[k]
                for k in around[vertex]
                if solid.normals[k] @ solid.normals[i] > SMOOTH
            ]
            normal = np.sum(near, axis=0)
            points.append(solid.vertices[vertex])
            normals.append(normal / np.linalg.norm(normal))
        corners += [(first, first + k, first + k + 1) for k in range(1, len(face) - 1)]
    return np.array(points), np.array(normals), corners
