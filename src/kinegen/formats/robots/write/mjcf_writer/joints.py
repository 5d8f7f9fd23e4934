"""What a joint is in MJCF: which steps it has, from where they count, what acts on them."""

from __future__ import annotations

from dataclasses import dataclass

from kinegen.formats.robots.transform import IDENTITY, Transform, compose
from kinegen.formats.robots.write.outline import OutJoint, Outline, OutLoop, Step

__all__ = [
    "MadeJoint",
    "bakes",
    "is_bare",
    "is_simple",
    "is_turned",
    "is_uneven",
    "reference_of",
    "value_of",
]

_LIGHT = 1e-3
"""Links that weigh less than this share of the one they are connected to are light."""


@dataclass(frozen=True, slots=True)
class MadeJoint:
    """A joint of MuJoCo's that was written."""

    name: str
    joint: OutJoint
    """The joint of ours that it is a part of."""
    step: Step


def is_simple(loop: OutLoop, outline: Outline) -> bool:
    """Whether a cut joint is held by equations alone.

    MuJoCo softens equations of light bodies: a light link gets a body with a share of the other.
    """
    info = loop.info
    if info.is_hinge or info.is_ball:
        return outline.link(loop.parent).mass >= _LIGHT * outline.link(loop.child).mass
    return info.floats or not info.moves


def is_bare(joint: OutJoint) -> bool:
    """Whether nothing acts on a joint's variables."""
    return not any(
        one.damping or one.friction or one.stiffness or one.armature or one.has_motor
        or one.has_limits
        for one in joint.variables
    )  # fmt: skip


def bakes(joint: OutJoint) -> bool:
    """Whether a ball's quaternion is measured from the pose that is written: not with a spring."""
    return not any(one.stiffness for one in joint.variables if not one.slides)


def is_turned(joint: OutJoint) -> bool:
    """Whether a ball is turned in the pose that is written."""
    return joint.quat is not None and abs(abs(joint.quat[0]) - 1) > 1e-12


def is_uneven(joint: OutJoint) -> bool:
    """Whether the axes of a ball differ in damping, friction, spring or rotor."""
    turns = [one for one in joint.variables if not one.slides]
    keys = {(one.damping, one.friction, one.stiffness, one.armature) for one in turns}
    return len(keys) > 1


def reference_of(joint: OutJoint) -> Transform:
    """The motion of a joint in MuJoCo's initial configuration."""
    X = IDENTITY
    for step in joint.steps():
        X = compose(X, step.X if step.kind != "ball" or bakes(joint) else IDENTITY)
    return X


def value_of(joint: OutJoint, step: Step) -> float:
    """A hinge's or slide's value in the pose that is written."""
    if step.variable is None:
        return joint.lead * joint.variables[0].value
    return step.variable.value
