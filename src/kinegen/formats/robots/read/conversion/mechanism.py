"""Robot → Mechanism: a joint of RAFF per joint, a frame per link under the link's own name.

A joint of RAFF moves about or along the z axis of its frame, and carries the link of its own name,
whose frame that is. Other formats have axes of any direction, and links with names and frames of
their own. So each joint is turned until its z is the axis, and the frame that the other format
gives to the link becomes a named frame on it: poses, shapes and inertias stay where they were.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from kinegen.errors import Problem
from kinegen.formats.mechanisms.denavit_hartenberg import mechanism_name
from kinegen.formats.robots.read.conversion.inertias import check_inertias
from kinegen.formats.robots.read.conversion.link_properties import link_properties
from kinegen.formats.robots.read.conversion.numbers import robot_numbers
from kinegen.formats.robots.read.conversion.plane_loops import loosen_plane_loops
from kinegen.formats.robots.read.conversion.relations import ONE_VARIABLE, add_couplings, add_poses
from kinegen.formats.robots.read.robot import Mimic, MotionKind, Robot, RobotJoint
from kinegen.formats.robots.read.xml_source import Element
from kinegen.formats.robots.transform import (
    IDENTITY,
    Transform,
    Vector,
    align_z,
    compose,
    from_axes,
    from_rpy,
    inverse,
    is_identity,
)
from kinegen.joint_types import JointType
from kinegen.mechanism.graph import (
    BASE,
    Closure,
    Follows,
    Frame,
    Joint,
    Mechanism,
    Placement,
    PlacementKind,
)
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.reading import JOINT_LIMIT
from kinegen.raff.rules.naming import NAME_LIMIT, NO_NAME, PLAIN_NAME

__all__ = ["robot_mechanism"]

_NOWHERE = (0.0, 0.0, 0.0)
_WITH_AXIS = {MotionKind.HINGE, MotionKind.SLIDER, MotionKind.SCREW, MotionKind.CYLINDRICAL,
              MotionKind.PLANAR}  # fmt: skip
_TYPES = {kind: JointType(kind.value) for kind in MotionKind}


def robot_mechanism(robot: Robot, source: str) -> Mechanism:
    """The mechanism of a robot; what could not be carried over is in its remarks."""
    _check_size(robot)
    root = _root(robot)
    if robot.loops:
        loosen_plane_loops(robot, root)
    check_inertias(robot)
    mechanism = Mechanism(mechanism_name(robot.name))
    if mechanism.name != robot.name:
        mechanism.title = robot.name
    mechanism.source = source
    builder = _Builder(robot, mechanism, root)
    builder.build()
    left_out = [
        Problem(one.file, one.line, one.column, f"not carried over: {one.message}")
        for one in robot.left_out
    ]
    mechanism.remarks = tuple(sorted([*left_out, *robot.remarks]))
    mechanism.late_remarks = robot.late_remarks
    return mechanism


def _check_size(robot: Robot) -> None:
    """Refuse a robot with more joints than a mechanism may have."""
    if len(robot.joints) > JOINT_LIMIT:
        one_too_many = list(robot.joints.values())[JOINT_LIMIT]
        robot.problem(
            one_too_many.at, f"the robot has {len(robot.joints)} joints; the limit is {JOINT_LIMIT}"
        )
        robot.raise_if_any()


def _root(robot: Robot) -> str:
    """The only link that no joint carries; FormatProblems where there is none, or several."""
    carriers: dict[str, RobotJoint] = {}
    for joint in robot.joints.values():
        other = carriers.setdefault(joint.child, joint)
        if other is not joint:
            robot.problem(
                joint.at,
                f"link '{joint.child}' is the child of joint '{joint.name}' and of joint "
                f"'{other.name}': a tree allows one parent",
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
        way: dict[str, None] = {}
        while name not in connected and name not in way:
            way[name] = None
            name = carriers[name].parent  # noqa: PLW2901 - towards the root
        if name not in connected:
            robot.problem(
                robot.links[name].at, f"link '{name}' is its own ancestor: the joints form a cycle"
            )
            robot.raise_if_any()
        connected.update(way)


class _Builder:
    """Adds a robot's parts to a mechanism."""

    def __init__(self, robot: Robot, mechanism: Mechanism, root: str) -> None:
        self.robot, self.mechanism, self.root = robot, mechanism, root
        self.numbers = robot_numbers()
        mechanism.base_name = self.base = self.ground()
        self.carried: dict[str, tuple[str, Transform]] = {root: (self.base, IDENTITY)}
        """RAFF's link of each link, and the pose of its own frame there."""
        self.order = self.outwards()
        self.holders = {joint.child: joint.name for joint in self.order if self.is_place(joint)}
        """Fixed joints of links that are nothing but a place on another."""
        self.places = self.holders.keys()
        self.frames, self.joints, self.loops = self.names()

    def build(self) -> None:
        """All of it."""
        for joint in self.order:
            self.add_joint(joint)
        # in the file's order, which is that of q
        unsorted = self.mechanism.joints
        names = [self.joints[name] for name in self.robot.joints]
        self.mechanism.joints = {name: unsorted[name] for name in names if name in unsorted}
        self.add_links()
        self.add_loops()
        add_couplings(self.robot, self.mechanism, self.joints)
        add_poses(self.robot, self.mechanism, self.joints)
        for frame in self.robot.frames:
            home, X = self.carried[frame.link]
            self.add_frame(self.frames[frame.name], home, compose(X, frame.X_LF))
        if self.robot.gravity is not None:
            gravity = self.numbers.constants(self.robot.gravity)
            self.mechanism.gravity = gravity  # type: ignore[assignment]

    def outwards(self) -> list[RobotJoint]:
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

    def is_place(self, joint: RobotJoint) -> bool:
        """Whether the link of a joint is nothing but a place on another: without mass and shape."""
        link = self.robot.links[joint.child]
        return joint.kind is MotionKind.FIXED and not (
            link.mass or link.shapes or link.collisions or any(link.inertia)
        )

    def ground(self) -> str:
        """The root's own name; where it has none, one that no other part has."""
        robot = self.robot
        if not robot.links[self.root].is_virtual:
            return _Names().new(self.root, "link")
        taken = {*robot.links, *robot.joints, *(frame.name for frame in robot.frames)}
        taken |= {loop.name for loop in robot.loops}
        return next(name for name in (BASE, "world", "ground", "") if name not in taken) or "root"

    def names(self) -> tuple[dict[str, str], dict[str, str], list[str]]:
        """Names of frames (links and those of the file), joints and loops, as RAFF has them.

        Loops have a scope of their own in MJCF: one may be called as a joint is.
        """
        names, robot = _Names(self.base), self.robot
        frames = {self.root: self.base}
        frames |= {
            name: names.new(name, "link")
            for name, link in robot.links.items()
            if name not in frames and not link.is_virtual
        }
        joints = {}
        for joint in robot.joints.values():
            is_own = (
                joint.name == joint.child and joint.X_JC is IDENTITY and _turn(joint)[0] is IDENTITY
            )
            shared = frames[joint.child] if is_own else ""
            joints[joint.name] = names.new(joint.name, "joint", shared=shared)
        loops = [names.new(loop.name, "loop") for loop in robot.loops]
        places = {name: one.at for name, one in robot.links.items()}
        for frame in robot.frames:
            frames[frame.name] = names.new(frame.name, "frame")
            places[frame.name] = frame.at
        self.report("link", frames, places)
        self.report("joint", joints, {name: one.at for name, one in robot.joints.items()})
        given = dict(zip((one.name for one in robot.loops), loops, strict=True))
        self.report("joint", given, {one.name: one.at for one in robot.loops})
        return frames, joints, loops

    def report(
        self, kind: str, names: Mapping[str, str], places: Mapping[str, Element | int]
    ) -> None:
        """List the names that could not be kept."""
        for name, given in names.items():
            if name != given and name in places:
                self.robot.leave_out(
                    places[name], f"the name of {kind} '{name}', which is '{given}' here"
                )

    def add_joint(self, joint: RobotJoint) -> None:
        """A joint, turned until its z is the axis."""
        parent, X_PL = self.carried[joint.parent]
        if joint.child in self.places:  # no joint is needed
            self.carried[joint.child] = (parent, compose(compose(X_PL, joint.X_PJ), joint.X_JC))
            return
        turn, back = _turn(joint)
        to_zero = IDENTITY
        if joint.zero:
            way = (0.0, 0.0, -joint.zero)
            is_hinge = joint.kind is MotionKind.HINGE
            to_zero = from_rpy(*(_NOWHERE, way) if is_hinge else (way, _NOWHERE))
        name = self.joints[joint.name]
        self.carried[joint.child] = (name, compose(back, joint.X_JC))
        placement = self.placement(X_PL, joint.X_PJ, turn, to_zero)
        made = Joint(name, _TYPES[joint.kind], parent, placement)
        made.called = None if joint.name == name else joint.name
        self.fill(made, joint)
        self.mechanism.joints[name] = made

    def fill(self, made: Joint, joint: RobotJoint) -> None:
        """Start, limits, motor and friction."""
        if joint.start:
            made.start = self.numbers.constants(joint.start)
        if joint.mimic is not None:
            self.follow(made, joint, joint.mimic)
        if joint.kind is MotionKind.FIXED:
            return
        if joint.kind is MotionKind.SCREW:
            made.pitch = self.numbers.constant(joint.pitch)
        if joint.damping or joint.friction:
            friction = {"viscous": joint.damping or None, "coulomb": joint.friction or None}
            made.friction = self.formulas(friction)
        if joint.kind not in ONE_VARIABLE:
            made.armature = self.numbers.constant(joint.armature) if joint.armature else None
            if joint.kind is MotionKind.UNIVERSAL and (joint.limits or joint.limits2):
                both = joint.limits, joint.limits2
                limits = tuple(one and self.numbers.constants(one) for one in both)
                made.limits = limits  # type: ignore[assignment]
            return
        if joint.limits is not None:
            made.limits = (self.numbers.constants(joint.limits),)  # type: ignore[assignment]
            lower, upper = joint.limits
            if not joint.start and made.follows is None and not lower <= 0 <= upper:
                made.start = (self.numbers.constant((lower + upper) / 2),)
        if joint.has_motor:
            effort = "force" if joint.kind is MotionKind.SLIDER else "torque"
            given = {effort: joint.effort, "speed": joint.speed, "gear": joint.gear}
            if joint.servo is not None:
                given |= {"kp": joint.servo[0], "kd": joint.servo[1]}
            mode = {} if joint.mode in {None, "position"} else {"mode": joint.mode}
            made.motors = ({**self.formulas(given), **mode},)
        if joint.spring is not None:
            stiffness, rest = joint.spring
            made.spring = self.formulas({"stiffness": stiffness, "rest": rest or None})
        if joint.armature and made.motors:
            made.motors = (
                {**(made.motors[0] or {}), "inertia": self.numbers.constant(joint.armature)},
            )
        elif joint.armature:
            made.armature = self.numbers.constant(joint.armature)

    def formulas(self, given: Mapping[str, float | None]) -> dict[str, Formula]:
        """What is given, as constants."""
        constant = self.numbers.constant
        return {key: constant(value) for key, value in given.items() if value is not None}

    def follow(self, made: Joint, joint: RobotJoint, mimic: Mimic) -> None:
        """That a joint follows another, where both have one variable."""
        leader, singles = self.robot.joints.get(mimic.joint), ONE_VARIABLE
        chain = [joint.name]
        while leader is not None and leader.name not in chain and leader.mimic is not None:
            chain.append(leader.name)
            leader = self.robot.joints.get(leader.mimic.joint)
        why = ""
        if leader is None or leader.kind not in singles or joint.kind not in singles:
            why = f"'{mimic.joint}' is not a joint that it could follow"
        elif leader.name in chain:
            why = "joints that follow each other in a cycle cannot move"
        elif not mimic.ratio:
            why = "its ratio is 0"
        if why:
            text = f"the coupling of joint '{joint.name}', which moves by itself here: {why}"
            self.robot.leave_out(joint.at, text)
            return
        ratio, offset = self.numbers.constant(mimic.ratio), self.numbers.constant(mimic.offset)
        made.follows = Follows(self.joints[mimic.joint], ratio, offset)

    def add_links(self) -> None:
        """What links are made of, and a frame for each under its own name."""
        numbers = self.numbers
        has_shapes = any(link.shapes for link in self.robot.links.values())
        for name, link in self.robot.links.items():
            home, X = self.carried[name]
            if name not in self.places:
                properties = link_properties(
                    link, X, numbers, has_shapes=has_shapes or link.is_virtual
                )
                if home == self.base:
                    self.mechanism.base = properties
                else:
                    self.mechanism.joints[home].link = properties
            if not link.is_virtual and self.frames[name] != home:
                self.add_frame(self.frames[name], home, X, is_link=name not in self.places)
                made = self.mechanism.frames[self.frames[name]]
                made.joint = self.holders.get(name)
                made.called = None if name == made.name else name

    def add_frame(self, name: str, home: str, X: Transform, *, is_link: bool = False) -> None:
        placement = self.placement(X)
        self.mechanism.frames[name] = Frame(name, home, placement, is_link=is_link)

    def placement(self, *transforms: Transform) -> Placement:
        """A pose, as a product of transforms."""
        return Placement(PlacementKind.POSE, self.numbers.placed(*transforms))

    def add_loops(self) -> None:
        """Cut joints, which carry no link but land on one."""
        for name, loop in zip(self.loops, self.robot.loops, strict=True):
            (parent, X_P), (onto, X_O) = self.carried[loop.parent], self.carried[loop.child]
            turn, _ = _turn(loop)
            made = Joint(name, _TYPES[loop.kind], parent, self.placement(X_P, loop.X_PJ, turn))
            made.closes = Closure(onto, self.placement(X_O, inverse(loop.X_JC), turn))
            made.called = None if loop.name == name else loop.name
            self.fill(made, loop)
            self.mechanism.joints[name] = made


