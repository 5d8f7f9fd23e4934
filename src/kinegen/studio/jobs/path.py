"""Paths as a page asks for them: a place, a plan, its branches, a file."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from kinegen.curves.surfaces import SURFACES
from kinegen.curves.volumes import VOLUMES, Volume
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.analytic.closed_form import AnalyticKind, analytic_geometry
from kinegen.motion.branches import named_branches
from kinegen.motion.curve_place import find_place, fit_curve
from kinegen.motion.path import Path
from kinegen.studio.jobs.analyses import Progress
from kinegen.studio.jobs.curves import CurveProblem, Made, made_curve
from kinegen.studio.jobs.exports import Export
from kinegen.studio.jobs.path_goal import (
    floats_of,
    followed,
    frame_of,
    number_of,
    path_goal,
    run_of,
    start_of,
    timed_path,
)
from kinegen.studio.session.compiled_text import CompiledText

__all__ = ["path"]

Arguments = Mapping[str, Any]

MOST_REASONS = 600
"""Points that say each for itself why they are not reached; stretches always do."""
_FINE = 400
"""Points of the line that is drawn through the dots."""
_GRID = 48
"""Points of each curve of a family."""
_FILES = {
    ".csv": "text/csv; charset=utf-8",
    ".json": "application/json",
    ".npz": "application/octet-stream",
    ".mcap": "application/octet-stream",
    ".gcode": "text/plain; charset=utf-8",
    ".ssc": "text/plain; charset=utf-8",
    ".svg": "image/svg+xml",
    ".pdf": "application/pdf",
    ".png": "image/png",
}


def path(piece: CompiledText, q: Floats, arguments: Arguments, report: Progress) -> Any:
    """One of ``menu``, ``place``, ``fit``, ``plan``, ``branches``, ``export``, as ``ask`` says.

    What is wrong with a curve is an answer, ``{"problem": …}``, so that the page can show it at its
    place; everything else that is wrong is an error.
    """
    ask = arguments.get("ask", "plan")
    if ask not in _ASKS:
        raise UsageError(f"a path is asked for {', '.join(_ASKS)}, not {ask!r}")
    try:
        return _ASKS[ask](piece, q, arguments, report)
    except CurveProblem as problem:
        return {
            "problem": {
                "message": str(problem),
                "field": problem.field,
                "offset": problem.offset,
            }
        }


def _menu(piece: CompiledText, q: Floats, arguments: Arguments, report: Progress) -> Any:
    """Surfaces and volumes to choose from, and what this mechanism and machine can do."""
    frame = frame_of(piece, arguments)
    geometry = analytic_geometry(piece.model, frame)
    return {
        "surfaces": [
            {"name": s.name, "note": s.note, "formula": s.formula, "gives": s.value,
             "x1": _lengths(s.x1), "x2": _lengths(s.x2), "curves": s.curves}
            for s in SURFACES.values()
        ],
        "volumes": [
            {"name": v.name, "note": v.note, "x": v.x, "y": v.y, "z": v.z, "u": _texts(v.u),
             "v": _texts(v.v), "curves": v.curves}
            for v in VOLUMES.values()
        ],
        "wrist": geometry is not None and geometry.kind is AnalyticKind.PITCH_ARM,
    }  # fmt: skip


def _place(piece: CompiledText, q: Floats, arguments: Arguments, report: Progress) -> Any:
    report("looking for a place within reach", None)
    found = find_place(piece.model, start_of(piece, q, arguments), frame_of(piece, arguments))
    across, along = found.axes
    return {
        "centre": found.centre.tolist(),
        "normal": found.normal.tolist(),
        "across": across.tolist(),
        "along": along.tolist(),
        "radius": found.radius,
        "reached": found.is_reached,
        "flat": found.is_flat,
    }


def _fit(piece: CompiledText, q: Floats, arguments: Arguments, report: Progress) -> Any:
    """Scale and offset that bring a curve into a circle: ``centre`` [m], ``radius`` [m]."""
    curve = arguments.get("curve")
    if not isinstance(curve, Mapping):
        raise CurveProblem(f"a curve is an object with a kind, got {curve!r:.80}")
    plain = {key: value for key, value in curve.items() if key not in ("scale", "offset", "lift")}
    centre = floats_of(arguments.get("centre"), 3, "the centre")
    try:
        fit = fit_curve(made_curve(piece, plain).curve, centre, number_of(arguments, "radius", 0.1))
    except CurveProblem:
        raise
    except UsageError as error:
        raise CurveProblem(str(error)) from None
    return {"scale": fit.scale, "offset": fit.offset.tolist()}


def _plan(piece: CompiledText, q: Floats, arguments: Arguments, report: Progress) -> Any:
    """The path: numbers as pieces, what is to be said about it as the answer."""
    report("following the curve", None)
    made, planned = followed(piece, q, arguments)
    _send(planned, made, report)
    timed = timed_path(planned, arguments)
    if isinstance(timed, Path):
        run = run_of(planned, arguments)
        head = {"what": "timed", "first": planned.runs[run].start, "count": len(timed)}
        report.piece(head, _bytes(timed.times, timed.v, timed.vdot))
    return {
        **_told(planned, made),
        "timing": {
            "duration": timed.duration,
            "too_fast": timed.too_fast,
            "run": run_of(planned, arguments),
            "problem": None,
        }
        if isinstance(timed, Path)
        else {"duration": planned.duration, "too_fast": {}, "run": None, "problem": timed},
    }


def _branches(piece: CompiledText, q: Floats, arguments: Arguments, report: Progress) -> Any:
    """Poses in which the curve can be begun, nearest first, with names."""
    report("searching for branches", None)
    goal = path_goal(piece, q, arguments)
    found = named_branches(
        piece.model, goal.made.curve, frame=goal.frame, tool=goal.tool, wrist_angle=goal.wrist,
        start=goal.start, limits=goal.limits,
    )  # fmt: skip
    return [{"name": branch.name, "q": branch.q.tolist()} for branch in found]


def _export(piece: CompiledText, q: Floats, arguments: Arguments, report: Progress) -> Any:
    """The path as a file: a table, commands, or a report to print."""
    suffix = f".{arguments.get('format')}"
    if suffix not in _FILES:
        raise UsageError(f"a path is written as {', '.join(_FILES)}, not '{suffix}'")
    report("writing the file", None)
    _, planned = followed(piece, q, arguments)
    timed = timed_path(planned, arguments)
    if isinstance(timed, str):
        raise UsageError(timed)
    name = f"{piece.mechanism.name}-path{suffix}"
    content = (timed or planned).to_bytes(name)
    return Export(name, _FILES[suffix], content).download()


_ASKS: dict[str, Callable[[CompiledText, Floats, Arguments, Progress], Any]] = {
    "menu": _menu,
    "place": _place,
    "fit": _fit,
    "plan": _plan,
    "branches": _branches,
    "export": _export,
}


def _send(planned: Path, made: Made, report: Progress) -> None:
    count, model = len(planned), planned.model
    head = {"what": "points", "count": count}
    report.piece(
        head,
        _bytes(planned.xyz, planned.ways, planned.times, planned.singular, planned.reachable),
    )
    # poses as they are: rounded ones would open the loops
    rows = np.ascontiguousarray(planned.q, dtype="<f8").tobytes()
    report.piece({"what": "poses", "count": count, "nq": model.nq}, rows)
    head = {"what": "rates", "count": count, "nv": model.nv}
    report.piece(head, _bytes(planned.v, planned.vdot))
    if count < _FINE:
        fine = made.curve.sample(_FINE).xyz
        report.piece({"what": "line", "count": len(fine)}, _bytes(fine))
    grid = made.grid(_GRID)
    if grid is not None:
        head = {"what": "grid", "curves": grid.shape[0], "points": grid.shape[1]}
        report.piece(head, _bytes(grid))


def _told(planned: Path, made: Made) -> dict[str, Any]:
    gap = made.curve.gap()
    reasons = list(planned.reasons.items())
    closing: list[float] = []
    if isinstance(made.family, Volume):
        closing = made.family.gaps().tolist()
    return {
        "frame": planned.frame,
        "name": planned.name,
        "count": len(planned),
        "reached": planned.reachable_count,
        "length": float(planned.ways[-1]),
        "duration": planned.duration,
        "speed": planned.speed,
        "closed": made.curve.is_closed,
        "gap": gap if math.isfinite(gap) else None,
        "choices": made.choices,
        "closing": closing,
        "scale": made.scale,
        "runs": [[run.start, run.stop - 1] for run in planned.runs],
        "gaps": [
            {"first": gap.first, "last": gap.last, "reason": gap.worst} for gap in planned.gaps()
        ],
        "reasons": {str(i): why for i, why in reasons[:MOST_REASONS]},
        "crossings": [
            {"index": c.index, "time": c.time, "kind": c.kind, "joints": list(c.joints),
             "text": c.text}
            for c in planned.crossings
        ],
        "too_fast": planned.too_fast,
        "on_surface": made.curve.is_on_surface,
    }  # fmt: skip


def _bytes(*arrays: Any) -> bytes:
    return b"".join(np.ascontiguousarray(array, dtype="<f4").tobytes() for array in arrays)


def _texts(ends: tuple[float | str, float | str]) -> list[str]:
    return [end if isinstance(end, str) else f"{end:g}" for end in ends]


def _lengths(ends: tuple[float | str, float | str]) -> list[str]:
    """Ends of a range in metres, as the paper writes them."""
    return [end if isinstance(end, str) else f"{100 * end:g} cm" for end in ends]
