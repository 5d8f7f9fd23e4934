"""Where a page has the objects of the scene."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kinegen.mechanism.model import Model
from kinegen.spatial.pose import SE3

__all__ = ["object_places"]


def object_places(model: Model, poses: Mapping[str, Sequence[float]]) -> dict[str, SE3]:
    """Poses of objects by name; those that the scene no longer has are left out."""
    known = {row["name"] for row in model.compiled_from.scene.get("objects", ())}
    return {
        name: SE3.from_pose(np.array(pose, dtype=float))
        for name, pose in poses.items()
        if name in known
    }
