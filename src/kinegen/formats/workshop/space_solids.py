"""Solid parts of a spatial mechanism: bosses with holes, rails, balls and sockets, and bars."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from kinegen.formats.workshop.display_solids import display_part
from kinegen.formats.workshop.hardware import CAP, head_height, pin_parts
from kinegen.formats.workshop.motion_samples import motion_samples, travel_of
from kinegen.formats.workshop.part_view import part_color, part_mass
from kinegen.formats.workshop.rigid_groups import rigid_groups
from kinegen.formats.workshop.sizes import Sizes, millimetres
from kinegen.formats.workshop.solid_part import SolidPart
from kinegen.kernels import Floats
from kinegen.kinematics.positions import forward
from kinegen.mechanism.model import Model, ModelJoint
from kinegen.mechanism.shapes.data import Box, Cylinder, Matrix3, Primitive, Sphere, Vector3
from kinegen.mechanism.shapes.skeleton import Kind, read_skeleton
from kinegen.mechanism.shapes.solid import capsule_between, matrix, rotation_with_z, vector
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3

__all__ = ["space_solids"]

BAR = 0.3
"""Radius of bars [widths], at most half the thickness."""
BALL = 0.3
"""Radius of the ball of a spherical joint [widths]."""
OPENING = 0.45
"""How far from a ball's middle its socket is cut open [radii of the ball]: less than a half stays
open, so that the ball snaps in."""
RAIL = 0.5
"""Side of a rail [widths]."""
STEEP = 0.5
"""Cosine of the angle to a pin's axis from which a bar gets round the pin's ends."""
CARRIAGE = 1.5
"""Length of a carriage [widths]."""


@dataclass(slots=True, eq=False)
class _End:
    """One side of a joint on a part."""

    joint: int
    is_child: bool
    X_SJ: SE3
    """The joint's frame on the part."""
    anchor: Floats
    """Where the part's bars lead to [m]."""
    is_boss: bool = False
    """Whether a bar has to get round the pin and the other side of a hinge."""


@dataclass(slots=True, eq=False)
class _Draft:
    """A part while it is built, in the frame of its first link."""

    links: list[int]
    ends: list[_End] = field(default_factory=list)
    tools: list[Floats] = field(default_factory=list)
    """Named frames."""
    bodies: list[Primitive] = field(default_factory=list)
    cut: list[Primitive] = field(default_factory=list)
    kept_out: list[Primitive] = field(default_factory=list)
    """Room of other parts: cut from bars, not from bodies."""
    remarks: list[str] = field(default_factory=list)

    @property
    def hub(self) -> Floats:
        """Where its bars meet."""
        anchors = [end.anchor for end in self.ends]
        return np.asarray(np.mean(anchors + self.tools or [np.zeros(3)], axis=0))


def space_solids(
    model: Model, q: Floats, sizes: Sizes, *, ground: bool = True, pins: bool = True
) -> tuple[list[SolidPart], list[str]]:
    """The parts of any mechanism as solids, and what a maker should know.

    The two sides of a hinge lie beside each other along its axis, the parent's below the joint's
    origin and the child's above it.
    """
    builder = _Builder(model, q, sizes)
    return builder.build(ground=ground, pins=pins)


