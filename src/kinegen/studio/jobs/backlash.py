"""Answers about backlash."""

from __future__ import annotations

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.positions import pose
from kinegen.studio.jobs.answers import Progress
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.wire.message import vec3
from kinegen.studio.wire.questions.backlash import (
    BacklashPointsPiece,
    BacklashRequest,
    BacklashResult,
    BacklashShare,
)
from kinegen.workspace.accuracy.backlash import backlash

__all__ = ["answer_backlash"]


def answer_backlash(
    compiled: CompiledText, q: Floats, request: BacklashRequest, report: Progress
) -> BacklashResult:
    """How far backlash and tolerances let a frame move."""
    model = compiled.model
    frame = request.frame or model.site_names[-1]
    report("Backlash of the joints", None)
    found = backlash(
        model, frame=frame, q=q, joints=request.joints, length=request.length,
        wobble=request.wobble,
    )  # fmt: skip
    where = pose(model, found.q, frame).translation
    away = np.ascontiguousarray(found.points - where, "<f4")
    report.piece(BacklashPointsPiece(), away.tobytes())
    return BacklashResult(
        frame=frame,
        at=vec3(where),
        points=len(away),
        lower=vec3(found.lower),
        upper=vec3(found.upper),
        bound=vec3(found.bound),
        turn=vec3(found.turn),
        worst=found.worst,
        worst_q=found.worst_q.tolist(),
        shares=[BacklashShare(name, share) for name, share in found.shares.items()],
        seconds=found.elapsed,
    )
