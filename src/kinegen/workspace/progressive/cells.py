"""Values that a cloud has by place: how dense it is, and in how many directions the tool points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.kernels import Floats
from kinegen.results import Result
from kinegen.workspace.bodies.body import dexterity
from kinegen.workspace.clouds.cloud import CloudPlan, cloud_chunks
from kinegen.workspace.clouds.coupled_ranges import coupled_ranges
from kinegen.workspace.clouds.layers import BINS
from kinegen.workspace.clouds.ranges import joint_ranges

__all__ = ["CellValues", "density_cells", "dexterity_cells"]

POSES = 600_000
"""Poses that are looked at for the tool's directions."""
PER_CELL = 150
"""Of them in a cell, on average: some for each direction that is distinguished."""


@dataclass(frozen=True, slots=True, eq=False)
class CellValues(Result):
    """A number for each cell of a box, and each frame."""

    low: Floats
    """Lowest corner [m], (3,)."""
    cell: Floats
    """Sides of a cell [m], (3,)."""
    table: npt.NDArray[np.float32]
    """(frames, cells on x, on y, on z)."""

    def at(self, points: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        """Values (n, frames) at points (n, frames, 3) [m]; outside the box, those at its edge."""
        index = np.floor((points - self.low) / self.cell).astype(np.int64)
        index = np.clip(index, 0, np.array(self.table.shape[1:]) - 1)
        x, y, z = np.moveaxis(index, -1, 0)
        found: npt.NDArray[np.float32] = self.table[np.arange(len(self.table)), x, y, z]
        return found


def density_cells(plan: CloudPlan, points: npt.NDArray[Any]) -> CellValues:
    """Number of points of a frame per cell of a 64³ grid, from points (n, frames, 3) [m]."""
    count = points.shape[1]
    flat = points.reshape(-1, 3)
    low, high = flat.min(axis=0).astype(float), flat.max(axis=0).astype(float)
    cell = np.where(high > low, (high - low) / BINS, 1.0) * (1 + 1e-9)
    table = np.zeros((count, BINS, BINS, BINS), np.float32)
    for k in range(count):
        x, y, z = np.clip(((points[:, k] - low) / cell).astype(np.int64), 0, BINS - 1).T
        counts = np.bincount((x * BINS + y) * BINS + z, minlength=BINS**3)
        table[k] = counts.reshape(BINS, BINS, BINS)
    return CellValues(low, cell, table * (plan.sweep.count / len(points)))


def dexterity_cells(plan: CloudPlan, *, poses: int = POSES) -> CellValues:
    """The share of directions in which the last frame points, by cell.

    Args:
        plan: The plan of the cloud; joints that only rotate the tool in place are swept as well.
        poses: Number of quasi-random poses.
    """
    # also joints that only turn the tool on its place count here
    sweep, frames = plan.sweep, plan.frames
    swept = {one.name: one for one in sweep.ranges}
    all_ranges = joint_ranges(sweep.model)
    leading = coupled_ranges(sweep.model, all_ranges, all_ranges, swept).swept
    part = sweep.again(poses, [swept.get(one.name, one) for one in leading])
    pieces = cloud_chunks(CloudPlan(part, frames[-1:]), rotations=True)
    found = np.concatenate([piece.poses[:, 0] for piece in pieces if piece.poses is not None])
    low, high = found[:, 4:].min(axis=0), found[:, 4:].max(axis=0)
    spans = np.maximum(high - low, 1e-3 * (high - low).max() + 1e-12)
    cell = float((np.prod(spans) * PER_CELL / len(found)) ** (1 / 3))
    made = dexterity(found, cell)
    index = np.floor(made.centres / cell).astype(np.int64)
    first = index.min(axis=0)
    table = np.zeros((len(frames), *(index.max(axis=0) - first + 1)), np.float32)
    table[(slice(None), *(index - first).T)] = made.shares
    return CellValues(first * cell, np.full(3, cell), table)
