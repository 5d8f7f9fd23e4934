"""Answers about joint maps."""

from __future__ import annotations

import math
import time

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.positions import pose
from kinegen.mechanism.model import Model
from kinegen.studio.jobs.answers import Progress
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.wire.questions.maps import (
    BoxData,
    JointMapRequest,
    JointMapResult,
    MapBeyondPiece,
    MapBranchData,
    MapLampsPiece,
    MapProposalRequest,
    MapProposalResult,
    MapValuesPiece,
)
from kinegen.workspace.maps.joint_map import joint_map
from kinegen.workspace.maps.proposal import propose_map

__all__ = ["answer_joint_map", "answer_map_proposal"]

MOST_PLACES = 40_000
MOST_VALUES = 400_000
"""Joint values of one branch: places times joints."""


def answer_map_proposal(
    compiled: CompiledText, q: Floats, request: MapProposalRequest, report: Progress
) -> MapProposalResult:
    """What a frame can hold over a box, and a box that suits."""
    found = propose_map(compiled.model, q, request.frame)
    return MapProposalResult(
        frame=found.frame,
        holds=list(found.holds),
        text=found.text,
        wrist_angle=found.wrist_angle,
        dof=found.dof,
        box=BoxData(**found.box),
    )


def answer_joint_map(
    compiled: CompiledText, q: Floats, request: JointMapRequest, report: Progress
) -> JointMapResult:
    """Joint values of every branch over a box of places."""
    model = compiled.model
    frame = request.frame or model.site_names[-1]
    model.site(frame)
    box = {"x": request.box.x, "y": request.box.y, "z": request.box.z}
    _check(model, box)
    wrist = request.hold == "wrist"
    if wrist and request.wrist_angle is None:
        raise UsageError("to keep the wrist angle, specify wrist_angle")
    begin = time.perf_counter()
    found = joint_map(
        model, box=box, frame=frame, start=q, wrist_angle=request.wrist_angle if wrist else None,
        rotation=pose(model, q, frame).so3 if request.hold == "rotation" else None,
        progress=lambda done, total: report("Joint map", done / max(total, 1)),
    )  # fmt: skip
    elapsed = time.perf_counter() - begin
    for n, branch in enumerate(found.branches):
        values = np.ascontiguousarray(branch.qs.T, "<f8")
        report.piece(MapValuesPiece(n), values.tobytes())
        report.piece(MapLampsPiece(n), branch.lamps.T.astype(np.uint8).tobytes())
    if np.isfinite(found.beyond).all():
        report.piece(MapBeyondPiece(), found.beyond.astype("<f4").tobytes())
    grid = found.points.T.reshape(3, *found.shape)
    return JointMapResult(
        frame=frame,
        joints=list(found.joints),
        shape=found.shape,
        axes=(grid[0, :, 0, 0].tolist(), grid[1, 0, :, 0].tolist(), grid[2, 0, 0, :].tolist()),
        branches=[
            MapBranchData(one.name, int(one.reached.sum()), int(one.within.sum()))
            for one in found.branches
        ],
        present=found.present_branch(q),
        seconds=elapsed,
    )


def _check(model: Model, box: dict[str, tuple[float, float, int]]) -> None:
    """Refuse a box that makes no sense, or has more places than a page can show."""
    for axis, (low, high, count) in box.items():
        if low > high:
            raise UsageError(f"the box on {axis} is reversed: {low:g} m … {high:g} m")
        if count < 1:
            raise UsageError(f"the count on {axis} must be at least 1, got {count}")
    total = math.prod(count for _, _, count in box.values())
    most = min(MOST_PLACES, MOST_VALUES // max(model.nq, 1))
    if total > most:
        raise UsageError(
            f"{total:,} places are more than the {most:,} that the page can show for this "
            "mechanism: use fewer values per axis"
        )
