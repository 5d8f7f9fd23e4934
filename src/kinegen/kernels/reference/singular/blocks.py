"""The smallest blocks of a system of equations that determine one another in turn.

The specification of ``native/kernel/singular/blocks.hpp``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["Pattern", "diagonal_blocks"]

Pattern = npt.NDArray[np.bool_]
"""Where a matrix may have entries other than zero."""


def diagonal_blocks(pattern: Pattern) -> list[tuple[list[int], list[int]]] | None:
    """Rows and columns of the square blocks of a pattern in block triangular form.

    Of a square matrix the determinant is, but for a constant sign, the product of those of its
    blocks. Where there are more rows than columns, the columns that have too many of them come in
    no block (A. L. Dulmage, N. S. Mendelsohn, "Coverings of bipartite graphs", Canadian Journal of
    Mathematics 10, 1958). None when the columns are dependent whatever the numbers are.
    """
    row_of = _matching(pattern)
    if row_of is None:
        return None
    rows, columns = pattern.shape
    # columns that a row without a column of its own needs, and those that they need in turn
    queue = sorted(set(range(rows)) - set(row_of.tolist()))
    over = np.zeros(columns, dtype=bool)
    while queue:
        fresh = pattern[queue.pop()] & ~over
        over |= fresh
        queue += row_of[fresh].tolist()
    # column j needs column k when the row that determines j contains k
    reach = pattern[row_of] | np.eye(columns, dtype=bool)
    reach[over] = reach[:, over] = False
    while True:
        counts = reach.astype(np.float32)
        further = counts @ counts > 0
        if (further == reach).all():
            break
        reach = further
    together = reach & reach.T
    blocks = []
    for j in range(columns):
        mates = np.flatnonzero(together[j])
        if len(mates) and mates[0] == j:
            blocks.append((sorted(row_of[mates].tolist()), mates.tolist()))
    return blocks


def _matching(pattern: Pattern) -> npt.NDArray[np.int_] | None:
    """A row for each column, all different, or None; by augmenting paths."""
    row_of = np.full(pattern.shape[1], -1)
    column_of = np.full(pattern.shape[0], -1)
    for start in range(pattern.shape[1]):
        # breadth-first from a free column to a free row, alternating along matched pairs
        came: dict[int, int] = {}
        queue, free = [start], -1
        while queue and free < 0:
            column = queue.pop(0)
            for row in np.flatnonzero(pattern[:, column]).tolist():
                if row not in came:
                    came[row] = column
                    if column_of[row] < 0:
                        free = row
                        break
                    queue.append(int(column_of[row]))
        if free < 0:
            return None
        while free >= 0:
            column = came[free]
            free_next = int(row_of[column])
            row_of[column], column_of[free] = free, column
            free = free_next
    return row_of
