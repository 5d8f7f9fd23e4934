"""SDF files (1.4 to 1.11): worlds and models of Gazebo, with their loops and nested models."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import PurePath

from kinegen.errors import did_you_mean
from kinegen.formats.robots.read.conversion.mechanism import robot_mechanism
from kinegen.formats.robots.read.conversion.spanning import span
from kinegen.formats.robots.read.mesh_files import FileFinder, find_meshes
from kinegen.formats.robots.read.robot import (
    Mimic,
    MotionKind,
    Robot,
    RobotFrame,
    RobotJoint,
    RobotLink,
)
from kinegen.formats.robots.read.sdf_reader.gearbox import add_gearbox
from kinegen.formats.robots.read.sdf_reader.models import open_scopes
from kinegen.formats.robots.read.sdf_reader.scope import (
    MODEL,
    WORLD,
    Scope,
    flag,
    number,
    numbers,
    word,
)
from kinegen.formats.robots.read.sdf_reader.shapes import SdfShapes
from kinegen.formats.robots.read.unread import Unread
from kinegen.formats.robots.read.xml_source import Element, XmlSource
from kinegen.formats.robots.transform import (
    IDENTITY,
    Transform,
    Vector,
    compose,
    inverse,
    rotate,
    to_quat,
)
from kinegen.mechanism.graph import Mechanism
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.opener import Opener

__all__ = ["SdfReader", "read_sdf", "sdf_robot"]

KINDS = {
    "revolute": MotionKind.HINGE,
    "continuous": MotionKind.HINGE,
    "prismatic": MotionKind.SLIDER,
    "screw": MotionKind.SCREW,
    "ball": MotionKind.BALL,
    "universal": MotionKind.UNIVERSAL,
    "revolute2": MotionKind.HINGE,
    "fixed": MotionKind.FIXED,
    "gearbox": MotionKind.FIXED,
}
UNLIMITED = 1e15
"""Limits beyond this are none: SDF's default is 1e16."""
_LINK_PARTS = {"pose", "inertial", "visual", "collision"}
_SILENT = {"link", "joint", "frame", "model", "include", "pose", "static", "name", "uri",
           "placement_frame", "self_collide", "must_be_base_link", "gravity"}  # fmt: skip
"""Elements of a model or world that are read, or that say nothing when they are as usual."""


def sdf_robot(text: str, file: str, opener: Opener | None, *, base: str = "") -> Robot:
    """The robot of an SDF text.

    Args:
        text: The file's content.
        file: Its name, for messages.
        opener: Finds and reads included models.
        base: ``fixed`` puts models on the ground that would float; ``free`` is what the file says.

    Raises:
        FormatError: The text is no sound SDF; every problem has its line and column.
    """
    source = XmlSource(text, file)
    robot = Robot(PurePath(file).stem, source)
    world = open_scopes(robot, source, opener)
    robot.raise_if_any()
    SdfReader(robot, world, base == "fixed").read()
    robot.raise_if_any()
    return robot


