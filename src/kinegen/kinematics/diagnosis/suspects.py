"""Suspects: joints that may be placed wrongly, with the change that would put them right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Floats
from kinegen.kernels.tolerances import SHUT
from kinegen.kinematics.closure import loop_poses
from kinegen.kinematics.diagnosis.fault_search import Repair
from kinegen.kinematics.diagnosis.faults import Change, Fault, Place
from kinegen.kinematics.loop_groups import joint_frames
from kinegen.kinematics.mobility.free_motion import finite_mobility, free_motion
from kinegen.kinematics.mobility.visible_motion import seen_motions
from kinegen.kinematics.solving.placement_numbers import NumberChange, number_changes
from kinegen.mechanism.model import Model
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3

__all__ = [
    "Suspect",
    "Suspects",
    "best_group",
    "sorted_suspects",
    "suspect_groups",
    "suspects_of",
]

_ABOUT_EQUAL = 1.5
"""Changes whose sizes differ by less than this factor are equally likely."""


@dataclass(frozen=True, slots=True, eq=False)
class Suspect:
    """A joint that may be placed wrongly, and how it should be."""

    joint: str
    place: Place
    change: Change
    axis: Floats
    """The axis as it is, a unit vector in the world: for a universal joint the one that changes
    most, for a ball its z."""
    proposed_axis: Floats
    """The axis as it should be."""
    is_second_axis: bool
    """Whether that is the second axis of a universal joint."""
    tilt: float
    """Angle between the two [rad]."""
    shift: Floats
    """How far the joint should move, in the world [m]."""
    dof: int
    """What its loops have after the change."""
    numbers: tuple[NumberChange, ...]
    """The change in the file's numbers."""
    size: float
    """How large the change is: its angle [rad], or its length by the mechanism's size."""

    @property
    def distance(self) -> float:
        """Length of the shift [m]."""
        return float(np.linalg.norm(self.shift))

    @property
    def is_tidy(self) -> bool:
        """Whether the change is in one row of the file, to numbers that look meant."""
        one_row = self.place is not Place.AXIS and len(self.numbers) > 0
        return one_row and all(number.is_tidy for number in self.numbers)


@dataclass(frozen=True, slots=True)
class Suspects:
    """Joints of which one is responsible, or all together."""

    likely: tuple[Suspect, ...] = ()
    """One per joint: to change any one of them is enough, unless they go together."""
    others: tuple[Suspect, ...] = ()
    """Changes that would do as well but are less likely: larger, or to odder numbers."""
    together: bool = False
    """Whether the likely ones must all be changed: no single change is enough."""

    @property
    def dof(self) -> int:
        """What the loops have after the change."""
        return self.likely[0].dof if self.likely else 0


def suspects_of(model: Model, q: Floats, repairs: Sequence[Repair]) -> list[Suspect]:
    """Suspects for repairs of one joint each that were made and tried."""
    return [suspect for (suspect,) in suspect_groups(model, q, repairs)]


def suspect_groups(model: Model, q: Floats, repairs: Sequence[Repair]) -> list[tuple[Suspect, ...]]:
    """Suspects of each repair that was made and tried: loops closed, finite mobility counted."""
    found = []
    for repair in repairs:
        system = repair.system
        system.held = None
        here, gap = system.close(repair.q)
        if gap > SHUT:
            continue
        motion = free_motion(system, here)
        seen = seen_motions(system.model, here, system.velocities(motion.basis))
        finite = finite_mobility(system, here, motion) - (motion.count - seen)
        numbers = number_changes(model, system.model.transforms)
        found.append(
            tuple(
                _suspect(model, q, repair, fault, amounts, finite, numbers)
                for fault, amounts in repair.parts
            )
        )
    return found


def _suspect(
    model: Model,
    q: Floats,
    repair: Repair,
    fault: Fault,
    amounts: Floats,
    dof: int,
    numbers: tuple[NumberChange, ...],
) -> Suspect:
    joint = model.joints[fault.joint]
    R_WF = joint_frames(model, q)[0][fault.joint]
    if fault.place is Place.LANDING:
        loop = next(n for n, loop in enumerate(model.loops) if loop.joint == fault.joint)
        R_WF = SE3.from_pose(loop_poses(model, q)[loop, 1]).rotation
    xi = np.zeros(6)
    xi[list(fault.components)] = amounts
    moved = R_WF @ SO3.exp(xi[3:]).matrix
    tilts = [
        float(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b))
        for a, b in zip(R_WF.T, moved.T, strict=True)
    ]
    second = joint.type.info.lands_on_x and (
        fault.place is Place.LANDING
        # on its parent a turn about its first axis is one of its own
        or (fault.place is Place.AXIS and tilts[0] > tilts[2])
    )
    shown = 0 if second else 2
    if len(repair.faults) > 1:
        numbers = tuple(number for number in numbers if number.owner == joint.name)
    return Suspect(
        joint=joint.name,
        place=fault.place,
        change=fault.change,
        axis=R_WF[:, shown],
        proposed_axis=moved[:, shown],
        is_second_axis=second,
        tilt=tilts[shown],
        shift=R_WF @ xi[:3] * repair.system.size,
        dof=dof,
        numbers=numbers,
        size=float(np.linalg.norm(amounts)),
    )


def best_group(groups: Sequence[tuple[Suspect, ...]]) -> Suspects:
    """The suspects that are most likely responsible together: tidy and small changes first.

    Of changes of the same size those of numbers that are written: one that is zero is rarely a
    slip of the pen.
    """
    if not groups:
        return Suspects()

    def preference(group: tuple[Suspect, ...]) -> tuple[bool, float, int]:
        tidy = all(suspect.is_tidy for suspect in group)
        size = sum(_preference(suspect)[0] for suspect in group)
        unwritten = sum(number.old == 0 for suspect in group for number in suspect.numbers)
        return not tidy, round(size, 6), unwritten

    return Suspects(min(groups, key=preference), (), together=True)


def sorted_suspects(suspects: Sequence[Suspect]) -> Suspects:
    """The likely ones and the others.

    What frees most counts first. Then changes to tidy numbers in one row: files go wrong by a
    number, and that number was meant to be something. Then the smallest: of tilts and of shifts,
    which cannot be compared.
    """
    if not suspects:
        return Suspects()
    most = max(suspect.dof for suspect in suspects)
    pool = [suspect for suspect in suspects if suspect.dof == most]
    if any(suspect.is_tidy for suspect in pool):
        pool = [suspect for suspect in pool if suspect.is_tidy]
    best: dict[str, Suspect] = {}
    for suspect in sorted(pool, key=_preference):
        best.setdefault(suspect.joint, suspect)
    likely: list[Suspect] = []
    for change in Change:
        of_kind = [suspect for suspect in best.values() if suspect.change is change]
        smallest = min((suspect.size for suspect in of_kind), default=0.0)
        likely += [suspect for suspect in of_kind if suspect.size <= _ABOUT_EQUAL * smallest]
    likely.sort(key=lambda suspect: suspect.size)
    others = [suspect for suspect in suspects if suspect not in likely]
    return Suspects(tuple(likely), tuple(others))


def _preference(suspect: Suspect) -> tuple[float, int]:
    """Small changes first, and a little before others: tilts, and changes of one row."""
    size = suspect.size
    size *= 1.5 if suspect.change is Change.SHIFT else 1.0
    return size * (1.1 if suspect.place is Place.AXIS else 1.0), list(Place).index(suspect.place)
