"""Names for the branches beyond a singular pose: which joint goes which way."""

from __future__ import annotations

from kinegen.kernels.protocols.singular import BranchKind, FoundBranch
from kinegen.kinematics.singular.words import listed
from kinegen.mechanism.model import Model

__all__ = ["branch_name"]


def branch_name(model: Model, branch: FoundBranch) -> str:
    """What happens on a branch; the sign is that of the joint that drives, or is named first."""
    kind, crosses, sign, joint, other, same, goes_on, led, _ = branch
    mark = "+" if sign > 0 else "-"
    name = model.joints[joint].name
    if kind == BranchKind.IN_PLACE:
        joints = [name] if other < 0 else [name, model.joints[other].name]
        return f"{listed(joints)} turn{'s' * (other < 0)} in place ({mark})"
    if kind == BranchKind.ONWARD:
        return f"all joints continue as before ({mark})"
    if kind == BranchKind.BACK:
        return f"all joints turn back ({mark})"
    if kind == BranchKind.PARTS:
        hows = ("turns the other way", "continues")[same], ("turns back", "continues")[goes_on]
        return f"'{name}' {hows[0]} while '{model.joints[other].name}' {hows[1]} ({mark})"
    info = model.joints[joint].type.info
    verb = "slide" if info.is_slide else "bend" if info.is_hinge else "turn"
    way = (" the other way" if crosses else " back") if led else ""
    return f"'{name}' {verb}s{way} ({mark})"
