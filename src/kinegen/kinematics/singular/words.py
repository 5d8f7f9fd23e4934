"""Singular poses in words: what is stretched, which axes are in line, which motors lose control."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kinegen.kernels import Floats, HandleKind
from kinegen.kinematics.closure import loop_poses
from kinegen.kinematics.mobility.scaled_motion import ScaledMotion
from kinegen.kinematics.positions import forward
from kinegen.kinematics.singular.task_rows import Aim, FrameRows
from kinegen.mechanism.model import Model
from kinegen.spatial.pose import SE3

if TYPE_CHECKING:
    from kinegen.kinematics.singular.singularity import Singularity

__all__ = ["joint_poses", "listed", "main_joints", "singularity_text"]

_SHARE = 0.4
"""Joints with this share of the largest motion are named."""
_PART = 0.02
"""Joints with this share take part at all."""
_ON_LINE = 0.02
"""Points and axes this near to a line are on it [sizes, rad]."""


def singularity_text(model: Model, found: Singularity, watched: FrameRows) -> str:
    """One or two sentences about a pose."""
    if found.kind == "none":
        values = [f"{name} {value:.2g}" for name, value in
                  (("tool", found.task_distance), ("motors", found.gain_distance))
                  if np.isfinite(value)]  # fmt: skip
        return (
            f"not singular ({', '.join(values)})"
            if values
            else "this mechanism has no singular poses"
        )
    sentences = []
    if found.kind in {"task", "both"}:
        sentences.append(_task_text(model, found, watched))
    if found.kind in {"gain", "both"}:
        sentences.append(_gain_text(model, found))
    return "; ".join(sentences)


def _gain_text(model: Model, found: Singularity) -> str:
    moving = main_joints(model, found.gained[:, 0] / ScaledMotion(model).scale)
    held = listed(found.inputs)
    motors = all(model.joint(name).has_motor for name in found.inputs)
    what = ("motor" if motors else "input") + ("s" if len(found.inputs) > 1 else "")
    verb, they = (
        ("lose control", "they stand") if len(found.inputs) > 1 else ("loses control", "it stands")
    )
    text = (
        f"{what} {held} {verb}: joint{'s' if len(moving) > 1 else ''} {listed(moving)} can move "
        f"while {they} still"
    )
    if found.branch_point:
        text += "; the loops are folded flat, and several branches meet here"
    return text


def _task_text(model: Model, found: Singularity, watched: FrameRows) -> str:
    lost, standing = found.lost[:, 0], found.standing[:, 0] / ScaledMotion(model).scale
    aim, part = _weightiest(watched, lost)
    linear, angular = _split(aim, part)
    cannot = _cannot(aim, linear, angular)
    moving = main_joints(model, standing)
    shape = ""
    if len(watched.aims) == 1 and aim.kind is not HandleKind.DIRECTION:
        shape = _bars_in_line(model, found.q, aim, linear, angular, standing)
        shape = shape or _axes_in_line(model, found.q, aim, cannot, standing)
    if found.lost.shape[1] == len(found.task_values) > 1:
        cannot = f"'{aim.frame}' cannot move at all"
    elif found.lost.shape[1] > 1:
        more = found.lost.shape[1] - 1
        cannot += f" nor in {more} more direction{'s' if more > 1 else ''}"
    elif shape:
        return shape
    names = f"joint{'s' if len(moving) > 1 else ''} {listed(moving)}"
    return f"{cannot}; {names} can move while it stands still"


def _weightiest(watched: FrameRows, lost: Floats) -> tuple[Aim, Floats]:
    """The frame that a lost direction is most about, and its part of it."""
    sizes = {HandleKind.POSE: 6, HandleKind.DIRECTION: 5}
    parts, at = [], 0
    for aim in watched.aims:
        end = at + sizes.get(aim.kind, 3)
        parts.append(lost[at:end])
        at = end
    best = int(np.argmax([float(np.linalg.norm(part)) for part in parts]))
    return watched.aims[best], parts[best]


def _split(aim: Aim, part: Floats) -> tuple[Floats, Floats]:
    """Linear and angular part of a lost direction."""
    if aim.kind is HandleKind.ROTATION:
        return np.zeros(3), part
    return part[:3], part[3:6] if aim.kind is HandleKind.POSE else np.zeros(3)


def _cannot(aim: Aim, linear: Floats, angular: Floats) -> str:
    if np.linalg.norm(angular) > np.linalg.norm(linear):
        return f"'{aim.frame}' cannot turn about {_direction(angular)}"
    if np.linalg.norm(linear) == 0:
        return f"'{aim.frame}' cannot tilt in one direction"
    return f"'{aim.frame}' cannot move along {_direction(linear)}"


def _bars_in_line(
    model: Model, q: Floats, aim: Aim, linear: Floats, angular: Floats, standing: Floats,
) -> str:  # fmt: skip
    """Whether the joints that move stand in a line: stretched or folded.

    A lost direction (f, m) is a force that every joint bears without effort, so that all their axes
    meet its line. Where they meet it shows whether the bars between are stretched or folded.
    """
    size = model.size
    length = float(np.linalg.norm(linear))
    if length < _ON_LINE:
        return ""
    direction = linear / length
    p_W = SE3.from_pose(forward(model, q)[model.site(aim.frame)]).apply(aim.point)
    # the point of the force's line nearest to the frame's point: r with r × f = m
    moment = angular / length * size
    foot = p_W + np.cross(direction, moment)
    met: list[tuple[str, float]] = []
    for name, X in joint_poses(model, q).items():
        joint = model.joint(name)
        if float(np.abs(standing[joint.v]).max(initial=0.0)) < _PART:
            continue
        r = X.translation - foot
        along = float(r @ direction)
        off = np.linalg.norm(r - along * direction)
        if joint.type.info.turns_in_place and off > _ON_LINE * size:
            axis = X.rotation[:, 2]
            across = axis - (axis @ direction) * direction
            if np.linalg.norm(across) < _ON_LINE:
                continue
            reach = -float(r @ across) / float(across @ across)
            along = float((r + reach * axis) @ direction)
            off = np.linalg.norm(r + reach * axis - along * direction)
        if off < _ON_LINE * size:
            met.append((name, along))
    if np.linalg.norm(moment) < _ON_LINE * size:
        met.append(("", 0.0))
    stops: list[tuple[str, float]] = []
    for name, along in met:
        if all(abs(along - other) > _ON_LINE * size for _, other in stops):
            stops.append((name, along))
    if len(stops) < 3:
        return ""
    (root, a), (knee, b), (_, c) = stops[:3]
    bars = f"joints '{root}' and '{knee}'"
    if (b - a) * (c - b) > 0:
        return f"{bars} are stretched in a line: '{aim.frame}' cannot move further outward"
    return f"{bars} are folded onto each other: '{aim.frame}' cannot move further inward"


def _axes_in_line(model: Model, q: Floats, aim: Aim, cannot: str, standing: Floats) -> str:
    """Whether two of the joints that move turn about the same line."""
    poses = joint_poses(model, q)
    moving = [name for name in poses
              if model.joint(name).type.info.turns_in_place
              and np.abs(standing[model.joint(name).v]).max() > _SHARE]  # fmt: skip
    for i, first in enumerate(moving):
        for second in moving[i + 1 :]:
            axes = poses[first].rotation[:, 2], poses[second].rotation[:, 2]
            apart = poses[second].translation - poses[first].translation
            if (
                np.linalg.norm(np.cross(*axes)) < _ON_LINE
                and np.linalg.norm(np.cross(apart, axes[0])) < _ON_LINE * model.size
            ):
                return f"the axes of '{first}' and '{second}' are in line: {cannot}"
    return ""


def joint_poses(model: Model, q: Floats) -> dict[str, SE3]:
    """Poses X_WM of the moving frames of all joints, cut ones last."""
    links = forward(model, q)
    found = {joint.name: SE3.from_pose(links[joint.child])
             for joint in model.joints if not joint.is_cut}  # fmt: skip
    for loop, ends in zip(model.loops, loop_poses(model, q), strict=False):
        found[model.joints[loop.joint].name] = SE3.from_pose(ends[0])
    return found


def main_joints(model: Model, motion: Floats, most: int = 3) -> list[str]:
    """The joints with the largest shares in a scaled motion, largest first."""
    shares = {j.name: float(np.linalg.norm(motion[j.v])) for j in model.joints}
    largest = max(shares.values(), default=0.0)
    named = [name for name, share in shares.items() if share > 0 and share >= _SHARE * largest]
    return sorted(named, key=lambda name: -shares[name])[:most]


def listed(names: Sequence[str]) -> str:
    """'A', 'B' and 'C'."""
    quoted = [f"'{name}'" for name in names]
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


def _direction(vector: Floats) -> str:
    """A direction in the world as people say it."""
    unit = vector / np.linalg.norm(vector)
    for name, part in zip("xyz", unit, strict=True):
        if abs(part) > 0.9995:
            return name
    return f"({', '.join(f'{part + 0.0:.2f}' for part in np.round(unit, 2))})"
