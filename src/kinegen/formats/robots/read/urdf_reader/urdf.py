"""URDF files: links and joints of a tree, as ROS describes robots."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence

from kinegen.errors import did_you_mean
from kinegen.formats.robots.read.conversion.mechanism import robot_mechanism
from kinegen.formats.robots.read.mesh_files import FileFinder, find_meshes
from kinegen.formats.robots.read.robot import (
    Mimic,
    MotionKind,
    Robot,
    RobotJoint,
    RobotLink,
    RobotShape,
)
from kinegen.formats.robots.read.unread import Unread
from kinegen.formats.robots.read.urdf_reader.extension import read_extension
from kinegen.formats.robots.read.urdf_reader.fast import fast_urdf_robot
from kinegen.formats.robots.read.urdf_reader.words import no_bounds, no_limit
from kinegen.formats.robots.read.xml_source import Element, XmlSource
from kinegen.formats.robots.transform import IDENTITY, Transform, Vector, from_rpy
from kinegen.mechanism.graph import Mechanism
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.opener import Opener

__all__ = ["plain_urdf_robot", "read_urdf", "urdf_robot"]

KINDS = {
    "revolute": MotionKind.HINGE,
    "continuous": MotionKind.HINGE,
    "prismatic": MotionKind.SLIDER,
    "fixed": MotionKind.FIXED,
    "floating": MotionKind.FREE,
    "planar": MotionKind.PLANAR,
    "spherical": MotionKind.BALL,
}
INTERFACES = {"Position": "position", "Velocity": "velocity", "Effort": "torque"}
"""Modes of a motor by the first word of ROS's interface."""
_READ = {
    "robot": {"transmission", "link", "joint", "material", "kinegen"},
    "joint": {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"},
}
"""Elements that are read, by the element that they stand in; all others are listed."""
_WITHOUT_MEANING = {"verbose", "name", "group_name", "old", "version"}
"""Elements that say nothing about the robot."""


def urdf_robot(text: str, file: str, origins: Sequence[str] = ()) -> Robot:
    """The robot of a URDF text.

    Args:
        text: The file's content.
        file: Its name, for messages.
        origins: Files that the text was made from; see ``XmlSource``.

    Raises:
        FormatError: The text is no sound URDF; every problem has its line and column.
    """
    if origins:
        return plain_urdf_robot(text, file, origins)
    return fast_urdf_robot(text, file) or plain_urdf_robot(text, file)


def plain_urdf_robot(text: str, file: str, origins: Sequence[str] = ()) -> Robot:
    """As :func:`urdf_robot`, without the compiled reader."""
    source = XmlSource(text, file, origins)
    root = source.root
    robot = Robot(root.get("name") or os.path.splitext(os.path.basename(file))[0], source)
    if root.tag != "robot":
        robot.problem(root, f"the root of a URDF file is <robot>, not <{root.tag}>")
        robot.raise_if_any()
    reader = _Reader(robot, root)
    reader.read()
    robot.raise_if_any()
    return robot


class _Reader:
    """Reads the elements of one file."""

    def __init__(self, robot: Robot, root: Element) -> None:
        self.robot, self.root = robot, root
        self.colors: dict[str, str] = {}
        self.unread = Unread()

    def read(self) -> None:
        for element in self.root:
            if element.tag == "material":
                self.color(element)
            elif element.tag not in _READ["robot"]:
                self.unknown(element, "robot")
        for element in self.root.findall("link"):
            self.link(element)
        for element in self.root.findall("joint"):
            self.joint(element)
        for element in self.root.findall("transmission"):
            self.transmission(element)
        for element in self.root.findall("kinegen"):
            read_extension(self, element)
        if not self.robot.links:
            self.robot.problem(self.root, "the robot has no links")
        self.unread.report(self.robot)

    def unknown(self, element: Element, inside: str) -> None:
        """Count an element that is not carried over."""
        if element.tag not in _WITHOUT_MEANING:
            self.unread.note(element, inside)

    # Links

    def link(self, element: Element) -> None:
        name = self.name(element, "link", self.robot.links)
        if name is None:
            return
        link = RobotLink(name, element)
        self.robot.links[name] = link
        for child in element:
            if child.tag == "inertial":
                self.inertial(child, link)
            elif child.tag in {"visual", "collision"}:
                self.body(child, link)
            else:
                self.unknown(child, "link")

    def inertial(self, element: Element, link: RobotLink) -> None:
        mass, inertia = element.find("mass"), element.find("inertia")
        link.X_LC = self.origin(element)
        if mass is not None:
            link.mass = self.number(mass, "value", 0.0)
            if link.mass < 0:
                self.robot.problem(mass, f"the mass of link '{link.name}' is {link.mass:g} kg")
        if inertia is not None:
            keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
            link.inertia = tuple(self.number(inertia, key, 0.0) for key in keys)

    def body(self, element: Element, link: RobotLink) -> None:
        """A shape that is drawn or touched."""
        geometry = element.find("geometry")
        form = next(iter(geometry), None) if geometry is not None else None
        if form is None:
            self.robot.leave_out(
                element, f"a <{element.tag}> of link '{link.name}' without geometry"
            )
            return
        shape = self.shape(form, link)
        if shape is None:
            return
        shape.X_LS = self.origin(element)
        material = element.find("material")
        if material is not None:
            shape.color = self.color(material)
        (link.shapes if element.tag == "visual" else link.collisions).append(shape)

    def shape(self, form: Element, link: RobotLink) -> RobotShape | None:
        match form.tag:
            case "box":
                return RobotShape("box", self.numbers(form, "size", 3, (1.0, 1.0, 1.0)))
            case "cylinder" | "capsule":
                sizes = self.number(form, "radius", 1.0), self.number(form, "length", 1.0)
                return RobotShape(form.tag, sizes)
            case "sphere":
                return RobotShape("sphere", (self.number(form, "radius", 1.0),))
            case "mesh":
                name = form.get("filename", "")
                return RobotShape("mesh", mesh=name, scale=self.scale(form), at=form)
        self.unknown(form, "geometry")
        return None

    def scale(self, form: Element) -> tuple[float, ...]:
        """Scales along x, y and z; a fault here is no reason to refuse the robot."""
        text = form.get("scale", "1 1 1")
        try:
            values = tuple(map(float, text.split()))
        except ValueError:
            values = ()
        if len(values) != 3 or not all(map(math.isfinite, values)) or not all(values):
            self.robot.leave_out(form, f"scale '{text}', which must be 3 numbers other than 0")
            return 1.0, 1.0, 1.0
        return values

    def color(self, element: Element) -> str | None:
        """The colour of a material, kept under its name."""
        name, color = element.get("name", ""), element.find("color")
        if color is not None:
            rgba = self.numbers(color, "rgba", 4, (0.5, 0.5, 0.5, 1.0))
            parts = (round(255 * min(1.0, max(0.0, one))) for one in rgba[:3])
            self.colors[name] = "#" + "".join(f"{one:02x}" for one in parts)
        for child in element:
            if child.tag != "color":
                self.unknown(child, "material")
        return self.colors.get(name)

    # Joints

    def joint(self, element: Element) -> None:
        name = self.name(element, "joint", self.robot.joints)
        kind = KINDS.get(element.get("type", ""))
        if kind is None:
            given = element.get("type", "")
            hint = did_you_mean(given, KINDS) or f"; types: {', '.join(KINDS)}"
            self.robot.problem(element, f"joint '{name}' has the unknown type '{given}'{hint}")
        ends = [self.end(element, tag, name or "") for tag in ("parent", "child")]
        if name is None or kind is None or None in ends:
            return
        joint = RobotJoint(name, kind, str(ends[0]), str(ends[1]), element)
        joint.X_PJ = self.origin(element)
        joint.axis = self.axis(element, joint)
        self.limit(element, joint)
        dynamics, mimic = element.find("dynamics"), element.find("mimic")
        if dynamics is not None:
            joint.damping = self.number(dynamics, "damping", 0.0)
            joint.friction = self.number(dynamics, "friction", 0.0)
        if mimic is not None:
            ratio = self.number(mimic, "multiplier", 1.0)
            joint.mimic = Mimic(mimic.get("joint", ""), ratio, self.number(mimic, "offset", 0.0))
            joint.has_motor = False
        for child in element:
            if child.tag not in _READ["joint"]:
                self.unknown(child, "joint")
        self.robot.joints[name] = joint

    def transmission(self, element: Element) -> None:
        """The gear of a joint's motor, and what its targets set; others are listed."""
        names = [one.get("name", "") for one in element.findall("joint")]
        found = next(element.iter("mechanicalReduction"), None)
        if len(names) != 1 or names[0] not in self.robot.joints:
            self.unknown(element, "robot")
            return
        joint = self.robot.joints[names[0]]
        if found is not None:
            try:
                gear = abs(float(found.text or ""))
            except ValueError:
                gear = math.nan
            if 0 < gear < math.inf:
                joint.gear = gear if gear != 1 else None
            else:
                text = (found.text or "").strip()
                self.robot.leave_out(found, f"mechanicalReduction '{text}' of '{joint.name}'")
        interface = (element.findtext(".//hardwareInterface") or "").rpartition("/")[2].strip()
        joint.mode = INTERFACES.get(interface.removesuffix("JointInterface"))

    def end(self, element: Element, tag: str, joint: str) -> str | None:
        """The link at one end of a joint."""
        end = element.find(tag)
        if end is None or end.get("link") is None:
            self.robot.problem(element, f"joint '{joint}' has no <{tag} link=\"…\"/>")
            return None
        name = end.get("link", "")
        if name not in self.robot.links:
            hint = did_you_mean(name, self.robot.links)
            self.robot.problem(end, f"joint '{joint}': there is no link '{name}'{hint}")
            return None
        return name

    def axis(self, element: Element, joint: RobotJoint) -> Vector:
        """The unit vector of a joint's axis; URDF's default is x."""
        axis = element.find("axis")
        x, y, z = (1.0, 0.0, 0.0) if axis is None else self.numbers(axis, "xyz", 3, (1.0, 0.0, 0.0))
        length = math.sqrt(x * x + y * y + z * z)
        if length == 0:
            if axis is not None and joint.kind in {MotionKind.HINGE, MotionKind.SLIDER}:
                self.robot.problem(axis, f"the axis of joint '{joint.name}' has length 0")
            return 0.0, 0.0, 1.0
        return x / length, y / length, z / length

    def limit(self, element: Element, joint: RobotJoint) -> None:
        limit = element.find("limit")
        if limit is None:
            if element.get("type") == "revolute" or joint.kind is MotionKind.SLIDER:
                self.robot.leave_out(element, no_limit(joint.name, element.get("type", "")))
            return
        effort, speed = (self.number(limit, key, 0.0) for key in ("effort", "velocity"))
        joint.effort = effort if effort > 0 else None
        joint.speed = speed if speed > 0 else None
        if element.get("type") == "continuous" or joint.kind not in _LIMITED:
            return
        lower, upper = self.number(limit, "lower", 0.0), self.number(limit, "upper", 0.0)
        if lower > upper:
            self.robot.leave_out(
                limit,
                f"limits of joint '{joint.name}': the lower one is greater, {lower:g} > {upper:g}",
            )
        elif lower == upper == 0 and not {"lower", "upper"} & limit.attrib.keys():
            self.robot.leave_out(limit, no_bounds(joint.name))
        else:
            joint.limits = lower, upper

    # Values

    def name(self, element: Element, what: str, seen: Mapping[str, object]) -> str | None:
        name = element.get("name", "")
        if not name:
            self.robot.problem(element, f"a {what} has no name")
        elif name in seen:
            self.robot.problem(element, f"two {what}s are called '{name}'")
        else:
            return name
        return None

    def origin(self, element: Element, tag: str = "origin") -> Transform:
        origin = element.find(tag)
        if origin is None:
            return IDENTITY
        zero = (0.0, 0.0, 0.0)
        return from_rpy(self.numbers(origin, "xyz", 3, zero), self.numbers(origin, "rpy", 3, zero))

    def number(self, element: Element, key: str, default: float) -> float:
        text = element.get(key)
        if text is None:
            return default
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            self.robot.problem(element, f'{key}="{text}" in <{element.tag}> is not a number')
            return default
        return value

    def numbers(
        self, element: Element, key: str, count: int, default: tuple[float, ...]
    ) -> tuple[float, ...]:
        text = element.get(key)
        if text is None:
            return default
        try:
            values = tuple(map(float, text.split()))
            is_finite = math.isfinite(sum(values))
        except ValueError:
            values, is_finite = (), False
        if len(values) != count or not is_finite:
            self.robot.problem(
                element, f'{key}="{text}" in <{element.tag}> must be {count} numbers'
            )
            return default
        return values


_LIMITED = {MotionKind.HINGE, MotionKind.SLIDER}


def read_urdf(
    text: str, *, file: str, values: Mapping[str, Formula], options: Mapping[str, str],
    opener: Opener | None = None,
) -> Mechanism:  # fmt: skip
    """The mechanism of a URDF text, with its meshes."""
    robot = urdf_robot(text, file)
    find_meshes(robot, FileFinder(opener))
    return robot_mechanism(robot, f"URDF file {os.path.basename(file)}.")
