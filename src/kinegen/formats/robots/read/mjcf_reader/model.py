"""MuJoCo's model of an MJCF file, as a robot: bodies, joints, shapes, sites, keyframes."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection
from typing import Any

import numpy as np

from kinegen.formats.robots.read.mjcf_reader.actuators import read_actuators
from kinegen.formats.robots.read.mjcf_reader.equations import read_equations
from kinegen.formats.robots.read.mjcf_reader.files import MjcfFiles
from kinegen.formats.robots.read.robot import (
    MotionKind,
    Robot,
    RobotFrame,
    RobotJoint,
    RobotLink,
    RobotPose,
    RobotShape,
)
from kinegen.formats.robots.read.xml_source import Element
from kinegen.formats.robots.transform import IDENTITY, Transform, compose, from_quat, inverse
from kinegen.kernels import Floats

__all__ = ["MjcfModel", "pose_of"]

WORLD = "world"
NO_TURN = (1.0, 0.0, 0.0, 0.0)
_LINE = re.compile(r"line (\d+)")
_HIDDEN_GROUP = 3
"""Geoms of this group and above are not drawn by MuJoCo's viewer: shapes for collisions."""
_KINDS = {0: MotionKind.FREE, 1: MotionKind.BALL, 2: MotionKind.SLIDER, 3: MotionKind.HINGE}
"""By MuJoCo's number of a joint's type."""
_PLAIN = (0.5, 0.5, 0.5, 1.0)
"""The colour of a geom that states none: then its material's counts."""
_NAMED = 8
"""Parts that are listed by name; of more, the count."""


_LISTS = {
    "body": "bodies", "joint": "joints", "geom": "geoms", "site": "sites", "mesh": "meshes",
    "keyframe": "keys", "equality": "equalities", "actuator": "actuators", "tendon": "tendons",
    "sensor": "sensors", "camera": "cameras", "light": "lights", "texture": "textures",
    "skin": "skins", "hfield": "hfields", "pair": "pairs", "exclude": "excludes", "flex": "flexes",
    "plugin": "plugins", "numeric": "numerics", "text": "texts", "tuple": "tuples",
}  # fmt: skip
"""Where a spec lists its elements, by their kind."""
_LEFT_OUT = {
    "sensor": "sensor", "camera": "camera", "light": "light", "texture": "texture",
    "skin": "skin", "hfield": "height field", "pair": "contact pair",
    "exclude": "contact exclusion", "flex": "flexible body", "plugin": "plug-in",
    "numeric": "custom number", "text": "custom text", "tuple": "custom tuple",
}  # fmt: skip
"""Elements that a robot does not have, by kind, as people call them."""


