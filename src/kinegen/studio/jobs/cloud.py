"""Answers about clouds: plan, overview, detail, the pose of a point, a file."""

from __future__ import annotations

from typing import get_args

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.studio.jobs.answers import Progress
from kinegen.studio.jobs.files import result_file
from kinegen.studio.jobs.last import Last
from kinegen.studio.jobs.processes.protocol import MadeFile
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.wire.message import vec3
from kinegen.studio.wire.questions import cloud as wire
from kinegen.workspace.clouds.cloud import CloudPlan, held_joints
from kinegen.workspace.colours import PALETTES
from kinegen.workspace.progressive.cloud import CloudPart, ProgressiveCloud
from kinegen.workspace.progressive.plan import propose_cloud

__all__ = [
    "answer_cloud",
    "answer_cloud_detail",
    "answer_cloud_file",
    "answer_cloud_plan",
    "answer_cloud_pose",
    "plan_of",
]

MOST_FILE = 5_000_000
"""Points of a file at most."""

_last: Last[ProgressiveCloud] = Last()
"""For looks from nearby."""


def plan_of(compiled: CompiledText, q: Floats, spec: wire.CloudSpec) -> CloudPlan:
    """The plan of a cloud."""
    home = q if spec.home is None else compiled.checked(spec.home)
    return propose_cloud(
        compiled.model, home, spec.frame, frames=spec.frames, ranges=spec.ranges,
        factor=spec.factor, count=spec.count, how=spec.how, layer=spec.layer,
    )  # fmt: skip


def answer_cloud_plan(
    compiled: CompiledText, q: Floats, request: wire.CloudPlanRequest, report: Progress
) -> wire.CloudPlanResult:
    """What a cloud would try."""
    return _plan_data(plan_of(compiled, q, request.cloud))


def answer_cloud(
    compiled: CompiledText, q: Floats, request: wire.CloudRequest, report: Progress
) -> wire.CloudResult:
    """The whole cloud: an even part of it is sent, all of it counts."""
    plan = _bearable(plan_of(compiled, q, request.cloud))
    made = ProgressiveCloud(plan, most=wire.MOST_POINTS)
    _last.put(_key(compiled, plan), made)
    plan_data, shown = _plan_data(plan), made.shown * len(plan.frames)
    report.piece(wire.CloudBeginPiece(plan_data, shown), b"")
    for part in made.overview():
        count, valued = len(part.points), part.values is not None
        if count:
            head = wire.CloudPointsPiece(count, valued, made.ends, part.share, made.seconds)
            report.piece(head, _points(part))
        else:
            report.piece(wire.CloudProgressPiece(part.share, made.seconds), b"")
    values = made.place_values
    if values is not None:
        report.piece(wire.CloudValuesPiece(len(values), made.ends), values.astype("<f4").tobytes())
    bounds = [(vec3(low), vec3(high)) for low, high in made.bounds]
    return wire.CloudResult(plan_data, made.seconds, shown, bounds, made.ends)


def answer_cloud_detail(
    compiled: CompiledText, q: Floats, request: wire.CloudDetailRequest, report: Progress
) -> wire.CloudDetailResult:
    """Points within planes, as many as can be computed in time."""
    plan = _bearable(plan_of(compiled, q, request.cloud))
    made = _last.get(_key(compiled, plan)) or ProgressiveCloud(plan)
    look = made.look(np.array(request.planes), request.first, request.most)
    for part in look:
        head = wire.CloudDetailPiece(len(part.points), part.values is not None)
        report.piece(head, _points(part))
    return wire.CloudDetailResult(look.next, look.sent)


def answer_cloud_pose(
    compiled: CompiledText, q: Floats, request: wire.CloudPoseRequest, report: Progress
) -> wire.PoseResult:
    """The configuration that made a point."""
    plan = _bearable(plan_of(compiled, q, request.cloud))
    return wire.PoseResult(plan.configuration(request.pose).tolist())


def answer_cloud_file(
    compiled: CompiledText, q: Floats, request: wire.CloudFileRequest, report: Progress
) -> MadeFile:
    """All points as a file."""
    plan = plan_of(compiled, q, request.cloud)
    if plan.point_count > MOST_FILE:
        raise UsageError(
            f"{plan.point_count:,} points are too many for a download ({MOST_FILE:,}): use fewer "
            "poses, or 'kinegen workspace … --out FILE'"
        )
    made = ProgressiveCloud(plan).whole()
    options = {"palette": request.palette} if request.format == "ply" else {}
    return result_file(made, f"{made.name}-cloud", request.format, **options)


def _bearable(plan: CloudPlan) -> CloudPlan:
    """A plan that the studio computes."""
    count, most = plan.sweep.count, wire.MOST_POSES
    if count > most:
        raise UsageError(
            f"{count:,} poses are more than the studio computes ({most:,}): use more degrees per "
            "step, narrower ranges, or spread poses; 'kinegen workspace' has no limit"
        )
    return plan


def _key(compiled: CompiledText, plan: CloudPlan) -> str:
    sweep = plan.sweep
    return repr((compiled.text, sweep.home.tobytes(), sweep.count, sweep.ranges, plan.factor,
                 plan.frames, plan.layer))  # fmt: skip


def _plan_data(plan: CloudPlan) -> wire.CloudPlanResult:
    return wire.CloudPlanResult(
        frames=list(plan.frames),
        ranges=[
            wire.RangeData(
                one.name, "angle" if one.quantity == "angle" else "length", one.lower, one.upper,
                one.count if plan.sweep.is_grid else 0,
            )
            for one in plan.sweep.ranges
        ],
        held=list(held_joints(plan.sweep.model, plan.frames)),
        following=[one.name for one in plan.sweep.following],
        poses=plan.sweep.count,
        points=plan.point_count,
        factor=plan.factor,
        layer=plan.layer,
        palettes={name: list(PALETTES[name]) for name in get_args(wire.Palette)},
    )  # fmt: skip


def _points(part: CloudPart) -> bytes:
    """Points as x y z …, then their tags, then values where there are some."""
    data = part.points.astype("<f4").tobytes() + part.tags.astype("<u4").tobytes()
    return data if part.values is None else data + part.values.astype("<f4").tobytes()
