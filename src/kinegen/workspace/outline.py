"""Outlines of sets in a plane that a test decides: every corner lies on the exact boundary."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from kinegen.kernels import Floats
from kinegen.workspace.voxels import Bools, Voxels

__all__ = ["exact_outline"]

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


def exact_outline(
    inside: Callable[[Floats], Bools], voxels: Voxels
) -> tuple[Floats, npt.NDArray[np.int64]]:
    """The outline of a set whose cells' middles were tested: vertices (n, 2) [m], pieces (m, 2).

    Args:
        inside: Points (2, n) [m] → which of them are in the set.
        voxels: Cells that are filled where their middle is in it.
    """
    full = np.pad(voxels.filled, 1)
    numbers, ends = {}, []
    count = 0
    for axis, name in enumerate(("h", "v")):
        low = np.take(full, range(full.shape[axis] - 1), axis)
        high = np.take(full, range(1, full.shape[axis]), axis)
        where = np.argwhere(low != high)
        number = np.full(low.shape, -1, dtype=np.int64)
        number[tuple(where.T)] = count + np.arange(len(where))
        numbers[name], count = number, count + len(where)
        other = where + np.eye(2, dtype=np.int64)[axis]
        is_low = low[tuple(where.T)][:, None]
        ends.append(np.stack([np.where(is_low, where, other), np.where(is_low, other, where)]))
    # cell i of the set is node i + 1 of the padded box, in its middle
    nodes = np.concatenate(ends, axis=1).astype(np.float64) - 0.5
    good, bad = (voxels.place(part).T for part in nodes)
    for _ in range(HALVINGS):
        middle = (good + bad) / 2
        is_in = inside(middle)
        good, bad = np.where(is_in, middle, good), np.where(is_in, bad, middle)
    a, b, c, d = full[:-1, :-1], full[1:, :-1], full[1:, 1:], full[:-1, 1:]
    code = a + 2 * b.astype(np.int64) + 4 * c + 8 * d
    sides = {
        "ab": numbers["h"][:, :-1], "dc": numbers["h"][:, 1:],
        "ad": numbers["v"][:-1], "bc": numbers["v"][1:],
    }  # fmt: skip
    pieces = [
        np.column_stack([sides[start][code == case], sides[end][code == case]])
        for case, segments in _SEGMENTS.items()
        for start, end in segments
    ]
    return np.ascontiguousarray(good.T), np.concatenate(pieces)
