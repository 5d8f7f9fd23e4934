"""Robot → Mechanism: a joint of RAFF per joint, a frame per link under the link's own name.

A joint of RAFF moves about or along the z axis of its frame, and carries the link of its own name,
whose frame that is. Other formats have axes of any direction, and links with names and frames of
their own. So each joint is turned until its z is the axis, and the frame that the other format
gives to the link becomes a named frame on it: poses, shapes and inertias stay where they were.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from kinegen.errors import Problem
from kinegen.formats.mechanisms.denavit_hartenberg import mechanism_name
from kinegen.formats.problems import FormatProblems
from kinegen.formats.robots.robot import MotionKind, Robot, RobotJoint, RobotLink, RobotShape
from kinegen.formats.robots.transform import (
    IDENTITY,
    Transform,
    align_z,
    apply,
    compose,
    inverse,
    is_identity,
    rotate_inertia,
    to_rpy,
)
from kinegen.joint_types import JointType
from kinegen.mechanism.graph import (
    BASE,
    Frame,
    Joint,
    LinkProperties,
    Mechanism,
    Placement,
    PlacementKind,
)
from kinegen.raff.formula import Formula

__all__ = ["robot_mechanism"]

_ZERO = Formula.constant(0.0)
_WITH_AXIS = {MotionKind.HINGE, MotionKind.SLIDER, MotionKind.SCREW, MotionKind.CYLINDRICAL,
              MotionKind.PLANAR}  # fmt: skip


def robot_mechanism(robot: Robot, source: str) -> Mechanism:
    """The mechanism of a robot; what could not be carried over is in its remarks."""
    root = _root(robot)
    mechanism = Mechanism(mechanism_name(robot.name))
    if mechanism.name != robot.name:
        mechanism.title = robot.name
    mechanism.source = source
    builder = _Builder(robot, mechanism, root)
    builder.build()
    mechanism.remarks = tuple(
        Problem(one.file, one.line, one.column, f"not carried over: {one.message}")
        for one in robot.left_out
    )
    return mechanism


def _root(robot: Robot) -> str:
    """The only link that no joint carries; FormatProblems where there is none, or several."""
    carriers: dict[str, RobotJoint] = {}
    for joint in robot.joints.values():
        other = carriers.setdefault(joint.child, joint)
        if other is not joint:
            robot.problem(
                joint.at,
                f"link '{joint.child}' is carried by joint '{joint.name}' and by joint "
                f"'{other.name}': a tree allows one",
            )
    robot.raise_if_any()
    roots = [link for name, link in robot.links.items() if name not in carriers]
    if not roots:
        first = next(iter(robot.links.values()))
        robot.problem(first.at, "the links form a cycle: one link must be the child of no joint")
    for extra in roots[1:]:
        robot.problem(
            extra.at,
            f"link '{extra.name}' is not connected to the robot, whose root is '{roots[0].name}'",
        )
    robot.raise_if_any()
    _check_connected(robot, roots[0].name, carriers)
    return roots[0].name


def _check_connected(robot: Robot, root: str, carriers: dict[str, RobotJoint]) -> None:
    """Refuse links whose parents form a cycle apart from the rest."""
    connected = {root}
    for name in robot.links:
        way = []
        while name not in connected and name not in way:
            way.append(name)
            name = carriers[name].parent  # noqa: PLW2901 - towards the root
        if name not in connected:
            link = robot.links[name]
            raise FormatProblems(
                [Problem(robot.file, link.at.line, link.at.column,
                         f"link '{name}' is its own ancestor: the joints form a cycle")]
            )  # fmt: skip
        connected.update(way)


class _Builder:
    """Adds a robot's parts to a mechanism."""

    def __init__(self, robot: Robot, mechanism: Mechanism, root: str) -> None:
        self.robot, self.mechanism, self.root = robot, mechanism, root
        self.carried: dict[str, tuple[str, Transform]] = {root: (BASE, IDENTITY)}
        """RAFF's link of each link, and the pose of its own frame there."""
        self.names = _Names()
        self.places: set[str] = set()
        """Links that are nothing but a place on another."""

    def build(self) -> None:
        robot, mechanism = self.robot, self.mechanism
        has_shapes = any(link.shapes for link in robot.links.values())
        frames = {name: self.names.new(name, "link") for name in robot.links}
        order = self.order()
        joints = {
            joint.name: self.names.new(
                joint.name, "joint", shared=frames[joint.child] if self.is_same(joint) else ""
            )
            for joint in robot.joints.values()
        }
        self.report("link", frames, robot.links)
        self.report("joint", joints, robot.joints)
        self.places = {joint.child for joint in order if self.is_place(joint)}
        for joint in order:
            name = joints[joint.name]
            if joint.child in self.places:  # nothing but a place: no joint is needed
                parent, X_PL = self.carried[joint.parent]
                self.carried[joint.child] = (parent, compose(X_PL, joint.X_PJ))
                continue
            turn = align_z(joint.axis) if joint.kind in _WITH_AXIS else IDENTITY
            parent, X_PL = self.carried[joint.parent]
            X_PF = compose(compose(X_PL, joint.X_PJ), turn)
            self.carried[joint.child] = (name, inverse(turn) if turn is not IDENTITY else turn)
            made = Joint(name, JointType(joint.kind.value), parent, _placement(X_PF))
            self.fill(made, joint)
            mechanism.joints[name] = made
        # in the file's order, which is that of q
        made = mechanism.joints
        mechanism.joints = {n: made[n] for n in map(joints.__getitem__, robot.joints) if n in made}
        for name, link in robot.links.items():
            home, X = self.carried[name]
            if name not in self.places:
                properties = _properties(link, X, has_shapes)
                if home == BASE:
                    mechanism.base = properties
                else:
                    mechanism.joints[home].link = properties
            if frames[name] != home:
                mechanism.frames[frames[name]] = Frame(frames[name], home, _placement(X))

    def is_place(self, joint: RobotJoint) -> bool:
        """Whether the link of a joint is nothing but a place on another: without mass and shape."""
        link = self.robot.links[joint.child]
        return joint.kind is MotionKind.FIXED and not (link.mass or link.shapes)

    def report(
        self, kind: str, names: Mapping[str, str], parts: Mapping[str, RobotLink | RobotJoint]
    ) -> None:
        """List the names that could not be kept."""
        for name, given in names.items():
            if name != given:
                self.robot.leave_out(
                    parts[name].at, f"the name of {kind} '{name}', which is '{given}' here"
                )

    def is_same(self, joint: RobotJoint) -> bool:
        """Whether a joint has its link's name, and the link's frame is the joint's own."""
        turn = align_z(joint.axis) if joint.kind in _WITH_AXIS else IDENTITY
        return joint.name == joint.child and turn is IDENTITY

    def order(self) -> list[RobotJoint]:
        """Joints from the root outwards."""
        outboard: dict[str, list[RobotJoint]] = {}
        for joint in self.robot.joints.values():
            outboard.setdefault(joint.parent, []).append(joint)
        reached, found = [self.root], []
        for link in reached:
            for joint in outboard.get(link, ()):
                found.append(joint)
                reached.append(joint.child)
        return found

    def fill(self, made: Joint, joint: RobotJoint) -> None:
        """Limits, motor and friction."""
        if joint.kind not in {MotionKind.HINGE, MotionKind.SLIDER}:
            return
        if joint.mimic is not None:
            self.robot.leave_out(
                joint.at,
                f"<mimic> of joint '{joint.name}': it moves by itself, not with "
                f"'{joint.mimic.joint}'",
            )
        if joint.limits is not None:
            made.limits = (tuple(map(Formula.constant, joint.limits)),)  # type: ignore[assignment]
        if joint.has_motor:
            effort = "torque" if joint.kind is MotionKind.HINGE else "force"
            given = {effort: joint.effort, "speed": joint.speed}
            made.motors = (
                {key: Formula.constant(one) for key, one in given.items() if one is not None},
            )
        friction = {"viscous": joint.damping, "coulomb": joint.friction}
        if any(one > 0 for one in friction.values()):
            made.friction = {key: Formula.constant(one) for key, one in friction.items() if one > 0}


