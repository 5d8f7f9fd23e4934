"""URDF: a tree of links and joints, as ROS and most robotics libraries read it.

The tree is exact: joints that URDF does not have become chains of joints with massless links
between them. Loops are cut, and an element ``<kinegen>`` that other readers ignore says where, so
that Kinegen closes them again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from kinegen.formats.robots.transform import (
    IDENTITY,
    Transform,
    Vector,
    compose,
    inverse,
    is_identity,
    rotate,
    to_rpy,
)
from kinegen.formats.robots.write.out_names import OutNames
from kinegen.formats.robots.write.outline import (
    OutJoint,
    OutLink,
    OutLoop,
    OutShape,
    OutVariable,
    Step,
)
from kinegen.formats.robots.write.writer import Order, XmlWriter
from kinegen.formats.robots.write.xml_text import Element, add
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.shapes.shapes import Box, Capsule, Cylinder, MeshRef, Sphere

__all__ = ["UrdfTree", "UrdfVariable", "urdf_tree", "write_urdf"]

FAR = 1e6
"""Limits and efforts that URDF wants and the mechanism does not have [rad, m, N m, N]."""
_BALL = (("x", (1.0, 0.0, 0.0)), ("y", (0.0, 1.0, 0.0)), ("z", (0.0, 0.0, 1.0)))
"""Hinges that a ball joint becomes, from the parent to the child."""


class _Writer(XmlWriter):
    """Writes one mechanism as URDF."""

    LINKS_AT_JOINTS = True

    def __init__(self, order: Order) -> None:
        super().__init__(order)
        outline = self.outline
        self.root = Element("robot", {"name": outline.name})
        self.links, self.joints = OutNames(), OutNames()
        self.colors: set[str] = set()
        self.mimics = outline.mimics()
        self.variables: dict[int, str] = {}
        """Names of single joints by the identity of their variables."""
        self.following: list[tuple[Element, int]] = []
        self.step_names: dict[str, str] = {}
        """Names of single joints by those that their steps asked for."""
        self.unlimited: list[str] = []
        self.is_made_up = False
        self.chained: list[str] = []
        for link in (*outline.all_links(), *outline.objects):
            self.links.new(link.name)
        for joint in (*outline.joints.values(), *outline.loops):
            self.joints.new(joint.name)

    def write(self) -> Element:
        outline = self.outline
        self.link(outline.root)
        for name, link in outline.links.items():
            self.joint(outline.joints[name])
            self.link(link)
        for frame in outline.frames:
            own = self.links.new(frame.name, "frame")
            add(self.root, "link", name=own)
            self.fixed(frame.joint or f"{frame.name}_joint", frame.link, own, frame.X_LF)
        for one in outline.objects:
            self.link(one)
            home = compose(inverse(outline.root.X_WL), one.X_WL)
            self.fixed(f"{one.name}_joint", outline.root.name, one.name, home)
        for element, variable in self.following:
            coupling = self.mimics[variable]
            leader = self.variables[id(coupling.terms[1][2])]
            add(element, "mimic", joint=leader, multiplier=coupling.ratio, offset=coupling.offset)
        outline.leave_out_couplings([one.name for one in self.mimics.values()])
        self.extension()
        self.notes()
        return self.root

    # Links

    def link(self, link: OutLink) -> None:
        element = add(self.root, "link", name=link.name)
        if link.mass or any(link.inertia):
            inertial = add(element, "inertial")
            add(inertial, "origin", xyz=link.centre)
            add(inertial, "mass", value=link.mass)
            keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
            add(inertial, "inertia", **dict(zip(keys, link.inertia, strict=True)))
        for shape in link.shapes:
            self.shape(element, shape, link.name)

    def shape(self, link: Element, shape: OutShape, name: str) -> None:
        """A solid, drawn and touched."""
        solid = shape.solid
        forms: list[tuple[str, dict[str, object], Transform]] = []
        match solid:
            case Box(size=size):
                forms.append(("box", {"size": size}, IDENTITY))
            case Cylinder(radius=radius, length=length):
                forms.append(("cylinder", {"radius": radius, "length": length}, IDENTITY))
            case Sphere(radius=radius):
                forms.append(("sphere", {"radius": radius}, IDENTITY))
            case Capsule(radius=radius, length=length):  # not in URDF: its three parts
                forms.append(("cylinder", {"radius": radius, "length": length}, IDENTITY))
                for end in (-length / 2, length / 2):
                    X = (*IDENTITY[:11], end)
                    forms.append(("sphere", {"radius": radius}, X))
            case _:
                path = self.meshes.place(shape, name)
                if path is None:
                    return
                scale = solid.scale if isinstance(solid, MeshRef) else (1.0, 1.0, 1.0)
                given: dict[str, object] = {"filename": path}
                if scale != (1.0, 1.0, 1.0):
                    given["scale"] = scale
                forms.append(("mesh", given, IDENTITY))
        for tag, given, X in forms:
            for kind in ("visual", "collision"):
                element = add(link, kind)
                self.origin(element, compose(shape.X_LS, X))
                add(add(element, "geometry"), tag, **given)
                if kind == "visual":
                    self.material(element, shape)

    def material(self, visual: Element, shape: OutShape) -> None:
        """A colour; by name alone where it was defined before."""
        known = shape.color in self.colors
        self.colors.add(shape.color)
        element = add(visual, "material", name=f"color_{shape.color[1:]}")
        if not known:
            add(element, "color", rgba=(*shape.rgb, 1.0))

    def fixed(self, name: str, parent: str, child: str, X: Transform) -> None:
        self.connect(self.joints.new(name), "fixed", parent, child, X)

    # Joints

    def joint(self, joint: OutJoint) -> None:
        """A joint, or the chain of joints that moves in the same way."""
        X_PB = compose(joint.X_PF, joint.X_MB)
        if not joint.info.moves:
            self.connect(joint.name, "fixed", joint.parent, joint.child, X_PB)
            return
        if joint.info.floats:
            self.connect(joint.name, "floating", joint.parent, joint.child, X_PB)
            return
        steps = _single_steps(joint)
        if len(steps) > 1:
            self.chained.append(joint.name)
        parent, X = joint.parent, X_PB
        for k, step in enumerate(steps):
            is_last, is_own = k == len(steps) - 1, step.name == joint.name
            child = joint.child
            if not is_last:
                child = self.links.new(f"{joint.name}_turn" if is_own else step.name, "link")
                add(self.root, "link", name=child)
            name = step.name if is_own else self.joints.new(step.name, "joint")
            self.step_names[step.name] = name
            if step.variable is not None:
                self.variables[id(step.variable)] = name
            self.step(name, step, joint, parent, child, X)
            parent, X = child, IDENTITY

    def step(
        self, name: str, step: Step, joint: OutJoint, parent: str, child: str, X: Transform
    ) -> None:
        """One hinge or slide."""
        one = step.variable
        is_limited = one is not None and one.has_limits
        kind = "prismatic" if step.kind == "slide" else "revolute" if is_limited else "continuous"
        element = self.connect(name, kind, parent, child, X)
        add(element, "axis", xyz=_axis(rotate(inverse(joint.X_MB), step.axis)))
        if one is None:  # the advance of a screw
            add(element, "limit", lower=-FAR, upper=FAR, effort=FAR, velocity=FAR)
            turned = next(e for e in reversed(self.root) if e.get("type") in _TURNS)
            add(element, "mimic", joint=turned.get("name"), multiplier=joint.lead, offset=0)
            return
        effort = one.effort if one.has_motor else 0.0
        given: dict[str, object] = {"effort": _bound(effort), "velocity": _bound(one.speed)}
        if kind != "continuous":
            given = {"lower": _bound(one.lower), "upper": _bound(one.upper), **given}
            if not (math.isfinite(one.lower) and math.isfinite(one.upper)):
                self.unlimited.append(name)
        if kind != "continuous" or one.has_motor or math.isfinite(one.speed):
            add(element, "limit", **given)
            self.is_made_up |= not (math.isfinite(effort) and math.isfinite(one.speed))
        if id(one) in self.mimics:
            self.following.append((element, id(one)))
        if one.damping or one.friction:
            add(element, "dynamics", damping=one.damping, friction=one.friction)

    def connect(self, name: str, kind: str, parent: str, child: str, X: Transform) -> Element:
        element = add(self.root, "joint", name=name, type=kind)
        self.origin(element, X)
        add(element, "parent", link=parent)
        add(element, "child", link=child)
        return element

    def origin(self, element: Element, X: Transform, tag: str = "origin") -> None:
        xyz, rpy = to_rpy(X)
        if not is_identity(X):
            add(element, tag, xyz=xyz, rpy=rpy)

    # What URDF does not have

    def extension(self) -> None:
        """Loops and start, in an element that other readers ignore."""
        element = Element("kinegen")
        for loop in self.outline.loops:
            self.loop(element, loop)
        for joint in self.outline.joints.values():
            steps = _single_steps(joint) if not joint.info.floats else []
            for step in steps:
                if step.variable is not None and step.variable.value:
                    name = self.step_names[step.name]
                    add(element, "start", joint=name, value=step.variable.value)
        if len(element):
            self.root.append(element)

    def loop(self, element: Element, loop: OutLoop) -> None:
        given: dict[str, object] = {"pitch": loop.lead * math.tau} if loop.lead else {}
        made = add(element, "loop", name=loop.name, type=loop.type.value, **given)
        add(made, "parent", link=loop.parent)
        self.origin(made, loop.X_PF)
        add(made, "child", link=loop.child)
        self.origin(made, loop.X_CK, "landing")
        for one in loop.variables:
            limits = {"lower": one.lower, "upper": one.upper}
            known: dict[str, object] = {k: v for k, v in limits.items() if math.isfinite(v)}
            if one.damping or one.friction:
                known |= {"damping": one.damping, "friction": one.friction}
            if known:
                add(made, "variable", name=one.name, **known)

    def notes(self) -> None:
        outline = self.outline
        outline.notes[:0] = [
            f"loop cut at joint '{loop.name}' ({loop.type.value}), which holds link "
            f"'{loop.parent}' to '{loop.child}': URDF has trees only; <kinegen> states it"
            for loop in outline.loops
        ]
        outline.note(
            self.chained,
            "joint {} is written as a chain of single joints with massless links between them",
            "joints {} are written as chains of single joints with massless links between them",
        )
        balls = [one.name for one in outline.joints.values() if one.info.is_ball]
        outline.note(
            balls,
            "joint {} becomes three hinges about x, y and z, which lock at y = ±90°",
            "joints {} become three hinges each about x, y and z, which lock at y = ±90°",
        )
        outline.note(
            self.unlimited,
            f"joint {{}} is not limited on both sides: URDF needs limits, ±{FAR:g} is written",
            f"joints {{}} are not limited on both sides: URDF needs limits, ±{FAR:g} is written",
        )
        if self.is_made_up:
            outline.notes.append(
                f"efforts and speeds without a limit are written as {FAR:g}: URDF needs a number"
            )
        springs = [j.name for j in outline.joints.values() if any(v.stiffness for v in j.variables)]
        outline.note(
            springs, "the spring of joint {} is left out", "springs of joints {} are left out"
        )
        between = [one.name for one in outline.springs]
        outline.note(between, "spring {} is left out", "springs {} are left out")
        rotors = [j.name for j in outline.joints.values() if any(v.armature for v in j.variables)]
        outline.note(
            rotors, "the rotor of joint {} is left out", "rotors of joints {} are left out"
        )
        swings = [j.name for j in outline.joints.values() if math.isfinite(j.swing)]
        outline.note(
            swings, "the swing limit of joint {} is left out", "swing limits of {} are left out"
        )
        for old, new in {**self.links.changed, **self.joints.changed}.items():
            outline.notes.append(f"the name '{old}' is taken: '{new}' is written")


_TURNS = ("revolute", "continuous")


def _single_steps(joint: OutJoint) -> list[Step]:
    """Hinges and slides; a ball becomes three hinges."""
    made = []
    for step in joint.steps():
        if step.kind != "ball":
            made.append(step)
            continue
        angles = _xyz_angles(step.X)
        for (letter, axis), angle in zip(_BALL, angles, strict=True):
            source = next(one for one in joint.variables if not one.slides and one.axis == letter)
            one = _with_value(source, angle)
            made.append(Step("hinge", axis, one, IDENTITY, f"{joint.name}_{letter}"))
    return made


def _xyz_angles(X: Transform) -> Vector:
    """Angles of ``Rx(a) Ry(b) Rz(c)``."""
    b = math.atan2(X[2], math.hypot(X[0], X[1]))
    a = math.atan2(-X[5], X[8]) if abs(X[5]) + abs(X[8]) > 1e-9 else 0.0
    ca, sa = math.cos(a), math.sin(a)
    c = math.atan2(ca * X[3] + sa * X[6], ca * X[4] + sa * X[7])
    return a, b, c


def _with_value(variable: OutVariable, value: float) -> OutVariable:
    return replace(variable, value=value)


def _axis(axis: Vector) -> Vector:
    """A unit vector without rounding."""
    x, y, z = (0.0 if abs(c) < 1e-12 else c for c in axis)
    return x, y, z


def _bound(value: float) -> float:
    return min(max(value, -FAR), FAR)


write_urdf = _Writer.write_file


@dataclass(frozen=True, slots=True)
class UrdfVariable:
    """A single joint of a URDF file, and what it stands for in the mechanism."""

    name: str
    """In the file."""
    joint: str
    """Of the mechanism."""
    variable: int
    """Its number among the joint's velocities."""
    turns: int | None = None
    """Of a ball that became three hinges: which of its angles about x, y and z."""


@dataclass(frozen=True, slots=True)
class UrdfTree:
    """A URDF file with the way back from its names to those of the mechanism."""

    text: str
    notes: tuple[str, ...]
    """What was cut, changed or left out."""
    variables: tuple[UrdfVariable, ...]
    links: dict[str, str]
    """The file's links by the joints of the mechanism that carry them."""
    root: str
    """The file's first link."""
    X_WR: Transform
    """Where it is."""


def urdf_tree(mechanism: Mechanism) -> UrdfTree:
    """A mechanism as URDF, for programs that follow its joints while it moves."""
    writer = _Writer(Order(mechanism, "", None, None))
    text, outline = writer.text(), writer.outline
    variables = []
    for joint in outline.joints.values():
        if joint.info.floats or not joint.info.moves:
            continue
        steps = [one for one in _single_steps(joint) if one.variable is not None]
        for k, step in enumerate(steps):
            name, turns = writer.step_names[step.name], None if joint.quat is None else k
            variables.append(UrdfVariable(name, joint.raff, k, turns))
    links = {joint.raff: joint.child for joint in outline.joints.values()}
    root = outline.root
    return UrdfTree(text, tuple(outline.notes), tuple(variables), links, root.name, root.X_WL)
