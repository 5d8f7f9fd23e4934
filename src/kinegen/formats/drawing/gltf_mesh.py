"""Primitives as triangles with normals, for viewers that draw triangles."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kinegen.curves.mesh_seam import TriangleMesh
from kinegen.formats.drawing.pictures.solid import Solid, corners_of, tessellate
from kinegen.mechanism.shapes.shapes import Primitive

__all__ = ["Triangles", "flat_triangles", "triangles_of"]

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


def flat_triangles(mesh: TriangleMesh, shape: Primitive) -> Triangles:
    """Triangles of a mesh file in its link's frame, each flat, as viewers show such files."""
    R, p = np.array(shape.rotation), np.array(shape.translation)
    corners = mesh.triangles @ R.T + p
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    flat = lengths[:, 0] > 0
    corners, normals = corners[flat], normals[flat] / lengths[flat]
    return (
        corners.reshape(-1, 3).astype(np.float32),
        np.repeat(normals, 3, axis=0).astype(np.float32),
        np.arange(3 * len(corners), dtype=np.uint32).reshape(-1, 3),
    )


def _triangulated(
    solid: Solid,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], list[tuple[int, int, int]]]:
    """Every face as a fan with corners of its own; normals shared with faces that continue it."""
    vertices, starts, counts = corners_of(solid.faces)
    owners = np.repeat(np.arange(len(counts)), counts)
    # which faces have each vertex, and which of these continue a corner's own face
    around = np.zeros((len(solid.vertices), len(counts)), dtype=bool)
    around[vertices, owners] = True
    smooth = solid.normals @ solid.normals.T > SMOOTH
    normals = (around[vertices] & smooth[owners]) @ solid.normals
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    corners = [
        (first, first + k, first + k + 1)
        for first, count in zip(starts.tolist(), counts.tolist(), strict=True)
        for k in range(1, count - 1)
    ]
    return solid.vertices[vertices], normals, corners
