"""Automatic shapes: bars and joint bodies of every link, from its Kleinfinger numbers alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from kinegen.kernels.joint_types import JointType
from kinegen.mechanism.shapes.data import Array, Box, Cylinder, ModelLike, Primitive, Role
from kinegen.mechanism.shapes.flat import flat_shapes
from kinegen.mechanism.shapes.joint import (
    JointLook,
    housing_length,
    housing_radius,
    joint_bodies,
)
from kinegen.mechanism.shapes.skeleton import Attachment, Kind, Skeleton, read_skeleton
from kinegen.mechanism.shapes.solid import (
    capsule_between,
    cylinder_between,
    elbow_path,
    matrix,
    moved,
    plate_around,
    rotation_with_z,
    vector,
)

__all__ = ["auto_shapes"]

BAR_RADIUS = 0.14
"""Of the strongest bar, as a part of the typical distance between joints."""

UP = np.array([0.0, 0.0, 1.0])


@dataclass(slots=True, eq=False)
class _Stand:
    """What a robot stands on."""

    link: int
    own: list[Attachment]
    """The joints on it."""
    foot: Array
    """The middle of its lower side, in the link's frame [m]."""
    radius: float


def auto_shapes(model: ModelLike, travels: Mapping[int, float]) -> list[list[Primitive]]:
    """Primitives of every link, in its frame, as if no shape were given in the file.

    Args:
        model: The compiled model.
        travels: Displacement of sliding joints [m], by joint index, that rods must bridge.
    """
    skeleton = read_skeleton(model, travels)
    if skeleton.plane is not None:
        return flat_shapes(model, skeleton)
    return _SpatialShapes(model, skeleton).build()


