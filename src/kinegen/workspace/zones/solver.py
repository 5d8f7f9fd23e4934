"""Zones of any mechanism with loops: the inputs' grid explored from pose to pose."""

from __future__ import annotations

import math
import os
import pickle
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from kinegen.cluster import Executors, in_order, open_workers
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kernels.tolerances import SHUT
from kinegen.kinematics.batch import site_columns
from kinegen.kinematics.limits import any_outside_limits
from kinegen.kinematics.solving.assembling.assembly import (
    assembly_modes,
    closing_options,
    inputs_of,
)
from kinegen.kinematics.solving.locking import locked_variables
from kinegen.mechanism.model import Model
from kinegen.workspace.bodies.gaps import Reach
from kinegen.workspace.bodies.measure import measure_points
from kinegen.workspace.budget import check_budget, check_work
from kinegen.workspace.clouds.ranges import JointRange, Ranges, by_step, check_counts, joint_ranges
from kinegen.workspace.zones.flood_fill import (
    Cells,
    FloodFill,
    Progress,
    Report,
    WorkShare,
    flood_fill,
    jumped,
)
from kinegen.workspace.zones.period import whole_period
from kinegen.workspace.zones.result import Zone, ZoneMode

__all__ = ["MOST_CELLS", "by_solver", "explore_mode"]

MOST_CELLS = 5_000_000
"""Poses that are solved for one mode: some minutes."""
REMEDY = "Use a larger step, narrower ranges, or fewer inputs."


class _InputTries:
    """Closes the loops for cells of the inputs' grid, from their neighbours' poses."""

    def __init__(
        self, model: Model, home: Floats, axes: Sequence[JointRange], locked: Sequence[str]
    ) -> None:
        self.model, self.axes = model, axes
        self.rows = [one.variable for one in axes]
        self.width = np.array([one.width / max(one.count - (not one.is_turn), 1) for one in axes])
        low = np.array([one.lower for one in axes])
        # the cell nearest to home is 0
        self.base = np.rint((home[self.rows] - low) / np.where(self.width > 0, self.width, 1.0))
        self.base = np.clip(self.base, 0, [one.count - 1 for one in axes])
        self.lower = -self.base.astype(np.int64)
        self.upper = self.lower + np.array([one.count - 1 for one in axes])
        self.wraps = np.array([one.is_turn for one in axes])
        self.origin = low + self.base * self.width
        self.locked = locked_variables(model, locked)
        self.options = closing_options(model)

    def inputs(self, cells: Cells) -> Floats:
        values: Floats = self.origin + cells * self.width
        return values

    def __call__(self, starts: Floats, cells: Cells) -> tuple[Floats, npt.NDArray[np.bool_]]:
        qs = np.ascontiguousarray(starts).copy()
        qs[:, self.rows] = self.inputs(cells)
        gaps = np.empty(len(qs))
        self.model.solver.close_many(qs, self.options, self.locked, gaps, os.cpu_count() or 1)
        good = gaps < SHUT
        good &= ~jumped(self.model, starts, qs) & ~any_outside_limits(self.model, qs)
        return qs, good


