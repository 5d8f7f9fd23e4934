"""Mechanism → Outline: what robot files say of it, in one pose, in the frames that they use."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from kinegen.dynamics.simulation.system import System
from kinegen.dynamics.tree.motion_equations import mass_matrix
from kinegen.formats.drawing.pictures.theme import THEMES, fill_of
from kinegen.formats.export import export_pose
from kinegen.formats.robots.transform import (
    IDENTITY,
    Transform,
    apply,
    compose,
    inverse,
    is_identity,
    rotate_inertia,
)
from kinegen.formats.robots.write.cam_polynomial import cam_polynomial
from kinegen.formats.robots.write.left_out import note_left_out
from kinegen.formats.robots.write.outline import (
    OutCoupling,
    OutFrame,
    OutJoint,
    Outline,
    OutLink,
    OutLoop,
    OutShape,
    OutSpring,
    OutVariable,
)
from kinegen.kernels import Floats
from kinegen.kernels.tolerances import SHOWN_CLOSED
from kinegen.kinematics.closure import loop_gap, loop_jacobian
from kinegen.kinematics.positions import forward
from kinegen.kinematics.tolerances import is_closed
from kinegen.mechanism.graph import BASE, Mechanism
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import ModelJoint
from kinegen.mechanism.shapes.shapes import Primitive, link_shapes, shapes_from_spec
from kinegen.mechanism.shapes.travel import travels_of
from kinegen.spatial.pose import SE3

__all__ = ["outline_of"]


def outline_of(
    mechanism: Mechanism,
    q: Floats | None = None,
    *,
    links_at_joints: bool = False,
    holds: Collection[str] = (),
) -> Outline:
    """A mechanism as a robot file describes it.

    Args:
        mechanism: The mechanism.
        q: The pose (nq,), loops closed; None: the start.
        links_at_joints: Whether the frame of a link must lie on its joint, as in URDF; a link's own
            frame that does not becomes one of the named frames.
        holds: What the format holds beside links and joints: 'gravity', 'motions', 'friction'; the
            rest is noted.
    """
    plain = mechanism.compile()
    system = System.of(mechanism, objects=True, contacts=False)
    return _Maker(mechanism, system, _pose(plain, system.model, q), links_at_joints).make(holds)


def _pose(plain: Model, whole: Model, q: Floats | None) -> Floats:
    """The pose of the mechanism and of the objects that can move."""
    own, pose = export_pose(plain) if q is None else q, whole.start()
    for joint in plain.joints:
        pose[whole.joint(joint.name).q] = own[joint.q]
    return pose


class _Maker:
    """Makes the outline of one system."""

    def __init__(
        self, mechanism: Mechanism, system: System, q: Floats, links_at_joints: bool
    ) -> None:
        self.mechanism, self.system, self.q = mechanism, system, q
        self.model = model = system.model
        self.described = model.compiled_from
        self.values = dict(model.parameters)
        self.Xs = [_row(SE3.from_pose(row)) for row in forward(model, q)[: model.link_count]]
        self.own = self.own_frames(links_at_joints)
        self.joint_names = _unique(
            {joint.name: self.described.joints[joint.name].called for joint in model.joints}
        )
        self.frame_names = _unique(
            {frame.name: self.described.frames[frame.name].called for frame in model.frames}
        )
        self.names = [
            self.frame_names[self.own[link].name] if link in self.own
            else self.joint_names.get(name, name)
            for link, name in enumerate(model.link_names)
        ]  # fmt: skip
        """Names of links."""
        if 0 not in self.own and BASE in (*self.names[1:], *self.frame_names.values()):
            self.names[0] = "world"
        self.X_LB = [
            self.own[link].X_LF if link in self.own else IDENTITY
            for link in range(model.link_count)
        ]
        """The frame of a link that is written, in our own."""

    def own_frames(self, links_at_joints: bool) -> dict[int, OutFrame]:
        """Frames that are their link's own, as of a file that was read."""
        found: dict[int, OutFrame] = {}
        for frame in self.model.frames:
            X = self.transform(frame.placement)
            is_on_joint = not links_at_joints or not any(abs(x) > 1e-12 for x in X[9:])
            # the world's frame is that of the ground, whatever it is called
            is_on_joint = is_on_joint and (frame.link != 0 or is_identity(X))
            is_link = self.described.frames[frame.name].is_link
            if is_link and is_on_joint and int(frame.link) not in found:
                found[int(frame.link)] = OutFrame(frame.name, "", X)
        return found

    def make(self, holds: Collection[str]) -> Outline:
        """All of it."""
        model = self.model
        gravity = tuple(map(float, model.gravity))
        root = self.link(0)
        made = Outline(
            self.mechanism.name,
            self.mechanism.title or self.mechanism.name,
            gravity,  # type: ignore[arg-type]
            root,
            size=model.size,
        )
        for index in model.blocks.int_part("tree_order").tolist():
            joint = model.joints[index]
            link = self.link(int(joint.child))
            made.links[link.name] = link
            made.joints[link.name] = self.joint(joint)
        made.loops = [self.loop(loop.joint, loop.placement) for loop in model.loops]
        taken = {one.name for one in self.own.values()}
        made.frames = [
            OutFrame(
                self.frame_names[frame.name],
                self.names[frame.link],
                compose(inverse(self.X_LB[frame.link]), self.transform(frame.placement)),
                self.described.frames[frame.name].joint or "",
            )
            for frame in model.frames
            if frame.name not in taken
        ]
        made.springs = self.springs()
        made.couplings = self.couplings(made)
        made.fastest = self.fastest()
        made.objects = [self.fixed_object(row) for row in self.system.fixed_objects]
        note_left_out(made, self.mechanism, holds)
        made.is_open = not is_closed(model, self.q, SHOWN_CLOSED)
        if made.is_open:
            gap = loop_gap(model, self.q)
            wide = f"{gap.distance:.3g} m and {gap.angle:.3g} rad"
            made.notes.insert(0, f"the loops are open in the pose that is written, by up to {wide}")
        return made

    def link(self, index: int) -> OutLink:
        """A link with its mass and shapes, in the frame that is written."""
        model = self.model
        name, X_BL = self.names[index], inverse(self.X_LB[index])
        row = model.inertia[index].tolist()
        shapes = self.shapes[index]
        return OutLink(
            name,
            row[0],
            apply(X_BL, row[1:4]),
            rotate_inertia(X_BL, row[4:10]),
            _shapes(shapes, X_BL),
            compose(self.Xs[index], self.X_LB[index]),
            model.link_names[index] in self.system.object_names,
            float(self.system.contacts.friction[index]) if index else None,
        )

    @cached_property
    def shapes(self) -> tuple[tuple[Primitive, ...], ...]:
        """Solids of all links, as they are drawn in this pose."""
        poses = [np.array(X) for X in self.Xs]
        travels = travels_of(
            self.model, [X[:9].reshape(3, 3) for X in poses], [X[9:] for X in poses]
        )
        return link_shapes(
            self.model, travels=travels, values=self.values, colors=self.model.link_colors
        )

    def joint(self, joint: ModelJoint) -> OutJoint:
        """A joint of the tree."""
        parent, child = int(joint.parent), int(joint.child)
        X_PF = compose(inverse(self.X_LB[parent]), self.transform(joint.placement))
        made = OutJoint(
            self.joint_names[joint.name], joint.type, self.names[parent], self.names[child], X_PF,
            self.X_LB[child], *self.motion(joint),
        )  # fmt: skip
        made.raff = joint.name
        return made

    def loop(self, index: int, placement: int) -> OutLoop:
        """A cut joint."""
        joint = self.model.joints[index]
        parent, child = int(joint.parent), int(joint.child)
        X_PF = compose(inverse(self.X_LB[parent]), self.transform(joint.placement))
        X_CK = compose(inverse(self.X_LB[child]), self.transform(placement))
        made = OutLoop(
            self.joint_names[joint.name], joint.type, self.names[parent], self.names[child], X_PF,
            IDENTITY, *self.motion(joint),
        )  # fmt: skip
        made.X_CK, made.raff = X_CK, joint.name
        return made

    def motion(self, joint: ModelJoint) -> tuple[Any, ...]:
        """Variables, quaternion, lead and swing of a joint."""
        info, model = joint.type.info, self.model
        part, at = model.blocks.real_part, joint.v.start
        q = self.q[joint.q].tolist()
        quat = tuple(q[:4]) if info.has_quaternion else None
        # the numbers of q behind the quaternion are the slides
        values = iter(q[4:] if quat else q)
        motors = self.described.joints[joint.name].motors
        made = []
        for k, (name, _) in enumerate(info.variables):
            slides = info.is_length[k]
            value = 0.0 if quat and not slides else float(next(values))
            motor = motors[k] if k < len(motors) else None
            has_bounds = not info.swings
            made.append(
                OutVariable(
                    _short(name),
                    slides,
                    info.axes[k],
                    value,
                    float(model.lower[at + k]) if has_bounds else -math.inf,
                    float(model.upper[at + k]) if has_bounds else math.inf,
                    float(model.effort[at + k]),
                    float(model.speed[at + k]),
                    float(part("viscous")[at + k] + part("spring_damping")[at + k]),
                    float(part("coulomb")[at + k]),
                    float(part("stiffness")[at + k]),
                    float(part("spring_rest")[at + k]),
                    float(part("gear")[at + k] ** 2 * part("rotor")[at + k]),
                    float(part("gear")[at + k]),
                    motor is not None,
                    self.number(motor, "kp"),
                    self.number(motor, "kd"),
                )
            )
        lead = 0.0
        if info.has_pitch:
            lead = float(part("pitch")[model.joint_index(joint.name)]) / math.tau
        swing = float(model.upper[at]) if info.swings else math.inf
        return tuple(made), quat, lead, swing

    def couplings(self, made: Outline) -> list[OutCoupling]:
        """Gears, belts, racks, mimics: factors as they are in this pose."""
        model = self.model
        if not model.couplings:
            return []
        J = loop_jacobian(model, self.q)
        joints = {joint.raff: joint for joint in (*made.joints.values(), *made.loops)}
        found = []
        for coupling in model.couplings:
            row, terms, total = J[coupling.row], [], 0.0
            is_cam = coupling.kind == "cam"
            own = {(t.joint.name, t.variable) for t in model.coupling_terms(coupling)}
            for joint in model.joints:
                out = joints[joint.name]
                for k, one in enumerate(out.variables):
                    factor = float(row[joint.v.start + k])
                    # a cam may be level here
                    if factor or (is_cam and (joint.name, k) in own):
                        terms.append((factor, out, one))
                        total += factor * one.value
            # whoever follows comes first: the joint of that name, or one without a motor
            terms.sort(key=lambda term: (term[1].raff != coupling.name, term[2].has_motor))
            if is_cam:
                follower = model.coupling_terms(coupling)[0].joint.name
                terms.sort(key=lambda term: term[1].raff != follower)
            found.append(
                OutCoupling(
                    coupling.name, coupling.text, tuple(terms), total, not is_cam,
                    cam_polynomial(model, coupling, self.q),
                )
            )  # fmt: skip
        return found

    def fastest(self) -> float:
        """How fast springs, dampers and servos act at most, each alone [rad/s]."""
        model, part = self.model, self.model.blocks.real_part
        damping = part("viscous") + part("spring_damping")
        stiffness = part("stiffness").copy()
        for joint in model.joints:
            for k, motor in enumerate(self.described.joints[joint.name].motors):
                at = joint.v.start + k
                stiffness[at] += self.number(motor, "kp") or 0.0
                damping[at] += self.number(motor, "kd") or 0.0
        moving = np.flatnonzero(self.system.tree & ((damping > 0) | (stiffness > 0)))
        if not len(moving):
            return 0.0
        tree = np.flatnonzero(self.system.tree)
        M = mass_matrix(model, self.q)[np.ix_(tree, tree)]
        ease = np.zeros(model.nv)
        ease[tree] = np.diag(np.linalg.pinv(M))
        rates = np.maximum(damping * ease, np.sqrt(stiffness * np.maximum(ease, 0.0)))
        return float(rates[moving].max())

    def number(self, row: Any, key: str) -> float | None:
        """A number of a mapping of formulas, None where it is not given."""
        given = None if row is None else row.get(key)
        if given is None:
            return None
        return float(given.evaluate(self.values) if hasattr(given, "evaluate") else given)

    def springs(self) -> list[OutSpring]:
        """Springs between points."""
        springs = self.system.springs
        made = []
        for i, name in enumerate(springs.names):
            links = int(springs.link_a[i]), int(springs.link_b[i])
            ends = zip(links, (springs.point_a[i], springs.point_b[i]), strict=True)
            points = [apply(inverse(self.X_LB[link]), point.tolist()) for link, point in ends]
            made.append(
                OutSpring(
                    name,
                    (self.names[links[0]], self.names[links[1]]),
                    (points[0], points[1]),
                    float(springs.stiffness[i]),
                    float(springs.damping[i]),
                    float(springs.rest[i]),
                )
            )
        return made

    def fixed_object(self, row: Any) -> OutLink:
        """An object that never moves."""
        shapes = shapes_from_spec(row["shape"], (), self.values)
        given = {one["name"]: one for one in self.mechanism.scene.get("objects", ())}
        color = given.get(row["name"], {}).get("color")
        return OutLink(
            row["name"],
            shapes=_shapes(shapes, IDENTITY, color),
            X_WL=_row(row["pose"]),
            is_object=True,
        )

    def transform(self, placement: int) -> Transform:
        return tuple(self.model.transforms[placement].tolist())


def _unique(called: Mapping[str, str | None]) -> dict[str, str]:
    """Names in the file by our own: the other ones where each of them is there once."""
    wanted = [other or name for name, other in called.items()]
    return {
        name: other if other and wanted.count(other) == 1 else name
        for name, other in called.items()
    }


def _short(name: str) -> str:
    """The word for a variable in the name of a joint of its own."""
    return {"theta": "turn", "r": "slide"}.get(name, name)


def _row(X: SE3) -> Transform:
    return (*X.so3.matrix.ravel().tolist(), *X.translation.tolist())


def _shapes(
    solids: tuple[Primitive, ...], X_BL: Transform, color: str | None = None
) -> tuple[OutShape, ...]:
    theme = THEMES["light"]
    made = []
    for solid in solids:
        R, p = solid.rotation, solid.translation
        X_LS = (*R[0], *R[1], *R[2], *p)
        painted = solid if color is None else replace(solid, color=color)
        made.append(OutShape(solid, compose(X_BL, X_LS), fill_of(painted, theme)))
    return tuple(made)
