"""A set explored from a pose outwards, cell by cell: every pose is solved from its neighbour's.

So the branch is kept by continuity, and what cannot be reached without opening a loop or crossing a
limit is not reached.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.mechanism.model import Model

__all__ = [
    "Cells",
    "FloodFill",
    "Progress",
    "Report",
    "Tries",
    "WorkShare",
    "flood_fill",
    "jumped",
]  # fmt: skip

Cells: TypeAlias = npt.NDArray[np.int64]
"""Cells of a lattice around the start, (n, d)."""
Tries: TypeAlias = Callable[[Floats, Cells], tuple[Floats, npt.NDArray[np.bool_]]]
"""Starts (n, nq) and cells (n, d) → configurations (n, nq) and which of them are good."""
Report: TypeAlias = Callable[[int], bool | None]
Progress: TypeAlias = Callable[[int, int], bool | None]
"""Called with cells tried and about how many there are; False stops and keeps what is there."""

HALF = 1 << 20
"""Cells are numbered within this distance of the start, on each axis."""
JUMP = 1.0
"""[rad] A joint that turns further than this from one cell to the next changed its branch."""


@dataclass(frozen=True, slots=True, eq=False)
class FloodFill:
    """What was reached."""

    cells: Cells
    """(n, d)."""
    qs: Floats
    """Configurations, (n, nq)."""
    tried: int
    complete: bool


@dataclass(frozen=True, slots=True)
class WorkShare:
    """Reports cells tried as a part of the whole work."""

    progress: Progress
    before: int
    """Cells of earlier parts."""
    total: int
    """About how many there are in all."""

    def __call__(self, tried: int) -> bool | None:
        """Cells of this part so far."""
        done = self.before + tried
        return self.progress(done, max(done, self.total))


def flood_fill(
    home: Floats,
    dimension: int,
    attempt: Tries,
    *,
    most: int,
    lower: Cells | None = None,
    upper: Cells | None = None,
    far: float = math.inf,
    wraps: npt.NDArray[np.bool_] | None = None,
    report: Report | None = None,
) -> FloodFill:
    """Explore a lattice from its cell 0, which is the pose ``home``, to all neighbours reached.

    Args:
        home: The start, (nq,).
        dimension: Axes of the lattice, 1 to 3.
        attempt: Solves some cells from the poses of their neighbours.
        most: More cells than this are refused.
        lower: Lowest cell on each axis; default: no end.
        upper: Highest cell on each axis.
        far: Cells this far from the start are refused: the set has no end.
        wraps: Axes on which the cell behind the highest is the lowest.
        report: Called with how many cells were tried; False stops.
    """
    steps = np.vstack([np.eye(dimension, dtype=np.int64), -np.eye(dimension, dtype=np.int64)])
    first = np.zeros((1, dimension), dtype=np.int64)
    qs, good = attempt(home[None].copy(), first)
    cells = [first[good]]
    found = [qs[good]]
    front, poses, seen, tried, complete = cells[0], found[0], _keys(first), 1, True
    while len(front):
        around = (front[:, None] + steps).reshape(-1, dimension)
        starts = np.repeat(np.arange(len(front)), len(steps))
        if lower is not None and upper is not None:
            if wraps is not None:
                size = upper - lower + 1
                around = np.where(wraps, lower + np.remainder(around - lower, size), around)
            inside = ((around >= lower) & (around <= upper)).all(axis=1)
            around, starts = around[inside], starts[inside]
        keys, one_of = np.unique(_keys(around), return_index=True)
        place = np.searchsorted(seen, keys)
        unseen = seen[np.minimum(place, len(seen) - 1)] != keys
        new = one_of[unseen]
        if not len(new):
            break
        seen = np.insert(seen, place[unseen], keys[unseen])
        tried += len(new)
        reach = np.abs(around).max()
        if reach >= far:
            raise UsageError("the zone is unbounded: set limits of the sliding joints")
        if tried > most or reach >= HALF:
            raise UsageError(
                f"the zone has more than {most:,} cells: use a larger step or narrower ranges"
            )
        qs, good = attempt(poses[starts[new]], around[new])
        front, poses = around[new][good], qs[good]
        cells.append(front)
        found.append(poses)
        if report is not None and report(tried) is False:
            complete = False
            break
    return FloodFill(np.concatenate(cells), np.concatenate(found), tried, complete)


def jumped(model: Model, starts: Floats, qs: Floats) -> npt.NDArray[np.bool_]:
    """Which configurations (n, nq) turned a joint too far from their starts."""
    out = np.zeros(len(qs), dtype=bool)
    for joint in model.joints:
        if joint.type.info.has_quaternion:
            quat = slice(joint.q.start, joint.q.start + 4)
            same = np.abs(np.sum(starts[:, quat] * qs[:, quat], axis=1))
            out |= 2 * np.arccos(np.minimum(same, 1.0)) > JUMP
            continue
        for k, (_, quantity) in enumerate(joint.type.info.variables):
            if quantity == "angle":
                turn = qs[:, joint.q.start + k] - starts[:, joint.q.start + k]
                out |= np.abs(np.remainder(turn + np.pi, 2 * np.pi) - np.pi) > JUMP
    return out


def _keys(cells: Cells) -> npt.NDArray[np.int64]:
    keys = np.zeros(len(cells), dtype=np.int64)
    for column in cells.T:
        keys = keys * (2 * HALF) + (column + HALF)
    return keys
