"""Gaps between points of a cloud: cells that are empty by chance, and those that are out of reach.

Spread poses leave some cells of a reachable set empty, and these look like holes. Every empty cell
that lies among filled ones is asked for by inverse kinematics, from the poses of its neighbours.
"""

from __future__ import annotations

import copy
import itertools
import os
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kinegen.kernels import Blocks, Floats, Outcome, bind
from kinegen.kernels.call_records import SolverNumbers
from kinegen.kernels.tolerances import CLOSED, REACHED
from kinegen.kinematics.batch import site_columns
from kinegen.kinematics.handles import Handle, pack_handles
from kinegen.kinematics.solving.locking import locked_variables
from kinegen.mechanism.model import Model
from kinegen.workspace.bodies.outline import Inside
from kinegen.workspace.bodies.plane import Plane
from kinegen.workspace.bodies.voxels import Bools, Voxels, check_size, voxels_of
from kinegen.workspace.clouds.ranges import JointRange
from kinegen.workspace.clouds.sweep import Sweep
from kinegen.workspace.zones.place import SliceTries

__all__ = ["Reach", "SliceReach", "decided_by_middles", "filled_cloud", "reach_test"]

ITERATIONS = 60
STEP = 0.5
"""Largest move per Newton step [rad, or sizes of the mechanism]."""
AMONG = 0.5
"""An empty cell with more than this share of filled neighbours, corners included, is asked for."""
STARTS = 4
"""Neighbours' poses from which a cell is tried."""
ROUNDS = 30
"""Gaps are this many cells wide at most: they close from their edges."""


class Reach:
    """Whether a frame gets to a point while some joints keep within ranges."""

    def __init__(
        self, given: Model, ranges: Sequence[JointRange], frame: str, still: Sequence[str]
    ) -> None:
        """Joints that are to hold still are named, the others follow or keep within ranges."""
        model = copy.copy(given)
        model.blocks = Blocks(given.ints, given.reals.copy())
        model.kernels = bind(model.ints, model.reals)
        model._solver = None
        for one in ranges:
            joint = next(j for j in model.joints if j.q.start <= one.variable < j.q.stop)
            v = joint.v.start + one.variable - joint.q.start
            turns = (-np.inf, np.inf)
            model.lower[v], model.upper[v] = turns if one.is_turn else (one.lower, one.upper)
        self.model = model
        self.frame = frame
        self.locked = locked_variables(model, still)
        self.ints, self.reals = pack_handles(model, [Handle(frame, np.zeros(3))])
        self.options = np.array(
            SolverNumbers(ITERATIONS, STEP, CLOSED, REACHED, 0.0, use_limits=True)
        )

    @classmethod
    def of_sweep(cls, sweep: Sweep, frame: str) -> Reach:
        """That of a cloud: joints that the sweep leaves still hold."""
        swept = {one.variable for one in sweep.ranges}
        if sweep.followers is not None:
            swept |= sweep.followers.variables
        still = [j.name for j in sweep.model.joints if swept.isdisjoint(range(*j.q.indices(9**9)))]
        return cls(sweep.model, sweep.ranges, frame, still)

    def places(self, qs: Floats) -> Floats:
        """Where the frame is in configurations (nq, n), (3, n)."""
        return np.asarray(site_columns(self.model, qs, [self.frame])[0], dtype=float)

    def poses(self, starts: Floats, points: Floats) -> tuple[Floats, Bools]:
        """Configurations (nq, n) that lead from the starts (nq, n) to points (3, n), if they do."""
        qs = np.ascontiguousarray(starts.T)
        reals = np.repeat(self.reals, points.shape[1], axis=0)
        reals[:, 6:9] = points.T
        outcomes, gaps = np.zeros(len(qs), dtype=np.int32), np.zeros(len(qs))
        self.model.solver.meet_many(
            qs, self.ints, reals, self.options, self.locked, False, outcomes, gaps,
            os.cpu_count() or 1,
        )  # fmt: skip
        return qs.T, outcomes == int(Outcome.REACHED)


