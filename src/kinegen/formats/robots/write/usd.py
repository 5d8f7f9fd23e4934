"""USD as text (.usda): links as rigid bodies, joints and loops by the schemas of UsdPhysics.

It is written without the library of USD: the text is simple, and tests read it with that library.
Links stand side by side, as rigid bodies must, in the pose that is written. A joint has its frame
on both bodies, so that its variable keeps our value. Joints that close loops are left out of the
articulation, as the schema wants it, and hold all the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from kinegen.formats.drawing.gltf import linear_color
from kinegen.formats.robots.transform import IDENTITY, Transform, inverse
from kinegen.formats.robots.write.out_names import OutNames, identifier
from kinegen.formats.robots.write.outline import (
    OutJoint,
    OutLink,
    OutLoop,
    OutShape,
    OutVariable,
)
from kinegen.formats.robots.write.usd_text import Prim, quoted, tuple_text, usda_text
from kinegen.formats.robots.write.writer import Order, RobotWriter
from kinegen.joint_types import JointTraits
from kinegen.kernels import Floats
from kinegen.mechanism.shapes.shapes import Box, Capsule, Cylinder, Sphere
from kinegen.spatial.rotation import SO3

__all__ = ["write_usd"]

_DIRECTIONS = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")


class _Writer(RobotWriter):
    """Writes one mechanism as USD."""

    UNITS = "Metres, kilograms; angles in degrees."
    HOLDS = ("gravity",)

    def __init__(self, order: Order) -> None:
        super().__init__(order)
        self.names = OutNames(identifier)
        self.renamed: list[tuple[str, str]] = []
        self.paths: dict[str, str] = {}
        self.prims: dict[str, Prim] = {}
        self.sprung: list[str] = []

    def text(self) -> str:
        """The file's content."""
        prims = self.write()
        return usda_text(prims, prims[0].name, self.head())

    def write(self) -> list[Prim]:
        """The file's prims, the robot first."""
        outline = self.outline
        top = OutNames(identifier)
        root = self.prim("Xform", outline.name, top, apis=["PhysicsArticulationRootAPI"])
        joints = Prim("Scope", self.names.new("joints"))
        for link in outline.all_links():
            self.link(root, link)
        base = self.paths_of(root, outline.root.name)
        fixed = joints.child("PhysicsFixedJoint", "to_world")
        fixed.set("rel physics:body1", base)
        inner = OutNames(identifier)
        inner.new("to_world")
        for joint in (*outline.joints.values(), *outline.loops):
            self.joint(root, joints, inner, joint)
        root.children.append(joints)
        self.filter(root)
        for frame in outline.frames:
            home = self.prims[frame.link]
            made = self.prim("Xform", frame.name, home.names)
            _place(made, frame.X_LF)
            home.children.append(made)
        prims = [root, self.gravity(top)]
        for one in outline.objects:
            made = self.prim("Xform", one.name, top)
            _place(made, one.X_WL)
            self.shapes(made, one)
            prims.append(made)
        outline.leave_out_couplings([])
        self.notes()
        return prims

    def prim(self, kind: str, name: str, names: OutNames, apis: Iterable[str] = ()) -> Prim:
        """A prim whose name is an identifier; another one is kept beside it."""
        made = Prim(kind, names.new(name), list(apis))
        if made.name != name:
            made.set("custom string kinegen:name", quoted(name))
            self.renamed.append((name, made.name))
        return made

    def paths_of(self, root: Prim, link: str) -> str:
        return f"</{root.name}/{self.prims[link].name}>"

    # Links

    def link(self, root: Prim, link: OutLink) -> None:
        apis = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
        made = self.prim("Xform", link.name, self.names, apis)
        _place(made, link.X_WL)
        if link.mass > 0:
            self.mass(made, link)
        self.shapes(made, link)
        self.prims[link.name] = made
        root.children.append(made)

    def mass(self, prim: Prim, link: OutLink) -> None:
        """Mass, and the inertia about its principal axes."""
        xx, yy, zz, xy, xz, yz = link.inertia
        moments, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
        axes[:, 2] *= np.sign(np.linalg.det(axes))
        prim.set("float physics:mass", link.mass)
        prim.set("point3f physics:centerOfMass", tuple_text(link.centre))
        prim.set("float3 physics:diagonalInertia", tuple_text(np.maximum(moments, 0.0)))
        prim.set("quatf physics:principalAxes", tuple_text(SO3.from_matrix(axes).quat))

    def shapes(self, prim: Prim, link: OutLink) -> None:
        for shape in link.shapes:
            made = self.solid(shape, link.name)
            if made is None:
                continue
            made.name = prim.names.new(f"{made.kind.lower()}_1")
            _place(made, shape.X_LS, made.scale)
            made.set(
                "color3f[] primvars:displayColor", f"[{tuple_text(linear_color(shape.color))}]"
            )
            prim.children.append(made)

    def solid(self, shape: OutShape, link: str) -> Prim | None:
        apis = ["PhysicsCollisionAPI"]
        match shape.solid:
            case Box(size=size):
                made = Prim("Cube", "", apis)
                made.set("double size", 1.0)
                made.scale = size
            case Cylinder(radius=radius, length=length) | Capsule(radius=radius, length=length):
                kind = "Capsule" if isinstance(shape.solid, Capsule) else "Cylinder"
                made = Prim(kind, "", apis)
                made.set("uniform token axis", '"Z"')
                made.set("double radius", radius)
                made.set("double height", length)
            case Sphere(radius=radius):
                made = Prim("Sphere", "", apis)
                made.set("double radius", radius)
            case _:
                mesh = self.meshes.mesh(shape, link)
                if mesh is None:
                    return None
                made = Prim("Mesh", "", [*apis, "PhysicsMeshCollisionAPI"])
                made.set("uniform token physics:approximation", '"convexHull"')
                made.set("uniform token subdivisionScheme", '"none"')
                points = ", ".join(map(tuple_text, mesh.vertices))
                made.set("point3f[] points", f"[{points}]")
                made.set("int[] faceVertexCounts", f"[{', '.join(['3'] * len(mesh.faces))}]")
                corners = ", ".join(map(str, mesh.faces.ravel().tolist()))
                made.set("int[] faceVertexIndices", f"[{corners}]")
        return made

    def filter(self, root: Prim) -> None:
        """Links of one mechanism overlap in their joints and pass through each other."""
        group = Prim(
            "PhysicsCollisionGroup", self.names.new("own_links"), ["CollectionAPI:colliders"]
        )
        group.set("rel physics:filteredGroups", f"</{root.name}/{group.name}>")
        group.set("uniform token collection:colliders:expansionRule", '"expandPrims"')
        links = [self.paths_of(root, one.name) for one in self.outline.all_links()
                 if not one.is_object]  # fmt: skip
        group.set("rel collection:colliders:includes", f"[{', '.join(links)}]")
        root.children.append(group)

    def gravity(self, names: OutNames) -> Prim:
        made = self.prim("PhysicsScene", "physics_scene", names)
        strength = math.hypot(*self.outline.gravity)
        along = [c / strength for c in self.outline.gravity] if strength else [0.0, 0.0, -1.0]
        made.set("vector3f physics:gravityDirection", tuple_text(along))
        made.set("float physics:gravityMagnitude", strength)
        return made

    # Joints

    def joint(self, root: Prim, scope: Prim, names: OutNames, joint: OutJoint) -> None:
        if joint.info.floats:
            return  # a body without a joint floats
        made = self.prim(_schema(joint.info), joint.name, names)
        made.set("rel physics:body0", self.paths_of(root, joint.parent))
        made.set("rel physics:body1", self.paths_of(root, joint.child))
        X_CM = joint.X_CK if isinstance(joint, OutLoop) else inverse(joint.X_MB)
        for end, X in (("0", joint.X_PF), ("1", X_CM)):
            made.set(f"point3f physics:localPos{end}", tuple_text(X[9:]))
            made.set(f"quatf physics:localRot{end}", tuple_text(_quat(X)))
        if isinstance(joint, OutLoop):
            made.set("bool physics:excludeFromArticulation", "1")
        if joint.info.is_single or joint.info.is_ball:
            made.set("uniform token physics:axis", '"Z"')
        if joint.info.is_ball and joint.swing < math.pi:
            for cone in ("0", "1"):
                made.set(f"float physics:coneAngle{cone}Limit", math.degrees(joint.swing))
        if joint.info.is_single:
            self.limits(made, joint.variables[0], "physics:lowerLimit", "physics:upperLimit")
            self.drive(made, joint, joint.variables[0], _word(joint.variables[0]))
        elif made.kind == "PhysicsJoint":
            self.locks(made, joint)
        scope.children.append(made)

    def locks(self, prim: Prim, joint: OutJoint) -> None:
        """Directions that a joint does not move in are locked: their low is above their high."""
        moving = {_direction(one): one for one in joint.variables}
        if joint.lead:  # the schema has no screws: it turns and slides
            moving["transZ"] = OutVariable("advance", slides=True, axis="z")
        for direction in _DIRECTIONS:
            one = moving.get(direction)
            if one is None:
                prim.apis.append(f"PhysicsLimitAPI:{direction}")
                prim.set(f"float limit:{direction}:physics:low", 1.0)
                prim.set(f"float limit:{direction}:physics:high", -1.0)
                continue
            if one.has_limits:
                prim.apis.append(f"PhysicsLimitAPI:{direction}")
                ends = f"limit:{direction}:physics:low", f"limit:{direction}:physics:high"
                self.limits(prim, one, *ends)
            self.drive(prim, joint, one, direction)

    def limits(self, prim: Prim, one: OutVariable, low: str, high: str) -> None:
        """Limits in the schema's units; one that is not there stays at its default, infinity."""
        for key, value in ((low, one.lower), (high, one.upper)):
            if math.isfinite(value):
                prim.set(f"float {key}", value if one.slides else math.degrees(value))

    def drive(self, prim: Prim, joint: OutJoint, one: OutVariable, word: str) -> None:
        """The motor of a variable, or the spring and damper that act on it."""
        has_spring = bool(one.stiffness or one.damping)
        if not (one.has_motor or has_spring):
            return
        per = 1.0 if one.slides else math.pi / 180
        stiffness, damping, target = one.stiffness, one.damping, one.rest
        if one.has_motor:
            stiffness, damping, target = one.kp or 0.0, one.kd or 0.0, one.value
            if has_spring:
                self.sprung.append(joint.name)
        prim.apis.append(f"PhysicsDriveAPI:{word}")
        prim.set(f"uniform token drive:{word}:physics:type", '"force"')
        prim.set(f"float drive:{word}:physics:stiffness", stiffness * per)
        prim.set(f"float drive:{word}:physics:damping", damping * per)
        prim.set(f"float drive:{word}:physics:targetPosition", target / per)
        if one.has_motor and math.isfinite(one.effort):
            prim.set(f"float drive:{word}:physics:maxForce", one.effort)

    def notes(self) -> None:
        outline = self.outline
        joints = [*outline.joints.values(), *outline.loops]
        for old, new in self.renamed:
            outline.notes.append(
                f"'{old}' is not a valid name in USD: '{new}', with kinegen:name = '{old}'"
            )
        screws = [j.name for j in joints if j.lead]
        outline.note(
            screws,
            "joint {} turns and slides freely: UsdPhysics has no screws",
            "joints {} turn and slide freely: UsdPhysics has no screws",
        )
        outline.note(
            self.sprung,
            "the spring and damper of joint {} are left out because it has a motor",
            "springs and dampers of joints {} are left out because they have motors",
        )
        dry = [j.name for j in joints if any(v.friction or v.armature for v in j.variables)]
        outline.note(
            dry,
            "dry friction and rotor of joint {} are left out: UsdPhysics has neither",
            "dry friction and rotors of joints {} are left out: UsdPhysics has neither",
        )
        between = [one.name for one in outline.springs]
        outline.note(between, "spring {} is left out", "springs {} are left out")


