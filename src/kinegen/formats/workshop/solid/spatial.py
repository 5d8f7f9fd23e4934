"""Solid parts of a spatial mechanism: the sides of its joints and the bars between them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from kinegen.formats.workshop.coupling_notes import coupling_notes
from kinegen.formats.workshop.flat.part_view import part_colors, part_mass
from kinegen.formats.workshop.motion_samples import motion_samples
from kinegen.formats.workshop.rigid_groups import rigid_groups
from kinegen.formats.workshop.sizes import Sizes, millimetres
from kinegen.formats.workshop.solid.display import display_part
from kinegen.formats.workshop.solid.draft import Draft, End, Travel, block, rod
from kinegen.formats.workshop.solid.hardware import head_height, pin_parts, short_pin
from kinegen.formats.workshop.solid.joint_sides import (
    ROD_END,
    ball_side,
    bar_radius,
    cross_size,
    fork_side,
    hinge_side,
    slide_side,
    telescope_side,
)
from kinegen.formats.workshop.solid.part import SolidPart
from kinegen.kernels import Floats
from kinegen.kinematics.positions import forward
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import ModelJoint
from kinegen.mechanism.shapes.skeleton import Kind, read_skeleton
from kinegen.mechanism.shapes.solid import capsule_between, vector
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3

__all__ = ["space_solids"]

_QUARTERS = ((0.0, 0.0, 0.0), (np.pi, 0.0, 0.0), (0.0, np.pi / 2, 0.0), (0.0, -np.pi / 2, 0.0))
"""Turns from z to both ends of both axes of a cross [rad]."""
STEEP = 0.5
"""Cosine of the angle to a pin's axis from which a bar gets round the pin's ends."""


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
        self.drafts = [Draft(links) for links in self.groups]
        self.draft_of = {link: d for d in self.drafts for link in d.links}
        self.samples = motion_samples(model, q)
        self.colors = part_colors(model)
        self.hardware: list[SolidPart] = []
        self.messages = coupling_notes(model)
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

    def _add_end(self, draft: Draft, index: int, X_SJ: SE3, is_child: bool) -> None:
        draft.ends.append(End(self.model.joints[index], is_child, X_SJ, X_SJ.translation))

    def _inside(self, draft: Draft, link: int) -> SE3:
        """A link's frame in that of its part."""
        return self.poses[draft.links[0]].inverse() @ self.poses[link]

    def build(self, *, ground: bool, pins: bool) -> tuple[list[SolidPart], list[str]]:
        """Bodies of all joints, bars between them, then the parts."""
        self.travels = {
            joint.name: self._travel(joint)
            for joint in self.model.joints
            if joint.type.info.slides_along_axis
        }
        for draft in self.drafts:
            for end in draft.ends:
                if end.joint.name in self.travels:
                    end.place = self._slide_place(end)
        for draft in self.drafts:
            for end in draft.ends:
                self._end(draft, end)
        found = [
            part
            for draft in self.drafts
            if (ground or 0 not in draft.links) and (part := self._part(draft)) is not None
        ]
        shown = {end.joint.name for draft in self.drafts if draft.remarks for end in draft.ends}
        for joint in self.model.joints:
            if joint.name in shown:
                continue
            if joint.type.info.is_hinge and pins:
                self._pin(joint)
            elif _is_universal(joint):
                self._cross(joint, pins=pins)
        return found + self.hardware, list(dict.fromkeys(self.messages))

    def _end(self, draft: Draft, end: End) -> None:
        """Bodies of one side of a joint, or why there are none."""
        info, sizes = end.joint.type.info, self.sizes
        if info.is_hinge:
            hinge_side(draft, end, sizes)
        elif info.is_ball:
            ball_side(draft, end, sizes, self._towards_child(draft, end))
        elif _is_universal(end.joint):
            axis = end.X_SJ.so3.matrix[:, 0 if end.is_child else 2]
            along = draft.inwards(end) if end.is_child else -self._towards_child(draft, end)
            fork_side(draft, end, sizes, axis, along)
        elif info.slides_along_axis:
            self._slide(draft, end)
        else:
            draft.remarks.append(
                f"a {end.joint.type.value} joint such as '{end.joint.name}' has no printable sides"
            )

    def _slide(self, draft: Draft, end: End) -> None:
        """Rail and carriage, or sleeve and rod."""
        travel, name = self.travels[end.joint.name], end.joint.name
        if travel.telescopes:
            lack = telescope_side(draft, end, self.sizes, travel)
            if lack:
                draft.remarks.append(lack)
                return
        else:
            slide_side(draft, end, self.sizes, travel)
        if not travel.limited:
            self.messages.append(
                f"joint '{name}' has no limits: it is as long as the travel found by moving the "
                f"mechanism, {millimetres(travel.low)} to {millimetres(travel.high)}"
            )
        if end.joint.type.info.has_pitch:
            self.messages.append(
                f"joint '{name}' ({end.joint.type.value}): its thread is not modelled, the rod is "
                "plain"
            )

    def _slide_place(self, end: End) -> Floats:
        """Where the rest of a part takes a slide to be: its rail or sleeve, or its rod."""
        travel = self.travels[end.joint.name]
        if not end.is_child:
            return np.asarray(end.origin + travel.low * end.z)
        return end.origin - (ROD_END * self.sizes.width if travel.telescopes else 0.0) * end.z

    def _towards_child(self, draft: Draft, end: End) -> Floats:
        """From a ball towards the rest of the part that it belongs to, in this pose."""
        other = self.draft_of[end.joint.child]
        X_SO = self.poses[draft.links[0]].inverse() @ self.poses[other.links[0]]
        own = next(one for one in other.ends if one.joint is end.joint and one.is_child)
        return np.asarray(X_SO.so3.matrix @ other.inwards(own))

    def _travel(self, joint: ModelJoint) -> Travel:
        """How far a slide goes, and whether it does so along its own part."""
        low, high, limited = 0.0, 2 * self.sizes.width, False
        if not joint.type.info.has_pitch:  # a screw's travel follows its turns
            k = len(joint.type.info.variables) - 1
            seen = self.samples[:, joint.q.start + k]
            low, high = float(seen.min()), float(seen.max())
            lower, upper = (float(ends[joint.v.start + k]) for ends in (
                self.model.lower, self.model.upper))  # fmt: skip
            limited = bool(np.isfinite([lower, upper]).all())
            low = lower if np.isfinite(lower) else low
            high = upper if np.isfinite(upper) else high
        draft = self.draft_of[joint.child]
        own = next(end for end in draft.ends if end.joint is joint and end.is_child)
        offsets = [point - own.origin for point in draft.others(own)]
        off = [float(np.linalg.norm(o - (o @ own.z) * own.z)) for o in offsets]
        return Travel(low, high, limited, any(one < self.sizes.width for one in off))

    def _part(self, draft: Draft) -> SolidPart | None:
        """The part with its bars, or what pictures show where it cannot be made."""
        model, link = self.model, draft.links[0]
        if draft.remarks:
            part = display_part(model, draft.links, self.poses, "; ".join(draft.remarks))
            if part is None:
                self.messages.append(
                    f"part '{model.link_names[link]}' has no shape: it is left out"
                )
            return part
        radius = bar_radius(self.sizes)
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
            self.colors[link], density, mass,
            kept_out=tuple(draft.kept_out), bodies=tuple(draft.bodies),
            places=tuple(
                (end.joint.name, vector(end.origin)) for end in draft.ends
            ),
        )  # fmt: skip

    def _ways(self, draft: Draft, radius: float) -> list[list[Floats]]:
        """The corners of every bar, from the hub to a joint or a frame."""
        hub = draft.hub
        if len(draft.ends) == 2 and not draft.tools:
            first, last = draft.ends
            ahead = self._round(last, first.anchor, radius)
            return [[*self._round(first, ahead[-1], radius), *reversed(ahead)]]
        ways = [[hub, *reversed(self._round(end, hub, radius))] for end in draft.ends]
        return ways + [[hub, tool] for tool in draft.tools]

    def _round(self, end: End, target: Floats, radius: float) -> list[Floats]:
        """From a joint on the way to a target: round the pin where the bar leaves along it."""
        way = target - end.anchor
        distance = float(np.linalg.norm(way))
        if end.room and distance > 1e-9:
            return self._past_cross(end, target, radius)
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

    def _past_cross(self, end: End, target: Floats, radius: float) -> list[Floats]:
        """From a fork on the way to a target: round the other fork where that is in the way."""
        way, to_target = end.anchor - end.origin, target - end.origin
        w = way / np.linalg.norm(way)
        if float(to_target @ w) > 0:
            return [end.anchor]
        across = to_target - float(to_target @ w) * w
        if np.linalg.norm(across) < 0.05 * np.linalg.norm(to_target):
            across = end.z if abs(float(end.z @ w)) < 0.9 else end.X_SJ.so3.matrix[:, 0]
            across = across - float(across @ w) * w
        outside = (end.room + 1.5 * radius) * across / np.linalg.norm(across)
        return [end.anchor, end.anchor + outside, end.origin + outside]

    def _cross(self, joint: ModelJoint, *, pins: bool) -> None:
        """The cross of a universal joint, and the four short pins of its forks."""
        sizes = self.sizes
        side, _, outer = cross_size(sizes)
        parent, child = (self.draft_of[link] for link in (joint.parent, joint.child))
        ends = [
            next(one for one in draft.ends if one.joint is joint and one.is_child == is_child)
            for draft, is_child in ((parent, False), (child, True))
        ]
        X_WF, X_WM = (
            self.poses[draft.links[0]] @ end.X_SJ
            for draft, end in zip((parent, child), ends, strict=True)
        )
        z, x = X_WF.so3.matrix[:, 2], X_WM.so3.matrix[:, 0]
        X_WS = SE3(SO3.from_matrix(np.column_stack([x, np.cross(z, x), z])), X_WF.translation)
        upright = SE3(SO3.identity(), np.zeros(3))
        lying = SE3(SO3.exp([0.0, np.pi / 2, 0.0]), np.zeros(3))
        self.hardware.append(
            SolidPart(
                f"cross-{joint.name}",
                "cross",
                (block(upright, side, -side / 2, side / 2),),
                tuple(rod(X, sizes.drilled / 2, -side, side) for X in (upright, lying)),
                X_WS,
            )
        )
        if pins:
            for number, turn in enumerate(_QUARTERS, 1):
                X = X_WS @ SE3(SO3.exp(turn), np.zeros(3))
                name = f"{joint.name}-{number}"
                self.hardware.append(short_pin(name, X, outer, sizes))

    def _pin(self, joint: ModelJoint) -> None:
        """The pin of a hinge, from the lower side of the parent's boss."""
        placement = self.model.transforms[joint.placement]
        X_PF = SE3(SO3.from_matrix(placement[:9].reshape(3, 3)), placement[9:])
        sizes = self.sizes
        down = SE3(SO3.identity(), np.array([0, 0, -sizes.thickness - sizes.spacer / 2]))
        X_WS = self.poses[joint.parent] @ X_PF @ down
        length = 2 * sizes.thickness + sizes.spacer
        self.hardware += pin_parts(joint.name, X_WS, length, [], sizes)


def _is_universal(joint: ModelJoint) -> bool:
    """Whether it turns about two axes that cross."""
    return joint.type.info.turns_about_point and not joint.type.info.is_ball
