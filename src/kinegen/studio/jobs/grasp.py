"""Grasps as a page asks for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.scene import scene_object
from kinegen.motion.grasp import grasp_object
from kinegen.spatial import SE3
from kinegen.studio.jobs.analyses import Progress
from kinegen.studio.session.compiled_text import CompiledText

__all__ = ["grasp"]


def grasp(
    piece: CompiledText, q: Floats, arguments: Mapping[str, Any], report: Progress
) -> dict[str, Any]:
    """A way for a tool to an object.

    Args:
        piece: The mechanism.
        q: Where it is.
        arguments: ``object``: its name; ``frame``: the tool, the file's last frame when not given;
            ``pose``: where the object is now (wxyz xyz), as in the file when not given;
            ``clearance``: distance from which the straight approach begins [m].
        report: Is told how far the search is.
    """
    model = piece.model
    thing = scene_object(piece.mechanism, model, str(arguments.get("object")), piece.start)
    given = arguments.get("pose")
    if given is not None:
        try:
            thing = replace(thing, X_WO=SE3.from_pose(np.asarray(given, dtype=float)))
        except (TypeError, ValueError) as error:
            raise UsageError(
                f"the pose of an object must be 7 numbers, wxyz and xyz: {error}"
            ) from None
    clearance = arguments.get("clearance")
    found = grasp_object(
        model, q, str(arguments.get("frame") or model.site_names[-1]), thing,
        clearance=float(clearance) if clearance else None,
        progress=lambda side, share: report(f"approaching from {side}", share),
    )  # fmt: skip
    return {
        "reached": found.reached,
        "reason": found.reason,
        "side": found.side,
        "aligned": found.aligned,
        "frame": found.frame,
        "gripper": list(found.gripper),
        "path": found.path.tolist(),
        "grasp_at": found.grasp_at,
    }