class SdfReader:
    """Turns scopes into a robot."""

    def __init__(self, robot: Robot, world: Scope, holds: bool) -> None:
        self.robot, self.world, self.holds = robot, world, holds
        self.homes: dict[str, tuple[Scope, str]] = {}
        """Scope and name there of every link."""
        self.unread = Unread()
        self.shapes = SdfShapes(robot, self.unread.note)
        self.gearboxes: list[tuple[Scope, str, Element]] = []

    def read(self) -> None:
        """All of it."""
        robot = self.robot
        robot.links[WORLD] = RobotLink(WORLD, self.world.element)
        self.gravity()
        for scope in self.world.every():
            for name, element in scope.links():
                self.homes[scope.prefix + name] = scope, name
                self.link(scope, name, element)
        for scope in self.world.every():
            for name, element in scope.members.items():
                if element.tag == "joint":
                    self.joint(scope, name, element)
                elif element.tag == "frame":
                    self.frame(scope, name, element)
            for element in scope.element:
                if element.tag not in _SILENT:
                    self.unread.note(element, scope.element.tag)
        if len(robot.links) == 1:
            robot.problem(self.world.element, "the file has no links")
        robot.raise_if_any()
        for name in span(robot, WORLD):
            self.stand(name, *self.homes[name])
        for gearbox in self.gearboxes:
            add_gearbox(self, *gearbox)
        self.unread.report(robot)

    def gravity(self) -> None:
        """That of the world."""
        element = self.world.element
        found = element.find("gravity")
        if found is None:
            found = element.find("physics/gravity")
        if found is not None:
            self.robot.gravity = numbers(self.robot, found, 3)  # type: ignore[assignment]

    def stand(self, name: str, scope: Scope, own: str) -> None:
        """Connect a link that no joint carries: fixed where its model is static, else free."""
        X = compose(scope.X_W, scope.pose_of(own, scope.element))
        at = self.robot.links[name].at
        if scope.is_static or self.holds:
            joint = RobotJoint(f"{name}_fixed", MotionKind.FIXED, WORLD, name, at, X)
        else:
            joint = RobotJoint(f"{name}_free", MotionKind.FREE, WORLD, name, at, has_motor=False)
            joint.start = (*to_quat(X), *X[9:])
        self.robot.joints[joint.name] = joint

    # Links and frames

    def link(self, scope: Scope, name: str, element: Element) -> None:
        """A link with its mass and shapes."""
        link = RobotLink(scope.prefix + name, element)
        self.robot.links[link.name] = link
        self.inertial(scope, element, link)
        self.shapes.read(scope, name, element, link)
        for child in element:
            if child.tag == "gravity" and not flag(child.text):
                self.robot.leave_out(child, f"link '{link.name}' without gravity")
            elif child.tag not in _LINK_PARTS and child.tag != "gravity":
                self.unread.note(child, "link")

    def inertial(self, scope: Scope, element: Element, link: RobotLink) -> None:
        """Mass and inertia; SDF's own where the file has none."""
        given = element.find("inertial")
        if scope.is_static:
            return
        if given is None:
            link.mass, link.inertia = 1.0, (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
            self.robot.remark(
                element, f"link '{link.name}' has no <inertial>: it has SDF's 1 kg and 1 kg m²"
            )
            return
        if flag(given.get("auto")):
            self.unread.note(given, "link")
        robot = self.robot
        link.mass = number(robot, given, "mass", 1.0)
        if not 0 <= link.mass < math.inf:
            robot.problem(given, f"the mass of link '{link.name}' is {link.mass:g} kg")
        pose = given.find("pose")
        link.X_LC = scope.raw_pose(pose)
        tensor = given.find("inertia")
        keys, usual = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
        if tensor is None:
            link.inertia = usual
        else:
            found = zip(keys, usual, strict=True)
            link.inertia = tuple(number(robot, tensor, key, value) for key, value in found)
        if not all(map(math.isfinite, link.inertia)):
            robot.problem(given, f"the inertia of link '{link.name}' is not finite")
        for child in given:
            if child.tag not in {"mass", "pose", "inertia"}:
                self.unread.note(child, "inertial")

    def frame(self, scope: Scope, name: str, element: Element) -> None:
        """A named place on the link that it is attached to."""
        link = scope.link_of(name, element)
        X = compose(inverse(self.link_pose(link, element)), self.pose(scope, name, element))
        self.robot.frames.append(RobotFrame(scope.prefix + name, link, X, element))

    def pose(self, scope: Scope, name: str, at: Element) -> Transform:
        """Pose of a frame in the world."""
        return compose(scope.X_W, scope.pose_of(name, at))

    def link_pose(self, link: str, at: Element) -> Transform:
        """Pose of one of the robot's links in the world."""
        return self.pose(*self.homes[link], at) if link in self.homes else IDENTITY

    # Joints

    def joint(self, scope: Scope, name: str, element: Element) -> None:
        """A joint, or the two hinges that it is; gearboxes wait until all joints are there."""
        given = element.get("type", "")
        kind = KINDS.get(given)
        if kind is None:
            hint = did_you_mean(given, KINDS) or f"; types: {', '.join(KINDS)}"
            self.robot.problem(element, f"joint '{name}' has the unknown type '{given}'{hint}")
            return
        ends = [self.end(scope, name, element, tag) for tag in ("parent", "child")]
        if None in ends:
            return
        if scope.is_static:
            self.robot.leave_out(element, f"joint of a static model '{name}'")
            return
        if given == "gearbox":
            self.gearboxes.append((scope, name, element))
            return
        (parent, X_P), (child, X_C) = ends  # type: ignore[misc]
        X_J = self.pose(scope, name, element)
        joint = RobotJoint(scope.prefix + name, kind, parent, child, element)
        joint.X_PJ, joint.X_JC = compose(inverse(X_P), X_J), compose(inverse(X_J), X_C)
        if parent == child:
            self.robot.problem(element, f"joint '{name}' connects '{parent}' with itself")
            return
        axis, axis2 = element.find("axis"), element.find("axis2")
        joint.has_motor = False
        if kind not in {MotionKind.FIXED, MotionKind.BALL}:
            self.axis(scope, name, axis, element, joint)
        if kind is MotionKind.SCREW:
            joint.pitch = self.pitch(element)
        if given == "universal":
            joint = self.universal(scope, name, axis2, element, joint)
        elif given == "revolute2":
            joint = self.second_hinge(scope, name, axis2, element, joint)
        self.robot.joints[joint.name] = joint
        for one in element:
            if one.tag not in {"parent", "child", "pose", "axis", "axis2", "thread_pitch",
                               "screw_thread_pitch"}:  # fmt: skip
                self.unread.note(one, "joint")

    def end(
        self, scope: Scope, joint: str, element: Element, tag: str
    ) -> tuple[str, Transform] | None:
        """The link at one end of a joint, and its pose in the world."""
        end, name = element.find(tag), word(element, tag)
        if end is None or not name:
            self.robot.problem(element, f"joint '{joint}' has no <{tag}>")
            return None
        link = scope.link_of(name, end)
        return link, self.link_pose(link, end)

    def direction(self, scope: Scope, joint: str, axis: Element | None, at: Element) -> Vector:
        """The unit vector of an axis in the joint's frame; SDF's default is z."""
        xyz = None if axis is None else axis.find("xyz")
        x = (0.0, 0.0, 1.0) if xyz is None else numbers(self.robot, xyz, 3) or (0.0, 0.0, 1.0)
        length = math.sqrt(sum(one * one for one in x))
        if length == 0:
            self.robot.problem(at if xyz is None else xyz, f"an axis of '{joint}' has length 0")
            return 0.0, 0.0, 1.0
        x = tuple(one / length for one in x)
        frame = "" if xyz is None else xyz.get("expressed_in", "")
        if axis is not None and not frame:
            in_model = axis.find("use_parent_model_frame")
            if scope.version < (1, 5) if in_model is None else flag(in_model.text):
                frame = MODEL
        if not frame:
            return x[0], x[1], x[2]
        X_J = scope.pose_of(joint, at)
        turned = compose(inverse(X_J), scope.pose_of(frame, at if xyz is None else xyz))
        return rotate(turned, x)

    def axis(
        self, scope: Scope, name: str, axis: Element | None, at: Element, joint: RobotJoint
    ) -> None:
        """Direction, limits, motor and start of a joint's variable."""
        joint.axis = self.direction(scope, name, axis, at)
        if axis is None:
            return
        robot = self.robot
        limit, dynamics, mimic = (axis.find(tag) for tag in ("limit", "dynamics", "mimic"))
        if limit is not None:
            if at.get("type") != "continuous":
                joint.limits = self.bounds(limit, name)
            effort, speed = (number(robot, limit, key, -1.0) for key in ("effort", "velocity"))
            joint.effort = effort if 0 < effort < UNLIMITED else None
            joint.speed = speed if 0 < speed < UNLIMITED else None
            joint.has_motor = effort > 0
        if dynamics is not None:
            joint.damping = number(robot, dynamics, "damping", 0.0)
            joint.friction = number(robot, dynamics, "friction", 0.0)
            stiffness = number(robot, dynamics, "spring_stiffness", 0.0)
            if stiffness:
                joint.spring = (stiffness, number(robot, dynamics, "spring_reference", 0.0))
        if mimic is not None:
            ratio = number(robot, mimic, "multiplier", 1.0)
            reference = number(robot, mimic, "reference", 0.0)
            offset = number(robot, mimic, "offset", 0.0) - ratio * reference
            leader = scope.prefix + mimic.get("joint", "")
            joint.mimic = Mimic(leader, ratio, offset)
            joint.has_motor = False
        start = axis.find("initial_position")
        if start is not None:
            joint.start = (number(robot, axis, "initial_position", 0.0),)
        for one in axis:
            if one.tag not in {"xyz", "limit", "dynamics", "mimic", "initial_position",
                               "use_parent_model_frame"}:  # fmt: skip
                self.unread.note(one, "axis")

    def bounds(self, limit: Element, name: str) -> tuple[float, float] | None:
        """Both limits of an axis; None where there are none."""
        lower = number(self.robot, limit, "lower", -math.inf)
        upper = number(self.robot, limit, "upper", math.inf)
        if max(-lower, upper) >= UNLIMITED:
            if min(-lower, upper) < UNLIMITED:
                self.robot.leave_out(limit, f"the only limit of joint '{name}': RAFF needs both")
            return None
        if lower > upper:
            self.robot.leave_out(
                limit, f"limits of joint '{name}': the lower one is greater, {lower:g} > {upper:g}"
            )
            return None
        return lower, upper

    def pitch(self, element: Element) -> float:
        """Advance of a screw per turn; the older key is rad/m of a left-handed thread."""
        if element.find("screw_thread_pitch") is not None:
            return number(self.robot, element, "screw_thread_pitch", 1.0)
        old = number(self.robot, element, "thread_pitch", 1.0)
        if old == 0:
            self.robot.problem(element, "the thread_pitch of a screw must not be 0")
            return 1.0
        return -math.tau / old

    def universal(
        self, scope: Scope, name: str, axis2: Element | None, at: Element, joint: RobotJoint
    ) -> RobotJoint:
        """One joint where its axes are perpendicular, else two hinges."""
        second = self.direction(scope, name, axis2, at)
        cosine = sum(a * b for a, b in zip(joint.axis, second, strict=True))
        if abs(cosine) > 1e-9:
            joint.kind = MotionKind.HINGE
            return self.second_hinge(scope, name, axis2, at, joint)
        joint.axis2, joint.has_motor = second, False
        other = RobotJoint(joint.name, joint.kind, joint.parent, joint.child, at)
        self.axis(scope, name, axis2, at, other)
        joint.limits2 = other.limits
        if (other.damping, other.friction) != (joint.damping, joint.friction):
            self.robot.leave_out(at, f"damping and friction of the second axis of '{name}'")
        return joint

    def second_hinge(
        self, scope: Scope, name: str, axis2: Element | None, at: Element, first: RobotJoint
    ) -> RobotJoint:
        """The second of two hinges, with a link without mass between them; adds the first."""
        between = f"{first.name}_between"
        self.robot.links[between] = RobotLink(between, at, is_virtual=True)
        second = RobotJoint(f"{first.name}_2", MotionKind.HINGE, between, first.child, at)
        second.X_JC, second.has_motor = first.X_JC, False
        self.axis(scope, name, axis2, at, second)
        first.child, first.X_JC = between, IDENTITY
        self.robot.joints[first.name] = first
        return second


def read_sdf(
    text: str, *, file: str, values: Mapping[str, Formula], options: Mapping[str, str],
    opener: Opener | None = None,
) -> Mechanism:  # fmt: skip
    """The mechanism of an SDF text, with its meshes."""
    robot = sdf_robot(text, file, opener, base=options.get("base", ""))
    find_meshes(robot, FileFinder(opener))
    return robot_mechanism(robot, f"SDF file {PurePath(file).name}.")
