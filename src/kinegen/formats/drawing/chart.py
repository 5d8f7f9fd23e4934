"""Charts: lines over time or along an axis, gaps left open."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.formats.drawing.canvas import Canvas
from kinegen.formats.drawing.pictures.theme import BRANCHES, shaded
from kinegen.kernels import Floats

__all__ = ["Box", "Line", "draw_chart", "ticks"]

INK, FAINT, GRID = "#222a35", "#6d7786", "#dde2e8"


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on the page [px]."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """One line of a chart."""

    name: str
    values: Floats
    """NaN where there is nothing to draw."""
    color: str = ""
    """Default: the next one of the palette."""
    width: float = 1.6


def draw_chart(
    canvas: Canvas,
    box: Box,
    times: Floats,
    lines: Sequence[Line],
    *,
    title: str,
    unit: str,
    marks: Sequence[float] = (),
    levels: Sequence[float] = (),
    along: str = "s",
) -> None:
    """Lines over time, or along another axis.

    Args:
        canvas: What is drawn on.
        box: Where.
        times: Places on the axis.
        lines: Their values there.
        title: Over the chart.
        unit: Of the values.
        marks: Times of warnings, drawn as upright lines.
        levels: Values that must not be passed, drawn as level lines.
        along: Unit of the axis.
    """
    known = [line.values[np.isfinite(line.values)] for line in lines] + [np.array(levels)]
    values = np.concatenate(known)
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    if high - low < 1e-9 * max(1.0, abs(high)):
        low, high = low - 0.5, high + 0.5
    first, last = float(times[0]), float(max(times[-1], times[0] + 1e-9))

    def place(time: float, value: float) -> tuple[float, float]:
        return (
            box.x + (time - first) / (last - first) * box.width,
            box.y + (high - value) / (high - low) * box.height,
        )

    canvas.text(box.x, box.y - 8, f"{title} [{unit}]", 13, INK)
    for value in ticks(low, high, 5):
        left, y = place(first, value)
        canvas.line([(left, y), (left + box.width, y)], GRID, 0.7)
        canvas.text(left - 6, y + 4, f"{value:.4g}", 10, FAINT, "end")
    for time in ticks(first, last, 8):
        x, _ = place(time, low)
        canvas.line([(x, box.y), (x, box.y + box.height)], GRID, 0.7)
        canvas.text(x, box.y + box.height + 14, f"{time + 0.0:.4g} {along}", 10, FAINT, "middle")
    for time in marks:
        x, _ = place(time, low)
        canvas.line([(x, box.y), (x, box.y + box.height)], "#c8675a", 1.0)
    for level in levels:
        left, y = place(first, level)
        canvas.line([(left, y), (left + box.width, y)], "#c8675a", 1.0)
    for k, line in enumerate(lines):
        color = line.color or _color(k)
        for part in _pieces(line.values):
            points = [place(float(times[i]), float(line.values[i])) for i in part]
            canvas.line(points if len(points) > 1 else points * 2, color, line.width)
        canvas.text(box.x + box.width + 10, box.y + 10 + 14 * k, line.name, 10.5, color)


def _color(k: int) -> str:
    """The palette, then the same hues darker."""
    color = BRANCHES[k % len(BRANCHES)]
    return color if k < len(BRANCHES) else shaded(color, 0.55)


def ticks(low: float, high: float, wanted: int) -> list[float]:
    """Round numbers between two ends, about so many."""
    rough = (high - low) / max(1, wanted)
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * m for m in (1, 2, 5, 10) if size * m >= rough * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    return [n * step for n in range(first, math.floor(high / step + 1e-9) + 1)]


def _pieces(values: Floats) -> list[list[int]]:
    """Indices of unbroken stretches."""
    known = np.flatnonzero(np.isfinite(values))
    if not len(known):
        return []
    return [part.tolist() for part in np.split(known, np.flatnonzero(np.diff(known) > 1) + 1)]
