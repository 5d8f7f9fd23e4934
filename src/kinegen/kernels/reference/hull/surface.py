"""Surface of voxels: surface nets, a closed mesh whose triangles face outwards.

After Gibson (1998), Constrained elastic surface nets: one vertex in each cell of eight voxels that
are not all alike, moved to the middle of its neighbours within its cell.
"""

from __future__ import annotations

import itertools

import numpy as np

from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.protocols.hull import Bytes

__all__ = ["hull_surface"]


def hull_surface(occupied: Bytes, box: Floats, smoothing: int) -> tuple[Floats, Ints]:
    """Vertices [m] and triangles of the surface of voxels.

    ``smoothing``: rounds in which each vertex moves to the mean of its neighbours.
    """
    full = np.pad(occupied != 0, 1)
    cells, index = _cells(full)
    quads = _quads(full, index)
    place = _middles(full, cells)
    for _ in range(smoothing):
        sums, number = np.zeros_like(place), np.zeros(len(place))
        ends = np.stack([quads, np.roll(quads, -1, axis=1)], axis=-1).reshape(-1, 2)
        for here, there in (ends.T, ends.T[::-1]):
            np.add.at(sums, here, place[there])
            np.add.at(number, here, 1)
        place = cells + np.clip(sums / number[:, None] - cells, -0.5, 0.5)
    size = (box[1] - box[0]) / occupied.shape
    triangles = quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)
    return box[0] + place * size, triangles.astype(np.int32)


def _cells(full: np.ndarray) -> tuple[Floats, Ints]:
    """Places of the cells that have a vertex, in voxels, (count, 3), and the vertex of each cell.

    Cell i lies between the centres of voxels i - 1 and i.
    """
    corners = [
        full[tuple(slice(i, n - 1 + i) for i, n in zip(corner, full.shape, strict=True))]
        for corner in itertools.product((0, 1), repeat=3)
    ]
    number = np.sum(corners, axis=0)
    has_vertex = (number > 0) & (number < 8)
    index = np.full(number.shape, -1, dtype=np.int32)
    index[has_vertex] = np.arange(has_vertex.sum())
    return np.argwhere(has_vertex).astype(float), index


def _quads(full: np.ndarray, index: Ints) -> Ints:
    """Four vertices around each face between a full and an empty voxel, seen from outside."""
    found = []
    for axis in range(3):
        # all pairs of voxels along this axis, apart from those in the border
        inner = [slice(1, -1)] * 3
        inner[axis] = slice(0, -1)
        beyond = list(inner)
        beyond[axis] = slice(1, None)
        here, there = full[tuple(inner)], full[tuple(beyond)]
        at = np.argwhere(here != there)
        at += [0 if i == axis else 1 for i in range(3)]
        b, c = np.eye(3, dtype=int)[[(axis + 1) % 3, (axis + 2) % 3]]
        quad = [index[tuple((at - step).T)] for step in (b + c, c, 0 * b, b)]
        is_out = full[tuple(at.T)]
        forwards, backwards = np.stack(quad, axis=1), np.stack([quad[i] for i in (0, 3, 2, 1)], 1)
        found.append(np.where(is_out[:, None], forwards, backwards))
    return np.concatenate(found)


def _middles(full: np.ndarray, cells: Floats) -> Floats:
    """The mean of the middles of the edges of each cell whose ends differ, in voxels."""
    at = cells.astype(int)
    sums, cuts = np.zeros_like(cells), np.zeros(len(cells))
    for axis in range(3):
        along = np.eye(3, dtype=int)[axis]
        for corner in itertools.product((0, 1), repeat=3):
            if corner[axis]:
                continue
            start = at + corner
            is_cut = full[tuple(start.T)] != full[tuple((start + along).T)]
            offset = np.array(corner) - 0.5
            offset[axis] = 0.0
            sums += np.where(is_cut[:, None], offset, 0.0)
            cuts += is_cut
    return cells + sums / cuts[:, None]
