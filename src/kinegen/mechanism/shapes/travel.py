"""How far sliding joints are out in a pose: rods and rails are drawn that long."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kinegen.mechanism.shapes.data import ModelLike

__all__ = ["travels_of"]


def travels_of(model: ModelLike, Rs_WL: ArrayLike, ps_WL: ArrayLike) -> dict[int, float]:
    """Displacement along z [m] of every sliding joint, by joint index.

    Args:
        model: The compiled model.
        Rs_WL: Rotation matrices of all links, (link_count, 3, 3).
        ps_WL: Positions of all links [m], (link_count, 3).
    """
    Rs, ps = np.asarray(Rs_WL, dtype=float), np.asarray(ps_WL, dtype=float)
    placements = np.asarray(model.transforms, dtype=float).reshape(-1, 12)
    landings = {loop.joint: loop.placement for loop in model.loops}
    travels: dict[int, float] = {}
    for index, joint in enumerate(model.joints):
        if not joint.type.info.slides_along_axis:
            continue
        R_WP, X_PF = Rs[joint.parent], placements[joint.placement]
        p_WF, z_WF = ps[joint.parent] + R_WP @ X_PF[9:], R_WP @ X_PF[:9].reshape(3, 3)[:, 2]
        p_WM = ps[joint.child]
        if index in landings:
            p_WM = p_WM + Rs[joint.child] @ placements[landings[index]][9:]
        travels[index] = float(z_WF @ (p_WM - p_WF))
    return travels
