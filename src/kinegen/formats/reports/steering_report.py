"""Report of a steered motion: the hand's force and the joints' accelerations over time."""

from __future__ import annotations

import math
from pathlib import PurePath

import numpy as np

from kinegen.formats.drawing.canvas import canvas_for
from kinegen.formats.drawing.chart import FAINT, INK, Box, Line, draw_chart
from kinegen.kernels import Floats
from kinegen.motion.steering import Steering

__all__ = ["steering_report"]

WIDTH, CHART, GAP = 900, 190, 60
"""Of the page [px]: its width, the height of a chart, and between them."""
MOST_POINTS = 1500
"""Of a line: more than the page has pixels."""


def steering_report(steering: Steering, name: str) -> bytes:
    """A page with charts as figures 6 and 8 of the I-GMS paper.

    Args:
        steering: A motion that was changed by hands.
        name: File name; its suffix (.svg; .png and .pdf need matplotlib) says what is made.
    """
    model = steering.simulation.model
    title = f"{model.name}: {PurePath(name).stem}"
    canvas = canvas_for(PurePath(name).suffix, WIDTH, 70 + 3 * (CHART + GAP), title)
    canvas.text(40, 30, title, 17, INK)
    words = [
        f"{edit.start:.2f} to {min(edit.end, steering.time):.2f} s, then {edit.resume}"
        for edit in steering.edits
    ]
    canvas.text(40, 48, "touched " + ("; ".join(words) or "never"), 11, FAINT)
    times = steering.times
    some = np.unique(np.linspace(0, len(times) - 1, min(len(times), MOST_POINTS)).astype(int))
    names = [joint.name for joint in model.joints for _ in range(joint.v.stop - joint.v.start)]
    force = steering.forces
    size = np.linalg.norm(force, axis=1)
    charts: list[tuple[str, str, list[Line]]] = [
        (
            "force of the hand on the mechanism",
            "N",
            [
                Line("size", size[some]),
                *(Line(axis, force[some, i]) for i, axis in enumerate("xyz")),
            ],
        ),
        ("joint accelerations", "rad/s²", _lines(names, steering.accelerations[some])),
        ("joint values", "°", _lines(names, np.degrees(steering.q[some]))),
    ]
    marks = [t for edit in steering.edits for t in (edit.start, edit.end) if math.isfinite(t)]
    y = 90.0
    for head, unit, lines in charts:
        box = Box(80, y, 660, CHART)
        draw_chart(canvas, box, times[some], lines, title=head, unit=unit, marks=marks)
        y += CHART + GAP
    return canvas.finish()


def _lines(names: list[str], values: Floats) -> list[Line]:
    return [Line(name, values[:, i]) for i, name in enumerate(names)]
