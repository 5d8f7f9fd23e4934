"""Names for the branches beyond a singular pose: which joint goes which way."""

from __future__ import annotations

from kinegen.kernels.joint_types import JointType
from kinegen.kernels.singular_protocol import FoundSide, SideKind
from kinegen.kinematics.singular.words import listed
from kinegen.mechanism.model import Model

__all__ = ["side_name"]

_VERBS = {JointType.PRISMATIC: "slide", JointType.REVOLUTE: "bend"}


def side_name(model: Model, side: FoundSide) -> str:
    """What happens on a side; the sign is that of the joint that drives, or is named first."""
    kind, crosses, sign, joint, other, same, goes_on, led, _ = side
    mark = "+" if sign > 0 else "-"
    name = model.joints[joint].name
    if kind == SideKind.IN_PLACE:
        joints = [name] if other < 0 else [name, model.joints[other].name]
        return f"{listed(joints)} turn{'s' * (other < 0)} in place ({mark})"
    if kind == SideKind.ONWARD:
        return f"all joints continue as before ({mark})"
    if kind == SideKind.BACK:
        return f"all joints turn back ({mark})"
    if kind == SideKind.PARTS:
        hows = ("turns the other way", "continues")[same], ("turns back", "continues")[goes_on]
        return f"'{name}' {hows[0]} while '{model.joints[other].name}' {hows[1]} ({mark})"
    verb = _VERBS.get(model.joints[joint].type, "turn")
    way = (" the other way" if crosses else " back") if led else ""
    return f"'{name}' {verb}s{way} ({mark})"
