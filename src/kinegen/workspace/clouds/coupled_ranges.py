"""Ranges of a mechanism with couplings: which variables are swept, and which follow them."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from kinegen.errors import UsageError
from kinegen.kinematics.followers import Followers, find_followers
from kinegen.mechanism.model import Model
from kinegen.workspace.clouds.ranges import JointRange

__all__ = ["CoupledRanges", "coupled_ranges"]


@dataclass(frozen=True, slots=True, eq=False)
class CoupledRanges:
    """What a sweep moves, and what goes along."""

    swept: list[JointRange]
    followers: Followers | None = None
    """None where nothing is coupled."""
    following: tuple[JointRange, ...] = ()
    """What follows and moves a frame: its limits, infinite where there are none."""


def coupled_ranges(
    model: Model,
    ranges: Sequence[JointRange],
    moving: Sequence[JointRange],
    given: Collection[str] = (),
) -> CoupledRanges:
    """Those ranges that lead everything that moves, cut so that what follows keeps its limits.

    A variable without limits of its own moves as far as takes what follows through its range.

    Args:
        model: The compiled mechanism.
        ranges: Of all variables.
        moving: Those that move the frames in question.
        given: Names of ranges that a person gave: they lead.
    """
    lead = [one.variable for one in ranges if one.name in given]
    followers = find_followers(model, lead, [one.variable for one in moving])
    if followers is None:
        return CoupledRanges(list(moving))
    leaders = set().union(*(followers.leaders(one.variable) for one in moving))
    behind = [
        one
        for one in ranges
        if one.variable in followers.variables
        and not leaders.isdisjoint(followers.leaders(one.variable))
    ]
    ends = {one.variable: _limits(model, one, given) for one in ranges}
    swept = [_cut(one, ends, followers, behind, model) for one in ranges if one.variable in leaders]
    moved = {one.variable for one in moving}
    return CoupledRanges(
        swept,
        followers,
        tuple(
            replace(one, lower=ends[one.variable][0], upper=ends[one.variable][1])
            for one in behind
            if one.variable in moved or followers.line(one.variable) is None
        ),
    )


def _limits(model: Model, one: JointRange, given: Collection[str]) -> tuple[float, float]:
    """Ends that a variable must keep; infinite where it has none."""
    if one.name in given:
        return one.lower, one.upper
    joint = next(j for j in model.joints if j.q.start <= one.variable < j.q.stop)
    v = joint.v.start + one.variable - joint.q.start
    return float(model.lower[v]), float(model.upper[v])


def _cut(
    one: JointRange,
    ends: dict[int, tuple[float, float]],
    followers: Followers,
    behind: Sequence[JointRange],
    model: Model,
) -> JointRange:
    """The range of a leading variable with which all that follows in proportion keeps its own."""
    lower, upper = followers.cut(one.variable, ends)
    lines = [(other, followers.line(other.variable)) for other in behind]
    own = [(other, line[1]) for other, line in lines if line and line[0] == one.variable]
    if lower > upper:
        names = ", ".join(f"'{other.name}'" for other, _ in own)
        raise UsageError(
            f"the range of '{one.name}' and those of what follows it ({names}) have no pose in "
            "common"
        )
    wide = (
        max(
            _wide(one, model),
            *(_wide(other, model) / abs(weight) for other, weight in own if weight),
        )
        if own
        else _wide(one, model)
    )
    if math.isinf(lower) and math.isinf(upper):
        lower, upper = -wide, wide
    elif math.isinf(lower) or math.isinf(upper):
        lower, upper = (
            (min(-wide, upper - wide), upper)
            if math.isinf(lower)
            else (lower, max(wide, lower + wide))
        )
    return replace(one, lower=lower, upper=upper)


def _wide(one: JointRange, model: Model) -> float:
    """Half the range of a variable without limits."""
    return math.pi if one.quantity == "angle" else model.size
