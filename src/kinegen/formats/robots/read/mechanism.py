"""Robot → Mechanism: a joint of RAFF per joint, a frame per link under the link's own name.

A joint of RAFF moves about or along the z axis of its frame, and carries the link of its own name,
whose frame that is. Other formats have axes of any direction, and links with names and frames of
their own. So each joint is turned until its z is the axis, and the frame that the other format
gives to the link becomes a named frame on it: poses, shapes and inertias stay where they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kinegen.errors import Problem
from kinegen.formats.mechanisms.denavit_hartenberg import mechanism_name
from kinegen.formats.robots.read.inertias import check_inertias
from kinegen.formats.robots.read.relations import ONE_VARIABLE, add_couplings, add_poses
from kinegen.formats.robots.read.robot import (
    Mimic,
    MotionKind,
    Robot,
    RobotJoint,
    RobotLink,
    RobotShape,
)
from kinegen.formats.robots.read.xml_source import Element
from kinegen.formats.robots.transform import (
    IDENTITY,
    Transform,
    align_z,
    apply,
    compose,
    from_axes,
    from_rpy,
    inverse,
    is_identity,
    rotate_inertia,
    to_rpy,
)
from kinegen.joint_types import JointType
from kinegen.mechanism.graph import (
    BASE,
    Closure,
    Follows,
    Frame,
    Joint,
    LinkProperties,
    Mechanism,
    Placement,
    PlacementKind,
)
from kinegen.raff.formula import Formula
from kinegen.raff.naming import NAME_LIMIT, NO_NAME

__all__ = ["robot_mechanism"]

_ZERO = Formula.constant(0.0)
_NOWHERE = (0.0, 0.0, 0.0)
_WITH_AXIS = {MotionKind.HINGE, MotionKind.SLIDER, MotionKind.SCREW, MotionKind.CYLINDRICAL,
              MotionKind.PLANAR}  # fmt: skip


def robot_mechanism(robot: Robot, source: str) -> Mechanism:
    """The mechanism of a robot; what could not be carried over is in its remarks."""
    root = _root(robot)
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
        mechanism.base_name = self.base = self.ground()
        self.carried: dict[str, tuple[str, Transform]] = {root: (self.base, IDENTITY)}
        """RAFF's link of each link, and the pose of its own frame there."""
        self.order = self.outwards()
        self.holders = {joint.child: joint.name for joint in self.order if self.is_place(joint)}
        """Fixed joints of links that are nothing but a place on another."""
        self.places = self.holders.keys()
        self.frames, self.joints = self.names()

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
            self.mechanism.gravity = _constants(self.robot.gravity)  # type: ignore[assignment]

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

    def names(self) -> tuple[dict[str, str], dict[str, str]]:
        """Names of frames (one per link, and those of the file) and of joints, as RAFF has them."""
        names, robot = _Names(self.base), self.robot
        frames = {self.root: self.base}
        frames |= {
            name: names.new(name, "link")
            for name, link in robot.links.items()
            if name not in frames and not link.is_virtual
        }
        joints = {}
        for joint in robot.joints.values():
            is_own = joint.name == joint.child and joint.X_JC is IDENTITY and not _turn(joint)
            shared = frames[joint.child] if is_own else ""
            joints[joint.name] = names.new(joint.name, "joint", shared=shared)
        for loop in robot.loops:
            joints[loop.name] = names.new(loop.name, "loop")
        places = {name: one.at for name, one in robot.links.items()}
        for frame in robot.frames:
            frames[frame.name] = names.new(frame.name, "frame")
            places[frame.name] = frame.at
        self.report("link", frames, places)
        self.report("joint", joints, {name: one.at for name, one in robot.joints.items()})
        return frames, joints

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
        X_PF = compose(X_PL, joint.X_PJ)
        if joint.child in self.places:  # no joint is needed
            self.carried[joint.child] = (parent, compose(X_PF, joint.X_JC))
            return
        turn, X_MC = _turn(joint), joint.X_JC
        if turn is not None:
            X_PF, X_MC = compose(X_PF, turn), compose(inverse(turn), X_MC)
        if joint.zero:
            back = (0.0, 0.0, -joint.zero)
            is_hinge = joint.kind is MotionKind.HINGE
            X_PF = compose(X_PF, from_rpy(*(_NOWHERE, back) if is_hinge else (back, _NOWHERE)))
        name = self.joints[joint.name]
        self.carried[joint.child] = (name, X_MC)
        made = Joint(name, JointType(joint.kind.value), parent, _placement(X_PF))
        made.called = _other(joint.name, name)
        self.fill(made, joint)
        self.mechanism.joints[name] = made

    def fill(self, made: Joint, joint: RobotJoint) -> None:
        """Start, limits, motor and friction."""
        if joint.start:
            made.start = _constants(joint.start)
        if joint.mimic is not None:
            self.follow(made, joint, joint.mimic)
        if joint.kind is MotionKind.FIXED:
            return
        if joint.kind is MotionKind.SCREW:
            made.pitch = _constant(joint.pitch)
        friction = {"viscous": joint.damping or None, "coulomb": joint.friction or None}
        made.friction = _formulas(friction) or None
        if joint.kind not in ONE_VARIABLE:
            made.armature = _constant(joint.armature) if joint.armature else None
            if joint.kind is MotionKind.UNIVERSAL and (joint.limits or joint.limits2):
                both = joint.limits, joint.limits2
                made.limits = tuple(one and _constants(one) for one in both)  # type: ignore[misc]
            return
        if joint.limits is not None:
            made.limits = (_constants(joint.limits),)  # type: ignore[assignment]
            lower, upper = joint.limits
            if not joint.start and made.follows is None and not lower <= 0 <= upper:
                made.start = (_constant((lower + upper) / 2),)
        if joint.has_motor:
            effort = "force" if joint.kind is MotionKind.SLIDER else "torque"
            given = {effort: joint.effort, "speed": joint.speed, "gear": joint.gear}
            if joint.servo is not None:
                given |= {"kp": joint.servo[0], "kd": joint.servo[1]}
            mode = {} if joint.mode in {None, "position"} else {"mode": joint.mode}
            made.motors = ({**_formulas(given), **mode},)
        if joint.spring is not None:
            made.spring = _formulas({"stiffness": joint.spring[0], "rest": joint.spring[1] or None})
        if joint.armature and made.motors:
            made.motors = ({**(made.motors[0] or {}), "inertia": _constant(joint.armature)},)
        elif joint.armature:
            made.armature = _constant(joint.armature)

    def follow(self, made: Joint, joint: RobotJoint, mimic: Mimic) -> None:
        """That a joint follows another, where both have one variable."""
        leader, singles = self.robot.joints.get(mimic.joint), ONE_VARIABLE
        chain = [joint.name]
        while leader is not None and leader.name not in chain and leader.mimic is not None:
            chain.append(leader.name)
            leader = self.robot.joints.get(leader.mimic.joint)
        why = ""
        if leader is None or leader.kind not in singles or joint.kind not in singles:
            why = f"'{mimic.joint}' is no joint that it could follow"
        elif leader.name in chain:
            why = "joints that follow each other in a circle do not move"
        elif not mimic.ratio:
            why = "its ratio is 0"
        if why:
            text = f"the coupling of joint '{joint.name}', which moves by itself here: {why}"
            self.robot.leave_out(joint.at, text)
            return
        ratio, offset = _constant(mimic.ratio), _constant(mimic.offset)
        made.follows = Follows(self.joints[mimic.joint], ratio, offset)

    def add_links(self) -> None:
        """What links are made of, and a frame for each under its own name."""
        has_shapes = any(link.shapes for link in self.robot.links.values())
        for name, link in self.robot.links.items():
            home, X = self.carried[name]
            if name not in self.places:
                properties = _properties(link, X, has_shapes)
                if home == self.base:
                    self.mechanism.base = properties
                else:
                    self.mechanism.joints[home].link = properties
            if not link.is_virtual and self.frames[name] != home:
                self.add_frame(self.frames[name], home, X, is_link=name not in self.places)
                made = self.mechanism.frames[self.frames[name]]
                made.joint = self.holders.get(name)
                made.called = _other(name, made.name)

    def add_frame(self, name: str, home: str, X: Transform, *, is_link: bool = False) -> None:
        self.mechanism.frames[name] = Frame(name, home, _placement(X), is_link=is_link)

    def add_loops(self) -> None:
        """Cut joints, which carry no link but land on one."""
        for loop in self.robot.loops:
            (parent, X_P), (onto, X_O) = self.carried[loop.parent], self.carried[loop.child]
            turn = _turn(loop) or IDENTITY
            name = self.joints[loop.name]
            X_PF = compose(compose(X_P, loop.X_PJ), turn)
            made = Joint(name, JointType(loop.kind.value), parent, _placement(X_PF))
            X_OK = compose(compose(X_O, inverse(loop.X_JC)), turn)
            made.closes = Closure(onto, _placement(X_OK))
            made.called = _other(loop.name, name)
            self.fill(made, loop)
            self.mechanism.joints[name] = made