class _Builder:
    """Builds all parts joint by joint."""

    def __init__(self, model: Model, q: Floats, sizes: Sizes) -> None:
        self.model, self.q, self.sizes = model, q, sizes
        self.poses = [SE3.from_pose(row) for row in forward(model, q)]
        self.groups = rigid_groups(model)
        self.drafts = [_Draft(links) for links in self.groups]
        self.draft_of = {link: d for d in self.drafts for link in d.links}
        self.samples = motion_samples(model, q)
        self.pins: list[SolidPart] = []
        self.messages: list[str] = []
        self._attach()

    def _attach(self) -> None:
        """Both sides of every joint on their parts."""
        attachments = read_skeleton(self.model, {}).attachments
        for link, own in enumerate(attachments):
            for a in own:
                X_LJ = SE3(SO3.from_matrix(a.R_LA), a.p_LA)
                draft = self.draft_of[link]
                X_SJ = self._inside(draft, link) @ X_LJ
                if a.kind is Kind.FRAME:
                    draft.tools.append(X_SJ.translation)
                    continue
                joint = self.model.joints[a.joint]
                if not joint.type.info.moves:
                    continue
                is_child = a.kind is Kind.CLOSURE
                self._add_end(draft, a.joint, X_SJ, is_child)
                if a.kind is Kind.JOINT and not joint.is_cut:
                    other = self.draft_of[joint.child]
                    self._add_end(other, a.joint, self._inside(other, joint.child), True)
        for draft in self.drafts:  # frames in the ground are places in the world, not bodies
            if 0 in draft.links:
                draft.tools.clear()

    def _add_end(self, draft: _Draft, index: int, X_SJ: SE3, is_child: bool) -> None:
        joint = self.model.joints[index]
        anchor = self._anchor(joint, X_SJ, is_child)
        draft.ends.append(_End(index, is_child, X_SJ, anchor, joint.type.info.is_hinge))

    def _inside(self, draft: _Draft, link: int) -> SE3:
        """A link's frame in that of its part."""
        return self.poses[draft.links[0]].inverse() @ self.poses[link]

    def _anchor(self, joint: ModelJoint, X_SJ: SE3, is_child: bool) -> Floats:
        """Where the bar of a part begins at a joint: in the middle of its boss."""
        z = X_SJ.so3.matrix[:, 2]
        if joint.type.info.is_hinge:
            side = 1.0 if is_child else -1.0
            return np.asarray(X_SJ.translation + side * self.sizes.step / 2 * z)
        if joint.type.info.slides_along_axis and not is_child:
            low, _, _ = self._travel(joint)
            back = low - CARRIAGE * self.sizes.width / 2 - self.sizes.thickness
            return np.asarray(X_SJ.translation + back * z)
        return np.asarray(X_SJ.translation)

    def _travel(self, joint: ModelJoint) -> tuple[float, float, bool]:
        index = self.model.joint_index(joint.name)
        if joint.type.info.is_slide:
            return travel_of(self.model, index, self.samples)
        # The slide of a cylindrical joint is its second variable; a screw's follows its turns.
        if len(joint.type.info.variables) == 2:
            k = joint.v.start + 1
            low, high = float(self.model.lower[k]), float(self.model.upper[k])
            seen = self.samples[:, joint.q.start + 1]
            bounded = bool(np.isfinite([low, high]).all())
            return (low, high, True) if bounded else (float(seen.min()), float(seen.max()), False)
        return 0.0, 2 * self.sizes.width, False

    def build(self, *, ground: bool, pins: bool) -> tuple[list[SolidPart], list[str]]:
        """Bodies of all joints, bars between them, then the parts."""
        for draft in self.drafts:
            for end in draft.ends:
                self._end(draft, end)
        found = [
            part
            for draft in self.drafts
            if (ground or 0 not in draft.links) and (part := self._part(draft)) is not None
        ]
        if pins:
            for joint in self.model.joints:
                if joint.type.info.is_hinge:
                    self._pin(joint)
        return found + self.pins, self.messages

    def _end(self, draft: _Draft, end: _End) -> None:
        joint = self.model.joints[end.joint]
        info = joint.type.info
        if info.is_hinge:
            self._hinge(draft, end)
        elif info.is_ball:
            self._ball(draft, end)
        elif info.slides_along_axis:
            self._slide(draft, end, joint)
        else:
            draft.remarks.append(
                f"a {joint.type.value} joint such as '{joint.name}' has no printable sides"
            )

    def _hinge(self, draft: _Draft, end: _End) -> None:
        """A boss with a hole, and the room of the other boss and of the pin's ends."""
        sizes = self.sizes
        side = 1.0 if end.is_child else -1.0
        draft.bodies.append(self._rod(end.X_SJ, sizes.width / 2, *_ordered(
            side * sizes.spacer / 2, side * (sizes.spacer / 2 + sizes.thickness))))  # fmt: skip
        reach = sizes.spacer / 2 + sizes.thickness + 2 * head_height(sizes)
        draft.cut.append(self._rod(end.X_SJ, sizes.drilled / 2, -reach, reach))
        room = sizes.width / 2 + sizes.clearance + sizes.spacer
        draft.kept_out.append(
            self._rod(end.X_SJ, room, *_ordered(-side * reach, side * sizes.spacer / 2))
        )
        head = CAP * sizes.hole / 2 + sizes.clearance
        beyond = side * (sizes.spacer / 2 + sizes.thickness)
        draft.kept_out.append(self._rod(end.X_SJ, head, *_ordered(beyond, side * 2 * reach)))

    def _ball(self, draft: _Draft, end: _End) -> None:
        """A ball on the child, a socket on the parent that is open towards the child."""
        sizes, radius = self.sizes, BALL * self.sizes.width
        centre = end.X_SJ.translation
        if end.is_child:
            draft.bodies.append(Sphere(radius=radius, translation=vector(centre)))
            return
        hollow = radius + sizes.clearance / 2
        draft.bodies.append(Sphere(radius=sizes.width / 2, translation=vector(centre)))
        draft.cut.append(Sphere(radius=hollow, translation=vector(centre)))
        away = self._towards_child(draft, end)
        height = sizes.width
        middle = vector(centre + (OPENING * radius + height / 2) * away)
        R = matrix(rotation_with_z(away))
        draft.cut.append(
            Cylinder(radius=0.52 * sizes.width, length=height, rotation=R, translation=middle)
        )

    def _towards_child(self, draft: _Draft, end: _End) -> Floats:
        """From a ball towards the middle of the part that it belongs to, in this pose."""
        joint = self.model.joints[end.joint]
        other = self.draft_of[joint.child]
        X_SO = self.poses[draft.links[0]].inverse() @ self.poses[other.links[0]]
        points = [e.anchor for e in other.ends if e.joint != end.joint] + other.tools
        way = X_SO.apply(np.mean(points, axis=0)) if points else X_SO.translation
        way = way - end.X_SJ.translation
        away = _unit(way, end.X_SJ.so3.matrix[:, 2])
        # Never towards the part's own bar, which the opening would cut off.
        own = draft.hub - end.X_SJ.translation
        if np.linalg.norm(own) > 1e-9:
            own = own / np.linalg.norm(own)
            if float(away @ own) > 0:
                away = _unit(away - float(away @ own) * own, -own)
        return away

    def _slide(self, draft: _Draft, end: _End, joint: ModelJoint) -> None:
        """A rail on the parent, a carriage on the child; round where it may turn as well."""
        sizes = self.sizes
        low, high, limited = self._travel(joint)
        half, side = CARRIAGE * sizes.width / 2, RAIL * sizes.width
        is_round = not joint.type.info.is_slide
        if self._is_telescope(joint):
            draft.remarks.append(f"joint '{joint.name}' slides along its own part, as a telescope")
            return
        if not end.is_child:
            ends = low - half - sizes.thickness, high + half
            rail: Primitive
            if is_round:
                rail = self._rod(end.X_SJ, side / 2, *ends)
            else:
                rail = self._bar(end.X_SJ, side, *ends)
            draft.bodies.append(rail)
            room = sizes.width / 2 + sizes.clearance
            draft.kept_out.append(self._rod(end.X_SJ, 1.5 * room, low - half, high + half))
            if not limited:
                self.messages.append(
                    f"joint '{joint.name}' has no limits: its rail is as long as the travel found "
                    f"by moving the mechanism, {millimetres(low)} to {millimetres(high)}"
                )
            if joint.type.info.has_pitch:
                self.messages.append(
                    f"joint '{joint.name}' ({joint.type.value}): its thread is not modelled, the "
                    "rod is plain"
                )
            return
        draft.bodies.append(self._bar(end.X_SJ, sizes.width, -half, half))
        bore = side + sizes.clearance
        reach = high - low + 2 * half + 2 * sizes.thickness
        make = self._rod if is_round else self._bar
        draft.cut.append(make(end.X_SJ, bore / 2 if is_round else bore, -reach, reach))

    def _is_telescope(self, joint: ModelJoint) -> bool:
        """Whether the child has its other joints on the slide's own line, where the rail is."""
        draft = self.draft_of[joint.child]
        index = self.model.joint_index(joint.name)
        own = next(end for end in draft.ends if end.joint == index and end.is_child)
        z = own.X_SJ.so3.matrix[:, 2]
        others = [e.anchor for e in draft.ends if e is not own] + draft.tools
        offsets = [point - own.X_SJ.translation for point in others]
        off = [float(np.linalg.norm(o - (o @ z) * z)) for o in offsets]
        return any(distance < self.sizes.width for distance in off)

    def _rod(self, X: SE3, radius: float, low: float, high: float) -> Cylinder:
        """A cylinder along z of a frame."""
        R, p = _along(X, low, high)
        return Cylinder(radius=radius, length=high - low, rotation=R, translation=p)

    def _bar(self, X: SE3, side: float, low: float, high: float) -> Box:
        """A square bar along z of a frame."""
        R, p = _along(X, low, high)
        return Box(size=(side, side, high - low), rotation=R, translation=p)

    def _part(self, draft: _Draft) -> SolidPart | None:
        """The part with its bars, or what pictures show where it cannot be made."""
        model, link = self.model, draft.links[0]
        if draft.remarks:
            part = display_part(model, draft.links, self.poses, "; ".join(draft.remarks))
            if part is None:
                self.messages.append(
                    f"part '{model.link_names[link]}' has no shape: it is left out"
                )
            return part
        radius = min(BAR * self.sizes.width, self.sizes.thickness / 2)
        bars = [
            capsule_between(a, b, radius)
            for way in self._ways(draft, radius)
            for a, b in pairwise(way)
            if np.linalg.norm(b - a) > 1e-9
        ]
        density, mass = part_mass(model, link)
        kind = "ground" if 0 in draft.links else "bar" if len(bars) == 1 else "body"
        return SolidPart(
            model.link_names[link], kind, (*bars,), tuple(draft.cut), self.poses[link],
            part_color(model, link), density, mass,
            kept_out=tuple(draft.kept_out), bodies=tuple(draft.bodies),
            places=tuple(
                (model.joints[end.joint].name, vector(end.X_SJ.translation)) for end in draft.ends
            ),
        )  # fmt: skip

    def _ways(self, draft: _Draft, radius: float) -> list[list[Floats]]:
        """The corners of every bar, from the hub to a joint or a frame."""
        hub = draft.hub
        if len(draft.ends) == 2 and not draft.tools:
            first, last = draft.ends
            ahead = self._round(last, first.anchor, radius)
            return [[*self._round(first, ahead[-1], radius), *reversed(ahead)]]
        ways = [[hub, *reversed(self._round(end, hub, radius))] for end in draft.ends]
        return ways + [[hub, tool] for tool in draft.tools]

    def _round(self, end: _End, target: Floats, radius: float) -> list[Floats]:
        """From a joint on the way to a target: round the pin where the bar leaves along it."""
        way = target - end.anchor
        distance = float(np.linalg.norm(way))
        if not end.is_boss or distance < 1e-9:
            return [end.anchor]
        R = end.X_SJ.so3.matrix
        z = R[:, 2] if end.is_child else -R[:, 2]  # away from the other side
        along = float(way @ z)
        if abs(along) < STEEP * distance:
            return [end.anchor]
        across = way - along * z
        if np.linalg.norm(across) < 0.05 * distance:
            across = R[:, 0]
        across = across / np.linalg.norm(across)
        sizes = self.sizes
        if along > 0:
            return [end.anchor, end.anchor + sizes.width / 2 * across]
        # Past the other side of the hinge, outside of it.
        outside = sizes.width / 2 + 2 * sizes.clearance + sizes.spacer + radius
        corner = end.anchor + outside * across
        past = 1.5 * sizes.step + 2 * head_height(sizes)
        return [end.anchor, corner, corner - min(past, -along) * z]

    def _pin(self, joint: ModelJoint) -> None:
        """The pin of a hinge, from the lower side of the parent's boss."""
        placement = self.model.transforms[joint.placement]
        X_PF = SE3(SO3.from_matrix(placement[:9].reshape(3, 3)), placement[9:])
        sizes = self.sizes
        down = SE3(SO3.identity(), np.array([0, 0, -sizes.thickness - sizes.spacer / 2]))
        X_WS = self.poses[joint.parent] @ X_PF @ down
        length = 2 * sizes.thickness + sizes.spacer
        self.pins += pin_parts(joint.name, X_WS, length, [], sizes)


def _unit(way: Floats, otherwise: Floats) -> Floats:
    """A direction, or another one where it has no length."""
    length = float(np.linalg.norm(way))
    return np.asarray(way / length if length > 1e-9 else otherwise)


def _along(X: SE3, low: float, high: float) -> tuple[Matrix3, Vector3]:
    """Rotation and middle of a body along z of a frame."""
    z = X.so3.matrix[:, 2]
    return matrix(X.so3.matrix), vector(X.translation + (low + high) / 2 * z)


def _ordered(a: float, b: float) -> tuple[float, float]:
    return (a, b) if a < b else (b, a)