class SliceReach:
    """Whether a frame gets to a point as it did in a slice: its rotation held, on its side."""

    def __init__(self, tries: SliceTries) -> None:
        self.tries = tries

    def poses(self, starts: Floats, points: Floats) -> tuple[Floats, Bools]:
        """Configurations (nq, n) that lead from the starts (nq, n) to points (3, n), if they do."""
        tries = self.tries
        cells = (points.T - tries.origin) @ tries.can.axes / tries.step
        qs, good = tries(np.ascontiguousarray(starts.T), cells)
        return qs.T, good


def filled_cloud(sweep: Sweep, frame: str, points: Floats, plane: Plane, cell: float) -> Voxels:
    """The cells that the points of a sweep fill, and those between them that can be reached too.

    Args:
        sweep: The configurations.
        frame: The frame whose points they are.
        points: Its places, one per pose [m], (3, n).
        plane: Where they lie.
        cell: Side of a cell [m].
    """
    flat = plane.down(points)
    voxels = voxels_of(flat.T, cell)
    index = np.floor(flat / cell).astype(np.int64) - np.array(voxels.first)[:, None]
    pose = np.full(voxels.filled.shape, -1, dtype=np.int64)
    pose[tuple(index)] = np.arange(points.shape[1])
    return fill_gaps(voxels, pose, Reach.of_sweep(sweep, frame), plane, sweep)