def _turn(joint: RobotJoint) -> tuple[Transform, Transform]:
    """The turn that brings z to a joint's axis, and the one back: none where it has no axis."""
    if joint.kind is MotionKind.UNIVERSAL:
        turn = from_axes(joint.axis2, joint.axis)
        return (IDENTITY, IDENTITY) if is_identity(turn) else (turn, inverse(turn))
    return _turn_to(joint.axis) if joint.kind in _WITH_AXIS else (IDENTITY, IDENTITY)


@functools.lru_cache(maxsize=256)  # robots have few directions
def _turn_to(axis: Vector) -> tuple[Transform, Transform]:
    turn = align_z(axis)
    return (turn, turn) if turn is IDENTITY else (turn, inverse(turn))


class _Names:
    """Names that RAFF can hold, each once."""

    def __init__(self, *taken: str) -> None:
        self.taken = {*taken}

    def new(self, name: str, kind: str, *, shared: str = "") -> str:
        """A name of its own.

        Args:
            name: As in the file.
            kind: What it is, put behind a name that is taken.
            shared: A name that it may have although that is taken.
        """
        if name not in self.taken and len(name) <= NAME_LIMIT and PLAIN_NAME.match(name):
            self.taken.add(name)
            return name
        plain = "".join(char if char.isprintable() else "_" for char in name[:NAME_LIMIT])
        plain = NO_NAME.sub("_", plain) if plain else kind
        if plain == shared:
            return plain
        found, number = plain, 1
        while found in self.taken:
            found = f"{plain}_{kind}{number if number > 1 else ''}"
            number += 1
        self.taken.add(found)
        return found
