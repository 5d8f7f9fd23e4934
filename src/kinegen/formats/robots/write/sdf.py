"""SDF: the format of Gazebo, a graph of links and joints, loops included.

SDF has no values of joints: a joint's variable is 0 in the pose in which its links are written. A
tree is written with all variables at 0, so that they keep our values. With loops, whose joints must
fit together in the file, the pose is that of the start and variables count from there.
"""

from __future__ import annotations

import math

import numpy as np

from kinegen.errors import FormatError
from kinegen.formats.robots.transform import (
    IDENTITY,
    Transform,
    compose,
    inverse,
    is_identity,
    rotate,
    to_rpy,
)
from kinegen.formats.robots.write.masses_out import accepted_inertia, least_mass
from kinegen.formats.robots.write.out_names import OutNames
from kinegen.formats.robots.write.outline import (
    OutJoint,
    Outline,
    OutLink,
    OutLoop,
    OutShape,
    OutVariable,
    Step,
)
from kinegen.formats.robots.write.outline_of import outline_of
from kinegen.formats.robots.write.writer import Order, XmlWriter
from kinegen.formats.robots.write.xml_text import Element, add, numbers
from kinegen.joint_types import JointTraits
from kinegen.mechanism.shapes.shapes import Box, Capsule, Cylinder, MeshRef, Sphere

__all__ = ["write_sdf"]

VERSION = "1.11"
_GRAVITY = (0.0, 0.0, -9.81)


def _unreserved(name: str) -> str:
    """A name that SDF does not keep for itself, such as ``__model__``."""
    is_reserved = name.startswith("__") and name.endswith("__")
    return f"{name}link" if is_reserved else name