class _SpatialShapes:
    """Builder for mechanisms that move in space."""

    def __init__(self, model: ModelLike, skeleton: Skeleton) -> None:
        self.model, self.skeleton = model, skeleton
        self.joints = tuple(model.joints)
        self.shapes: list[list[Primitive]] = [[] for _ in model.link_names]
        radius = BAR_RADIUS * skeleton.unit
        self.radius = [radius * (0.42 + 0.58 * weight) for weight in skeleton.weight]
        self.explicit = {
            i for i, spec in enumerate(model.link_shapes) if spec not in ("auto", None)
        }
        self.shift = self._shifts()
        self.stands: list[_Stand] = []

    def build(self) -> list[list[Primitive]]:
        """All links."""
        grounds = self.skeleton.ground_links
        for link in grounds:
            self._base(link)
        self._level()
        for link in self.skeleton.order:
            if link not in grounds:
                self._bars(link)
        for link, own in enumerate(self.skeleton.attachments):
            for a in own:
                if a.kind is not Kind.FRAME:
                    self._joint(link, a)
        return self.shapes

    def _look(self, link: int) -> dict[str, Any]:
        return {"branch": self.skeleton.branch[link], "tone": self.skeleton.tone[link]}

    def _joint_look(self, index: int) -> JointLook:
        joint = self.joints[index]
        # A joint is as strong as the lighter of its two links, the base not counted.
        sides = [self.radius[link] for link in (joint.parent, joint.child) if link != 0]
        return JointLook(
            min(sides, default=self.radius[0]),
            joint.has_motor,
            self.skeleton.travels.get(index, 0.0),
            has_rail=joint.parent == 0,
            parent=self._look(joint.parent),
            child=self._look(joint.child),
        )

    def _anchor(self, a: Attachment) -> Array:
        """Middle of the body at an attachment, in the link's frame."""
        shift = self.shift.get(a.joint, 0.0) if a.kind is Kind.JOINT else 0.0
        return a.p_LA + shift * a.z_LA

    def _own_anchor(self, link: int) -> Array:
        """Middle of the body of the joint that carries the link, in the link's frame."""
        return np.array([0.0, 0.0, self.shift.get(self.skeleton.inboard[link], 0.0)])

    # Joint bodies.

    def _joint(self, link: int, a: Attachment) -> None:
        look = self._joint_look(a.joint)
        on_parent, on_child = joint_bodies(self.joints[a.joint].type, look)
        if a.kind is Kind.CLOSURE:
            self.shapes[link] += [moved(shape, a.R_LA, a.p_LA) for shape in on_child]
            return
        if link in self.explicit and self._turns(a.joint) and not self.joints[a.joint].is_cut:
            # The parent has shapes of its own from the file; a housing is round and may turn.
            on_parent, on_child = [], on_parent + on_child
        self.shapes[link] += [moved(shape, a.R_LA, self._anchor(a)) for shape in on_parent]
        if not self.joints[a.joint].is_cut:
            child = self.joints[a.joint].child
            own = self._own_anchor(child)
            self.shapes[child] += [moved(shape, np.eye(3), own) for shape in on_child]

    def _shifts(self) -> dict[int, float]:
        """How far each revolute body is moved along its own axis, where several would coincide.

        In a wrist whose axes meet in a point the first housing belongs to the forearm and the
        last one to the hand: both step aside along their own axes, which changes no motion.
        """
        shift: dict[int, float] = {}
        for link in self.skeleton.order:
            for a in self.skeleton.attachments[link]:
                if a.kind is Kind.JOINT and not self._meets_before(link, a):
                    run = self._run(a.joint)
                    if len(run) > 1:
                        self._spread(run, link, a, shift)
        return shift

    def _near(self, p: Array) -> bool:
        return float(np.linalg.norm(p)) < 1.2 * self.radius[0]

    def _meets_before(self, link: int, a: Attachment) -> bool:
        inboard = self.skeleton.inboard[link]
        return inboard >= 0 and self._near(a.p_LA) and self._turns(inboard)

    def _turns(self, index: int) -> bool:
        return self.joints[index].type is JointType.REVOLUTE

    def _run(self, index: int) -> list[int]:
        """Revolute joints that follow each other in one point, from the given one on."""
        run = [index] if self._turns(index) and not self.joints[index].is_cut else []
        while run:
            nexts = [
                a.joint
                for a in self.skeleton.attachments[self.joints[run[-1]].child]
                if a.kind is Kind.JOINT and self._near(a.p_LA) and self._turns(a.joint)
            ]
            if not nexts or self.joints[nexts[0]].is_cut:
                break
            run.append(nexts[0])
        return run

    def _spread(self, run: list[int], link: int, a: Attachment, shift: dict[int, float]) -> None:
        first, last = run[0], run[-1]
        step = 0.5 * housing_length(self._joint_look(first)) + housing_radius(
            self._joint_look(run[1])
        )
        along = float(a.p_LA @ a.z_LA)
        if self.skeleton.inboard[link] < 0 and abs(along) < step:
            shift[first] = -step
        elif abs(along) > 0.8 * step:
            shift[first] = -float(np.copysign(min(step, abs(along)), along))
        if len(run) == 2 and first in shift:
            return
        step = 0.5 * housing_length(self._joint_look(last)) + housing_radius(
            self._joint_look(run[-2])
        )
        own = self.skeleton.attachments[self.joints[last].child]
        heights = [float(b.p_LA[2]) for b in own]
        farthest = max(heights, key=abs, default=0.0)
        if not own or abs(farthest) > 0.5 * step:
            shift[last] = -step if farthest < 0 else step

    # Bars.

    def _bars(self, link: int) -> None:
        own, radius = self.skeleton.attachments[link], self.radius[link]
        start, look = self._own_anchor(link), self._look(link)
        carried = self.joints[self.skeleton.inboard[link]]
        solid = [a for a in own if a.kind is not Kind.FRAME]
        points = [self._anchor(a) for a in solid]
        if carried.type is not JointType.FREE:
            points.append(start)
        normal = plate_normal(points, 2.0 * radius)
        if normal is not None:
            self.shapes[link].append(
                plate_around(points, normal, 1.5 * radius, 1.2 * radius, role=Role.BAR, **look)
            )
        else:
            for a in solid:
                self._bar(link, start, a, radius, Role.BAR)
        for a in own:
            if a.kind is Kind.FRAME:
                if normal is not None:
                    # A frame over a plate stands on the plate, not on one of its corners.
                    start = a.p_LA - ((a.p_LA - points[0]) @ normal) * normal
                self._bar(link, start, a, 0.7 * radius, Role.TOOL)
        if not own and carried.type is JointType.REVOLUTE:
            self._flange(link)

    def _bar(self, link: int, start: Array, a: Attachment, radius: float, role: Role) -> None:
        own_axis = self.skeleton.own_axis(link, self.joints)
        end = self._anchor(a)
        if np.linalg.norm(end - start) < 0.5 * radius:
            return
        z_own = np.array([0.0, 0.0, 1.0]) if own_axis else None
        z_end = a.z_LA if a.has_axis else None
        path = elbow_path(start, z_own, end, z_end, radius)
        look = {"role": role, **self._look(link)}
        legs = list(pairwise(path))
        for i, (one, other) in enumerate(legs):
            along = (other - one) / np.linalg.norm(other - one)
            first, last = i == 0 < len(legs) - 1, i == len(legs) - 1 > 0
            if np.linalg.norm(other - one) > 0.5 * self.skeleton.unit:
                first = last = False
            if first and z_own is not None and abs(along @ z_own) > 0.999:
                self.shapes[link].append(self._hub(one, other, radius, look))
            elif last and z_end is not None and abs(along @ z_end) > 0.999:
                self.shapes[link].append(self._hub(other, one, radius, look))
            else:
                self.shapes[link].append(capsule_between(one, other, radius, **look))

    def _hub(self, joint: Array, corner: Array, radius: float, look: dict[str, Any]) -> Cylinder:
        """An offset along a joint's axis: a drum from the joint to where the bar meets it."""
        beyond = corner + (corner - joint) / np.linalg.norm(corner - joint) * 1.15 * radius
        return cylinder_between(joint, beyond, 1.25 * radius, **look)

    def _flange(self, link: int) -> None:
        """A plate on the last joint of a limb, where a tool would be screwed on."""
        look = self._joint_look(self.skeleton.inboard[link])
        start = self._own_anchor(link)
        height = start[2] + 0.5 * housing_length(look) + 0.45 * look.radius
        self.shapes[link].append(
            Cylinder(
                radius=1.15 * look.radius,
                length=0.5 * look.radius,
                translation=(0.0, 0.0, float(height)),
                role=Role.TOOL,
                **self._look(link),
            )
        )

    # The base.

    def _base(self, link: int) -> None:
        """What the robots of a ground link stand on: each has its own."""
        moving = (JointType.FREE, JointType.PLANAR)
        groups = [
            [a for a in own if self.joints[a.joint].type not in moving]
            for own in self.skeleton.standing(self.joints, link)
        ]
        groups = [own for own in groups if own]
        for own in groups:
            self._stand(link, own, one_of_many=len(groups) > 1)

    def _stand(self, link: int, own: list[Attachment], *, one_of_many: bool) -> None:
        points = [self._anchor(a) for a in own]
        radius = self.radius[0]
        look = {"role": Role.GROUND}
        normal = plate_normal(points, 2.0 * radius)
        if normal is not None:
            others = self._carried(link, own) - np.mean(points, axis=0)
            side = float(np.mean(others @ normal)) if len(others) else 0.0
            if abs(side) > 0.1 * self.skeleton.unit:
                # The plate lies behind the joints, so that they stand on it, not in it.
                points = [p - np.copysign(1.5 * radius, side) * normal for p in points]
            plate = plate_around(points, normal, 2.6 * radius, 1.2 * radius, **look)
            self.shapes[link].append(plate)
            if normal[2] > 0.999 and side > 0:
                foot = np.mean(points, axis=0) - 0.6 * radius * UP
                self.stands.append(_Stand(link, own, foot, radius))
            return
        if len(points) == 1:
            self._pedestal(link, own[0], points[0], one_of_many=one_of_many)
            return
        for one, other in pairwise(points):
            if np.linalg.norm(other - one) > 0.5 * radius:
                self.shapes[link].append(capsule_between(one, other, radius, **look))
        for a, point in zip(own, points, strict=True):
            self._foot(link, a, point)

    def _carried(self, link: int, own: list[Attachment]) -> Array:
        """Origins of the links that stand on joints of a ground link, in its frame."""
        skeleton = self.skeleton
        met = {
            skeleton.robot[joint.child if a.kind is Kind.JOINT else joint.parent]
            for a in own
            for joint in (self.joints[a.joint],)
        }
        kept = [i for i, one in enumerate(skeleton.robot) if i != link and one in met]
        return np.asarray((skeleton.ps_WL[kept] - skeleton.ps_WL[link]) @ skeleton.Rs_WL[link])

    def _level(self) -> None:
        """Columns under what stands higher than the lowest, so that all stand on one floor."""
        skeleton = self.skeleton
        upright = [
            one
            for one in self.stands
            if skeleton.Rs_WL[one.link][2, 2] > 0.999
            and max(self._carried(one.link, one.own)[:, 2]) >= one.foot[2]
        ]
        bottoms = [
            float((skeleton.ps_WL[one.link] + skeleton.Rs_WL[one.link] @ one.foot)[2])
            for one in upright
        ]
        for one, bottom in zip(upright, bottoms, strict=True):
            gap = bottom - min(bottoms)
            if gap > 0.01 * skeleton.unit:
                column = cylinder_between(
                    one.foot - gap * UP, one.foot, one.radius, role=Role.GROUND
                )
                self.shapes[one.link].append(column)

    def _pedestal(self, link: int, a: Attachment, anchor: Array, *, one_of_many: bool) -> None:
        """A column from the ground to the only joint that stands there."""
        joint_look = self._joint_look(a.joint)
        outer = housing_radius(joint_look)
        height = float(anchor @ UP)
        sideways = float(np.linalg.norm(anchor - height * UP))
        if height > 1.2 * outer and (one_of_many or sideways < 0.05 * self.skeleton.unit):
            foot = anchor - height * UP if one_of_many else 0.0 * UP
            self.shapes[link] += [
                cylinder_between(foot, anchor, 0.92 * outer, role=Role.GROUND),
                cylinder_between(foot, foot + 0.4 * outer * UP, 1.7 * outer, role=Role.GROUND),
            ]
            self.stands.append(_Stand(link, [a], foot, 1.7 * outer))
        else:
            self._foot(link, a, anchor)

    def _foot(self, link: int, a: Attachment, anchor: Array) -> None:
        """A block under a joint of a ground link."""
        joint = self.joints[a.joint]
        look = self._joint_look(a.joint)
        outer, length = housing_radius(look), housing_length(look)
        if joint.type in (JointType.PRISMATIC, JointType.FIXED):
            return
        if joint.type is JointType.REVOLUTE and abs(a.z_LA[2]) > 0.8:
            top = anchor - np.array([0.0, 0.0, 0.5 * length - 0.05 * outer])
            bottom = top - np.array([0.0, 0.0, 0.5 * outer])
            self.shapes[link].append(cylinder_between(bottom, top, 1.6 * outer, role=Role.GROUND))
            self.stands.append(_Stand(link, [a], bottom, 1.6 * outer))
        else:
            drop = 1.6 * outer
            along = a.z_LA if a.has_axis else np.array([1.0, 0.0, 0.0])
            flat = np.array([along[0], along[1], 0.0])
            hint = flat if np.linalg.norm(flat) > 1e-6 else None
            R = rotation_with_z(np.array([0.0, 0.0, 1.0]), hint)
            self.stands.append(_Stand(link, [a], anchor - drop * UP, outer))
            self.shapes[link].append(
                Box(
                    size=(0.8 * length, 2.0 * outer, drop),
                    rotation=matrix(R),
                    translation=vector(anchor - np.array([0.0, 0.0, drop / 2])),
                    role=Role.GROUND,
                )
            )


def plate_normal(points: Sequence[Array], shortest: float) -> Array | None:
    """Normal of the plane through three or more points, None where a plate would look wrong.

    Args:
        points: Candidate corners [m].
        shortest: Points must spread by more than this in two directions, and by less than half
            of it out of the plane [m].
    """
    if len(points) < 3:
        return None
    cloud = np.array(points) - np.mean(points, axis=0)
    _, spread, axes = np.linalg.svd(cloud, full_matrices=False)
    spread = np.append(spread, [0.0, 0.0])
    if spread[1] < 0.75 * shortest or spread[2] > 0.5 * shortest:
        return None
    normal = np.round(axes[2], 9)
    # Of the two normals take the upper one, so that equal mechanisms look equal.
    return np.asarray(-normal if tuple(normal[::-1]) < (0.0, 0.0, 0.0) else normal)
