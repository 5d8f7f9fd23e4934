"""X3D (ISO/IEC 19775, XML encoding 19776): the mechanism as a tree of named transforms.

Every joint is a pair of transforms: one that places it on its parent, and one under the link's name
that moves. Recorded motions are interpolators routed to these, each with a clock of its own.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from kinegen.formats.drawing.gltf import FRAME
from kinegen.formats.robots.transform import (
    IDENTITY,
    Transform,
    compose,
    from_rpy,
    inverse,
    is_identity,
)
from kinegen.formats.robots.write.out_names import OutNames
from kinegen.formats.robots.write.outline import OutJoint, OutLink, OutShape
from kinegen.formats.robots.write.writer import Order, XmlWriter
from kinegen.formats.robots.write.xml_text import Element, add, numbers
from kinegen.kernels import Floats
from kinegen.kinematics.positions import forward
from kinegen.mechanism.model import Model
from kinegen.mechanism.shapes.shapes import Box, Capsule, Cylinder, Sphere
from kinegen.motion.recording import Recording
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3

__all__ = ["write_x3d"]

VERSION = "4.0"
_SITE = "https://www.web3d.org/specifications"
_DOCTYPE = (
    f'<!DOCTYPE X3D PUBLIC "ISO//Web3D//DTD X3D {VERSION}//EN" "{_SITE}/x3d-{VERSION}.dtd">\n'
)
_UPRIGHT = from_rpy((0.0, 0.0, 0.0), (-math.pi / 2, 0.0, 0.0))
"""From our z-up world to the format's y-up one."""
_ALONG_Z = from_rpy((0.0, 0.0, 0.0), (math.pi / 2, 0.0, 0.0))
"""Cylinders of the format lie along y."""


