"""MJCF files, MuJoCo's own: read by MuJoCo itself, so that defaults and includes mean the same."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from kinegen.errors import FormatError, Problem, UsageError
from kinegen.formats.problems import FormatProblems
from kinegen.formats.robots.read.hinge_pairs import joined_hinges
from kinegen.formats.robots.read.mechanism import robot_mechanism
from kinegen.formats.robots.read.robot import (
    Mimic,
    MotionKind,
    Robot,
    RobotFrame,
    RobotJoint,
    RobotLink,
    RobotShape,
)
from kinegen.formats.robots.read.xml_source import XmlSource
from kinegen.formats.robots.transform import IDENTITY, Transform, compose, from_quat, inverse
from kinegen.mechanism.graph import Mechanism
from kinegen.raff.formula import Formula
from kinegen.raff.opener import Opener

__all__ = ["mjcf_robot", "read_mjcf"]

WORLD = "world"
_LINE = re.compile(r"line (\d+)")
_NO_TURN = (1.0, 0.0, 0.0, 0.0)
_BODY, _SITE = 1, 6
"""What equations connect, as MuJoCo numbers it."""
_HIDDEN_GROUP = 3
"""Geoms of this group and above are not drawn by MuJoCo's viewer: shapes for collisions."""
MOST_FILES = 1000
_KINDS = {0: MotionKind.FREE, 1: MotionKind.BALL, 2: MotionKind.SLIDER, 3: MotionKind.HINGE}
"""By MuJoCo's number of a joint's type."""


def mjcf_robot(text: str, file: str, opener: Opener | None) -> Robot:
    """The robot of an MJCF text.

    Raises:
        FormatError: MuJoCo is not installed, or refuses the text.
    """
    try:
        import mujoco
    except ImportError:
        raise FormatError(
            f"{file}: MJCF files are read by MuJoCo, which is not installed; install "
            "kinegen[dynamics]"
        ) from None
    source = XmlSource(text, file)
    if source.root.tag != "mujoco":
        raise FormatProblems([source.problem(source.root, "the root of an MJCF file is <mujoco>")])
    files = _Files(opener)
    files.gather(source.root, "", source)
    try:
        spec = mujoco.MjSpec.from_string(text, include=files.includes, assets=files.assets)
        model = spec.compile()
    except (ValueError, mujoco.FatalError) as error:
        message = " ".join(str(error).split())
        line = _LINE.search(message)
        place = (int(line[1]) if line else 1, 1)
        raise FormatProblems([Problem(file, *place, f"MuJoCo refuses it: {message}")]) from None
    robot = Robot(spec.modelname or PurePath(file).stem, source)
    _Reader(robot, spec, model).read()
    return robot


class _Files:
    """The files that a text names, read by the opener alone."""

    def __init__(self, opener: Opener | None) -> None:
        self.opener = opener
        self.includes: dict[str, bytes] = {}
        self.assets: dict[str, bytes] = {}
        self.folders = {"meshdir": "", "texturedir": ""}

    def gather(self, root: Element, folder: str, source: XmlSource) -> None:
        """Read what an element names, and what included files name."""
        for compiler in root.iter("compiler"):
            for key in self.folders:
                self.folders[key] = compiler.get(key, compiler.get("assetdir", self.folders[key]))
        for element in root.iter():
            name = element.get("file")
            if name is None or len(self.includes) + len(self.assets) > MOST_FILES:
                continue
            if element.tag == "include":
                self.include(name, folder, source, element)
            elif element.tag in {"mesh", "hfield", "texture", "skin"}:
                self.asset(name, "texturedir" if element.tag == "texture" else "meshdir")

    def include(self, name: str, folder: str, source: XmlSource, element: Element) -> None:
        path = posixpath.normpath(posixpath.join(folder, name))
        if path in self.includes:
            return
        data = self.read(path)
        if data is None:
            message = f"the included file '{name}' was not found"
            raise FormatProblems([source.problem(element, message)])
        self.includes[path] = data
        inner = XmlSource(data.decode("utf-8", "replace"), path)
        self.gather(inner.root, folder, inner)

    def asset(self, name: str, kind: str) -> None:
        path = posixpath.normpath(posixpath.join(self.folders[kind], name))
        data = self.read(path)
        if data is not None:  # else MuJoCo says what is missing
            self.assets[path] = data

    def read(self, path: str) -> bytes | None:
        if self.opener is None or self.opener.folder is None:
            return None
        try:
            return self.opener.content(path)
        except UsageError:
            return None


