"""Zones of planar linkages by the triangle method: both of RobotDesigner's algorithms, in bulk."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.limits import any_outside_limits
from kinegen.mechanism.model import Model
from kinegen.workspace.bodies.measure import measure_points
from kinegen.workspace.budget import check_budget
from kinegen.workspace.clouds.ranges import JointRange, Ranges, by_step, check_counts, joint_ranges
from kinegen.workspace.zones.exact import ExactZone
from kinegen.workspace.zones.planar import planar_linkage
from kinegen.workspace.zones.result import Zone, ZoneMode
from kinegen.workspace.zones.triangles import Construction, construct

__all__ = ["by_triangles", "construction"]

MOST_MODES = 64
"""Sides of joins double with each: more than this many modes are not listed."""
SAMPLE = 50_000
"""Neighbours that are looked at to see how far apart they lie."""
REMEDY = "Use a larger step, narrower ranges, or fewer inputs."


def construction(
    model: Model, home: Floats, names: tuple[str, ...], tool: str, tilt: float | None
) -> Construction | None:
    """The zone's constructions: with the inputs, or with one fewer and the frame's tilt held."""
    linkage = planar_linkage(model, home)
    if linkage is None:
        return None
    if tilt is None:
        built = construct(linkage, driven=names)
        if built is not None:
            return built
    for skipped in reversed(range(len(names))):
        driven = names[:skipped] + names[skipped + 1 :]
        built = construct(linkage, driven=driven, tilt=tool)
        if built is not None:
            return built
    return None


def by_triangles(
    built: Construction, tool: str, step: float, ranges: Ranges | None, tilt: float | None,
    wanted: Sequence[str] | None, poses: bool, begin: float,
) -> Zone:  # fmt: skip
    """The zone in closed form, in every mode."""
    linkage, model = built.linkage, built.linkage.model
    driven = [name for name in built.inputs if name != "tilt"]
    axes = by_step(joint_ranges(model, ranges, joints=driven), step, model.size)
    axes = [one for one in axes if one.name in driven]
    check_counts(axes, step, model.size)
    axes.sort(key=lambda one: built.inputs.index(one.name))
    count = math.prod(one.count for one in axes)
    has_limits = bool(np.isfinite(model.lower).any() or np.isfinite(model.upper).any())
    sides = _sides(built, tool, has_limits)
    check_budget(count, 6 * len(sides), what=f"the zone of '{model.name}'", remedy=REMEDY)
    grid = np.stack(np.meshgrid(*(one.values for one in axes), indexing="ij"))
    rows, held = grid.reshape(len(axes), -1), {}
    if "tilt" in built.inputs:
        held["tilt"] = linkage.tilt(tool) if tilt is None else tilt
        rows = np.vstack([rows, np.full(rows.shape[1], held["tilt"])])
    _, _, height = linkage.point(tool)
    made: list[tuple[str, Floats, npt.NDArray[np.bool_], Floats | None]] = []
    for signs in sides:
        name = _mode_name(built, signs)
        if wanted is not None and name not in wanted:
            continue
        mine = built.with_signs(signs)
        points = mine.points(rows, [tool])[0]
        good = np.isfinite(points[0])
        qs = mine.configurations(rows) if poses or has_limits else None
        if qs is not None and has_limits:
            good &= ~any_outside_limits(model, qs.T)
        made.append((name, points, good, qs))
    if not made:
        known = ", ".join(_mode_name(built, signs) for signs in sides)
        raise UsageError(f"no mode is called {', '.join(wanted or ())}; modes: {known}")
    cell = max(_spacing(points, good, [one.count for one in axes]) for _, points, good, _ in made)
    cell = cell or step * model.size
    zones = tuple(
        ZoneMode(
            name, linkage.world(points[:, good], height).T, rows[:, good].T,
            measure_points(points[:, good], cell),
            qs[:, good].T if poses and qs is not None else None,
        )
        for name, points, good, qs in made
    )  # fmt: skip
    together = np.concatenate([points[:, good] for _, points, good, _ in made], axis=1)
    return Zone(
        model, tool, step, "triangles", "inputs", tuple(driven), held, count * len(made), zones,
        measure_points(together, cell), time.perf_counter() - begin,
        _exact(built, tool, axes, held.get("tilt"), sides, {mode.name for mode in zones}),
    )  # fmt: skip


def _exact(
    built: Construction, tool: str, axes: Sequence[JointRange], tilt: float | None,
    sides: Sequence[tuple[int, ...]], names: set[str],
) -> ExactZone | None:  # fmt: skip
    """The zone by the way back, from the frame to the inputs, where that is made of dyads too."""
    back = construct(built.linkage, tilt=None if tilt is None else tool, place=tool)
    if back is None:
        return None
    signs = {_mode_name(built, side): side for side in sides}
    return ExactZone(
        tool, built, back, {name: signs[name] for name in signs if name in names},
        {one.name: (one.lower, one.upper) for one in axes}, tilt,
    )  # fmt: skip


def _sides(built: Construction, tool: str, has_limits: bool) -> list[tuple[int, ...]]:
    """Signs of all modes that differ for a frame, those of home first."""
    # with limits the side of a join that only holds decides what is within them
    free = range(len(built.joins)) if has_limits else built.joins_behind(tool)
    if 2 ** len(free) > MOST_MODES:
        return [built.home_signs]
    sides = []
    for flips in itertools.product((1, -1), repeat=len(free)):
        signs = list(built.home_signs)
        for join, flip in zip(free, flips, strict=True):
            signs[join] *= flip
        sides.append(tuple(signs))
    return sides


def _mode_name(built: Construction, signs: Sequence[int]) -> str:
    other = [
        name for name, a, b in zip(built.names, signs, built.home_signs, strict=True) if a != b
    ]
    return "home" if not other else f"{' and '.join(other)} flipped"


def _spacing(points: Floats, good: npt.NDArray[np.bool_], counts: Sequence[int]) -> float:
    """How far apart neighbours of a grid lie in the plane [m]: all but the most stretched."""
    shaped = np.where(good, points, np.nan).reshape(2, *counts)
    ways = [
        np.hypot(*np.diff(shaped, axis=1 + axis)).ravel()
        for axis in range(len(counts))
        if counts[axis] > 1
    ]
    together = np.concatenate(ways) if ways else np.zeros(0)
    together = together[:: max(1, len(together) // SAMPLE)]
    together = together[np.isfinite(together)]
    return float(np.quantile(together, 0.98)) if len(together) else 0.0
