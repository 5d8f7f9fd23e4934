"""Boundaries of sets that a test decides: every corner of an outline lies on the exact one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kinegen.kernels import Floats
from kinegen.workspace.bodies.voxels import Bools, Voxels

__all__ = ["Inside", "crossings", "exact_outline"]

HALVINGS = 40
"""Of the way between a point inside and one outside: far below rounding of the reach test."""
_SEGMENTS: dict[int, tuple[tuple[str, str], ...]] = {
    1: (("ab", "ad"),), 2: (("bc", "ab"),), 4: (("dc", "bc"),), 8: (("ad", "dc"),),
    3: (("bc", "ad"),), 6: (("dc", "ab"),), 12: (("ad", "bc"),), 9: (("ab", "dc"),),
    7: (("dc", "ad"),), 14: (("ad", "ab"),), 13: (("ab", "bc"),), 11: (("bc", "dc"),),
    5: (("ab", "ad"), ("dc", "bc")), 10: (("bc", "ab"), ("ad", "dc")),
}  # fmt: skip
"""Marching squares: which sides of a square of nodes a b c d, counter-clockwise from the lowest,
the outline joins, with the inside on its left; a counts 1, b 2, c 4, d 8."""


Inside: TypeAlias = Callable[[Floats, npt.NDArray[np.int64]], Bools]
"""Points (d, n) [m] → which of them are in a set. Each lies between the middle of a filled cell,
whose indices (n, d) it gets as well, and that of an empty one."""


def crossings(
    inside: Inside, voxels: Voxels, halvings: int = HALVINGS
) -> tuple[list[npt.NDArray[np.int64]], Floats]:
    """Where the boundary crosses the ways between the middles of filled and empty neighbours.

    Per axis the number of the crossing behind each cell of the box with a rim of one cell, -1 for
    none; then the crossings' places, (n, d) [m].
    """
    full = np.pad(voxels.filled, 1)
    numbers, ends = [], []
    count = 0
    for axis in range(full.ndim):
        low = np.take(full, range(full.shape[axis] - 1), axis)
        high = np.take(full, range(1, full.shape[axis]), axis)
        where = np.argwhere(low != high)
        number = np.full(low.shape, -1, dtype=np.int64)
        number[tuple(where.T)] = count + np.arange(len(where))
        numbers.append(number)
        count += len(where)
        other = where + np.eye(full.ndim, dtype=np.int64)[axis]
        is_low = low[tuple(where.T)][:, None]
        ends.append(np.stack([np.where(is_low, where, other), np.where(is_low, other, where)]))
    # cell i of the set is node i + 1 of the padded box, in its middle
    nodes = np.concatenate(ends, axis=1)
    good, bad = (voxels.place(part - 0.5).T for part in nodes.astype(np.float64))
    for _ in range(halvings):
        middle = (good + bad) / 2
        is_in = inside(middle, nodes[0] - 1)
        good, bad = np.where(is_in, middle, good), np.where(is_in, bad, middle)
    return numbers, np.ascontiguousarray(good.T)


def exact_outline(
    inside: Inside, voxels: Voxels, halvings: int = HALVINGS
) -> tuple[Floats, npt.NDArray[np.int64]]:
    """The outline of a set whose cells' middles were tested: vertices (n, 2) [m], pieces (m, 2).

    Args:
        inside: Which points are in the set.
        voxels: Cells that are filled where their middle is in it.
        halvings: How often the way between a point inside and one outside is halved.
    """
    (across, along), places = crossings(inside, voxels, halvings)
    full = np.pad(voxels.filled, 1)
    a, b, c, d = full[:-1, :-1], full[1:, :-1], full[1:, 1:], full[:-1, 1:]
    code = a + 2 * b.astype(np.int64) + 4 * c + 8 * d
    sides = {
        "ab": across[:, :-1], "dc": across[:, 1:],
        "ad": along[:-1], "bc": along[1:],
    }  # fmt: skip
    pieces = [
        np.column_stack([sides[start][code == case], sides[end][code == case]])
        for case, segments in _SEGMENTS.items()
        for start, end in segments
    ]
    return places, np.concatenate(pieces)
