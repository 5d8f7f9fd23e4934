"""The flat parts of a planar mechanism, the pins between them and how they are stacked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinegen.errors import FormatError, UsageError
from kinegen.formats.workshop.coupling_notes import coupling_notes
from kinegen.formats.workshop.flat.part import FlatPart, Hole, Pin, Slot
from kinegen.formats.workshop.flat.part_view import PartView, part_colors
from kinegen.formats.workshop.flat.plane import PlaneOfMotion, find_plane
from kinegen.formats.workshop.flat.stack import stack_levels
from kinegen.formats.workshop.motion_samples import POSES, motion_samples, travel_of
from kinegen.formats.workshop.placement_length import placement_length, placements_of
from kinegen.formats.workshop.rigid_groups import rigid_groups
from kinegen.formats.workshop.sizes import Sizes, millimetres
from kinegen.kernels import Floats
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.kinematics.positions import forward
from kinegen.kinematics.solving.assembling.assembly import close
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model
from kinegen.mechanism.shapes.skeleton import Attachment, Kind, read_skeleton
from kinegen.results import Columns, Result
from kinegen.spatial.pose import SE3

__all__ = ["FRAMES", "FlatAssembly", "flat_assembly"]

FRAMES = ("mark", "hole", "no")
"""What can become of named frames."""
MANY = 40
"""Parts from which fewer poses are looked at: their pairs grow with the square."""
_SAME = 1e-9
"""Holes nearer than this share of the mechanism's size are one."""


@dataclass(frozen=True, slots=True)
class FlatAssembly(Result):
    """All parts of a planar mechanism; the ground is the first."""

    name: str
    sizes: Sizes
    parts: tuple[FlatPart, ...]
    pins: tuple[Pin, ...]
    plane: PlaneOfMotion
    """The plane in which the parts move."""
    messages: tuple[str, ...]
    """Remarks for making the parts."""

    def columns(self) -> Columns:
        """One row per hole: its part, level, joints and place [mm]."""
        rows = [(part, hole) for part in self.parts for hole in part.holes]
        return {
            "part": [part.name for part, _ in rows],
            "level": [part.level for part, _ in rows],
            "joints": [", ".join(hole.joints) or hole.frame for _, hole in rows],
            "x [mm]": [1000 * hole.at[0] for _, hole in rows],
            "y [mm]": [1000 * hole.at[1] for _, hole in rows],
        }

    def part(self, name: str) -> FlatPart:
        """A part by its name."""
        return next(part for part in self.parts if part.name == name)

    def made(self, *, ground: bool) -> tuple[FlatPart, ...]:
        """The parts to make: all of them, or all but the ground."""
        return tuple(part for part in self.parts if ground or not part.is_ground)


def flat_assembly(
    model: AnyModel,
    q: Configuration = None,
    *,
    sizes: Sizes | None = None,
    frames: str = "mark",
) -> FlatAssembly:
    """The parts of a planar mechanism, each with its holes and its level in the stack.

    Args:
        model: The mechanism or its model.
        q: The pose in which parts are placed; default: the file's start.
        sizes: Of bars and holes.
        frames: Whether parts reach out to named frames, which get a mark or a hole; 'no': neither.

    Raises:
        FormatError: A joint leaves the plane, or a part cannot be made; the error names it.
    """
    if frames not in FRAMES:
        raise UsageError(f"frames={frames}: use one of {', '.join(FRAMES)}")
    model = model_of(model)
    builder = _Builder(model, configuration(model, q), sizes or Sizes(), frames)
    return builder.build()


