"""Answers about grasps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.scene import scene_object
from kinegen.motion.grasp import grasp_object
from kinegen.spatial.pose import SE3
from kinegen.studio.jobs.answers import Progress
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.wire.questions.grasp import GraspRequest, GraspResult

__all__ = ["answer_grasp"]


def answer_grasp(
    compiled: CompiledText, q: Floats, request: GraspRequest, report: Progress
) -> GraspResult:
    """A way for a tool to an object."""
    thing = scene_object(compiled.mechanism, compiled.model, request.object, compiled.start)
    if request.pose is not None:
        try:
            thing = replace(thing, X_WO=SE3.from_pose(np.array(request.pose)))
        except ValueError as error:
            raise UsageError(f"the pose of an object is wxyz and xyz: {error}") from None
    found = grasp_object(
        compiled.model, q, request.frame, thing, clearance=request.clearance or None,
        progress=lambda side, share: report(f"approaching from {side}", share),
        avoid=request.avoid,
    )  # fmt: skip
    return GraspResult(
        reached=found.reached,
        reason=found.reason,
        side=found.side,
        aligned=found.aligned,
        frame=found.frame,
        gripper=list(found.gripper),
        path=found.path.tolist(),
        grasp_at=found.grasp_at,
    )