def _other(name: str, ours: str) -> str | None:
    """The name in the file, where it is not ours."""
    return None if name == ours else name


def _turn(joint: RobotJoint) -> Transform | None:
    """The turn that brings z to a joint's axis; None where it is z, or the joint has none."""
    if joint.kind is MotionKind.UNIVERSAL:
        turn = from_axes(joint.axis2, joint.axis)
        return None if is_identity(turn) else turn
    turn = align_z(joint.axis) if joint.kind in _WITH_AXIS else IDENTITY
    return None if turn is IDENTITY else turn


def _formulas(given: Mapping[str, float | None]) -> dict[str, Formula]:
    """What is given, as constants."""
    return {key: _constant(value) for key, value in given.items() if value is not None}


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
        made.shape = [_shape(shape, X) for shape in link.shapes] or (
            "auto" if link.lacks_mesh else "none"
        )
        made.color = next((one.color for one in link.shapes if one.color), None)
    if link.collisions:
        touched = [_shape(shape, X) for shape in link.collisions]
        made.collision = None if touched == made.shape else touched
    return made


def _shape(shape: RobotShape, X: Transform) -> dict[str, object]:
    """A shape as in a RAFF file."""
    made: dict[str, object] = {}
    if shape.kind == "mesh":
        made["mesh"] = shape.mesh
        x, y, z = shape.scale
        if x == y == z > 0:
            if x != 1:
                made["scale"] = _constant(x)
        else:  # stretched, or mirrored
            made["scale"] = list(_constants(shape.scale))
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
