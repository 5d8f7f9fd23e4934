"""Colours of a hull's vertices: from the cameras that see them best."""

from __future__ import annotations

import math

import numpy as np

from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.protocols.hull import Bytes
from kinegen.kernels.reference.hull.carve import pixels_of

__all__ = ["hull_colours"]

UNSEEN_GREY = 160
"""Colour of vertices that no camera sees."""
HIDDEN = 3
"""A vertex is hidden if something lies this many voxels nearer in the same block of pixels."""
LARGEST_BLOCK = 64
"""[pixels]"""


def hull_colours(
    silhouettes: Bytes, pictures: Bytes, projections: Floats, centres: Floats, voxel: float,
    vertices: Floats, triangles: Ints,
) -> Bytes:  # fmt: skip
    """Colours (vertex_count, 3): means over the cameras that see a vertex and have it inside.

    The weights are the squares of the cosines between normal and ray. ``voxel``: its diagonal [m].
    """
    height, width = silhouettes.shape[1:]
    normals = _normals(vertices, triangles)
    sums, weights = np.zeros((len(vertices), 3)), np.zeros(len(vertices))
    for silhouette, picture, P, eye in zip(
        silhouettes, pictures, projections, centres, strict=True
    ):
        column, row, depth, seen = pixels_of(P, width, height, vertices)
        if not seen.any():
            continue
        # the nearest depth in each block of pixels
        block = _block(P, voxel, float(depth[seen].min()))
        nearest = np.full((height // block + 1, width // block + 1), np.inf)
        np.minimum.at(nearest, (row[seen] // block, column[seen] // block), depth[seen])
        shown = seen & (depth <= nearest[row // block, column // block] + HIDDEN * voxel)
        # what this camera adds to the vertices that it sees
        ray = eye - vertices
        facing = (ray[:, 0] * normals[:, 0] + ray[:, 1] * normals[:, 1]) + ray[:, 2] * normals[:, 2]
        shown &= (facing > 0) & (silhouette[row, column] != 0)
        lengths = _squares(ray) * _squares(normals)
        weight = facing[shown] * facing[shown] / lengths[shown]
        sums[shown] += weight[:, None] * picture[row[shown], column[shown]]
        weights[shown] += weight
    with np.errstate(invalid="ignore"):
        means = sums / weights[:, None] + 0.5
    return np.where(weights[:, None] > 0, means, UNSEEN_GREY).astype(np.uint8)


def _squares(rows: Floats) -> Floats:
    x, y, z = rows.T
    return np.asarray((x * x + y * y) + z * z)


def _normals(vertices: Floats, triangles: Ints) -> Floats:
    """Sums of the normals of the triangles at each vertex, of any length."""
    a, b, c = (vertices[corner] for corner in triangles.T)
    normals = np.zeros_like(vertices)
    np.add.at(normals, triangles, np.cross(b - a, c - a)[:, None])
    return normals


def _block(P: Floats, voxel: float, nearest: float) -> int:
    """Side of the blocks of pixels: what a voxel's diagonal covers at the nearest vertex.

    So a surface leaves no block open.
    """
    along = float(P[0, :3] @ P[2, :3])
    focal = float(np.linalg.norm(P[0, :3] - along * P[2, :3]))
    return min(max(math.ceil(focal * voxel / nearest), 1), LARGEST_BLOCK)