class _Builder:
    """Collects holes, slots and pins of all parts."""

    def __init__(self, model: Model, q: Floats, sizes: Sizes, frames: str) -> None:
        self.model, self.q, self.sizes, self.frames = model, q, sizes, frames
        self.plane = find_plane(model, q)
        self.groups = rigid_groups(model)
        self.attachments = read_skeleton(model, {}).attachments
        self.samples = _samples(model, q, len(self.groups))
        self.group_of = {link: g for g, links in enumerate(self.groups) for link in links}
        self.poses = [SE3.from_pose(row) for row in forward(model, q)[: model.link_count]]
        self.near = _SAME * max(model.size, 1e-6)
        self.values = dict(model.parameters)
        self.messages: list[str] = []

    def build(self) -> FlatAssembly:
        """Parts, pins, levels."""
        colors = part_colors(self.model)
        self.views = [
            PartView(self.model, self.plane, links, self.poses, self.near, colors[links[0]])
            for links in self.groups
        ]
        for index, joint in enumerate(self.model.joints):
            if joint.type.info.is_hinge:
                self._hinge(index)
            elif joint.type.info.is_slide:
                self._slide(index)
            elif joint.type.info.moves:
                self.messages.append(
                    f"joint '{joint.name}' ({joint.type.value}) has no pin or slot: its part lies "
                    "on the plane and is only held by its other joints"
                )
        self.messages += coupling_notes(self.model)
        if self.frames != "no":
            for frame in self.model.frames:
                self._frame(frame.name, frame.link, frame.placement)
        parts = [view.part() for view in self.views]
        self._check(parts)
        pins = self._pins()
        rows = [forward(self.model, q) for q in self.samples]
        placed = [
            [view.placed(SE3.from_pose(row[view.link])) for row in rows] for view in self.views
        ]
        levels, touching = stack_levels(parts, pins, placed, self.sizes)
        for part, pin in touching:
            self.messages.append(
                f"part '{part}' would touch the pin of '{pin}', which passes its level, in some "
                "poses: restrict the motion"
            )
        parts = [replace(part, level=level) for part, level in zip(parts, levels, strict=True)]
        return FlatAssembly(
            self.model.name, self.sizes, tuple(parts), pins, self.plane,
            tuple(dict.fromkeys(self.messages)),
        )  # fmt: skip

    def _attachment(self, link: int, kind: Kind, joint: int) -> Attachment:
        own = self.attachments[link]
        return next(a for a in own if a.kind is kind and a.joint == joint)

    def _ends(self, index: int) -> tuple[tuple[int, Floats, Floats], tuple[int, Floats, Floats]]:
        """Link, place and direction of z of a joint on its parent and on its child."""
        joint = self.model.joints[index]
        a = self._attachment(joint.parent, Kind.JOINT, index)
        if joint.is_cut:
            b = self._attachment(joint.child, Kind.CLOSURE, index)
            return (joint.parent, a.p_LA, a.z_LA), (joint.child, b.p_LA, b.z_LA)
        z = np.array([0.0, 0.0, 1.0])
        return (joint.parent, a.p_LA, a.z_LA), (joint.child, np.zeros(3), z)

    def _hinge(self, index: int) -> None:
        joint = self.model.joints[index]
        placements = placements_of(self.model.compiled_from, joint.name)
        for (link, p, _), placement in zip(self._ends(index), placements, strict=True):
            distance = float(np.linalg.norm(p))
            of_origin = distance <= self.near
            formula = None if of_origin else placement_length(placement, distance, self.values)
            self.views[self.group_of[link]].add_hole(
                link, p, joints=(joint.name,), formula=formula, of_origin=of_origin
            )

    def _slide(self, index: int) -> None:
        """A slot in the parent, and two holes for guide pins in the child."""
        joint = self.model.joints[index]
        (parent, p_P, z_P), (child, p_C, z_C) = self._ends(index)
        low, high, limited = travel_of(self.model, index, self.samples)
        half = self.sizes.width / 2
        if not limited:
            self.messages.append(
                f"joint '{joint.name}' has no limits: its slot is as long as the travel found "
                f"by moving the mechanism, {millimetres(low)} to {millimetres(high)}"
            )
        slot = [p_P + (low - half) * z_P, p_P + (high + half) * z_P]
        self.views[self.group_of[parent]].add_slot(parent, slot, joint.name)
        for side in (-half, half):
            self.views[self.group_of[child]].add_hole(
                child, p_C + side * z_C, joints=(joint.name,), guide=True
            )

    def _frame(self, name: str, link: int, placement: int) -> None:
        view = self.views[self.group_of[link]]
        if not view.is_ground:
            p_LF = self.model.transforms[placement][9:]
            view.add_frame(link, p_LF, name, drilled=self.frames == "hole")

    def _pins(self) -> tuple[Pin, ...]:
        """Holes that joints connect, each set once; and the guide pins of slides."""
        holes = [(g, k) for g, view in enumerate(self.views) for k in range(len(view.holes))]
        of_joint: dict[str, list[tuple[int, int]]] = {}
        for g, k in holes:
            for name in self.views[g].holes[k].joints:
                of_joint.setdefault(name, []).append((g, k))
        into = {hole: hole for hole in holes}

        def root(hole: tuple[int, int]) -> tuple[int, int]:
            while into[hole] != hole:
                hole = into[hole]
            return hole

        for name, ends in of_joint.items():
            if self.model.joint(name).type.info.is_hinge:
                for other in ends[1:]:
                    into[root(other)] = root(ends[0])
        members: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for hole in holes:
            members.setdefault(root(hole), []).append(hole)
        pins = []
        for group in members.values():
            joints = dict.fromkeys(j for g, k in group for j in self.views[g].holes[k].joints)
            hinges = [j for j in joints if self.model.joint(j).type.info.is_hinge]
            through = [(self.views[g].name, self.views[g].holes[k].at) for g, k in group]
            if hinges:
                pins.append(Pin(hinges[0], tuple(hinges), "revolute", tuple(through)))
            for slide in [j for j in joints if j not in hinges]:
                parent = self.views[self.group_of[self.model.joint(slide).parent]]
                slot = next(s for s in parent.slots if s.joint == slide)
                both = (*through, (parent.name, slot.start))
                pins.append(Pin(slide, (slide,), "prismatic", both))
        return tuple(pins)

    def _check(self, parts: Sequence[FlatPart]) -> None:
        """Refuse parts that cannot be made, and warn of those that are odd."""
        wide = self.sizes.drilled
        for part in parts:
            turning = [hole for hole in part.holes if hole.joints]
            for i, one in enumerate(turning):
                for other in turning[:i]:
                    apart = math.dist(one.at, other.at)
                    if apart <= wide:
                        raise FormatError(
                            f"part '{part.name}': the holes of {_named(other)} and {_named(one)} "
                            f"are {millimetres(apart)} apart and would run into each other, being "
                            f"{millimetres(wide)} wide; use a smaller hole"
                        )
            for slot in part.slots:
                for hole in turning:
                    if slot.joint not in hole.joints and _from_slot(hole.at, slot) <= wide:
                        self.messages.append(
                            f"part '{part.name}': the slot of joint '{slot.joint}' runs into the "
                            f"hole of {_named(hole)}; set limits for '{slot.joint}'"
                        )
            names = [name for hole in turning for name in hole.joints]
            if part.kind == "disc" and len(names) > 1 and len({h.at for h in turning}) == 1:
                listed = " and ".join(f"'{name}'" for name in dict.fromkeys(names))
                raise FormatError(
                    f"part '{part.name}' has length 0: joints {listed} lie on one axis; a bar "
                    "needs two holes apart from each other"
                )
            if part.kind == "disc":
                self.messages.append(
                    f"part '{part.name}' has one hole only and becomes a disc; a frame on it "
                    "would give it a length"
                )


def _samples(model: Model, q: Floats, parts: int) -> Floats:
    """Poses of the whole motion, from the file's start whatever the pose of the drawing."""
    count = max(POSES * MANY // max(parts, MANY), 24)
    start, gap = close(model)
    if gap > 1e-9 * model.size:
        start = q
    return np.vstack([motion_samples(model, start, count=count), q])


def _named(hole: Hole) -> str:
    return "joint " + " and ".join(f"'{name}'" for name in hole.joints)


def _from_slot(at: tuple[float, float], slot: Slot) -> float:
    """Distance of a point from the middle line of a slot [m]."""
    a, b = np.array(slot.start), np.array(slot.end)
    way = b - a
    share = float(np.clip((np.array(at) - a) @ way / max(float(way @ way), 1e-300), 0, 1))
    return float(np.linalg.norm(np.array(at) - a - share * way))
