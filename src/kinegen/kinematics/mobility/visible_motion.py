"""Visible motion: which motions change anything that can be seen."""

from __future__ import annotations

import numpy as np

from kinegen.kernels import Floats
from kinegen.kernels.tolerances import UNSEEN
from kinegen.kinematics.jacobians import link_twists
from kinegen.kinematics.loop_groups import link_transforms, placed_links, placed_points
from kinegen.kinematics.loop_system import mechanism_size
from kinegen.mechanism.model import Model

__all__ = ["UNSEEN", "seen_motions", "visible_effects"]


def seen_motions(model: Model, q: Floats, motions: Floats) -> int:
    """How many motions, (nv, n), can be seen."""
    if not motions.shape[1] or not model.constraint_count:
        return int(motions.shape[1])
    return int(np.linalg.matrix_rank(visible_effects(model, q, motions), tol=UNSEEN))


def visible_effects(model: Model, q: Floats, motions: Floats) -> Floats:
    """All that can be seen of motions, (nv, n), scaled, (n, effects).

    How joints, landings and frames move and their axes tilt, how frames and loose ends turn, what
    motors do.
    """
    size = mechanism_size(model, q)
    links = placed_links(model)
    frames = {frame.link for frame in model.frames}
    ends = set(range(model.link_count)) - set(links[: len(links) - len(model.frames)])
    turning = sorted(frames | ends)
    motors = [i for j in model.joints if j.has_motor for i in range(j.v.start, j.v.stop)]
    arms = placed_points(model, q) - link_transforms(model, q)[1][links]
    axes = _placed_axes(model, q)
    by_size = np.repeat([1 / size, 1.0], 3)
    effects = []
    for v in motions.T:
        twists = link_twists(model, q, v)
        points = (twists[links, :3] + np.cross(twists[links, 3:], arms)) / size
        tilts = np.cross(twists[links, 3:], axes)
        turns = twists[turning] * by_size
        effects.append(np.concatenate([points.ravel(), tilts.ravel(), turns.ravel(), v[motors]]))
    return np.array(effects)


def _placed_axes(model: Model, q: Floats) -> Floats:
    """The axis of each placement in the world, (n, 3); zero for balls, frames and fixed joints."""
    joints = dict(enumerate(model.joints))
    first = model.counts.joint
    joints |= {first + n: model.joints[loop.joint] for n, loop in enumerate(model.loops)}
    R = link_transforms(model, q)[0][placed_links(model)]
    R = R @ model.transforms[:, :9].reshape(-1, 3, 3)
    axes = np.zeros((len(R), 3))
    for n, joint in joints.items():
        if joint.type.info.moves and not joint.type.info.has_quaternion:
            # a universal joint lands on its second axis, x
            second = joint.type.info.lands_on_x and n >= len(model.joints)
            axes[n] = R[n, :, 0 if second else 2]
    return axes
