"""Height fields as closed bodies of triangles: their surface, walls down to a flat bottom."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinegen.mechanism.shapes.data import Array, Heights

__all__ = ["bottom_of", "height_body"]


def bottom_of(field: Heights) -> float:
    """Where a field's body ends below [m]."""
    return min(0.0, *(min(row) for row in field.rows)) - field.depth


def height_body(field: Heights) -> tuple[Array, NDArray[np.int32]]:
    """Vertices [m] and triangles of a field, counter-clockwise seen from outside."""
    grid = np.array(field.rows, dtype=float)
    rows, columns = grid.shape
    x = np.linspace(-0.5, 0.5, columns) * field.size[0]
    y = np.linspace(-0.5, 0.5, rows) * field.size[1]
    top = np.column_stack([np.tile(x, rows), np.repeat(y, columns), grid.ravel()])
    at = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = at[:-1, :-1], at[:-1, 1:], at[1:, :-1], at[1:, 1:]
    # each cell's triangles share the edge from b to c, as in the kernels
    faces = [
        np.stack([a, b, c], axis=-1).reshape(-1, 3),
        np.stack([b, d, c], axis=-1).reshape(-1, 3),
    ]
    rim = np.concatenate([at[0, :-1], at[:-1, -1], at[-1, :0:-1], at[:0:-1, 0]])
    low = len(top) + np.arange(len(rim))
    bottom = top[rim].copy()
    bottom[:, 2] = bottom_of(field)
    after, low_after = np.roll(rim, -1), np.roll(low, -1)
    faces += [np.column_stack([rim, low, low_after]), np.column_stack([rim, low_after, after])]
    faces += [np.column_stack([np.full(len(low) - 2, low[0]), low[2:], low[1:-1]])]
    return np.concatenate([top, bottom]), np.concatenate(faces).astype(np.int32)
