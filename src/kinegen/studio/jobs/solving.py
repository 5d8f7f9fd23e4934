"""Answers about poses: assembly modes, and poses that meet handles."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.handles import Handle
from kinegen.kinematics.solving.assembling.assembly import assembly_modes
from kinegen.kinematics.solving.inverse import Solution, solve, solve_all
from kinegen.mechanism.model import Model
from kinegen.spatial.rotation import SO3
from kinegen.studio.jobs.answers import Progress
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.wire.questions.solving import (
    HandleData,
    ModeData,
    ModesRequest,
    ModesResult,
    SolutionData,
    SolveAllRequest,
    SolveAllResult,
    SolveRequest,
    SolveResult,
)

__all__ = ["answer_modes", "answer_solve", "answer_solve_all", "handle_of"]


def answer_modes(
    compiled: CompiledText, q: Floats, request: ModesRequest, report: Progress
) -> ModesResult:
    """All poses that close the loops while the inputs hold."""
    report("looking for assembly modes", None)
    found = assembly_modes(
        compiled.model, q, inputs=request.inputs, limits=request.limits, attempts=request.attempts
    )
    return ModesResult(
        [ModeData(mode.name, mode.q.tolist(), mode.distance, mode.loose) for mode in found]
    )


def answer_solve(
    compiled: CompiledText, q: Floats, request: SolveRequest, report: Progress
) -> SolveResult:
    """The pose that meets the handles, or the nearest one and why it is no nearer."""
    report("solving", None)
    found = solve(
        compiled.model, _handles(compiled.model, request.handles), start=q, limits=request.limits,
        locked=request.locked,
    )  # fmt: skip
    return SolveResult(*dataclasses.astuple(_solution(found)))


def answer_solve_all(
    compiled: CompiledText, q: Floats, request: SolveAllRequest, report: Progress
) -> SolveAllResult:
    """Every different pose that meets the handles."""
    report("looking for all solutions", None)
    found = solve_all(
        compiled.model, _handles(compiled.model, request.handles), start=q, limits=request.limits,
        locked=request.locked, most=request.most,
    )  # fmt: skip
    return SolveAllResult([_solution(one) for one in found])


def handle_of(model: Model, data: HandleData) -> Handle:
    """What a page asks of a frame."""
    frame = data.frame or str(model.site_names[-1])
    model.site(frame)
    given = {key: value for key in ("point", "axis") if (value := getattr(data, key)) is not None}
    return Handle(
        frame, data.position, None if data.quat is None else SO3(np.array(data.quat)),
        data.direction, pin=data.pin, weight=data.weight, rotation_weight=data.rotation_weight,
        **given,
    )  # fmt: skip


def _handles(model: Model, handles: Sequence[HandleData]) -> list[Handle]:
    return [handle_of(model, one) for one in handles]


def _solution(found: Solution) -> SolutionData:
    return SolutionData(
        q=found.q.tolist(),
        reached=found.reached,
        reason=found.reason,
        limits=[str(limit) for limit in found.limits],
        dof_left=found.dof_left,
    )