class _Writer(XmlWriter):
    """Writes one mechanism as SDF."""

    HOLDS = ("gravity",)

    def __init__(self, order: Order) -> None:
        super().__init__(order)
        outline = self.outline
        self.names = OutNames(_unreserved)  # joints, links and frames share one scope
        self.names.new("world")
        self.least = least_mass(outline)
        joints = [*outline.joints.values(), *outline.loops]
        for joint in joints:
            if _word(joint.info):
                self.names.new(joint.name)
        self.links = {one.name: self.names.new(one.name, "link") for one in outline.all_links()}
        self.shifted = bool(outline.loops or outline.couplings)
        self.mimics = outline.mimics()
        self.variables: dict[int, str] = {}
        """Names of joints by the identity of their variables."""
        self.following: list[tuple[Element, int]] = []
        self.chained = [j.name for j in joints if not _word(j.info) and not j.info.floats]

    def make_outline(self, order: Order) -> Outline:
        """The outline in the pose; a tree in its zero pose, from which SDF counts."""
        model = order.mechanism.compile()
        is_tree = not (model.loops or model.couplings)
        made = outline_of(order.mechanism, model.zero() if is_tree else order.q, holds=self.HOLDS)
        if made.is_open:
            raise FormatError(
                f"{made.notes[0]}, and SDF states joints by the pose: use a pose in which the "
                f"loops of mechanism '{order.mechanism.name}' meet"
            )
        return made

    def write(self) -> Element:
        """The file: a model, or a world where there is more than the model."""
        outline = self.outline
        as_world = self.order.file.lower().endswith(".world")
        sdf = Element("sdf", {"version": VERSION})
        is_usual = np.allclose(outline.gravity, _GRAVITY, atol=0.005)
        home = sdf
        if as_world or outline.objects or not is_usual:
            home = add(sdf, "world", name="world_of_" + outline.name)
            add(home, "gravity", numbers(outline.gravity))
        self.model = add(home, "model", name=outline.name)
        for link in outline.all_links():
            self.link(self.model, link)
        anchor = self.names.new(f"{outline.root.name}_to_world")
        self.connect(anchor, "fixed", "world", self.links[outline.root.name], IDENTITY)
        for joint in (*outline.joints.values(), *outline.loops):
            self.joint(joint)
        for axis, variable in self.following:
            coupling = self.mimics[variable]
            mimic = add(axis, "mimic", joint=self.variables[id(coupling.terms[1][2])])
            add(mimic, "multiplier", coupling.ratio)
            add(mimic, "offset", 0.0)  # both count from the pose, in which they fit
            add(mimic, "reference", 0.0)
        outline.leave_out_couplings([one.name for one in self.mimics.values()])
        for frame in outline.frames:
            name = self.names.new(frame.name, "frame")
            made = add(self.model, "frame", name=name, attached_to=self.links[frame.link])
            _pose(made, frame.X_LF)
        for one in outline.objects:
            thing = add(home, "model", name=one.name)
            add(thing, "static", "true")
            _pose(thing, one.X_WL)
            made = add(thing, "link", name=one.name)
            self.shapes(made, one)
        self.notes()
        return sdf

    # Links

    def link(self, model: Element, link: OutLink) -> None:
        made = add(model, "link", name=self.links[link.name])
        _pose(made, link.X_WL)
        self.inertial(made, link)
        self.shapes(made, link)

    def inertial(self, element: Element, link: OutLink) -> None:
        """Mass and inertia; without them a link would weigh 1 kg."""
        made = add(element, "inertial")
        mass = link.mass if link.mass > 0 else self.least
        if any(link.centre):
            _pose(made, (*IDENTITY[:9], *link.centre))
        add(made, "mass", mass)
        inertia = add(made, "inertia")
        least = max(1e-9 * mass, self.least)
        values = accepted_inertia(list(link.inertia), least, link.name, self.outline)
        for key, value in zip(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), values, strict=True):
            add(inertia, key, value)

    def shapes(self, element: Element, link: OutLink) -> None:
        for index, shape in enumerate(link.shapes, 1):
            form = self.form(shape, link.name)
            if form is None:
                continue
            for kind in ("visual", "collision"):
                made = add(element, kind, name=f"{kind}_{index}")
                _pose(made, shape.X_LS)
                add(made, "geometry").append(form)
                if kind == "visual":
                    color = numbers([*shape.rgb, 1.0])
                    material = add(made, "material")
                    add(material, "ambient", color)
                    add(material, "diffuse", color)

    def form(self, shape: OutShape, link: str) -> Element | None:
        match shape.solid:
            case Box(size=size):
                made = Element("box")
                add(made, "size", numbers(size))
            case Cylinder(radius=radius, length=length) | Capsule(radius=radius, length=length):
                made = Element("capsule" if isinstance(shape.solid, Capsule) else "cylinder")
                add(made, "radius", radius)
                add(made, "length", length)
            case Sphere(radius=radius):
                made = Element("sphere")
                add(made, "radius", radius)
            case solid:
                path = self.meshes.place(shape, link)
                if path is None:
                    return None
                made = Element("mesh")
                add(made, "uri", path)
                if isinstance(solid, MeshRef) and solid.scale != (1.0, 1.0, 1.0):
                    add(made, "scale", numbers(solid.scale))
        return made

    # Joints

    def joint(self, joint: OutJoint) -> None:
        """A joint, or the chain of joints that moves in the same way."""
        child = self.links[joint.child]
        X_CM = joint.X_CK if isinstance(joint, OutLoop) else inverse(joint.X_MB)
        if joint.info.floats:
            return
        if not _word(joint.info):
            self.chain(joint, child, X_CM)
            return
        made = self.connect(joint.name, _word(joint.info), self.links[joint.parent], child, X_CM)
        if joint.info.turns_about_point and not joint.info.is_ball:
            # the first axis turns with neither link: as it stands, seen from the second
            first = rotate(inverse(joint.X_FM), (0.0, 0.0, 1.0))
            self.axis(made, "axis", first, joint.variables[0])
            self.axis(made, "axis2", (1.0, 0.0, 0.0), joint.variables[1])
        elif joint.info.nv == 1:
            self.axis(made, "axis", (0.0, 0.0, 1.0), joint.variables[0])
        if joint.lead:
            add(made, "screw_thread_pitch", joint.lead * math.tau)

    def chain(self, joint: OutJoint, child: str, X_CM: Transform) -> None:
        """Hinges and slides one after another, with links of negligible mass between them."""
        steps = joint.steps()
        X = compose(self.outline.link(joint.parent).X_WL, joint.X_PF)
        parent = self.links[joint.parent]
        for k, step in enumerate(steps):
            name = self.names.new(step.name, "joint")
            X = compose(X, step.X)
            below, X_BM = child, X_CM
            if k < len(steps) - 1:
                below, X_BM = self.names.new(f"{step.name}_link"), IDENTITY
                self.links[below] = below
                self.link(self.model, OutLink(below, X_WL=X))
            made = self.connect(name, _kind(step), parent, below, X_BM)
            assert step.variable is not None
            self.axis(made, "axis", step.axis, step.variable)
            parent = below

    def axis(
        self, element: Element, tag: str, xyz: tuple[float, float, float], one: OutVariable
    ) -> None:
        made = add(element, tag)
        self.variables[id(one)] = element.get("name", "")
        if id(one) in self.mimics:
            self.following.append((made, id(one)))
        add(made, "xyz", numbers(0.0 if abs(c) < 1e-12 else c for c in xyz))
        zero = one.value if self.shifted else 0.0
        bounds = {"lower": one.lower - zero, "upper": one.upper - zero, "effort": one.effort,
                  "velocity": one.speed}  # fmt: skip
        if not one.has_motor:
            bounds["effort"] = 0.0
        known = {key: value for key, value in bounds.items() if math.isfinite(value)}
        if known:
            limit = add(made, "limit")
            for key, value in known.items():
                add(limit, key, value)
        given = {
            "damping": one.damping,
            "friction": one.friction,
            "spring_stiffness": one.stiffness,
        }
        if one.stiffness:
            given |= {"spring_reference": one.rest - zero, "spring_stiffness": one.stiffness}
        if any(given.values()):
            dynamics = add(made, "dynamics")
            for key, value in given.items():
                add(dynamics, key, value)

    def connect(self, name: str, kind: str, parent: str, child: str, X_CM: Transform) -> Element:
        made = add(self.model, "joint", name=name, type=kind)
        if not is_identity(X_CM):
            _pose(made, X_CM)
        add(made, "parent", parent)
        add(made, "child", child)
        return made

    def notes(self) -> None:
        outline = self.outline
        joints = [*outline.joints.values(), *outline.loops]
        renamed = [old for old, new in self.links.items() if old != new]
        outline.note(
            renamed,
            "link {} has the name of a joint, or one that SDF reserves: 'link' is added to it",
            "links {} have names of joints, or names that SDF reserves: 'link' is added to them",
        )
        if self.shifted:
            moved = [j.name for j in joints if any(one.value for one in j.variables)]
            values = ", ".join(
                f"{j.name} {' '.join(f'{one.value:.6g}' for one in j.variables)}"
                for j in joints
                if j.name in moved
            )
            if moved:
                outline.notes.append(
                    "variables and limits are measured from the pose that is written, in which the "
                    f"loops are closed; values of the file in that pose [rad, m]: {values}"
                )
        outline.note(
            self.chained,
            "joint {} is written as a chain of single joints with links of negligible mass",
            "joints {} are written as chains of single joints with links of negligible mass",
        )
        massless = [one.name for one in outline.links.values() if one.mass <= 0]
        outline.note(
            massless,
            f"link {{}} has no mass: SDF needs one, {self.least:.3g} kg",
            f"links {{}} have no mass: SDF needs one, {self.least:.3g} kg each",
        )
        between = [one.name for one in outline.springs]
        outline.note(between, "spring {} is left out", "springs {} are left out")
        rotors = [j.name for j in joints if any(v.armature for v in j.variables)]
        outline.note(
            rotors, "the rotor of joint {} is left out", "rotors of joints {} are left out"
        )
        swings = [j.name for j in joints if j.swing < math.pi]
        outline.note(
            swings, "the swing limit of joint {} is left out", "swing limits of {} are left out"
        )


def _word(info: JointTraits) -> str:
    """The type of a joint that SDF has; empty for others, which become chains or no joint."""
    if info.turns_about_point:
        return "ball" if info.is_ball else "universal"
    if info.has_pitch:
        return "screw"
    if info.is_single:
        return "revolute" if info.is_hinge else "prismatic"
    return "" if info.moves else "fixed"


def _kind(step: Step) -> str:
    return "prismatic" if step.kind == "slide" else "revolute"


def _pose(element: Element, X: Transform) -> None:
    if not is_identity(X):
        xyz, rpy = to_rpy(X)
        add(element, "pose", numbers([*xyz, *rpy]))


write_sdf = _Writer.write_file
