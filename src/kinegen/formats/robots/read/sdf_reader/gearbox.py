"""Gearboxes of SDF files: relations of the hinges by which links turn against a third one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from kinegen.formats.robots.read.robot import MotionKind, RobotRelation
from kinegen.formats.robots.read.sdf_reader.scope import Scope, number, word
from kinegen.formats.robots.read.xml_source import Element
from kinegen.formats.robots.transform import Vector, compose, rotate

if TYPE_CHECKING:
    from kinegen.formats.robots.read.sdf_reader.sdf import SdfReader

__all__ = ["add_gearbox"]

PARALLEL = 1e-6
"""How much less than 1 the cosine of the angle between parallel axes may be."""
REFERENCE = "gearbox_reference_body"


def add_gearbox(reader: SdfReader, scope: Scope, name: str, element: Element) -> None:
    """Add a gearbox to the robot, or list it.

    With the angles of its parent and child about ``axis`` and ``axis2``, seen from the reference
    body, the child's is the parent's times -ratio.
    """
    robot, reference = reader.robot, element.find(REFERENCE)
    ratio = number(robot, element, "gearbox_ratio", 1.0)
    if reference is None or not word(element, REFERENCE):
        robot.problem(element, f"gearbox '{name}' has no <{REFERENCE}>")
        return
    body = scope.link_of(word(element, REFERENCE), reference)
    terms = []
    for tag, axis, factor in (("child", "axis2", 1.0), ("parent", "axis", ratio)):
        link = scope.link_of(word(element, tag), element)
        own = reader.direction(scope, name, element.find(axis), element)
        along = rotate(reader.pose(scope, name, element), own)
        found = _hinge_between(reader, body, link, along)
        if found is None:
            why = f"no hinge along its <{axis}> connects '{link}' with '{body}'"
            robot.leave_out(element, f"gearbox '{name}': {why}")
            return
        terms.append((found[0], found[1] * factor))
    robot.couplings.append(RobotRelation(scope.prefix + name, element, tuple(terms), 0.0))


def _hinge_between(
    reader: SdfReader, body: str, link: str, along: Vector
) -> tuple[str, float] | None:
    """The hinge of two links about a direction in the world, and the sign of its variable."""
    robot = reader.robot
    for joint in (*robot.joints.values(), *robot.loops):
        ends = joint.parent, joint.child
        if joint.kind is not MotionKind.HINGE or {*ends} != {body, link}:
            continue
        at = robot.links[joint.parent].at
        assert not isinstance(at, int)
        X_WJ = compose(reader.link_pose(joint.parent, at), joint.X_PJ)
        cosine = sum(a * b for a, b in zip(rotate(X_WJ, joint.axis), along, strict=True))
        if abs(cosine) > 1 - PARALLEL:
            return joint.name, math.copysign(1.0, cosine if ends[0] == body else -cosine)
    return None