class _Names:
    """Names that RAFF can hold, each once."""

    def __init__(self) -> None:
        self.taken = {BASE, "world"}

    def new(self, name: str, kind: str, *, shared: str = "") -> str:
        """A name of its own.

        Args:
            name: As in the file.
            kind: What it is, put behind a name that is taken.
            shared: A name that it may have although that is taken.
        """
        plain = re.sub(r"[^A-Za-z0-9_-]", "_", name)
        if not plain[:1].isalpha():
            plain = f"{kind}{plain if plain[:1] == '_' else f'_{plain}'}"
        if plain == shared:
            return plain
        found, number = plain, 1
        while found in self.taken:
            found = f"{plain}_{kind}{number if number > 1 else ''}"
            number += 1
        self.taken.add(found)
        return found


def _placement(X: Transform) -> Placement:
    xyz, rpy = to_rpy(X)
    return Placement(PlacementKind.POSE, tuple(map(_constant, (*xyz, *rpy))))  # type: ignore[arg-type]


def _constant(value: float) -> Formula:
    return Formula.constant(value) if value else _ZERO


def _constants(values: Iterable[float]) -> tuple[Formula, ...]:
    return tuple(map(_constant, values))


def _properties(link: RobotLink, X: Transform, has_shapes: bool) -> LinkProperties:
    """What a link is made of, in the frame of RAFF's link."""
    X_C = compose(X, link.X_LC)
    made = LinkProperties(mass=_constant(link.mass))
    made.centre = _constants(apply(X_C, (0.0, 0.0, 0.0)))  # type: ignore[assignment]
    made.inertia = _constants(rotate_inertia(X_C, link.inertia))  # type: ignore[assignment]
    if has_shapes:
        made.shape = [_shape(shape, X) for shape in link.shapes] or "none"
        made.color = next((one.color for one in link.shapes if one.color), None)
    return made


def _shape(shape: RobotShape, X: Transform) -> dict[str, object]:
    """A shape as in a RAFF file."""
    made: dict[str, object] = {}
    if shape.kind == "mesh":
        made["mesh"] = shape.mesh
        if shape.scale != 1:
            made["scale"] = _constant(shape.scale)
    elif len(shape.sizes) == 1:
        made[shape.kind] = _constant(shape.sizes[0])
    else:
        made[shape.kind] = list(_constants(shape.sizes))
    place = compose(X, shape.X_LS)
    if not is_identity(place):
        xyz, rpy = to_rpy(place)
        if any(xyz):
            made["xyz"] = list(_constants(xyz))
        if any(rpy):
            made["rpy"] = list(_constants(rpy))
    return made
