"""Mobility in words: counts, lengths and angles for people, and how a mechanism can move."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kinegen.kinematics.closure import LoopGap
from kinegen.kinematics.loop_groups import LoopKind
from kinegen.mechanism.model import Model

if TYPE_CHECKING:
    from kinegen.kinematics.mobility.mobility import GroupMobility, Mobility

__all__ = [
    "angle",
    "counted",
    "distance",
    "dof_text",
    "gap_text",
    "listed",
    "mobility_text",
    "verb_of",
]

_NUMBERS = "no one two three four five six seven eight nine ten eleven twelve".split()


def counted(number: int, what: str, of: str = "") -> str:
    """``"one joint"``, ``"two joints"``, ``"18 degrees of freedom"``."""
    word = _NUMBERS[number] if 0 <= number < len(_NUMBERS) else str(number)
    return f"{word} {what}{'' if number == 1 else 's'}{of}"


def dof_text(number: int) -> str:
    """``"1 degree of freedom"``, ``"3 degrees of freedom"``."""
    return f"{number} degree{'' if number == 1 else 's'} of freedom"


def listed(names: Iterable[str], *, most: int = 8, last: str = "and") -> str:
    """``"'A', 'B' and 'C'"``; long lists are cut."""
    quoted = [f"'{name}'" for name in names]
    if len(quoted) > most:
        return f"{', '.join(quoted[: most - 1])}, … ({len(quoted)} in all)"
    return f" {last} ".join(part for part in (", ".join(quoted[:-1]), *quoted[-1:]) if part)


def distance(metres: float, digits: int = 4) -> str:
    """A length in mm, or µm where it is small."""
    small = 0 < abs(metres) < 1e-4
    return f"{metres * (1e6 if small else 1e3):.{digits}g} {'µm' if small else 'mm'}"


def angle(radians: float, digits: int = 3) -> str:
    """An angle in degrees."""
    return f"{math.degrees(radians):.{digits}g}°"


def gap_text(gap: LoopGap, size: float) -> str:
    """How far a loop is open; a part that hardly matters beside the other is left out."""
    parts = []
    if gap.distance / size > 1e-3 * gap.angle:
        parts.append(distance(gap.distance))
    if gap.angle > 1e-3 * gap.distance / size:
        parts.append(angle(gap.angle))
    return " and ".join(parts)


def mobility_text(model: Model, found: Mobility, groups: Sequence[GroupMobility]) -> str:
    """One or two sentences about a mechanism's degrees of freedom."""
    if not found.is_closed:
        open_ones = [group for group in groups if not group.is_closed]
        numbers = [n for group in open_ones for n in group.system.group.loops]
        size = open_ones[0].system.size
        gap = gap_text(found.gap, size)
        if any(n >= len(model.loops) for n in numbers):
            names = " and ".join(model.constraint_text(n).rstrip(",") for n in numbers[:4])
            more = f" and {len(numbers) - 4} more" if len(numbers) > 4 else ""
            what = f"{names}{more} cannot all be satisfied; the residual is {gap}"
            return f"cannot be assembled: {what}"
        loops = [model.loops[n] for n in numbers]
        names = listed(model.joints[loop.joint].name for loop in loops)
        return (
            f"cannot be assembled: the loop{'s' * (len(loops) > 1)} closed by {names} "
            f"stay{'s' * (len(loops) == 1)} open by {gap}"
        )
    return "; ".join([_mobility_text(model, found, groups), *_notes(found)])


def verb_of(found: Mobility) -> str:
    """What a mechanism that can move does: some only turn in their bearings."""
    return "turns" if found.finite == found.idle else "moves"


def _mobility_text(model: Model, found: Mobility, groups: Sequence[GroupMobility]) -> str:
    moves = f"{verb_of(found)} with {dof_text(found.finite)}"
    if not found.finite:
        moves = "cannot move: 0 degrees of freedom"
    if not model.constraint_count:
        return f"{moves}, one for each joint variable" if model.nv else moves
    minus = ["6 per loop"] * bool(model.loops) + ["1 per coupling"] * bool(model.couplings)
    rule = f"Grübler's count (degrees of freedom of the joints minus {' and '.join(minus)})"
    if found.finite == found.gruebler:
        return f"{moves}, as {rule} says"
    count = f"{moves}; {rule} is {found.gruebler}"
    kinds = {group.kind for group in groups}
    by_kind = found.gruebler + sum(
        (6 - group.kind.dimension) * len(group.system.group.cut_loops(model)) for group in groups
    )
    if LoopKind.SPATIAL not in kinds and found.finite == by_kind:
        where, how = _IN[LoopKind.PLANAR if LoopKind.PLANAR in kinds else LoopKind.SPHERICAL]
        loops = "its loop" if len(model.loops) == 1 else "each of its loops"
        return f"{count}, but all axes of {loops} {where}: {how} (minus 3 per loop) it is {by_kind}"
    if found.finite > found.gruebler and found.finite and not model.loops:
        extra = counted(found.redundant, "coupling")
        verb = "follows" if found.redundant == 1 else "follow"
        return f"{count}, because {extra} {verb} from the others"
    if found.finite > found.gruebler and found.finite:
        joints = {i for group in groups for i in group.system.group.joints}
        types = [model.joints[i].type.info for i in joints]
        moving = sum(info.moves for info in types)
        what = "hinge" if sum(info.is_hinge for info in types) == moving else "joint"
        verb = "is" if found.redundant == 1 else "are"
        return (
            f"{count}, because the axes of its {counted(moving, what)} are placed so that "
            f"{counted(found.redundant, 'constraint')} {verb} redundant"
        )
    return count


_IN = {
    LoopKind.PLANAR: ("are perpendicular to one plane", "counted in the plane"),
    LoopKind.SPHERICAL: ("meet in one point", "counted about that point"),
}


def _notes(found: Mobility) -> list[str]:
    notes = []
    ending = found.instantaneous - found.finite
    if ending:
        notes.append(
            f"in this pose {counted(ending, 'more degree', ' of freedom')} "
            f"begin{'s' * (ending == 1)} and "
            f"end{'s' * (ending == 1)} at once (a singular pose)"
        )
    if found.idle and found.idle < found.finite:
        verb = "is" if found.idle == 1 else "are"
        notes.append(f"{dof_text(found.idle)} {verb} idle: parts that spin and move nothing else")
    return notes
