"""Sets of points as filled cells: pieces, voids, tunnels, slices, and two sets side by side."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError, whole_number
from kinegen.kernels import Floats
from kinegen.memory import check_memory, names_memory
from kinegen.results import Columns, Result
from kinegen.workspace.bodies.measure import Measure, measure_cells

__all__ = [
    "Bools",
    "Comparison",
    "Voxels",
    "align_voxels",
    "check_size",
    "compare_voxels",
    "join_voxels",
    "voxels_around",
    "voxels_inside",
    "voxels_of",
]

Bools: TypeAlias = npt.NDArray[np.bool_]
COPIES = 12
"""Bytes per cell that the work on a box takes: copies of it, and numbers of its cells."""
MOST_CELLS = 200_000_000
"""A box of more cells than this is refused."""


@dataclass(frozen=True, slots=True, eq=False)
class Voxels(Result):
    """Cells of a lattice that are filled; cell i spans i to i + 1 times its side on each axis."""

    first: tuple[int, ...]
    """Index of the box's lowest cell, per axis: two axes or three."""
    filled: Bools
    """Which cells of the box are filled."""
    cell: float
    """Side of a cell [m]."""
    outside: float = 0.5
    """The share of a filled cell at the edge that lies outside: see :func:`measure_cells`."""
    origin: tuple[float, ...] = ()
    """Where the lattice begins [m]; default: in 0."""

    @property
    def measure(self) -> Measure:
        """Area or volume with its error."""
        return measure_cells(np.argwhere(self.filled), self.cell, outside=self.outside)

    @property
    def pieces(self) -> int:
        """Connected parts; a shared corner is enough."""
        return _parts(self.filled, corners=True)

    @property
    def voids(self) -> int:
        """Enclosed empty parts; in a plane, its holes."""
        return _parts(~np.pad(self.filled, 1), corners=False) - 1

    @property
    def tunnels(self) -> int:
        """Through holes (three axes), by Euler's formula over the filled cells."""
        if self.filled.ndim != 3:
            return 0
        return self.pieces + self.voids - _euler(self.filled)

    def slice(self, axis: int, place: float) -> Voxels:
        """The cells of a plane perpendicular to an axis at a position [m]."""
        axis = whole_number(axis, "an axis", 0, self.filled.ndim - 1)
        begin = self.origin or (0.0,) * self.filled.ndim
        index = math.floor((place - begin[axis]) / self.cell) - self.first[axis]
        if not 0 <= index < self.filled.shape[axis]:
            flat = np.zeros(np.delete(self.filled.shape, axis), dtype=bool)
        else:
            flat = np.take(self.filled, index, axis=axis)
        rest = tuple(int(x) for x in np.delete(self.first, axis))
        origin = begin[:axis] + begin[axis + 1 :]
        return Voxels(rest, flat, self.cell, self.outside, origin)

    def columns(self) -> Columns:
        """A row per filled cell: its centre."""
        return dict(zip(("x [m]", "y [m]", "z [m]"), self.centres().T, strict=False))

    def centres(self) -> Floats:
        """Centres of the filled cells [m], (n, axes)."""
        return self.place(np.argwhere(self.filled).astype(np.float64) + 0.5)

    def place(self, cells: Floats) -> Floats:
        """Positions [m] of points that are given in cells of the box, (n, axes)."""
        placed: Floats = (cells + np.array(self.first)) * self.cell
        return placed + np.array(self.origin) if self.origin else placed


@dataclass(frozen=True, slots=True)
class Comparison(Result):
    """Two sets side by side [m² or m³]."""

    both: float
    only_first: float
    only_second: float

    @property
    def overlap(self) -> float:
        """The share of what either reaches that both do: 1 when they are the same."""
        total = self.both + self.only_first + self.only_second
        return self.both / total if total else 1.0


