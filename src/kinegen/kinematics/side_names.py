"""Names for the sides of a singular pose: which joint goes which way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.singularity_words import listed, main_joints
from kinegen.mechanism.joint_types import JointType
from kinegen.mechanism.model import Model

__all__ = ["side_name"]

_VERBS = {JointType.PRISMATIC: "slide", JointType.REVOLUTE: "bend"}


def side_name(
    model: Model, x: Floats, came: Floats | None, *, crosses: bool, in_place: bool, meeting: bool,
    inputs: Sequence[str],
) -> tuple[str, int]:  # fmt: skip
    """What happens on a side, and the sign of the motion of the joint that is named first.

    Args:
        model: the compiled mechanism.
        x: scaled direction that leads there.
        came: the one that led to the singular pose, if any.
        crosses: whether it leads to another branch.
        in_place: whether the frame stands still all the way.
        meeting: whether different ways of moving meet here.
        inputs: joints that are driven.
    """
    joints = main_joints(model, x, 2)
    sign = _sign(model, x, joints[0])
    mark = "+" if sign > 0 else "-"
    if in_place:
        return f"{listed(joints)} turn in place ({mark})", sign
    if meeting and came is not None:
        return _meeting_name(model, x, came, inputs)
    verb = _VERBS.get(model.joint(joints[0]).type, "turn")
    if came is None:
        return f"'{joints[0]}' {verb}s ({mark})", sign
    return f"'{joints[0]}' {verb}s {'the other way' if crosses else 'back'} ({mark})", sign


def _meeting_name(model: Model, x: Floats, came: Floats, inputs: Sequence[str]) -> tuple[str, int]:
    """A way on from a branch point, compared with the one that led there."""
    moving = [name for name in inputs if _part(model, came, name) > 0.05 * np.abs(came).max()]
    driver = moving[0] if moving else main_joints(model, came, 1)[0]
    sign = _sign(model, x, driver)
    mark = "+" if sign > 0 else "-"
    likeness = float(x @ came) / float(np.linalg.norm(x) * np.linalg.norm(came))
    if likeness > 0.99:
        return f"all go on as before ({mark})", sign
    if likeness < -0.99:
        return f"all go back ({mark})", sign
    goes_on = sign == _sign(model, came, driver)
    # both motions per unit of the driver's: the joint that differs most tells them apart
    own, other = (_part(model, y, driver) for y in (x, came))
    change = x / max(own, 1e-9) * (1 if goes_on else -1) - came / max(other, 1e-9)
    joint = next(name for name in main_joints(model, change, 3) if name != driver)
    same = _sign(model, x, joint) == _sign(model, came, joint)
    hows = [("turns the other way", "goes on")[same], ("turns back", "goes on")[goes_on]]
    return f"'{joint}' {hows[0]} while '{driver}' {hows[1]} ({mark})", sign


def _part(model: Model, x: Floats, joint: str) -> float:
    return float(np.abs(x[model.joint(joint).v]).max(initial=0.0))


def _sign(model: Model, x: Floats, joint: str) -> int:
    part = x[model.joint(joint).v]
    return int(np.sign(part[np.abs(part).argmax()])) if len(part) else 0