class _Reader:
    """Turns MuJoCo's model into a robot; names come from its spec."""

    def __init__(self, robot: Robot, spec: Any, model: Any) -> None:
        self.robot, self.spec, self.model = robot, spec, model
        self.bodies = [self.body_name(i) for i in range(model.nbody)]
        self.joint_names: dict[int, str] = {}
        self.consumed: set[int] = set()
        """Sites that are ends of loops, and nothing else."""
        self.undrawn = 0
        """Geoms of shapes that RAFF does not have: planes, ellipsoids, height fields."""
        self.hidden = 0
        """Geoms that are neither drawn nor touched."""

    def read(self) -> None:
        model = self.model
        for i in range(model.nbody):
            self.body(i)
        self.equalities()
        self.sites()
        self.actuators()
        self.keyframe()
        self.robot.gravity = tuple(model.opt.gravity.tolist())
        self.leave_out()

    # Bodies

    def body_name(self, i: int) -> str:
        return WORLD if i == 0 else self.model.body(i).name or f"body{i}"

    def line(self, element: Any) -> int:
        """Where an element of the spec stands; elements of included files have their own lines."""
        found = _LINE.search(element.info or "")
        return int(found[1]) if found else 1

    def body(self, i: int) -> None:
        model, name = self.model, self.bodies[i]
        at = self.line(self.spec.bodies[i]) if i < len(self.spec.bodies) else 1
        link = RobotLink(name, at)
        link.mass = float(model.body_mass[i])
        link.X_LC = _pose(model.body_ipos[i], model.body_iquat[i])
        link.inertia = (*model.body_inertia[i].tolist(), 0.0, 0.0, 0.0)
        self.shapes(i, link)
        self.robot.links[name] = link
        if i == 0:
            link.mass, link.inertia = 0.0, (0.0,) * 6
            return
        self.joints(i, at)

    def joints(self, i: int, at: int) -> None:
        """The joints between a body and its parent, links without mass between them."""
        model, name = self.model, self.bodies[i]
        parent = self.bodies[model.body_parentid[i]]
        X = _pose(model.body_pos[i], model.body_quat[i])
        first, count = int(model.body_jntadr[i]), int(model.body_jntnum[i])
        if count == 0:
            joint = RobotJoint(f"{name}_fixed", MotionKind.FIXED, parent, name, at, X)
            self.robot.joints[joint.name] = joint
            return
        for k in range(first, first + count):
            child = name
            if k < first + count - 1:
                child = f"{name}_{k - first + 1}_"
                self.robot.links[child] = RobotLink(child, at, is_virtual=True)
            joint = self.joint(k, parent, child, X, at)
            self.robot.joints[joint.name] = joint
            parent, X = child, IDENTITY

    def joint(self, k: int, parent: str, child: str, X: Transform, at: int) -> RobotJoint:
        model = self.model
        body = self.bodies[model.jnt_bodyid[k]]
        name = (
            model.joint(k).name or f"{body}_joint{k - int(model.body_jntadr[model.jnt_bodyid[k]])}"
        )
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
        anchor = _pose(model.jnt_pos[k], _NO_TURN)
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
        elif model.jnt_limited[k]:
            self.robot.leave_out(at, f"the limit of ball joint '{name}'")
        return joint

    def shapes(self, i: int, link: RobotLink) -> None:
        """The geoms of a body that are drawn, and those that others touch."""
        model = self.model
        first, count = int(model.body_geomadr[i]), int(model.body_geomnum[i])
        own = range(first, first + count)
        drawn = [g for g in own if model.geom_rgba[g, 3] > 0]
        visible = [g for g in drawn if model.geom_group[g] < _HIDDEN_GROUP] or drawn
        touched = [g for g in own if model.geom_contype[g] or model.geom_conaffinity[g]]
        self.hidden += len({*own} - {*visible} - {*touched})
        known = {g: self.shape(g) for g in sorted({*visible, *touched})}
        link.shapes = [one for g in visible if (one := known[g]) is not None]
        if touched != visible:
            link.collisions = [one for g in touched if (one := known[g]) is not None]

    def shape(self, g: int) -> RobotShape | None:
        model = self.model
        x, y, z = model.geom_size[g].tolist()
        X = _pose(model.geom_pos[g], model.geom_quat[g])
        rgb = np.clip(np.rint(255 * model.geom_rgba[g, :3]), 0, 255).astype(int)
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
        self.undrawn += 1
        return None

    def mesh(self, g: int, X: Transform, color: str) -> RobotShape | None:
        """A mesh where its file has it: MuJoCo moves meshes to their centres of mass."""
        i = int(self.model.geom_dataid[g])
        own = self.spec.meshes[i] if i < len(self.spec.meshes) else None
        if own is None or not own.file:
            return None
        folder = self.spec.meshdir or ""
        scale = tuple(float(one) for one in own.scale)
        X_file = compose(X, inverse(_pose(self.model.mesh_pos[i], self.model.mesh_quat[i])))
        path = posixpath.normpath(posixpath.join(folder, own.file))
        return RobotShape("mesh", mesh=path, scale=scale, X_LS=X_file, color=color,
                          at=self.line(own))  # fmt: skip

    # All else

    def sites(self) -> None:
        taken = set(self.robot.links)
        for i in range(self.model.nsite):
            name = self.model.site(i).name
            if i in self.consumed:
                continue
            if not name or name in taken:
                self.robot.leave_out(1, f"a site of body '{self.bodies[self.model.site_bodyid[i]]}'"
                                     " without a name of its own")  # fmt: skip
            else:
                taken.add(name)
                X = _pose(self.model.site_pos[i], self.model.site_quat[i])
                body = self.bodies[self.model.site_bodyid[i]]
                at = self.line(self.spec.sites[i]) if i < len(self.spec.sites) else 1
                self.robot.frames.append(RobotFrame(name, body, X, at))

    def equalities(self) -> None:
        """Connections of bodies are loops; relations of joints are couplings."""
        model, robot = self.model, self.robot
        for i in range(model.neq):
            kind, data = int(model.eq_type[i]), model.eq_data[i]
            one, other = int(model.eq_obj1id[i]), int(model.eq_obj2id[i])
            at = self.line(self.spec.equalities[i])
            name = model.equality(i).name or f"loop{i + 1}"
            if not model.eq_active0[i]:
                robot.leave_out(at, f"<equality> '{name}', which is not active")
            elif kind in (0, 1) and int(model.eq_objtype[i]) == _BODY:
                self.loop(name, kind, one, other, data, at)
            elif kind in (0, 1) and int(model.eq_objtype[i]) == _SITE:
                self.site_loop(name, kind, one, other, at)
            elif kind == 2:
                joint = robot.joints[self.joint_names[one]]
                if other >= 0 and not data[2:5].any() and joint.mimic is None:
                    # polynomials are of what joints differ from their reference
                    at_one, at_other = model.qpos0[model.jnt_qposadr[[one, other]]]
                    offset = float(data[0] + at_one - data[1] * at_other)
                    joint.mimic = Mimic(self.joint_names[other], float(data[1]), offset)
                else:
                    robot.leave_out(at, f"<equality> '{name}' of joint '{joint.name}'")
            else:
                robot.leave_out(at, f"<equality> '{name}'")
        robot.loops = joined_hinges(robot.loops)

    def site_loop(self, name: str, kind: int, one: int, other: int, at: int) -> None:
        """A connection of two sites: their points, or their whole frames."""
        model = self.model
        self.consumed |= {one, other}
        X_P, X_O = (
            _pose(model.site_pos[i], model.site_quat[i] if kind == 1 else _NO_TURN)
            for i in (one, other)
        )
        parent, child = (self.bodies[model.site_bodyid[i]] for i in (one, other))
        motion = MotionKind.FIXED if kind == 1 else MotionKind.BALL
        self.robot.loops.append(
            RobotJoint(name, motion, parent, child, at, X_P, X_JC=inverse(X_O), has_motor=False)
        )

    def loop(self, name: str, kind: int, one: int, other: int, data: Any, at: int) -> None:
        """MuJoCo's connect is a ball joint, its weld a fixed one."""
        if kind == 0:
            X_P, X_O = _pose(data[:3], _NO_TURN), _pose(data[3:6], _NO_TURN)
            motion = MotionKind.BALL
        else:  # anchor in the second body; pose of the second in the first
            X_P, X_O = _pose(data[3:6], data[6:10]), _pose(data[:3], _NO_TURN)
            motion = MotionKind.FIXED
        self.robot.loops.append(
            RobotJoint(
                name,
                motion,
                self.bodies[one],
                self.bodies[other],
                at,
                X_P,
                X_JC=inverse(X_O),
                has_motor=False,
            )
        )

    def actuators(self) -> None:
        model, robot = self.model, self.robot
        for i in range(model.nu):
            at = self.line(self.spec.actuators[i])
            name = model.actuator(i).name or f"actuator{i + 1}"
            if int(model.actuator_trntype[i]) not in (0, 1):
                robot.leave_out(at, f"actuator '{name}', which does not drive a joint")
                continue
            joint = robot.joints[self.joint_names[int(model.actuator_trnid[i, 0])]]
            if joint.kind not in {MotionKind.HINGE, MotionKind.SLIDER}:
                robot.leave_out(at, f"actuator '{name}' of a joint with several variables")
                continue
            self.motor(i, joint)

    def motor(self, i: int, joint: RobotJoint) -> None:
        model = self.model
        gear, gain, bias = (float(abs(model.actuator_gear[i, 0])), model.actuator_gainprm[i],
                            model.actuator_biasprm[i])  # fmt: skip
        joint.has_motor = True
        force = model.actuator_forcerange[i] if model.actuator_forcelimited[i] else None
        if force is not None:
            joint.effort = float(np.abs(force).max()) * gear or None
        elif model.actuator_ctrllimited[i] and not bias.any():
            most = float(np.abs(model.actuator_ctrlrange[i]).max())
            joint.effort = most * abs(float(gain[0])) * gear or None
        if bias[1] < 0:
            joint.servo = (-float(bias[1]) * gear**2, -float(bias[2]) * gear**2)

    def keyframe(self) -> None:
        """The first keyframe is where the mechanism starts."""
        model = self.model
        if not model.nkey:
            return
        if model.nkey > 1:
            self.robot.leave_out(1, f"{model.nkey - 1} of {model.nkey} keyframes")
        q = model.key_qpos[0]
        for k, name in self.joint_names.items():
            at, joint = int(model.jnt_qposadr[k]), self.robot.joints[name]
            if joint.kind is MotionKind.FREE:
                joint.start = (*q[at + 3 : at + 7].tolist(), *q[at : at + 3].tolist())
            elif joint.kind is MotionKind.BALL:
                joint.start = tuple(q[at : at + 4].tolist())
            else:
                joint.start = (float(q[at]),)

    def leave_out(self) -> None:
        """What there is in the model and not in a robot."""
        model, at = self.model, 1
        counts = {
            "tendons": model.ntendon, "sensors": model.nsensor, "cameras": model.ncam,
            "lights": model.nlight, "skins": model.nskin, "height fields": model.nhfield,
            "contact pairs": model.npair, "contact exclusions": model.nexclude,
            "flexible bodies": model.nflex,
            "geoms that are planes, ellipsoids or height fields": self.undrawn,
            "geoms that are neither drawn nor touched": self.hidden,
        }  # fmt: skip
        for what, count in counts.items():
            if count:
                self.robot.leave_out(at, f"{count} {what}")


def _pose(xyz: Any, quat: Any) -> Transform:
    numbers = [float(one) for one in xyz]
    return from_quat(numbers, [float(one) for one in quat])


def read_mjcf(
    text: str, *, file: str, values: Mapping[str, Formula], options: Mapping[str, str],
    opener: Opener | None = None,
) -> Mechanism:  # fmt: skip
    """The mechanism of an MJCF text, with its meshes."""
    return robot_mechanism(mjcf_robot(text, file, opener), f"MJCF file {PurePath(file).name}.")
