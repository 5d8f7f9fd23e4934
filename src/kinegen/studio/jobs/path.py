"""Answers about paths: menu, place, fit, plan, branches, a file.

What is wrong with a curve is an answer of its own, so that the page can show it at its place;
everything else that is wrong is an error.
"""

from __future__ import annotations

import dataclasses

from kinegen.curves.surfaces import SURFACES
from kinegen.curves.volumes import VOLUMES
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.analytic.closed_form import AnalyticKind, analytic_geometry
from kinegen.motion.branches import named_branches
from kinegen.motion.curve_place import find_place, fit_curve
from kinegen.studio.jobs.answers import Progress
from kinegen.studio.jobs.files import result_file
from kinegen.studio.jobs.paths.curves import made_curve
from kinegen.studio.jobs.paths.data import path_data, send_path, send_timed
from kinegen.studio.jobs.paths.formulas import CurveProblem
from kinegen.studio.jobs.paths.goal import (
    checker_for,
    followed,
    frame_of,
    path_goal,
    start_of,
    timed_path,
)
from kinegen.studio.jobs.processes.protocol import MadeFile
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.wire.message import vec3
from kinegen.studio.wire.questions import path as wire

__all__ = [
    "answer_path_branches",
    "answer_path_file",
    "answer_path_fit",
    "answer_path_menu",
    "answer_path_place",
    "answer_path_plan",
]


def answer_path_menu(
    compiled: CompiledText, q: Floats, request: wire.PathMenuRequest, report: Progress
) -> wire.PathMenuResult:
    """Surfaces and volumes to choose from, and what a frame can do."""
    geometry = analytic_geometry(compiled.model, frame_of(compiled, request.frame))
    return wire.PathMenuResult(
        surfaces=[
            wire.SurfaceRow(
                s.name, s.note, s.formula, s.value, _lengths(s.x1), _lengths(s.x2), s.curves
            )
            for s in SURFACES.values()
        ],
        volumes=[
            wire.VolumeRow(v.name, v.note, v.x, v.y, v.z, _texts(v.u), _texts(v.v), v.curves)
            for v in VOLUMES.values()
        ],
        wrist=geometry is not None and geometry.kind is AnalyticKind.PITCH_ARM,
    )


def answer_path_place(
    compiled: CompiledText, q: Floats, request: wire.PathPlaceRequest, report: Progress
) -> wire.PathPlaceResult:
    """Where a frame can follow a curve."""
    report("looking for a place within reach", None)
    start, frame = start_of(compiled, q, request.start), frame_of(compiled, request.frame)
    found = find_place(compiled.model, start, frame)
    return wire.PathPlaceResult(
        centre=vec3(found.centre),
        normal=vec3(found.normal),
        across=vec3(found.across),
        along=vec3(found.along),
        radius=found.radius,
        reached=found.is_reached,
        flat=found.is_flat,
    )


def answer_path_fit(
    compiled: CompiledText, q: Floats, request: wire.PathFitRequest, report: Progress
) -> wire.PathFitResult:
    """Scale and offset that bring a curve into a ball."""
    plain = dataclasses.replace(request.curve, scale=1.0, offset=(0.0, 0.0, 0.0))
    try:
        fit = fit_curve(made_curve(compiled, plain).curve, request.centre, request.radius)
    except UsageError as error:
        return wire.PathFitResult(None, _problem(error))
    return wire.PathFitResult(wire.PathFitData(fit.scale, vec3(fit.offset)), None)


def answer_path_plan(
    compiled: CompiledText, q: Floats, request: wire.PathPlanRequest, report: Progress
) -> wire.PathPlanResult:
    """The path: numbers as pieces, what is to be said about it as the result."""
    report("following the curve", None)
    try:
        made, planned = followed(compiled, q, request.path)
    except CurveProblem as error:
        return wire.PathPlanResult(None, _problem(error))
    send_path(planned, made, report)
    timing = request.path.timing
    timed = timed_path(planned, timing)
    send_timed(planned, timed, timing, report)
    spans = planned.collisions(checker_for(compiled, request.path.poses))
    return wire.PathPlanResult(path_data(planned, made, timed, timing, spans), None)


def answer_path_branches(
    compiled: CompiledText, q: Floats, request: wire.PathBranchesRequest, report: Progress
) -> wire.PathBranchesResult:
    """Poses in which the curve can be begun, nearest first, with names."""
    report("searching for branches", None)
    try:
        goal = path_goal(compiled, q, request.path)
        found = named_branches(
            compiled.model, goal.made.curve, frame=goal.frame, tool=goal.tool,
            wrist_angle=goal.wrist, start=goal.start, limits=goal.limits,
        )  # fmt: skip
    except CurveProblem as error:
        return wire.PathBranchesResult([], _problem(error))
    return wire.PathBranchesResult(
        [wire.BranchData(one.name, one.q.tolist()) for one in found], None
    )


def answer_path_file(
    compiled: CompiledText, q: Floats, request: wire.PathFileRequest, report: Progress
) -> MadeFile:
    """The path as a file: a table, commands, or a report to print."""
    report("writing the file", None)
    _, planned = followed(compiled, q, request.path)
    timed = timed_path(planned, request.path.timing)
    if isinstance(timed, str):
        raise UsageError(timed)
    return result_file(timed or planned, f"{compiled.mechanism.name}-path", request.format)


def _problem(error: UsageError) -> wire.CurveProblemData:
    if isinstance(error, CurveProblem):
        return wire.CurveProblemData(str(error), error.field, error.offset)
    return wire.CurveProblemData(str(error), None, None)


def _texts(ends: tuple[float | str, float | str]) -> tuple[str, str]:
    first, last = (end if isinstance(end, str) else f"{end:g}" for end in ends)
    return first, last


def _lengths(ends: tuple[float | str, float | str]) -> tuple[str, str]:
    """Ends of a range in metres, as the paper writes them."""
    first, last = (end if isinstance(end, str) else f"{100 * end:g} cm" for end in ends)
    return first, last