def _place(prim: Prim, X: Transform, scale: Iterable[float] | None = None) -> None:
    """Where a prim is in its parent."""
    order = []
    if any(X[9:]):
        prim.set("double3 xformOp:translate", tuple_text(X[9:]))
        order.append("xformOp:translate")
    if X[:9] != IDENTITY[:9]:
        prim.set("quatd xformOp:orient", tuple_text(_quat(X)))
        order.append("xformOp:orient")
    if scale is not None:
        prim.set("double3 xformOp:scale", tuple_text(scale))
        order.append("xformOp:scale")
    if order:
        listed = ", ".join(f'"{one}"' for one in order)
        prim.set("uniform token[] xformOpOrder", f"[{listed}]")


def _quat(X: Transform) -> Floats:
    return SO3.from_matrix(np.array(X[:9]).reshape(3, 3)).quat


def _schema(info: JointTraits) -> str:
    """The schema of a joint; a plain joint locks the axes that it does not move along."""
    if info.is_ball:
        return "PhysicsSphericalJoint"
    if info.is_single:
        return "PhysicsRevoluteJoint" if info.is_hinge else "PhysicsPrismaticJoint"
    return "PhysicsJoint" if info.moves else "PhysicsFixedJoint"


def _word(one: OutVariable) -> str:
    return "linear" if one.slides else "angular"


def _direction(one: OutVariable) -> str:
    return f"{'trans' if one.slides else 'rot'}{one.axis.upper()}"


write_usd = _Writer.write_file
