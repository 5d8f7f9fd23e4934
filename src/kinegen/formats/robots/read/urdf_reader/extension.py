"""``<kinegen>`` in a URDF file: loops and starts, which URDF has no words for; others ignore it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from kinegen.errors import did_you_mean
from kinegen.formats.robots.read.robot import MotionKind, Robot, RobotJoint
from kinegen.formats.robots.read.xml_source import Element
from kinegen.formats.robots.transform import Transform, inverse

__all__ = ["UrdfReader", "read_extension"]

_KINDS = {kind.value: kind for kind in MotionKind}
_LIMITED = {MotionKind.HINGE, MotionKind.SLIDER, MotionKind.SCREW}


class UrdfReader(Protocol):
    """What the reader of the file offers."""

    robot: Robot

    def number(self, element: Element, key: str, default: float) -> float:
        """A number of an element; the default, with a problem, where it is none."""
        ...

    def name(self, element: Element, what: str, seen: Mapping[str, object]) -> str | None:
        """The name of an element; None, with a problem, where it has none or it is taken."""
        ...

    def end(self, element: Element, tag: str, joint: str) -> str | None:
        """The link at one end of a joint; None, with a problem, where there is none."""
        ...

    def origin(self, element: Element, tag: str = "origin") -> Transform:
        """The place that an element has."""
        ...

    def unknown(self, element: Element, inside: str) -> None:
        """Count an element that is not carried over."""
        ...


def read_extension(reader: UrdfReader, extension: Element) -> None:
    """Add the loops and starts of an extension to the robot."""
    for element in extension:
        if element.tag == "loop":
            _loop(reader, element)
        elif element.tag == "start":
            _start(reader, element)
        else:
            reader.unknown(element, "kinegen")


def _loop(reader: UrdfReader, element: Element) -> None:
    """A joint that lands on a link which another joint carries."""
    robot = reader.robot
    seen = {**robot.joints, **{loop.name: loop for loop in robot.loops}}
    name = reader.name(element, "loop", seen)
    given = element.get("type", "")
    if given not in _KINDS:
        hint = did_you_mean(given, _KINDS) or f"; types: {', '.join(_KINDS)}"
        robot.problem(element, f"loop '{name}' has the unknown type '{given}'{hint}")
    ends = [reader.end(element, tag, name or "") for tag in ("parent", "child")]
    if name is None or given not in _KINDS or None in ends:
        return
    loop = RobotJoint(name, _KINDS[given], str(ends[0]), str(ends[1]), element, has_motor=False)
    loop.X_PJ = reader.origin(element)
    loop.X_JC = inverse(reader.origin(element, "landing"))
    loop.pitch = reader.number(element, "pitch", 0.0)
    for child in element:
        if child.tag == "variable":
            _variable(reader, child, loop)
        elif child.tag not in ("parent", "child", "origin", "landing"):
            reader.unknown(child, "loop")
    robot.loops.append(loop)


def _variable(reader: UrdfReader, element: Element, loop: RobotJoint) -> None:
    """Limits and friction of a loop's joint."""
    loop.damping = reader.number(element, "damping", 0.0)
    loop.friction = reader.number(element, "friction", 0.0)
    if {"lower", "upper"} <= element.attrib.keys():
        limits = reader.number(element, "lower", 0.0), reader.number(element, "upper", 0.0)
        if loop.kind in _LIMITED:
            loop.limits = limits
        else:
            reader.robot.leave_out(element, f"limits of loop '{loop.name}' ({loop.kind.value})")


def _start(reader: UrdfReader, element: Element) -> None:
    """Where a joint starts."""
    joint = reader.robot.joints.get(element.get("joint", ""))
    if joint is None:
        hint = did_you_mean(element.get("joint", ""), reader.robot.joints)
        given = element.get("joint", "")
        reader.robot.problem(element, f"<start>: there is no joint '{given}'{hint}")
        return
    joint.start = (reader.number(element, "value", 0.0),)