@names_memory("the cells of a body: use larger ones")
def voxels_of(points: Floats, cell: float) -> Voxels:
    """The cells that contain points (n, axes) [m]."""
    if not (math.isfinite(cell) and cell > 0):
        raise UsageError(f"the cell size is {cell}: use a positive length [m]")
    if len(points) == 0 or not np.isfinite(points).all():
        raise UsageError("voxels need at least one point, and all points finite")
    index = np.floor(points.T / cell).astype(np.int64)
    first = index.min(axis=1)
    size = index.max(axis=1) - first + 1
    check_size(size)
    filled = np.zeros(size, dtype=bool)
    filled[tuple(index - first[:, None])] = True
    return Voxels(tuple(int(x) for x in first), filled, cell)


def voxels_around(points: Floats, cell: float) -> Voxels:
    """The cells around points (n, axes) [m] of a lattice that the first of them belongs to."""
    first = points[0]
    found = voxels_of(points - first + cell / 2, cell)
    origin = tuple((first - cell / 2).tolist())
    return Voxels(found.first, found.filled, cell, 0.0, origin)


@names_memory("the cells of a body: use larger ones")
def voxels_inside(
    inside: Callable[[Floats], Bools],
    lower: npt.ArrayLike,
    upper: npt.ArrayLike,
    cell: float,
    *,
    levels: int = 3,
) -> Voxels:
    """Cells whose centre passes a test; only regions where the answer changes are refined.

    Args:
        inside: Points (n, axes) [m] → which of them are inside.
        lower: Lowest corner of the box [m].
        upper: Highest corner.
        cell: Side of the finest cells [m].
        levels: How often coarse cells are halved; a detail smaller than a coarse cell can be
            missed.
    """
    levels = whole_number(levels, "the number of levels", 0, 30)
    low, high = np.asarray(lower, dtype=float), np.asarray(upper, dtype=float)
    if not (math.isfinite(cell) and cell > 0) or not (high > low).all():
        raise UsageError(
            "voxels need a positive cell size and a box whose upper corner is above its lower "
            "corner"
        )
    first = np.floor(low / cell).astype(np.int64)
    coarse = 2**levels
    size = -(-(np.ceil(high / cell).astype(np.int64) - first) // coarse)
    check_size(size * coarse)
    filled = np.zeros(size, dtype=bool)
    look = np.ones(size, dtype=bool)
    for level in range(levels, -1, -1):
        side = 2**level
        where = np.argwhere(look)
        middles = (first + (where + 0.5) * side) * cell
        filled[tuple(where.T)] = inside(middles)
        if level:
            edge = _near_edge(filled)
            for axis in range(filled.ndim):
                filled, edge = filled.repeat(2, axis), edge.repeat(2, axis)
            look = edge
    return Voxels(tuple(int(x) for x in first), filled, cell, outside=0.0)


def compare_voxels(first: Voxels, second: Voxels) -> Comparison:
    """The cells that two sets on the same lattice share, and those that only one of them has."""
    same = first.cell == second.cell and first.origin == second.origin
    if not same or first.filled.ndim != second.filled.ndim:
        raise UsageError(
            "two sets of voxels can only be compared with the same cell size, position and axes"
        )
    one = first.cell**first.filled.ndim
    low, size = _box_around(first, second)
    check_size(size)
    boxes = []
    for voxels in (first, second):
        box = np.zeros(size, dtype=bool)
        box[_part(voxels, low)] = voxels.filled
        boxes.append(box)
    a, b = boxes
    counts = [int(np.count_nonzero(x)) for x in (a & b, a & ~b, b & ~a)]
    return Comparison(*(count * one for count in counts))


def join_voxels(first: Voxels, second: Voxels) -> Voxels:
    """The union of two sets on the same lattice; the first may be overwritten."""
    low, size = _box_around(first, second)
    check_size(size)
    if (np.array(first.first) == low).all() and (size == first.filled.shape).all():
        box = first.filled
    else:
        box = np.zeros(size, dtype=bool)
        box[_part(first, low)] = first.filled
    box[_part(second, low)] |= second.filled
    return Voxels(tuple(int(x) for x in low), box, first.cell, first.outside, first.origin)


def align_voxels(voxels: Voxels, onto: Voxels) -> Voxels:
    """Cells moved onto the lattice of another set, by at most half a cell, for comparison."""
    here, there = (np.array(one.origin or (0.0,) * one.filled.ndim) for one in (voxels, onto))
    if len(here) != len(there):
        raise UsageError("a body in space and one in a plane cannot be compared")
    shift = np.rint((here - there) / onto.cell).astype(int)
    first = tuple(int(x) for x in np.array(voxels.first) + shift)
    return Voxels(first, voxels.filled, onto.cell, voxels.outside, onto.origin)


def _box_around(one: Voxels, other: Voxels) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Lowest cell and size of the box around two sets."""
    low = np.minimum(one.first, other.first)
    high = np.maximum(np.add(one.first, one.filled.shape), np.add(other.first, other.filled.shape))
    return low, high - low


def _part(voxels: Voxels, low: npt.NDArray[np.int64]) -> tuple[slice, ...]:
    """Where a set is in a box that begins at a cell."""
    start = np.array(voxels.first) - low
    return tuple(slice(int(a), int(a + n)) for a, n in zip(start, voxels.filled.shape, strict=True))


def check_size(size: npt.NDArray[np.int64]) -> None:
    """Refuse a box of more cells than memory takes."""
    cells = math.prod(int(x) for x in size)
    if cells > MOST_CELLS:
        raise UsageError(f"the box has {cells:,} cells, more than {MOST_CELLS:,}: use larger ones")
    check_memory(COPIES * cells, f"a box of {cells:,} cells", "Use larger cells.")


def _near_edge(filled: Bools) -> Bools:
    """Cells with a neighbour, corners included, of the other kind."""
    padded = np.pad(filled, 1, mode="edge")
    high, low = padded.copy(), padded.copy()
    for axis in range(filled.ndim):
        high = high | np.roll(high, 1, axis) | np.roll(high, -1, axis)
        low = low & np.roll(low, 1, axis) & np.roll(low, -1, axis)
    inner = tuple(slice(1, -1) for _ in range(filled.ndim))
    edge: Bools = (high & ~low)[inner]
    # what lies beyond the box is empty
    rim = np.zeros_like(filled)
    for axis in range(filled.ndim):
        for end in (0, -1):
            rim[tuple(end if k == axis else slice(None) for k in range(filled.ndim))] = True
    return edge | rim


def _parts(full: Bools, *, corners: bool) -> int:
    """Parts of the true cells that hang together, by faces or by corners too."""
    number = np.cumsum(full.ravel()).reshape(full.shape) - 1
    offsets = [
        way
        for way in itertools.product((-1, 0, 1), repeat=full.ndim)
        if way > (0,) * full.ndim and (corners or np.abs(way).sum() == 1)
    ]
    pairs = []
    for way in offsets:
        here = tuple(slice(max(0, -w), n - max(0, w)) for w, n in zip(way, full.shape, strict=True))
        there = tuple(
            slice(max(0, w), n - max(0, -w)) for w, n in zip(way, full.shape, strict=True)
        )
        both = full[here] & full[there]
        pairs.append((number[here][both], number[there][both]))
    root = np.arange(int(np.count_nonzero(full)))
    first = np.concatenate([pair[0] for pair in pairs])
    second = np.concatenate([pair[1] for pair in pairs])
    while True:
        a, b = root[first], root[second]
        differ = a != b
        if not differ.any():
            return int(np.count_nonzero(root == np.arange(len(root))))
        # the higher root goes under the lower one, then every cell under its root's root
        np.minimum.at(root, np.maximum(a, b)[differ], np.minimum(a, b)[differ])
        while True:
            up = root[root]
            if (up == root).all():
                break
            root = up


def _euler(full: Bools) -> int:
    """Euler's number of the union of closed cells: corners - edges + faces - cells."""
    padded = np.pad(full, 1)
    total = 0
    for kinds in itertools.product((False, True), repeat=3):
        # along an axis either the cells themselves, or the walls between two of them
        part = padded
        for axis, is_wall in enumerate(kinds):
            if is_wall:
                ahead = np.take(part, range(1, part.shape[axis]), axis)
                part = ahead | np.take(part, range(part.shape[axis] - 1), axis)
        total += (-1) ** (3 - sum(kinds)) * int(np.count_nonzero(part))
    return total
