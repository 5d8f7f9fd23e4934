"""Automatic shapes: bars and joint bodies of every link, from its Kleinfinger numbers alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from kinegen.mechanism.shapes import proportions as proportion
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
        radius = proportion.BAR_RADIUS * skeleton.unit
        self.radius = [
            radius * (proportion.LIGHT_BAR + proportion.HEAVY_BAR * weight)
            for weight in skeleton.weight
        ]
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
        return float(np.linalg.norm(p)) < proportion.ON_GROUND * self.radius[0]

    def _meets_before(self, link: int, a: Attachment) -> bool:
        inboard = self.skeleton.inboard[link]
        return inboard >= 0 and self._near(a.p_LA) and self._turns(inboard)

    def _turns(self, index: int) -> bool:
        return self.joints[index].type.info.is_hinge

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
        elif abs(along) > proportion.HOUSING_OVERLAP * step:
            shift[first] = -float(np.copysign(min(step, abs(along)), along))
        if len(run) == 2 and first in shift:
            return
        step = 0.5 * housing_length(self._joint_look(last)) + housing_radius(
            self._joint_look(run[-2])
        )
        own = self.skeleton.attachments[self.joints[last].child]
        heights = [float(b.p_LA[2]) for b in own]
        farthest = max(heights, key=abs, default=0.0)
        if not own or abs(farthest) > proportion.TOOL_STEP * step:
            shift[last] = -step if farthest < 0 else step

    # Bars.

    def _bars(self, link: int) -> None:
        own, radius = self.skeleton.attachments[link], self.radius[link]
        start, look = self._own_anchor(link), self._look(link)
        carried = self.joints[self.skeleton.inboard[link]]
        solid = [a for a in own if a.kind is not Kind.FRAME]
        points = [self._anchor(a) for a in solid]
        if not carried.type.info.floats:
            points.append(start)
        normal = plate_normal(points, proportion.LEAST_PLATE * radius)
        if normal is not None:
            self.shapes[link].append(
                plate_around(
                    points,
                    normal,
                    proportion.PLATE_MARGIN * radius,
                    proportion.PLATE_THICKNESS * radius,
                    role=Role.BAR,
                    **look,
                )
            )
        else:
            for a in solid:
                self._bar(link, start, a, radius, Role.BAR)
        for a in own:
            if a.kind is Kind.FRAME:
                if normal is not None:
                    # A frame over a plate stands on the plate, not on one of its corners.
                    start = a.p_LA - ((a.p_LA - points[0]) @ normal) * normal
                self._bar(link, start, a, proportion.TOOL_BAR * radius, Role.TOOL)
        if not own and carried.type.info.is_hinge:
            self._flange(link)

    def _bar(self, link: int, start: Array, a: Attachment, radius: float, role: Role) -> None:
        own_axis = self.skeleton.own_axis(link, self.joints)
        end = self._anchor(a)
        if np.linalg.norm(end - start) < proportion.SHORTEST_BAR * radius:
            return
        z_own = np.array([0.0, 0.0, 1.0]) if own_axis else None
        z_end = a.z_LA if a.has_axis else None
        path = elbow_path(start, z_own, end, z_end, radius)
        look = {"role": role, **self._look(link)}
        legs = list(pairwise(path))
        for i, (one, other) in enumerate(legs):
            along = (other - one) / np.linalg.norm(other - one)
            first, last = i == 0 < len(legs) - 1, i == len(legs) - 1 > 0
            if np.linalg.norm(other - one) > proportion.SHORT_PIECE * self.skeleton.unit:
                first = last = False
            if first and z_own is not None and abs(along @ z_own) > proportion.ALONG_AXIS:
                self.shapes[link].append(self._hub(one, other, radius, look))
            elif last and z_end is not None and abs(along @ z_end) > proportion.ALONG_AXIS:
                self.shapes[link].append(self._hub(other, one, radius, look))
            else:
                self.shapes[link].append(capsule_between(one, other, radius, **look))

    def _hub(self, joint: Array, corner: Array, radius: float, look: dict[str, Any]) -> Cylinder:
        """An offset along a joint's axis: a drum from the joint to where the bar meets it."""
        beyond = (
            corner
            + (corner - joint) / np.linalg.norm(corner - joint) * proportion.SOCKET_EXCESS * radius
        )
        return cylinder_between(joint, beyond, proportion.SOCKET_RADIUS * radius, **look)

    def _flange(self, link: int) -> None:
        """A plate on the last joint of a limb, where a tool would be screwed on."""
        look = self._joint_look(self.skeleton.inboard[link])
        start = self._own_anchor(link)
        height = start[2] + 0.5 * housing_length(look) + proportion.FLANGE_HEIGHT * look.radius
        self.shapes[link].append(
            Cylinder(
                radius=proportion.FLANGE_RADIUS * look.radius,
                length=proportion.FLANGE_LENGTH * look.radius,
                translation=(0.0, 0.0, float(height)),
                role=Role.TOOL,
                **self._look(link),
            )
        )

    # The base.

    def _base(self, link: int) -> None:
        """What the robots of a ground link stand on: each has its own."""
        groups = [
            [a for a in own if not self.joints[a.joint].type.info.slides_across]
            for own in self.skeleton.standing(self.joints, link)
        ]
        groups = [own for own in groups if own]
        for own in groups:
            self._stand(link, own, one_of_many=len(groups) > 1)

    def _stand(self, link: int, own: list[Attachment], *, one_of_many: bool) -> None:
        points = [self._anchor(a) for a in own]
        radius = self.radius[0]
        look = {"role": Role.GROUND}
        normal = plate_normal(points, proportion.LEAST_PLATE * radius)
        if normal is not None:
            others = self._carried(link, own) - np.mean(points, axis=0)
            side = float(np.mean(others @ normal)) if len(others) else 0.0
            if abs(side) > proportion.PLATE_SIDE * self.skeleton.unit:
                # The plate lies behind the joints, so that they stand on it, not in it.
                points = [
                    p - np.copysign(proportion.PLATE_SHIFT * radius, side) * normal for p in points
                ]
            plate = plate_around(
                points,
                normal,
                proportion.GROUND_MARGIN * radius,
                proportion.PLATE_THICKNESS * radius,
                **look,
            )
            self.shapes[link].append(plate)
            if normal[2] > proportion.ALONG_AXIS and side > 0:
                foot = np.mean(points, axis=0) - proportion.GROUND_FOOT * radius * UP
                self.stands.append(_Stand(link, own, foot, radius))
            return
        if len(points) == 1:
            self._pedestal(link, own[0], points[0], one_of_many=one_of_many)
            return
        for one, other in pairwise(points):
            if np.linalg.norm(other - one) > proportion.SHORTEST_BAR * radius:
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
            if skeleton.Rs_WL[one.link][2, 2] > proportion.ALONG_AXIS
            and max(self._carried(one.link, one.own)[:, 2]) >= one.foot[2]
        ]
        bottoms = [
            float((skeleton.ps_WL[one.link] + skeleton.Rs_WL[one.link] @ one.foot)[2])
            for one in upright
        ]
        for one, bottom in zip(upright, bottoms, strict=True):
            gap = bottom - min(bottoms)
            if gap > proportion.STAND_GAP * skeleton.unit:
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
        if height > proportion.PEDESTAL_HEIGHT * outer and (
            one_of_many or sideways < proportion.PEDESTAL_OFFSET * self.skeleton.unit
        ):
            foot = anchor - height * UP if one_of_many else 0.0 * UP
            self.shapes[link] += [
                cylinder_between(
                    foot, anchor, proportion.PEDESTAL_RADIUS * outer, role=Role.GROUND
                ),
                cylinder_between(
                    foot,
                    foot + proportion.PEDESTAL_FOOT * outer * UP,
                    proportion.PEDESTAL_WIDTH * outer,
                    role=Role.GROUND,
                ),
            ]
            self.stands.append(_Stand(link, [a], foot, proportion.PEDESTAL_WIDTH * outer))
        else:
            self._foot(link, a, anchor)

    def _foot(self, link: int, a: Attachment, anchor: Array) -> None:
        """A block under a joint of a ground link."""
        joint = self.joints[a.joint]
        look = self._joint_look(a.joint)
        outer, length = housing_radius(look), housing_length(look)
        if joint.type.info.is_slide or not joint.type.info.moves:
            return
        if joint.type.info.is_hinge and abs(a.z_LA[2]) > proportion.UPRIGHT_AXIS:
            top = anchor - np.array([0.0, 0.0, 0.5 * length - proportion.DISC_OVERLAP * outer])
            bottom = top - np.array([0.0, 0.0, proportion.DISC_THICKNESS * outer])
            self.shapes[link].append(
                cylinder_between(bottom, top, proportion.DISC_RADIUS * outer, role=Role.GROUND)
            )
            self.stands.append(_Stand(link, [a], bottom, proportion.DISC_RADIUS * outer))
        else:
            drop = proportion.BLOCK_HEIGHT * outer
            along = a.z_LA if a.has_axis else np.array([1.0, 0.0, 0.0])
            flat = np.array([along[0], along[1], 0.0])
            hint = flat if np.linalg.norm(flat) > 1e-6 else None
            R = rotation_with_z(np.array([0.0, 0.0, 1.0]), hint)
            self.stands.append(_Stand(link, [a], anchor - drop * UP, outer))
            self.shapes[link].append(
                Box(
                    size=(proportion.BLOCK_LENGTH * length, proportion.BLOCK_WIDTH * outer, drop),
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
    if (
        spread[1] < proportion.NARROW_PLATE * shortest
        or spread[2] > proportion.UNEVEN_PLATE * shortest
    ):
        return None
    normal = np.round(axes[2], 9)
    # Of the two normals take the upper one, so that equal mechanisms look equal.
    return np.asarray(-normal if tuple(normal[::-1]) < (0.0, 0.0, 0.0) else normal)
