"""Path reports: a followed path on one page: picture, joint positions, speeds, accelerations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import PurePath

import numpy as np

from kinegen.errors import unknown_name
from kinegen.formats.drawing.canvas import Canvas, canvas_for
from kinegen.formats.drawing.chart import FAINT, INK, Box, Line, draw_chart
from kinegen.formats.drawing.figure import Dots, Panel, draw_panel
from kinegen.formats.drawing.pictures.theme import THEMES
from kinegen.kernels import Floats
from kinegen.motion.path import Path
from kinegen.workspace.colours import palette_colours

__all__ = ["CHARTS", "path_report"]

CHARTS = ("positions", "speeds", "accelerations")
"""What a report has charts of."""

WIDTH, PICTURE, CHART, GAP = 900, 320, 170, 56
"""Of the page [px]: its width, the heights of its picture and charts, and between them."""
MOST_LINES = 12
"""Lines per chart that can still be distinguished: motors first, then the other joints."""
_BAD = "#c8675a"


def path_report(path: Path, name: str = "path.svg", *, charts: Sequence[str] = CHARTS) -> bytes:
    """A report as SVG, PDF or PNG, by the suffix of a file's name, with some of `CHARTS`."""
    for chart in charts:
        if chart not in CHARTS:
            raise unknown_name("chart", chart, "the list", CHARTS)
    rows = _rows(path)
    # what stands still all the way needs no charts, unless everything does
    some = [row for row in rows if _moves(path, row[1])] or rows
    kinds = [kind for kind in ("angle", "length") if any(k == kind for _, _, _, k in some)]
    height = 70 + PICTURE + len(kinds) * len(charts) * (CHART + GAP) + 20
    title = f"{path.name} by '{path.frame}' of {path.model.name}"
    canvas = canvas_for(PurePath(name).suffix, WIDTH, height, title)
    canvas.text(24, 30, title[0].upper() + title[1:], 18, INK)
    summary = (
        f"{path.reachable_count} of {len(path)} points reached, {path.ways[-1] * 1000:.4g} mm, "
        f"{path.duration:.4g} s"
    )
    canvas.text(24, 50, summary, 12, FAINT)
    _picture(canvas, Box(0, 60, 470, PICTURE), path, height)
    _notes(canvas, 470, 84, path)
    marks = [crossing.time for crossing in path.crossings]
    y = 70.0 + PICTURE + 26
    for kind in kinds:
        some = [row for row in rows if row[3] == kind][:MOST_LINES]
        factor, unit = (180 / math.pi, "°") if kind == "angle" else (1000.0, "mm")
        for what, table, suffix in (
            ("positions", path.q, ""), ("speeds", path.v, "/s"), ("accelerations", path.vdot, "/s²")
        ):  # fmt: skip
            if what not in charts:
                continue
            lines = [
                Line(label, factor * table[:, q if table is path.q else v])
                for label, q, v, _ in some
            ]
            # joined only within unbroken stretches: a leap is no motion
            lines = [Line(line.name, _broken(path, line.values)) for line in lines]
            box = Box(80, y, 660, CHART)
            draw_chart(
                canvas, box, path.times, lines, title=f"joint {what}", unit=f"{unit}{suffix}",
                marks=marks,
            )  # fmt: skip
            y += CHART + GAP
    return canvas.finish()


def _rows(path: Path) -> list[tuple[str, int, int, str]]:
    """Label, column of q, column of v and quantity of each plain variable, motors first."""
    found = []
    for joint in path.model.joints:
        if joint.type.info.has_quaternion:
            continue
        variables = joint.type.info.variables
        for k, (variable, quantity) in enumerate(variables):
            label = joint.name if len(variables) == 1 else f"{joint.name} {variable}"
            kind = "angle" if quantity == "angle" else "length"
            row = (label, joint.q.start + k, joint.v.start + k, kind)
            found.append((not joint.has_motor, row))
    return [row for _, row in sorted(found, key=lambda pair: pair[0])]


def _moves(path: Path, column: int) -> bool:
    values = path.q[path.reachable, column]
    return bool(len(values) and np.ptp(values) > 1e-9)


def _broken(path: Path, values: Floats) -> Floats:
    shown = values.copy()
    for run in path.runs[1:]:
        if path.reachable[run.start - 1]:
            shown[run.start] = np.nan
    return shown


def _picture(canvas: Canvas, box: Box, path: Path, height: int) -> None:
    """The curve and the mechanism on it."""
    met, exist = np.flatnonzero(path.reachable), np.isfinite(path.xyz).all(axis=1)
    items = [
        Dots(path.xyz[some], np.tile(colour, (len(some), 1)), 1.6, above=True)
        for some, colour in (
            (met, palette_colours(4)),
            (np.flatnonzero(exist & ~path.reachable), palette_colours(5)),
        )
    ]
    q = path.q[met[len(met) // 3]] if len(met) else path.model.start()
    draw_panel(canvas, box, path.model, Panel(items, q), THEMES["light"], (WIDTH, height))


def _notes(canvas: Canvas, x: float, y: float, path: Path) -> None:
    notes = [
        *(f"points {g.first} to {g.last} not reached: {g.reason}" for g in path.gaps()),
        *(crossing.text for crossing in path.crossings),
        *(f"'{n}' needs {t:.3g} times the speed of its motor" for n, t in path.too_fast.items()),
    ]
    lines = [line for note in notes for line in _wrapped(note)]
    for k, line in enumerate(lines[:18] or ["no warnings"]):
        canvas.text(x, y + 16 * k, line, 10.5, _BAD if notes else FAINT)


def _wrapped(text: str, width: int = 68) -> list[str]:
    import textwrap

    return textwrap.wrap(text, width, subsequent_indent="   ")
