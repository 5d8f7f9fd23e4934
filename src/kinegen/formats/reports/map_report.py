"""Joint-space maps as charts: joint values along an axis, limits, and lamps for joints beyond."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from pathlib import PurePath

import numpy as np

from kinegen.errors import unknown_name
from kinegen.formats.drawing.canvas import Canvas, canvas_for
from kinegen.formats.drawing.chart import FAINT, INK, Box, Line, draw_chart
from kinegen.formats.drawing.figure_axes import length_unit
from kinegen.formats.drawing.pictures.theme import BRANCHES
from kinegen.kernels import Floats
from kinegen.mechanism.model import Model
from kinegen.workspace.maps.joint_map import JointMap

__all__ = ["map_report"]

WIDTH, CHART, GAP, TOP = 1000, 190, 70, 128
"""Of the page [px]: its width, height of a chart, between charts, and over the first."""
FAMILY = 9
"""Thin lines beside the middle one at most: other places across the axis."""
_LIT, _DARK, _OUT = "#d5402b", "#3f9a5c", "#d5402b"


def map_report(
    result: JointMap,
    name: str = "map.svg",
    *,
    along: str | None = None,
    branch: int = 0,
    combined: bool = False,
) -> bytes:
    """Charts of a joint map as SVG, PDF or PNG, by the suffix of a file's name.

    Bold: the other axes in their middle, red where the joint is out of its range; thin: other
    places; level red lines: the ranges. A lamp q1 … qn is red when its joint is out of its range
    anywhere in the box, as in 3D-RAS.

    Args:
        result: Of `joint_map`.
        name: A file's name.
        along: Axis 'x', 'y' or 'z'; default: the one with the most values.
        branch: Which branch of the inverse kinematics.
        combined: All joints in one chart instead of one each.
    """
    axis = along or "xyz"[int(np.argmax(result.shape))]
    model, chart = result.model, result.chart(axis, branch)
    places, values = chart.places, chart.values.T
    factor, unit = length_unit(float(np.abs(places).max()))
    rows = _rows(model)
    moving = [row for row in rows if np.ptp(_known(values[row[1]])) > 1e-9] or rows
    columns = 1 if combined else 2
    lines = 1 if combined else -(-len(moving) // 2)
    height = TOP + lines * (CHART * (2 if combined else 1) + GAP)
    title = f"Joint values of {result.name} along {axis}"
    canvas = canvas_for(PurePath(name).suffix, WIDTH, height, title)
    canvas.text(28, 38, title, 20, INK)
    one = result.branches[branch]
    summary = f"'{result.frame}', {one.name}: {one.reached.sum()} of {len(result.points)} places "
    summary += f"reached, {one.within.sum()} within all limits{_held(result, axis)}"
    canvas.text(28, 60, summary, 12.5, FAINT)
    lit = [joint.name for joint, lamp in zip(model.joints, one.lamps.T, strict=True) if lamp.any()]
    _lamps(canvas, 34, 86, [label for label, _, _ in moving], lit)
    if combined:
        shown = [Line(n, _in_unit(values[c], kind), width=2.0) for n, c, kind in moving]
        box = Box(76, TOP, WIDTH - 210, 2 * CHART)
        units = {"°" if kind == "angle" else "mm": None for _, _, kind in moving}
        draw_chart(
            canvas, box, places * factor, shown, title="joint values", unit=", ".join(units),
            along=unit,
        )  # fmt: skip
        return canvas.finish()
    wide = (WIDTH - 40) / columns
    for k, (label, column, kind) in enumerate(moving):
        box = Box(76 + wide * (k % 2), TOP + (CHART + GAP) * (k // 2), wide - 96, CHART)
        limits = _limits(model, column, kind)
        family = _family(result, axis, branch, column)
        bold = _in_unit(values[column], kind)
        color = BRANCHES[k % len(BRANCHES)]
        shown = [Line("", _in_unit(line, kind), "#c3cad4", 0.8) for line in family]
        shown += [Line("", bold, color, 2.4), Line("", _outside(bold, limits), _OUT, 3.0)]
        draw_chart(
            canvas, box, places * factor, shown, title=f"q{k + 1}: {label}", along=unit,
            unit="°" if kind == "angle" else "mm", levels=_near(limits, bold),
        )  # fmt: skip
    return canvas.finish()


def _rows(model: Model) -> list[tuple[str, int, str]]:
    """Label, column of q and quantity of each plain variable."""
    rows = []
    for joint in model.joints:
        if not joint.type.info.has_quaternion:
            for k, (variable, quantity) in enumerate(joint.type.info.variables):
                label = joint.name + (f" {variable}" if joint.q.stop - joint.q.start > 1 else "")
                rows.append((label, joint.q.start + k, quantity))
    return rows


def _held(result: JointMap, axis: str) -> str:
    """Where the bold line is."""
    words = []
    for k, other in enumerate("xyz"):
        if other != axis:
            values = np.unique(result.points[:, k])
            words.append(f"{other} = {values[len(values) // 2] * 100 + 0.0:.4g} cm")
    return f"; at {', '.join(words)}"


def _family(result: JointMap, axis: str, branch: int, column: int) -> list[Floats]:
    """The joint along the axis at other places, evenly chosen."""
    k = "xyz".index(axis)
    grid = np.moveaxis(result.branches[branch].qs[:, column].reshape(result.shape), k, -1)
    every = list(itertools.product(*(range(count) for count in grid.shape[:-1])))
    if len(every) == 1:
        return []
    chosen = np.unique(np.linspace(0, len(every) - 1, FAMILY).astype(int))
    return [np.asarray(grid[every[i]]) for i in chosen]


def _lamps(canvas: Canvas, x: float, y: float, names: Sequence[str], lit: Sequence[str]) -> None:
    for k, name in enumerate(names):
        out = name.partition(" ")[0] in lit
        canvas.dot(x, y - 4, 6, _LIT if out else _DARK)
        label = f"q{k + 1} {name}: {'out of range' if out else 'in range'}"
        canvas.text(x + 12, y, label, 11.5, INK)
        x += 26 + 6.3 * len(label)


def _limits(model: Model, column: int, kind: str) -> tuple[float, float]:
    for joint in model.joints:
        if joint.q.start <= column < joint.q.stop:
            at = joint.v.start + column - joint.q.start
            both = np.array([model.lower[at], model.upper[at]])
            low, high = _in_unit(both, kind).tolist()
            return low, high
    raise unknown_name("column", str(column), f"mechanism '{model.name}'", ())


def _near(limits: tuple[float, float], values: Floats) -> list[float]:
    """Limits that a chart can show without squeezing its lines."""
    known = _known(values)
    room = max(float(np.ptp(known)), 1.0)
    low, high = float(known.min()) - 0.6 * room, float(known.max()) + 0.6 * room
    return [limit for limit in limits if math.isfinite(limit) and low <= limit <= high]


def _outside(values: Floats, limits: tuple[float, float]) -> Floats:
    with np.errstate(invalid="ignore"):
        out = (values < limits[0] - 1e-6) | (values > limits[1] + 1e-6)
    return np.asarray(np.where(out, values, np.nan))


def _in_unit(values: Floats, kind: str) -> Floats:
    return np.asarray(values * (180 / math.pi if kind == "angle" else 1000.0))


def _known(values: Floats) -> Floats:
    known = values[np.isfinite(values)]
    return known if len(known) else np.zeros(1)
