"""The body of a stored cloud: its cells, filled piece by piece."""

from __future__ import annotations

import math

import numpy as np

from kinegen.errors import UsageError, unknown_name
from kinegen.workspace.bodies.body import POINTS_PER_CELL
from kinegen.workspace.bodies.voxels import Voxels, check_size
from kinegen.workspace.runs.run import CloudRun

__all__ = ["voxels_of_run"]

CELLS = 4_000_000
"""Cells of the box by default: more would be too many for the surface, however many poses."""


def voxels_of_run(run: CloudRun, *, frame: str | None = None, cell: float | None = None) -> Voxels:
    """The cells that contain the points of a frame of a stored cloud, one piece at a time.

    Args:
        run: The cloud; missing pieces are left out.
        frame: One of its frames; default: the last.
        cell: Side of a cell [m]; default: chosen so that each contains several points, with at most
            4 million cells.
    """
    if frame is not None and frame not in run.frames:
        raise unknown_name("frame", frame, f"'{run.folder}'", run.frames)
    k = len(run.frames) - 1 if frame is None else run.frames.index(frame)
    low, high = run.bounds[k]
    if cell is None:
        spans = np.maximum(high - low, 1e-3 * (high - low).max())
        cells = min(CELLS, max(1.0, run.pose_count / POINTS_PER_CELL))
        cell = float((np.prod(spans) / cells) ** (1 / 3))
    if not (math.isfinite(cell) and cell > 0):
        raise UsageError(f"the cell size is {cell}: use a positive length [m]")
    first = np.floor(low / cell).astype(np.int64)
    size = np.floor(high / cell).astype(np.int64) - first + 1
    check_size(size)
    filled = np.zeros(size, dtype=bool)
    for piece in run:
        index = np.floor(piece.points[:, k].astype(float) / cell).astype(np.int64) - first
        filled[tuple(index.T)] = True
    return Voxels(tuple(int(x) for x in first), filled, cell)
