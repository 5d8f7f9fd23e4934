"""Carving: which voxels of a box lie inside all silhouettes that see them."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.protocols.hull import Bytes

__all__ = ["hull_carve", "pixels_of", "voxel_centres"]


def voxel_centres(box: Floats, shape: Ints) -> Floats:
    """Centres of the voxels of a box [m], (count, 3); the last axis varies fastest."""
    axes = [
        lower + (np.arange(n) + 0.5) * ((upper - lower) / n)
        for lower, upper, n in zip(*box, shape, strict=True)
    ]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)


def pixels_of(
    P: Floats, width: int, height: int, points: Floats
) -> tuple[Ints, Ints, Floats, np.ndarray]:
    """Columns and rows of the pixels of points, their depths [m], and whether they are seen."""
    x, y, z = points.T
    u, v, depth = (((p[0] * x + p[1] * y) + p[2] * z) + p[3] for p in P)
    with np.errstate(divide="ignore", invalid="ignore"):
        u, v = u / depth, v / depth
    seen = (depth > 0) & (u >= 0) & (u < width) & (v >= 0) & (v < height)
    column = np.where(seen, u, 0).astype(np.int32)
    row = np.where(seen, v, 0).astype(np.int32)
    return column, row, depth, seen


def hull_carve(silhouettes: Bytes, projections: Floats, box: Floats, shape: Ints) -> Bytes:
    """Voxels that at least one camera sees and all that see them have in their silhouettes."""
    points = voxel_centres(box, shape)
    height, width = silhouettes.shape[1:]
    is_seen = np.zeros(len(points), dtype=bool)
    kept = np.ones(len(points), dtype=bool)
    for silhouette, P in zip(silhouettes, projections, strict=True):
        column, row, _, seen = pixels_of(P, width, height, points)
        is_seen |= seen
        kept &= ~seen | (silhouette[row, column] != 0)
    return (is_seen & kept).astype(np.uint8).reshape(tuple(shape))