class MjcfModel:
    """Turns MuJoCo's model into a robot; names come from its spec."""

    def __init__(self, robot: Robot, spec: Any, model: Any, files: MjcfFiles) -> None:
        self.robot, self.spec, self.model, self.files = robot, spec, model, files
        self._listed: dict[str, list[Any]] = {}
        self.bodies = [self.body_name(i) for i in range(model.nbody)]
        """Names of all bodies."""
        self.joint_names: dict[int, str] = {}
        """Names of joints by their number."""
        self.consumed: set[int] = set()
        """Sites that are ends of loops, and nothing else."""
        self.consumed_tendons: set[int] = set()
        """Tendons that are relations of joints."""
        self.undrawn: list[int] = []
        """Geoms of shapes that RAFF does not have: planes, ellipsoids, height fields."""
        self.hidden: list[int] = []
        """Geoms that are neither drawn nor touched."""

    def read(self) -> None:
        """All of it."""
        model = self.model
        for i in range(model.nbody):
            self.body(i)
        read_equations(self)
        self.sites()
        read_actuators(self)
        self.keyframes()
        self.robot.gravity = tuple(model.opt.gravity.tolist())
        self.leave_out()

    def elements(self, kind: str) -> list[Any]:
        """The elements of a kind; the spec makes a new list each time it is asked."""
        if kind not in self._listed:
            found = list(getattr(self.spec, _LISTS[kind]))
            self._listed[kind] = found[1:] if kind == "body" else found  # without the world
        return self._listed[kind]

    def place(self, kind: str, i: int) -> Element | int:
        """Where the i-th element of one kind stands."""
        elements = self.elements(kind)
        if not 0 <= i < len(elements):
            return 1
        found = _LINE.search(elements[i].info or "")
        return self.files.place(kind, elements[i].name or "", int(found[1]) if found else 0, i)

    # Bodies

    def body_name(self, i: int) -> str:
        """A body's own name, or one that no other has."""
        if i == 0:
            return WORLD
        return self.model.body(i).name or self.free(f"body{i}", "body")

    def free(self, name: str, kind: str) -> str:
        """A name that no element of a kind has."""
        taken = {one.name for one in self.elements(kind)}
        while name in taken:
            name += "_"
        return name

    def body(self, i: int) -> None:
        """A body with its mass, shapes and joints."""
        model, name = self.model, self.bodies[i]
        at = self.place("body", i - 1)
        link = RobotLink(name, at)
        link.mass = float(model.body_mass[i])
        link.X_LC = pose_of(model.body_ipos[i], model.body_iquat[i])
        link.inertia = (*model.body_inertia[i].tolist(), 0.0, 0.0, 0.0)
        self.shapes(i, link)
        self.robot.links[name] = link
        if i == 0:
            link.mass, link.inertia = 0.0, (0.0,) * 6
            return
        self.joints(i, at)

    def joints(self, i: int, at: Element | int) -> None:
        """The joints between a body and its parent, links without mass between them."""
        model, name = self.model, self.bodies[i]
        parent = self.bodies[model.body_parentid[i]]
        X = pose_of(model.body_pos[i], model.body_quat[i])
        first, count = int(model.body_jntadr[i]), int(model.body_jntnum[i])
        if count == 0:
            joint = RobotJoint(f"{name}_fixed", MotionKind.FIXED, parent, name, at, X)
            self.robot.joints[joint.name] = joint
            return
        for k in range(first, first + count):
            child = name
            if k < first + count - 1:
                child = self.free(f"{name}_{k - first + 1}_", "body")
                self.robot.links[child] = RobotLink(child, at, is_virtual=True)
            joint = self.joint(k, parent, child, X, at)
            self.robot.joints[joint.name] = joint
            parent, X = child, IDENTITY

    def joint(self, k: int, parent: str, child: str, X: Transform, at: Element | int) -> RobotJoint:
        """A joint, its axis through its anchor."""
        model = self.model
        body = self.bodies[model.jnt_bodyid[k]]
        number = k - int(model.body_jntadr[model.jnt_bodyid[k]])
        name = model.joint(k).name or self.free(f"{body}_joint{number}", "joint")
        self.joint_names[k] = name
        kind = _KINDS[int(model.jnt_type[k])]
        start, v = int(model.jnt_qposadr[k]), int(model.jnt_dofadr[k])
        joint = RobotJoint(name, kind, parent, child, at, has_motor=False)
        joint.damping = float(np.ravel(model.dof_damping[v])[0])
        joint.friction = float(model.dof_frictionloss[v])
        joint.armature = float(model.dof_armature[v])
        if kind is MotionKind.FREE:  # its variables are the pose in the world
            quat, xyz = model.qpos0[start + 3 : start + 7], model.qpos0[start : start + 3]
            joint.start = (*quat.tolist(), *xyz.tolist())
            return joint
        anchor = pose_of(model.jnt_pos[k])
        joint.X_PJ, joint.X_JC = compose(X, anchor), inverse(anchor)
        if kind is not MotionKind.BALL:
            joint.axis = tuple(model.jnt_axis[k].tolist())
            joint.zero = float(model.qpos0[start])
            joint.start = (joint.zero,) if joint.zero else ()
            if model.jnt_limited[k]:
                lower, upper = model.jnt_range[k].tolist()
                joint.limits = (lower, upper)
            if model.jnt_stiffness[k].any():
                stiffness = float(np.ravel(model.jnt_stiffness[k])[0])
                joint.spring = (stiffness, float(model.qpos_spring[start]))
            if model.jnt_actfrclimited[k]:
                joint.effort = float(np.abs(model.jnt_actfrcrange[k]).max()) or None
            return joint
        if model.jnt_limited[k]:
            self.robot.leave_out(at, f"the limit of ball joint '{name}'")
        if model.jnt_stiffness[k].any():
            self.robot.leave_out(at, f"the spring of ball joint '{name}'")
        return joint

    def shapes(self, i: int, link: RobotLink) -> None:
        """The geoms of a body that are drawn, and those that others touch."""
        model = self.model
        first, count = int(model.body_geomadr[i]), int(model.body_geomnum[i])
        own = range(first, first + count)
        drawn = [g for g in own if self.rgba(g)[3] > 0]
        visible = [g for g in drawn if model.geom_group[g] < _HIDDEN_GROUP] or drawn
        touched = [g for g in own if model.geom_contype[g] or model.geom_conaffinity[g]]
        self.hidden += sorted({*own} - {*visible} - {*touched})
        known = {g: self.shape(g) for g in sorted({*visible, *touched})}
        link.shapes = [one for g in visible if (one := known[g]) is not None]
        if touched != visible:
            link.collisions = [one for g in touched if (one := known[g]) is not None]

    def shape(self, g: int) -> RobotShape | None:
        """A geom as RAFF has it; None for others."""
        model = self.model
        x, y, z = model.geom_size[g].tolist()
        X = pose_of(model.geom_pos[g], model.geom_quat[g])
        rgb = np.clip(np.rint(255 * self.rgba(g)[:3]), 0, 255).astype(int)
        color = "#" + "".join(f"{one:02x}" for one in rgb)
        match int(model.geom_type[g]):
            case 2:
                return RobotShape("sphere", (x,), X_LS=X, color=color)
            case 3:
                return RobotShape("capsule", (x, 2 * y), X_LS=X, color=color)
            case 5:
                return RobotShape("cylinder", (x, 2 * y), X_LS=X, color=color)
            case 6:
                return RobotShape("box", (2 * x, 2 * y, 2 * z), X_LS=X, color=color)
            case 7:
                return self.mesh(g, X, color)
        self.undrawn.append(g)
        return None

    def rgba(self, g: int) -> Floats:
        """A geom's colour: its own, or that of its material."""
        own, material = self.model.geom_rgba[g], int(self.model.geom_matid[g])
        is_plain = material >= 0 and tuple(own.tolist()) == _PLAIN
        found: Floats = self.model.mat_rgba[material] if is_plain else own
        return found

    def mesh(self, g: int, X: Transform, color: str) -> RobotShape | None:
        """A mesh where its file has it: MuJoCo moves meshes to their centres of mass."""
        i = int(self.model.geom_dataid[g])
        meshes = self.elements("mesh")
        own = meshes[i] if i < len(meshes) else None
        if own is None or not own.file:
            return None
        folder = self.spec.meshdir or ""
        scale = tuple(float(one) for one in own.scale)
        X_file = compose(X, inverse(pose_of(self.model.mesh_pos[i], self.model.mesh_quat[i])))
        path = posixpath.normpath(posixpath.join(folder, own.file))
        return RobotShape("mesh", mesh=path, scale=scale, X_LS=X_file, color=color,
                          at=self.place("mesh", i))  # fmt: skip

    # All else

    def sites(self) -> None:
        """Sites are frames, unless they are mere ends of loops."""
        taken = set(self.robot.links)
        for i in range(self.model.nsite):
            name = self.model.site(i).name
            if i in self.consumed:
                continue
            at = self.place("site", i)
            body = self.bodies[self.model.site_bodyid[i]]
            if not name or name in taken:
                text = f"a site of body '{body}' without a name"
                self.robot.leave_out(at, text)
            else:
                taken.add(name)
                X = pose_of(self.model.site_pos[i], self.model.site_quat[i])
                self.robot.frames.append(RobotFrame(name, body, X, at))

    def keyframes(self) -> None:
        """Every keyframe is a pose that can be chosen; the mechanism starts at the first."""
        model = self.model
        for i in range(model.nkey):
            name = model.key(i).name or f"key{i + 1}"
            at = self.place("keyframe", i)
            q = {joint: self.values(k, model.key_qpos[i]) for k, joint in self.joint_names.items()}
            self.robot.poses.append(RobotPose(name, at, float(model.key_time[i]), q))
            if model.key_qvel[i].any():
                self.robot.leave_out(at, f"velocities of keyframe '{name}'")
        if self.robot.poses:
            self.robot.start_at(self.robot.poses[0])

    def values(self, k: int, qpos: Floats) -> tuple[float, ...]:
        """Numbers of a joint as q has them: quaternion, then position."""
        at, kind = int(self.model.jnt_qposadr[k]), _KINDS[int(self.model.jnt_type[k])]
        if kind is MotionKind.FREE:
            return *qpos[at + 3 : at + 7].tolist(), *qpos[at : at + 3].tolist()
        if kind is MotionKind.BALL:
            return tuple(qpos[at : at + 4].tolist())
        return (float(qpos[at]),)

    def leave_out(self) -> None:
        """What there is in the model and not in a robot, by name."""
        model = self.model
        self.list_out("tendon", "tendon", self.consumed_tendons)
        for kind, what in _LEFT_OUT.items():
            self.list_out(kind, what)
        moved = [b for i, b in enumerate(self.bodies) if model.body_mocapid[i] >= 0]
        if moved:
            self.robot.leave_out(self.body_place(moved[0]), f"motion capture of {_listed(moved)}, "
                                 "which does not move here")  # fmt: skip
        light = [b for i, b in enumerate(self.bodies) if model.body_gravcomp[i]]
        if light:
            text = f"compensation of gravity (gravcomp) of {_listed(light)}"
            self.robot.leave_out(self.body_place(light[0]), text)
        if model.opt.density or model.opt.viscosity or model.opt.wind.any():
            at = next(iter(self.files.source.root.iter("option")), 1)
            self.robot.leave_out(at, "the medium: density, viscosity and wind of <option>")
        for why, numbers in (
            ("a shape that RAFF does not have (plane, ellipsoid, height field)", self.undrawn),
            ("neither a picture nor contacts", self.hidden),
        ):
            if numbers:
                names = [one for g in numbers if (one := model.geom(g).name)]
                listed = f": {_listed(names)}" if names else ""
                text = f"{_counted(len(numbers), 'geom')} with {why}{listed}"
                self.robot.leave_out(self.place("geom", numbers[0]), text)

    def list_out(self, kind: str, what: str, kept: Collection[int] = ()) -> None:
        """List what is left out of one kind, at the place of the first."""
        numbers = [i for i in range(len(self.elements(kind))) if i not in kept]
        if not numbers:
            return
        names = [one for i in numbers if (one := self.elements(kind)[i].name)]
        listed = f": {_listed(names)}" if names else ""
        text = f"{_counted(len(numbers), what)}{listed}"
        self.robot.leave_out(self.place(kind, numbers[0]), text)

    def body_place(self, name: str) -> Element | int:
        """Where a body stands."""
        return self.robot.links[name].at


def _counted(count: int, what: str) -> str:
    if count == 1:
        return f"1 {what}"
    return f"{count} {what.removesuffix('y') + 'ies' if what.endswith('y') else what + 's'}"


def _listed(names: list[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:_NAMED])
    return shown + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")


def pose_of(xyz: Any, quat: Any = NO_TURN) -> Transform:
    """A pose of MuJoCo's arrays."""
    numbers = [float(one) for one in xyz]
    return from_quat(numbers, [float(one) for one in quat])
