"""Path reports: a followed path on one page: picture, joint positions, speeds, accelerations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import PurePath

import numpy as np

from kinegen.errors import unknown_name
from kinegen.formats.canvas import Canvas, canvas_for
from kinegen.formats.chart import FAINT, INK, Box, Line, draw_chart
from kinegen.formats.svg_theme import BRANCHES
from kinegen.kernels import Floats
from kinegen.kinematics.closure import loop_poses
from kinegen.kinematics.positions import forward
from kinegen.mechanism.joint_types import JointType
from kinegen.motion.path import Path

__all__ = ["CHARTS", "path_report"]

CHARTS = ("positions", "speeds", "accelerations")
"""What a report has charts of."""

WIDTH, PICTURE, CHART, GAP = 900, 320, 170, 56
"""Of the page [px]: its width, the heights of its picture and charts, and between them."""
MOST_LINES = 12
"""Lines per chart that can still be told apart: motors first, then the other joints."""
_BAD = "#c8675a"


def path_report(
    path: Path, name: str = "path.svg", *, charts: Sequence[str] = CHARTS
) -> bytes:
    """A report as SVG, PDF or PNG, by the suffix of a file's name; ``charts`` chooses of `CHARTS`."""
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
    canvas.text(24, 30, title, 18, INK)
    told = (
        f"{path.reachable_count} of {len(path)} points reached, {path.ways[-1] * 1000:.4g} mm, "
        f"{path.duration:.4g} s"
    )
    canvas.text(24, 50, told, 12, FAINT)
    _picture(canvas, Box(24, 66, 420, PICTURE - 20), path)
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
        if joint.type in (JointType.SPHERICAL, JointType.FREE):
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


def _picture(canvas: Canvas, box: Box, path: Path) -> None:
    """The curve and the mechanism's bones at three poses, seen from the front and above."""
    poses = []
    met = np.flatnonzero(path.reachable)
    if len(met):
        poses = [path.q[i] for i in met[np.linspace(0, len(met) - 1, 3).astype(int)]]
    bones = [_bones(path, q) for q in poses]
    exist = np.isfinite(path.xyz).all(axis=1)
    everything = np.concatenate([path.xyz[exist], *(np.concatenate(b) for b in bones)])
    flat = bool(np.ptp(everything[:, 2]) < 1e-9)
    seen = _seen(everything, flat)
    low, high = seen.min(axis=0), seen.max(axis=0)
    scale = min(box.width, box.height) / max(float((high - low).max()), 1e-9)
    centre = (low + high) / 2

    def place(xyz: Floats) -> list[tuple[float, float]]:
        at = (_seen(xyz, flat) - centre) * scale
        return [(box.x + box.width / 2 + x, box.y + box.height / 2 - y) for x, y in at.tolist()]

    for k, pose in enumerate(bones):
        for bone in pose:
            canvas.line(place(bone), "#a9b3c1" if k else "#4a5666", 3.0 if k == 0 else 1.5)
    for i in np.flatnonzero(exist).tolist():
        x, y = place(path.xyz[i : i + 1])[0]
        canvas.dot(x, y, 1.6, BRANCHES[0] if path.reachable[i] else _BAD)


def _bones(path: Path, q: Floats) -> list[Floats]:
    """A line from each link's origin to its parent's, and to the frame; cut joints too."""
    rows = forward(path.model, q)[:, 4:]
    found = []
    for joint in path.model.joints:
        if not joint.is_cut:
            found.append(rows[[joint.parent, joint.child]])
    for loop, ends in zip(path.model.loops, loop_poses(path.model, q), strict=True):
        joint = path.model.joints[loop.joint]
        found.append(np.stack([rows[joint.parent], ends[0][4:]]))
        found.append(np.stack([rows[joint.child], ends[1][4:]]))
    for frame in path.model.frames:
        found.append(rows[[frame.link, path.model.site(frame.name)]])
    return found


def _seen(xyz: Floats, flat: bool) -> Floats:
    """Points as the eye sees them: from above where all lies in a plane, else from a corner."""
    if flat:
        return xyz[:, :2]
    a, e = math.radians(-60), math.radians(25)
    right = np.array([-math.sin(a), math.cos(a), 0.0])
    up = np.array([-math.sin(e) * math.cos(a), -math.sin(e) * math.sin(a), math.cos(e)])
    return np.stack([xyz @ right, xyz @ up], axis=1)


def _notes(canvas: Canvas, x: float, y: float, path: Path) -> None:
    notes = [
        *(f"points {a} to {b} not reached: {why}" for a, b, why in path.gaps()),
        *(crossing.text for crossing in path.crossings),
        *(f"'{n}' needs {t:.3g} times its motor's speed" for n, t in path.too_fast.items()),
    ]
    lines = [line for note in notes for line in _wrapped(note)]
    for k, line in enumerate(lines[:18] or ["no warnings"]):
        canvas.text(x, y + 16 * k, line, 10.5, _BAD if notes else FAINT)


def _wrapped(text: str, width: int = 68) -> list[str]:
    import textwrap

    return textwrap.wrap(text, width, subsequent_indent="   ")
