"""Area or volume of a set of points by the cells they fill, with how far it may be wrong."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.results import Result

__all__ = ["Measure", "measure_cells", "measure_points"]

DENSE = 50_000_000
"""Boxes of up to this many cells are kept whole, which is faster than a list of cells."""


@dataclass(frozen=True, slots=True)
class Measure(Result):
    """The size of a set."""

    value: float
    """Length [m], area [m²] or volume [m³], by the dimension."""
    error: float
    """Half the size of the cells at its boundary, through which the edge of the set runs."""
    dimension: int
    cells: int
    """Cells that hold a point."""
    boundary: int
    """Those of these cells with an empty neighbour."""
    cell: float
    """Side of a cell [m]."""

    @property
    def unit(self) -> str:
        """'m', 'm²' or 'm³'."""
        return ("", "m", "m²", "m³")[self.dimension]


def measure_cells(cells: npt.NDArray[np.int64], cell: float, *, outside: float = 0.5) -> Measure:
    """The measure of a set of cells (n, d), each once or more often.

    Args:
        cells: The cells.
        cell: Side of a cell [m].
        outside: The share of a cell at the edge that lies outside, on average: half when any point
            makes a cell count, 0 when its middle decides.
    """
    return _measure([np.ascontiguousarray(row) for row in cells.T], cell, outside)


def measure_points(points: Floats, cell: float) -> Measure:
    """The measure of the cells that points (d, n) [m] fall into."""
    if not (np.isfinite(cell) and cell > 0):
        raise UsageError(f"the cell size is {cell}: use a positive length [m]")
    scaled = points / cell
    if not np.isfinite(scaled.sum()):
        raise UsageError("points contain numbers that are not finite")
    np.floor(scaled, out=scaled)
    return _measure(list(scaled.astype(np.int64)), cell, 0.5)


def _measure(rows: list[npt.NDArray[np.int64]], cell: float, outside: float) -> Measure:
    """The measure of cells that are given by axis."""
    dimension = len(rows)
    if not rows[0].size:
        return Measure(0.0, 0.0, dimension, 0, 0, cell)
    count, boundary = _count(rows)
    one = cell**dimension
    value = (count - boundary * outside) * one
    return Measure(value, boundary / 2 * one, dimension, count, boundary, cell)


def _count(rows: list[npt.NDArray[np.int64]]) -> tuple[int, int]:
    """Different cells, and those of them with an empty neighbour."""
    low = [int(row.min()) - 1 for row in rows]
    size = [int(row.max()) - first + 2 for row, first in zip(rows, low, strict=True)]
    flat = np.zeros_like(rows[0])
    for row, first, many in zip(rows, low, size, strict=True):
        flat *= many
        flat += row
        flat -= first
    if math.prod(size) <= DENSE:
        full = np.zeros(size, dtype=bool)
        full.ravel()[flat] = True
        inner = full.copy()
        for axis in range(full.ndim):
            inner &= np.roll(full, 1, axis) & np.roll(full, -1, axis)
        count = int(np.count_nonzero(full))
        return count, count - int(np.count_nonzero(inner))
    keys = np.unique(flat)
    edge = np.zeros(len(keys), dtype=bool)
    stride = 1
    for many in reversed(size):
        for side in (stride, -stride):
            edge |= ~np.isin(keys + side, keys, assume_unique=True)
        stride *= many
    return len(keys), int(edge.sum())
