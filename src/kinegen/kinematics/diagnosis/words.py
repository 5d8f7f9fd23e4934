"""Diagnosis in words: what was found, and what would put it right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.closure import LoopGap, loop_residual
from kinegen.kinematics.diagnosis.faults import Change, Place
from kinegen.kinematics.loop_groups import LoopKind
from kinegen.kinematics.mobility.words import (
    angle,
    counted,
    distance,
    dof_text,
    gap_text,
    listed,
    verb_of,
)
from kinegen.kinematics.solving.open_loops import gap_words
from kinegen.kinematics.solving.polygon import polygon_shortage
from kinegen.mechanism.model import Model

if TYPE_CHECKING:
    from kinegen.kinematics.diagnosis.suspects import Suspect, Suspects
    from kinegen.kinematics.mobility.mobility import GroupMobility, Mobility
    from kinegen.kinematics.solving.placement_numbers import NumberChange

__all__ = [
    "blocked_text",
    "idle_text",
    "instantaneous_text",
    "open_text",
    "redundant_text",
    "rigid_text",
    "summary",
    "suspect_text",
    "turning_only_text",
    "turning_text",
]

_JOINTS = "degrees of freedom of the joints"
_SPACE = {
    LoopKind.PLANAR: f"counted in the plane ({_JOINTS} minus 3 per loop)",
    LoopKind.SPHERICAL: f"counted about its centre ({_JOINTS} minus 3 per loop)",
    LoopKind.SPATIAL: f"counted in space ({_JOINTS} minus 6 per loop)",
}

_SHOWN_TILT = 2e-3
"""Directions that differ by less [rad] look the same with three digits."""
_ROUNDING = 1e-4
"""Gaps below this [rad, share of the size] are those of numbers written with few digits."""


def summary(found: Mobility, *, is_rigid: bool) -> str:
    """The shortest answer; of a mechanism that is rigid some parts may still spin."""
    if not found.is_closed:
        return "It cannot be assembled."
    if not found.finite:
        return "It cannot move: 0 degrees of freedom."
    if is_rigid and found.finite == found.idle:
        return f"It cannot move; only parts of it spin in place, with {dof_text(found.finite)}."
    return f"It {verb_of(found)} with {dof_text(found.finite)}."


def open_text(model: Model, q: Floats, group: GroupMobility, found: Suspects) -> str:
    """Loops that cannot be closed."""
    phi = loop_residual(model, q).reshape(-1, 2, 3)
    gaps = np.linalg.norm(phi, axis=2)
    loops = list(group.system.group.loops)
    worst = max(loops, key=lambda n: gaps[n, 0] / group.system.size + gaps[n, 1])
    if group.system.group.couplings(model):
        lack = gap_text(LoopGap(*gaps[worst].tolist()), group.system.size)
        what = model.constraint_text(worst).rstrip(",")
        return (
            f"{_group(model, group)} cannot be assembled: {what} cannot be satisfied; the "
            f"residual is {lack}. The ratios and offsets of its couplings, or the lengths of its "
            "parts, contradict each other."
        )
    shortage = polygon_shortage(model, q)
    gap = gap_text(LoopGap(*gaps[worst].tolist()), group.system.size)
    if not shortage:
        gap = gap_words(model, q, worst, group.system.group, group.system.size)
    text = (
        f"{_group(model, group)} cannot be closed: at "
        f"'{model.joints[model.loops[worst].joint].name}' it stays open by {gap}."
    )
    if shortage:
        return f"{text} {shortage[:1].upper()}{shortage[1:]}."
    if not found.likely:
        return f"{text} No tested change of a single joint closes the loop and lets it move."
    if gaps[worst, 0] / group.system.size + gaps[worst, 1] < _ROUNDING:
        text += " That is so little that a rounded number in the file may be the cause."
    then = f"With this one change it closes and moves with {dof_text(found.dof)}"
    return f"{text} {_changes(found, then)}"


def rigid_text(model: Model, group: GroupMobility, idle: int, found: Suspects) -> str:
    """Loops that are closed and cannot move."""
    left = f", except that {counted(idle, 'part')} can spin in place" if idle else ""
    text = f"{_group(model, group)} cannot move{left}{'' if idle else ': 0 degrees of freedom'}."
    if found.likely:
        then = f"With this one change it moves with {dof_text(found.dof)}"
        return f"{text} {_changes(found, then)}"
    coupled = group.system.group.couplings(model)
    if coupled:
        names = " and ".join(one.text.rstrip(",") for one in coupled[:4])
        return f"{text} Its joints are held by {names}."
    cut = model.joints[model.loops[group.system.group.loops[0]].joint]
    if len(group.system.variables) == cut.type.info.nv:
        return f"{text} Its two ends are on parts that are fixed to each other already."
    if group.count > idle:
        text += " It is singular in this pose: a motion starts and stops immediately."
    count = len(group.system.variables) - group.kind.dimension * len(group.system.group.loops)
    count -= idle
    return (
        f"{text} {_SPACE[group.kind].capitalize()} it has {count}, so it needs "
        f"{counted(1 - count, 'joint')} more to move."
    )


def blocked_text(model: Model, group: GroupMobility, found: Suspects) -> str:
    """Loops that move less than they would with one joint put right."""
    text = (
        f"{_group(model, group)} moves with {dof_text(group.finite_mobility)}, and a further "
        "motion is only slightly blocked."
    )
    then = f"With this one change it moves with {dof_text(found.dof)}"
    return f"{text} {_changes(found, then)}"


def turning_text(link: str, per_metre: float, found: Suspects) -> str:
    """A platform that turns and perhaps should not."""
    text = f"Link '{link}' turns by up to {angle(per_metre * 0.1)} when it moves by 100 mm."
    changes = "both changes" if found.together else "this one change"
    return f"{text} {_changes(found, f'With {changes} it does not turn at all')}"


def instantaneous_text(model: Model, group: GroupMobility) -> str:
    """A singular pose."""
    ending = group.count - group.finite_mobility
    extra = counted(ending, "degree", " of freedom")
    return (
        f"In this pose {_group(model, group, start=False)} has {extra} more that "
        f"end{'s' * (ending == 1)} immediately: a singular pose, such as a dead point or a "
        f"bifurcation. Elsewhere it moves with {dof_text(group.finite_mobility)}."
    )


def redundant_text(model: Model, group: GroupMobility, askew: int, moving: int) -> str:
    """Why a mechanism moves although the count says that it cannot.

    Args:
        model: the compiled mechanism.
        group: the loops.
        askew: degrees of freedom that they have with slightly wrong axes.
        moving: those that they have as they are.
    """
    own = group.system.group
    loops, couplings = len(own.cut_loops(model)), len(own.couplings(model))
    if not loops:
        verb = "follows" if group.redundant == 1 else "follow"
        number = counted(group.redundant, "coupling").split()[0]
        return f"{_group(model, group)}: {number} of them {verb} from the others."
    verb = "is" if group.redundant == 1 else "are"
    rows = f"{group.redundant} of the {own.equation_count(model)} constraints {verb}"
    if group.kind is LoopKind.PLANAR:
        why = "all its axes are perpendicular to one plane, in which every part stays"
    elif group.kind is LoopKind.SPHERICAL:
        why = "all its axes meet in one point, so every part keeps its distance from it"
    elif askew >= moving:
        why = "the joints allow none of the motions that these forbid, whatever their exact axes"
    elif askew > 0:
        why = (
            f"its axes are specially placed; with slightly misaligned axes it has {dof_text(askew)}"
        )
    else:
        why = "its axes are specially placed; slightly misaligned axes would lock it"
    text = f"{_group(model, group)}: {rows} implied by the others, because {why}."
    count = len(group.system.variables) - group.kind.dimension * loops - couplings
    special = group.finite_mobility - count
    if group.kind is not LoopKind.SPATIAL:
        text += f" {_SPACE[group.kind].capitalize()}: {count}."
        if special > 0:
            text += f" Special lengths add {dof_text(special)}."
    return text


def idle_text(idle: int, links: Sequence[str]) -> str:
    """Parts that spin without moving anything."""
    return (
        f"{counted(idle, 'degree', ' of freedom').capitalize()} {'is' if idle == 1 else 'are'} "
        f"idle: link{'s' * (len(links) > 1)} {listed(links)} spin{'s' * (len(links) == 1)} without "
        "moving any point of the mechanism, as a rod between two ball joints or on two hinges in "
        "line does."
    )


def turning_only_text(model: Model, group: GroupMobility, links: Sequence[str]) -> str:
    """Loops whose parts turn about their own axes and do nothing else, as a shaft does."""
    many = len(links) > 1
    return (
        f"{_group(model, group)} turns with {dof_text(group.finite_mobility)}: link{'s' * many} "
        f"{listed(links)} turn{'s' * (not many)} about {'their' if many else 'its'} own "
        f"ax{'es' if many else 'is'}, as a shaft in its bearings does."
    )


def _group(model: Model, group: GroupMobility, *, start: bool = True) -> str:
    """What a group is called: by its joints."""
    own = group.system.group
    count, coupled = len(own.cut_loops(model)), own.couplings(model)
    names = [model.joints[i].name for i in own.joints]
    if coupled and not count:
        text = coupled[0].text.rstrip(",") if len(coupled) == 1 else ""
        text = text or f"group of {len(coupled)} couplings of {listed(names)}"
        return f"{'The' if start else 'the'} {text}"
    what = "loop" if count == 1 else f"group of {count} loops"
    if coupled:
        what = f"{what} and {counted(len(coupled), 'coupling')}"
    return f"{'The' if start else 'the'} {what} through {listed(names)}"


def _changes(found: Suspects, then: str) -> str:
    joints = [suspect.joint for suspect in found.likely]
    if found.together:
        ways = "; and ".join(suspect_text(suspect) for suspect in found.likely)
        return (
            f"No single change removes it; the faults are most likely at {listed(joints)}: {ways}. "
            f"{then}."
        )
    sure = {suspect.joint for suspect in found.others} <= set(joints)
    fault = "The fault is at" if sure else "The fault is most likely at"
    names = ("either " * (len(joints) > 1)) + listed(joints, last="or")
    ways = "; or ".join(suspect_text(suspect) for suspect in found.likely[:4])
    return f"{fault} {names}: {ways}. {then}."


def suspect_text(suspect: Suspect) -> str:
    """What to change, in geometry and in the file's numbers."""
    if suspect.change is Change.TILT:
        axis = "second axis" if suspect.is_second_axis else "axis"
        what = {
            Place.PLACEMENT: f"tilt the {axis} of '{suspect.joint}'",
            Place.LANDING: f"tilt the {axis} onto which '{suspect.joint}' closes",
            Place.AXIS: f"tilt the {axis} of '{suspect.joint}' between its two links",
        }[suspect.place]
        text = f"{what} by {angle(suspect.tilt)}"
        if suspect.tilt > _SHOWN_TILT:
            before, after = _vector(suspect.axis), _vector(suspect.proposed_axis)
            text += f", from direction {before} to {after}"
    else:
        what = {
            Place.PLACEMENT: f"move '{suspect.joint}' on its link",
            Place.LANDING: f"move the point onto which '{suspect.joint}' closes",
            Place.AXIS: f"move '{suspect.joint}' on both its links",
        }[suspect.place]
        text = f"{what} by {distance(suspect.distance)}, along {_vector(suspect.shift)}"
    if suspect.place is Place.AXIS or len(suspect.numbers) > 3:
        return text
    numbers = ", ".join(_number(number) for number in suspect.numbers)
    return f"{text} ({numbers})" if numbers else text


def _number(number: NumberChange) -> str:
    show = angle if number.is_angle else distance
    # as many digits as it takes to distinguish the two
    for digits in range(4, 16):
        new, old = show(number.new, digits), show(number.old, digits)
        if new != old:
            break
    return f"{number.key} {new} instead of {old}"


def _vector(vector: Floats) -> str:
    unit = vector / (float(np.linalg.norm(vector)) or 1.0)
    return "(" + ", ".join(f"{x:.3f}" if abs(x) >= 5e-4 else "0" for x in unit) + ")"
