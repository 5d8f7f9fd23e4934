"""The gripper of a mechanism: which joints it is made of, and how it shuts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.kinematics.positions import pose, poses
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model

__all__ = ["closing_path", "gripper_joints", "opening_path"]

_STEPS = 20


def gripper_joints(model: AnyModel, frame: str) -> list[str]:
    """Joints beyond the tool's chain that stand on its last links: the fingers."""
    model = model_of(model)
    if model.constraint_count:
        return []
    site = model.site(frame)
    link = site if site < model.link_count else model.frames[site - model.link_count].link
    inboard = {int(joint.child): joint for joint in model.joints if not joint.is_cut}
    chain = []
    at = int(link)
    while at in inboard:
        chain.append(inboard[at].name)
        at = int(inboard[at].parent)
    ends = {int(link)}
    # a tool frame may stand on a link that is fixed to the hand
    while int(link) in inboard and not inboard[int(link)].type.info.moves:
        link = inboard[int(link)].parent
        ends.add(int(link))
    return [
        joint.name
        for joint in model.joints
        if int(joint.parent) in ends and joint.name not in chain and joint.type.info.is_single
    ]


def opening_path(model: AnyModel, q: Configuration, frame: str, fingers: Sequence[str]) -> Floats:
    """Poses in which the fingers go apart as far as they can, (n, nq); none when they are there."""
    model = model_of(model)
    q = configuration(model, q)
    ends = {name: _ends(model, q, frame, name)[1] for name in fingers}
    return _towards(model, q, ends)


def closing_path(
    model: AnyModel, q: Configuration, frame: str, fingers: Sequence[str], width: float
) -> Floats:
    """Poses in which the fingers close until the object's half width is left, (n, nq).

    Args:
        model: The mechanism or its model.
        q: Where it is.
        frame: The tool, in whose middle the object is.
        fingers: The gripper's joints.
        width: Half of the object's smallest extent [m].
    """
    model = model_of(model)
    q = configuration(model, q)
    ends = {}
    for name in fingers:
        at, start = model.joint(name).q.start, float(q[model.joint(name).q.start])
        shut = _ends(model, q, frame, name)[0]
        touching = 1.0
        for share in np.linspace(0, 1, 10 * _STEPS + 1):
            there = q.copy()
            there[at] = start + share * (shut - start)
            if _distance(model, there, frame, name) <= width:
                touching = float(share)
                break
        ends[name] = start + touching * (shut - start)
    return _towards(model, q, ends)


def _towards(model: Model, q: Floats, ends: Mapping[str, float]) -> Floats:
    """Poses on the way of some joints to their ends, (n, nq); none when they are there."""
    columns = [model.joint(name).q.start for name in ends]
    way = np.array(list(ends.values())) - q[columns]
    if not len(way) or np.abs(way).max() < 1e-9:
        return np.zeros((0, len(q)))
    path = np.repeat(q[None], _STEPS, axis=0)
    path[:, columns] += np.linspace(0, 1, _STEPS + 1)[1:, None] * way
    return path


def _ends(model: Model, q: Floats, frame: str, name: str) -> tuple[float, float]:
    """Where a finger is nearest to the tool's axis, and where farthest: its limits."""
    joint = model.joint(name)
    now = float(q[joint.q.start])
    limits = float(model.lower[joint.v.start]), float(model.upper[joint.v.start])
    # one without a limit stays on that side
    ends = [end if np.isfinite(end) else now for end in limits]
    distances = []
    for end in ends:
        there = q.copy()
        there[joint.q.start] = end
        distances.append(_distance(model, there, frame, name))
    near = int(np.argmin(distances))
    return ends[near], ends[1 - near]


def _distance(model: Model, q: Floats, frame: str, finger: str) -> float:
    """How far what a finger carries is from the tool's z axis [m]."""
    X_WT = pose(model, q, frame)
    axis = X_WT.so3.apply([0.0, 0.0, 1.0])
    offset = poses(model, q)[finger].translation - X_WT.translation
    return float(np.linalg.norm(offset - axis * (axis @ offset)))