class _Writer(XmlWriter):
    """Writes one mechanism as X3D."""

    UNITS = "Metres, radians."
    HOLDS = ("gravity", "motions", "friction")
    DOCTYPE = _DOCTYPE

    def __init__(self, order: Order) -> None:
        super().__init__(order)
        outline = self.outline
        self.names = OutNames()
        self.root = Element(
            "X3D",
            {
                "profile": "Immersive",
                "version": VERSION,
                "xmlns:xsd": "http://www.w3.org/2001/XMLSchema-instance",
                "xsd:noNamespaceSchemaLocation": f"{_SITE}/x3d-{VERSION}.xsd",
            },
        )
        head = add(self.root, "head")
        add(head, "meta", name="title", content=outline.title)
        add(head, "meta", name="generator", content="Kinegen")
        self.scene = add(self.root, "Scene")
        self.links = {one.name: self.names.new(one.name) for one in outline.all_links()}
        self.nodes: dict[str, Element] = {}

    def write(self) -> Element:
        outline = self.outline
        add(self.scene, "WorldInfo", title=outline.title)
        add(self.scene, "NavigationInfo", type='"EXAMINE" "ANY"')
        self.viewpoint()
        world = self.transform(self.scene, self.names.new("world"), _UPRIGHT)
        self.nodes[outline.root.name] = self.transform(
            world, self.links[outline.root.name], outline.root.X_WL
        )
        self.shapes(self.nodes[outline.root.name], outline.root)
        for name, joint in outline.joints.items():
            self.joint(joint, outline.links[name])
        for frame in outline.frames:
            home = self.nodes[frame.link]
            self.transform(home, self.names.new(frame.name, "frame"), frame.X_LF)
        for one in outline.objects:
            made = self.transform(world, self.names.new(one.name, "object"), one.X_WL)
            self.shapes(made, one)
        self.motions()
        outline.note(
            [one.name for one in outline.loops],
            "the loop at joint {} is closed in every pose that is written, but nothing holds it: "
            "X3D describes poses, not joints",
            "loops at joints {} are closed in every pose that is written, but nothing holds them: "
            "X3D describes poses, not joints",
        )
        return self.root

    def viewpoint(self) -> None:
        """One from the front and above that sees everything."""
        points = np.array([link.X_WL[9:] for link in self.outline.all_links()])
        low, high = points.min(axis=0), points.max(axis=0)
        middle = (low + high) / 2
        away = 1.5 * float(np.linalg.norm(high - low)) + 2.0 * self.outline.size
        # y is up here and the viewer looks along -z: turned down by half a right angle's third
        down = math.pi / 6
        place = np.array([middle[0], middle[2], -middle[1]])
        place += away * np.array([0.0, math.sin(down), math.cos(down)])
        add(
            self.scene, "Viewpoint", description=self.outline.title, position=place,
            orientation=(1.0, 0.0, 0.0, -down),
            centerOfRotation=(middle[0], middle[2], -middle[1]),
        )  # fmt: skip

    def joint(self, joint: OutJoint, link: OutLink) -> None:
        """Its place on the parent, then the link that moves."""
        place = self.transform(
            self.nodes[joint.parent], self.names.new(f"{joint.name}_place"), joint.X_PF
        )
        moved = compose(joint.X_FM, joint.X_MB)
        self.nodes[link.name] = self.transform(place, self.links[link.name], moved)
        self.shapes(self.nodes[link.name], link)

    def transform(self, parent: Element, name: str, X: Transform) -> Element:
        made = add(parent, "Transform", DEF=name)
        _place(made, X)
        return made

    # Shapes

    def shapes(self, node: Element, link: OutLink) -> None:
        for shape in link.shapes:
            for form, X in self.forms(shape, link.name):
                home = node
                X_LS = compose(shape.X_LS, X)
                if not is_identity(X_LS):
                    home = add(node, "Transform")
                    _place(home, X_LS)
                made = add(home, "Shape")
                add(add(made, "Appearance"), "Material", diffuseColor=shape.rgb)
                made.append(form)

    def forms(self, shape: OutShape, link: str) -> list[tuple[Element, Transform]]:
        """Nodes for a shape's geometry, each with its place."""
        match shape.solid:
            case Box(size=size):
                return [(Element("Box", {"size": numbers(size)}), IDENTITY)]
            case Cylinder(radius=radius, length=length):
                return [(_cylinder(radius, length), _ALONG_Z)]
            case Capsule(radius=radius, length=length):
                ends = [(*IDENTITY[:11], z) for z in (-length / 2, length / 2)]
                balls = [(Element("Sphere", {"radius": numbers([radius])}), X) for X in ends]
                return [(_cylinder(radius, length), _ALONG_Z), *balls]
            case Sphere(radius=radius):
                return [(Element("Sphere", {"radius": numbers([radius])}), IDENTITY)]
        mesh = self.meshes.mesh(shape, link)
        if mesh is None:
            return []
        made = Element("IndexedFaceSet", {
            "coordIndex": " ".join(f"{a} {b} {c} -1" for a, b, c in mesh.faces.tolist()),
            "creaseAngle": "0.7",
        })  # fmt: skip
        add(made, "Coordinate", point=numbers(mesh.vertices.ravel()))
        return [(made, IDENTITY)]

    # Motions

    def motions(self) -> None:
        """The recorded motion that was asked for, or all of them."""
        order = self.order
        model = order.mechanism.compile()
        for row in order.mechanism.scene.get("motions", []):
            if order.motion in (None, row["name"]):
                self.motion(model, Recording.from_dict(model, row), order.q)

    def motion(self, model: Model, recording: Recording, q: Floats | None) -> None:
        """A clock, and interpolators of all transforms that move."""
        keys = recording.times - recording.times[0]
        length = float(keys[-1])
        if length <= 0:
            return
        times = np.unique(np.concatenate([keys, np.arange(0.0, length, FRAME)]))
        pose = model.start() if q is None else q
        clock = self.names.new(f"{recording.name}_clock")
        group = add(self.scene, "Group", DEF=self.names.new(recording.name))
        add(group, "TimeSensor", DEF=clock, cycleInterval=length, loop="true")
        rows = [forward(model, recording.at(t + recording.times[0], pose)) for t in times]
        moves: dict[str, list[Transform]] = {name: [] for name in self.outline.joints}
        for row in rows:
            self.follow(model, row, moves)
        key = numbers(times / length)
        for name, motions in moves.items():
            self.interpolate(group, clock, key, name, recording.name, motions)

    def follow(self, model: Model, row: Floats, moves: dict[str, list[Transform]]) -> None:
        """The motion of every joint in one pose."""
        Xs = {self.outline.root.name: self.outline.root.X_WL}
        own = {joint.name: joint for joint in model.joints}
        for name, joint in self.outline.joints.items():
            if joint.raff not in own:  # an object that lies where it is
                Xs[name] = self.outline.links[name].X_WL
                continue
            link = SE3.from_pose(row[own[joint.raff].child])
            X_WM = (*link.so3.matrix.ravel().tolist(), *link.translation.tolist())
            Xs[name] = compose(X_WM, joint.X_MB)
            place = compose(Xs[joint.parent], joint.X_PF)
            moves[name].append(compose(inverse(place), Xs[name]))

    def interpolate(
        self, group: Element, clock: str, key: str, link: str, motion: str, Xs: list[Transform]
    ) -> None:
        """Interpolators of one transform, where it moves."""
        turns = [_axis_angle(X) for X in Xs]
        places = [X[9:] for X in Xs]
        for values, kind, field in (
            (turns, "Orientation", "rotation"),
            (places, "Position", "translation"),
        ):
            if all(np.allclose(one, other, atol=1e-12) for one, other in pairwise(values)):
                continue
            name = self.names.new(f"{motion}_{link}_{field}")
            flat = numbers(c for value in values for c in value)
            add(group, f"{kind}Interpolator", DEF=name, key=key, keyValue=flat)
            for source, out, target, into in (
                (clock, "fraction_changed", name, "set_fraction"),
                (name, "value_changed", self.links[link], f"set_{field}"),
            ):
                add(group, "ROUTE", fromNode=source, fromField=out, toNode=target, toField=into)


def _cylinder(radius: float, length: float) -> Element:
    return Element("Cylinder", {"radius": numbers([radius]), "height": numbers([length])})


def _place(element: Element, X: Transform) -> None:
    if any(abs(x) > 1e-15 for x in X[9:]):
        element.set("translation", numbers(X[9:]))
    if not is_identity((*X[:9], 0.0, 0.0, 0.0)):
        element.set("rotation", numbers(_axis_angle(X)))


def _axis_angle(X: Transform) -> tuple[float, ...]:
    """Axis and angle of a rotation; the angle is not negative."""
    turn = SO3.from_matrix(np.array(X[:9]).reshape(3, 3)).log()
    angle = float(np.linalg.norm(turn))
    if angle < 1e-15:
        return 0.0, 0.0, 1.0, 0.0
    return (*(turn / angle).tolist(), angle)


write_x3d = _Writer.write_file
