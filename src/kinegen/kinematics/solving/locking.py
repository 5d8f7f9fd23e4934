"""Joints that hold still, as the kernels take them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from kinegen.kernels import Floats, Ints
from kinegen.kernels.tolerances import CLOSED, LIMIT_SLACK
from kinegen.kinematics.closure import loop_gap
from kinegen.kinematics.limits import past_limits
from kinegen.kinematics.loop_groups import loop_groups
from kinegen.mechanism.model import Model

__all__ = ["beside_joints", "is_all_that_moves", "locked_variables"]


def locked_variables(model: Model, joints: Sequence[str] | Mapping[str, object]) -> Ints | None:
    """One int per variable, 1 where its joint is named; None when none is."""
    if not joints:
        return None
    locked = np.zeros(model.nv, dtype=np.int32)
    for name in joints:
        locked[model.joint(name).v] = 1
    return locked


def beside_joints(model: Model, q: Floats, frames: Iterable[str]) -> list[str]:
    """Joints that move none of the frames and are fine as they are, such as fingers of a gripper.

    Loops and couplings count: a joint that one of them ties to a joint on the way to a frame is not
    beside it. None is, where loops are open or such a joint is beyond its limits.
    """
    carrying = {int(joint.child): i for i, joint in enumerate(model.joints) if not joint.is_cut}
    felt: set[int] = set()
    for name in frames:
        site = int(model.site(name))
        link = site if site < model.link_count else int(model.frames[site - model.link_count].link)
        while link in carrying:
            felt.add(carrying[link])
            link = int(model.joints[carrying[link]].parent)
    for group in loop_groups(model):
        if not felt.isdisjoint(group.joints):
            felt.update(group.joints)
    names = [joint.name for i, joint in enumerate(model.joints) if i not in felt]
    if not names:
        return []
    past = past_limits(model, q)
    beyond = any((past[model.joint(name).v] > LIMIT_SLACK).any() for name in names)
    gap = loop_gap(model, q)
    open_loops = gap.distance > CLOSED * model.size or gap.angle > CLOSED
    return [] if beyond or open_loops else names


def is_all_that_moves(model: Model, count: int, q: Floats, frame: str) -> bool:
    """Whether so many variables of a frame's chain are all of its own: others can stay at q."""
    if count == model.nv:
        return True
    beside = [model.joint(name).v for name in beside_joints(model, q, [frame])]
    return count + sum(int(v.stop - v.start) for v in beside) == model.nv