def by_solver(
    model: Model, home: Floats, names: tuple[str, ...], tool: str, step: float,
    ranges: Ranges | None, wanted: Sequence[str] | None, poses: bool, begin: float,
    executor: Executors = None, progress: Progress | None = None,
) -> Zone:  # fmt: skip
    """The zone from pose to pose, outwards from home or from each mode."""
    swept = joint_ranges(model, ranges, joints=names)
    swept = [one if one.name in (ranges or ()) else whole_period(model, one) for one in swept]
    axes = by_step(swept, step, model.size)
    axes = [one for one in axes if one.name in names]
    if not axes:
        raise UsageError(f"inputs {', '.join(names)} of mechanism '{model.name}' cannot be swept")
    if len(axes) > 3:
        raise UsageError(
            f"mechanism '{model.name}' has {len(axes)} inputs ({', '.join(names)}), too many to "
            "sweep: name up to three (the others hold), or sweep the position of its frame: "
            "zone_slice, or a --step that is a length"
        )
    check_counts(axes, step, model.size)
    axes = [replace(one, count=max(one.count, 2)) for one in axes]
    cells, what = math.prod(one.count for one in axes), f"the zone of '{model.name}'"
    check_budget(cells, 3 + model.nq, what=what, remedy=REMEDY)
    check_work(cells, step, len(axes), most=MOST_CELLS, what=what, unit="deg")
    starts = {"home": home}
    if wanted is not None and set(wanted) != {"home"}:
        found = assembly_modes(model, home, inputs=names)
        starts = {
            mode.name: mode.q
            for mode in found
            if mode.loose == 0 and (mode.name in wanted or "all" in wanted)
        }
        if not starts:
            known = ", ".join(mode.name for mode in found)
            raise UsageError(f"no mode is called {', '.join(wanted)}; modes: home, all, {known}")
    others = [name for name in inputs_of(model) if name not in names]
    locked = [*names, *others] if others else [one.name for one in axes]
    results: list[tuple[str, FloodFill, Floats, Floats]] = []
    if executor is None:
        for name, start in starts.items():
            before = sum(one.tried for _, one, _, _ in results)
            share = None if progress is None else WorkShare(progress, before, cells * len(starts))
            results.append((name, *_explored(model, start, axes, locked, tool, share)))
    else:
        # a model of its own for each: solvers are not shared
        text = pickle.dumps(model)
        with open_workers(executor) as workers:
            given = [(text, start, axes, locked, tool) for start in starts.values()]
            made = in_order(workers, explore_mode, given)
            results = [(name, *one) for name, one in zip(starts, made, strict=True)]
    together = np.concatenate([points for _, _, points, _ in results], axis=1)
    basis = _basis(together)
    cell = max(_cell_spacing(points, reached.cells) for _, reached, points, _ in results)
    cell = cell or step * model.size
    zones = tuple(
        ZoneMode(
            name, points.T, given.T, measure_points(basis.T @ points, cell),
            reached.qs if poses else None,
        )
        for name, reached, points, given in results
    )  # fmt: skip
    return Zone(
        model, tool, step, "solver", "inputs", names, {}, sum(r.tried for _, r, _, _ in results),
        zones, measure_points(basis.T @ together, cell), time.perf_counter() - begin,
        reach=Reach(model, axes, tool, others),
    )  # fmt: skip


def explore_mode(
    model: bytes, start: Floats, axes: Sequence[JointRange], locked: Sequence[str], tool: str
) -> tuple[FloodFill, Floats, Floats]:
    """The zone of one mode of a pickled model: what a worker runs."""
    return _explored(pickle.loads(model), start, axes, locked, tool)


def _explored(
    model: Model, start: Floats, axes: Sequence[JointRange], locked: Sequence[str], tool: str,
    report: Report | None = None,
) -> tuple[FloodFill, Floats, Floats]:  # fmt: skip
    """Cells that are reached from a start, places of the tool there, values of the inputs."""
    tries = _InputTries(model, start, axes, locked)
    reached = flood_fill(
        start, len(axes), tries, most=MOST_CELLS, lower=tries.lower, upper=tries.upper,
        wraps=tries.wraps, report=report,
    )  # fmt: skip
    points = site_columns(model, np.ascontiguousarray(reached.qs.T), [tool])[0]
    return reached, points, tries.inputs(reached.cells).T


def _basis(points: Floats) -> Floats:
    """Directions in which points spread at all, (3, d); at least one."""
    if points.shape[1] < 2:
        return np.eye(3)[:, :1]
    directions, values, _ = np.linalg.svd(np.cov(points))
    return directions[:, : max(1, int((values > 1e-12 * values[0]).sum()))]


def _cell_spacing(points: Floats, cells: Cells) -> float:
    """How far apart the points of neighbouring cells lie [m]: all but the most stretched."""
    ways = []
    for axis in range(cells.shape[1]):
        others = [cells[:, k] for k in range(cells.shape[1]) if k != axis]
        order = np.lexsort((cells[:, axis], *others))
        step = np.diff(cells[order], axis=0)
        near = (step[:, axis] == 1) & (np.delete(step, axis, axis=1) == 0).all(axis=1)
        ways.append(np.linalg.norm(np.diff(points[:, order], axis=1)[:, near], axis=0))
    together = np.concatenate(ways) if ways else np.zeros(0)
    return float(np.quantile(together, 0.98)) if len(together) else 0.0
