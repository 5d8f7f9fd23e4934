"""Answers about zones: points by assembly mode, a point's pose, a way through a mode, a file."""

from __future__ import annotations

import dataclasses
import math
import time
from typing import cast

from kinegen.kernels import Floats
from kinegen.studio.jobs.answers import Progress
from kinegen.studio.jobs.files import result_file
from kinegen.studio.jobs.last import Last
from kinegen.studio.jobs.processes.protocol import MadeFile
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.wire.message import vec3
from kinegen.studio.wire.questions import zone as wire
from kinegen.studio.wire.questions.cloud import MOST_POINTS, PoseResult
from kinegen.workspace.bodies.measure import Measure
from kinegen.workspace.colours import value_ends
from kinegen.workspace.progressive.zone import (
    ZonePlan,
    even_points,
    motion_through,
    propose_zone,
    zone_places,
)
from kinegen.workspace.zones.result import Zone, mode_named, unit_of

__all__ = [
    "Planned",
    "answer_zone",
    "answer_zone_file",
    "answer_zone_pose",
    "answer_zone_way",
    "measure_data",
    "plan_of",
    "zone_of",
]

Planned = tuple[str, ZonePlan]
"""What was asked for in words, and the plan."""
_last: Last[Zone] = Last()
"""Its points lead back to poses, and have a body."""


def answer_zone(
    compiled: CompiledText, q: Floats, request: wire.ZoneRequest, report: Progress
) -> wire.ZoneResult:
    """Where a frame of a mechanism with loops gets to."""
    key, plan = plan_of(compiled, q, request.zone)
    begin = time.perf_counter()
    for made in plan.finer():
        _last.put(key, made)
        found = _zone_data(plan, made, time.perf_counter() - begin)
        order, modes = even_points(made, MOST_POINTS)
        report.piece(wire.ZoneBeginPiece(found, len(order)), b"")
        if not len(order):
            continue
        tags = (order * len(made.modes) + modes).astype("<u4")
        data = zone_places(plan.model, made)[order].astype("<f4").tobytes() + tags.tobytes()
        values = made.values
        if values is not None:
            data += values[order].astype("<f4").tobytes()
        report.piece(wire.ZonePointsPiece(len(order), values is not None), data)
    return found


def answer_zone_pose(
    compiled: CompiledText, q: Floats, request: wire.ZonePoseRequest, report: Progress
) -> PoseResult:
    """The configuration of a point."""
    made = zone_of(plan_of(compiled, q, request.zone))
    return PoseResult(made.configuration(request.point).tolist())


def answer_zone_way(
    compiled: CompiledText, q: Floats, request: wire.ZoneWayRequest, report: Progress
) -> wire.ZoneWayResult:
    """A way through a mode."""
    made = zone_of(plan_of(compiled, q, request.zone))
    return wire.ZoneWayResult(motion_through(mode_named(made, request.mode)).tolist())


def answer_zone_file(
    compiled: CompiledText, q: Floats, request: wire.ZoneFileRequest, report: Progress
) -> MadeFile:
    """All points as a file."""
    made = zone_of(plan_of(compiled, q, request.zone))
    return result_file(made, f"{made.name}-zone", request.format)


def plan_of(compiled: CompiledText, q: Floats, spec: wire.ZoneSpec) -> Planned:
    """The plan of a zone."""
    home = q if spec.home is None else compiled.checked(spec.home)
    plan = propose_zone(
        compiled.model, home, spec.frame, kind=spec.kind, step=spec.step, ranges=spec.ranges,
        inputs=spec.inputs, tilt=spec.tilt, modes=spec.modes, layer=spec.layer,
    )  # fmt: skip
    return repr((compiled.text, home.tobytes(), dataclasses.replace(spec, home=None))), plan


def zone_of(planned: Planned) -> Zone:
    """The zone of a plan: the last one if it is the same."""
    key, plan = planned
    made = _last.get(key)
    if made is None:
        made = plan.finest()
        _last.put(key, made)
    return made


def measure_data(measure: Measure, kind: str = "inputs") -> wire.MeasureData:
    """A measure as it is sent."""
    unit = unit_of(measure, kind)
    return wire.MeasureData(measure.value, measure.error, measure.dimension, unit, measure.cell)


def _zone_data(plan: ZonePlan, made: Zone, seconds: float) -> wire.ZoneResult:
    """A zone without its points."""
    points, values = zone_places(plan.model, made), made.values
    count = len(points)
    return wire.ZoneResult(
        frame=made.frame,
        kind=cast(wire.ZoneKind, made.kind),
        layer=made.layer,
        ends=None if values is None or not len(values) else value_ends(values),
        method="triangles" if made.method == "triangles" else "solver",
        inputs=list(made.inputs),
        held={name: math.remainder(value, math.tau) for name, value in made.held.items()},
        tried=made.tried,
        points=count,
        bounds=(vec3(points.min(axis=0)), vec3(points.max(axis=0))) if count else None,
        measure=measure_data(made.measure, made.kind),
        modes=[
            wire.ZoneModeData(mode.name, mode.count, measure_data(mode.measure, made.kind))
            for mode in made.modes
        ],
        step=made.step,
        seconds=seconds,
    )