def fill_gaps(
    voxels: Voxels, pose: npt.NDArray[np.int64], reach: Reach, plane: Plane, sweep: Sweep
) -> Voxels:
    """Cells with the gaps among them filled that can be reached.

    Args:
        voxels: The cells that points fell into.
        pose: Of each cell the pose of one of its points, -1 for none.
        reach: Decides.
        plane: Where the cells lie.
        sweep: The poses.
    """
    full = np.pad(voxels.filled, 1)
    number = np.pad(pose, 1, constant_values=-1)
    ways = [w for w in itertools.product((-1, 0, 1), repeat=full.ndim) if any(w)]
    asked = np.zeros_like(full)
    for _ in range(ROUNDS):
        around = sum(np.roll(full, way, range(full.ndim)).astype(np.int16) for way in ways)
        wanted = np.argwhere(~full & ~asked & (around > AMONG * len(ways)))
        if not len(wanted):
            # wider gaps: whatever is closed in, from its edge
            wanted = np.argwhere(_closed_in(full) & ~asked & (around > 0))
        if not len(wanted):
            break
        asked[tuple(wanted.T)] = True
        reached = np.zeros(len(wanted), dtype=bool)
        near = np.array([[number[tuple(at + way)] for way in ways] for at in wanted])
        for k in range(STARTS):
            order = np.sort(near, axis=1)[:, ::-1]
            start = order[:, min(k * order.shape[1] // (2 * STARTS), order.shape[1] - 1)]
            left = np.flatnonzero(~reached & (start >= 0))
            if not len(left):
                break
            starts = _configurations(sweep, start[left])
            low = voxels.place(wanted[left].astype(np.float64) - 1).T
            for places in (low + voxels.cell / 2, _nearest(reach, plane, starts, low, voxels.cell)):
                reached[left] |= reach.poses(starts, plane.up(places))[1]
        new = wanted[reached]
        full[tuple(new.T)] = True
        number[tuple(new.T)] = near[reached].max(axis=1)
    inner = tuple(slice(1, -1) for _ in range(full.ndim))
    return Voxels(voxels.first, full[inner], voxels.cell, voxels.outside, voxels.origin)


def decided_by_middles(
    points: Floats, qs: Floats, reach: Reach, plane: Plane, cell: float
) -> tuple[Voxels, Floats]:
    """The cells around points whose middle is reached: what a single point fills makes no spike.

    The second is a configuration there, (nq, *shape of the cells).

    Args:
        points: Places of the frame [m], (3, n).
        qs: Their configurations, (nq, n).
        reach: Decides.
        plane: Where the points lie.
        cell: Side of a cell [m].
    """
    flat = plane.down(points)
    index = np.floor(flat / cell).astype(np.int64)
    first = index.min(axis=1) - 2
    size = index.max(axis=1) - first + 3
    check_size(size)
    filled, asked = (np.zeros(size, dtype=bool) for _ in range(2))
    box = Voxels(tuple(int(x) for x in first), filled, cell, 0.0)
    cells, own = np.unique((index - first[:, None]).T, axis=0, return_index=True)
    starts = np.ascontiguousarray(qs[:, own])
    found = np.zeros((len(qs), *size))
    steps = np.vstack([np.eye(len(size), dtype=np.int64), -np.eye(len(size), dtype=np.int64)])
    while len(cells):
        asked[tuple(cells.T)] = True
        middles = plane.up(box.place(cells.astype(np.float64) + 0.5).T)
        poses, reached = reach.poses(starts, middles)
        filled[tuple(cells[reached].T)] = True
        found[(slice(None), *cells[reached].T)] = poses[:, reached]
        # on to the neighbours, from the poses that were found
        around = (cells[reached][:, None] + steps).reshape(-1, len(size))
        of = np.repeat(np.flatnonzero(reached), len(steps))
        inside = ((around >= 0) & (around < size)).all(axis=1)
        around, of = around[inside], of[inside]
        new = ~asked[tuple(around.T)]
        cells, one_of = np.unique(around[new], axis=0, return_index=True)
        starts = np.ascontiguousarray(poses[:, of[new][one_of]])
    return box, found


def reach_test(qs: Floats, reach: Reach | SliceReach, plane: Plane) -> Inside:
    """Decides points between cells from the poses of those that were found before.

    Args:
        qs: A configuration in the middle of each filled cell, (nq, *shape of the cells).
        reach: Decides how far the frame gets from there.
        plane: Where the cells lie.
    """
    here: Floats | None = None

    def inside(places: Floats, cells: npt.NDArray[np.int64]) -> Bools:
        nonlocal here
        if here is None:
            here = np.ascontiguousarray(qs[(slice(None), *cells.T)])
        poses, reached = reach.poses(here, plane.up(places))
        # from the nearest pose that was found, so that every step is a short one
        here[:, reached] = poses[:, reached]
        return reached

    return inside


def _nearest(reach: Reach, plane: Plane, starts: Floats, low: Floats, cell: float) -> Floats:
    """Of each cell the place that is nearest to where its start is, (d, n)."""
    inset = 0.05 * cell
    here = plane.down(reach.places(starts))
    nearest: Floats = np.clip(here, low + inset, low + cell - inset)
    return nearest


def _closed_in(full: Bools) -> Bools:
    """Empty cells from which no way over the faces of empty ones leads to the box's rim."""
    outside = np.zeros_like(full)
    for axis in range(full.ndim):
        for end in (0, -1):
            outside[tuple(end if k == axis else slice(None) for k in range(full.ndim))] = True
    outside &= ~full
    before = -1
    while before != (now := int(np.count_nonzero(outside))):
        before = now
        for axis in range(full.ndim):
            rows, empty = np.moveaxis(outside, axis, 0), ~np.moveaxis(full, axis, 0)
            # to and fro, so that long straight ways take one round
            for order in (range(1, len(rows)), range(len(rows) - 2, -1, -1)):
                step = 1 if order.step > 0 else -1
                for i in order:
                    rows[i] |= rows[i - step] & empty[i]
    return ~full & ~outside


def _configurations(sweep: Sweep, poses: npt.NDArray[np.int64]) -> Floats:
    """Configurations of some poses of a sweep, (nq, n)."""
    if sweep.is_grid:
        return sweep.at(poses)
    return np.column_stack([sweep.chunk(int(pose), 1)[:, 0] for pose in poses])
