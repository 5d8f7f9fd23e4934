"""After how many turns of an input a mechanism with gears is where it was."""

from __future__ import annotations

import math
from dataclasses import replace

from kinegen.errors import UsageError
from kinegen.mechanism.model import Model
from kinegen.workspace.clouds.ranges import JointRange

__all__ = ["MOST_TURNS", "whole_period"]

MOST_TURNS = 24
"""Of an input that a zone sweeps by itself."""
_WHOLE = 1e-9
"""How far a number of turns may be from a whole one: ratios are quotients of tooth counts."""


def whole_period(model: Model, one: JointRange) -> JointRange:
    """A range of one turn, widened until every joint that is geared to it makes whole turns too.

    Raises:
        UsageError: Ratios for which this takes too many turns.
    """
    ratios = _geared(model, one.variable) if one.is_turn else []
    for turns in range(1, MOST_TURNS + 1):
        if all(abs(turns * ratio - round(turns * ratio)) < _WHOLE for ratio in ratios):
            middle, half = (one.lower + one.upper) / 2, math.pi * turns
            return one if turns == 1 else replace(one, lower=middle - half, upper=middle + half)
    raise UsageError(
        f"joints that are coupled to '{one.name}' do not return to where they were within "
        f"{MOST_TURNS} turns of it: specify the range of '{one.name}' to be swept"
    )


def _geared(model: Model, variable: int) -> list[float]:
    """Turns of the joints that a coupling joins to a variable of q alone, per turn of it."""
    found = []
    for coupling in model.couplings:
        terms = model.coupling_terms(coupling)
        own = [one for one in terms if one.joint.q.start + one.variable == variable]
        if coupling.kind == "cam" or len(terms) != 2 or len(own) != 1:
            continue
        (other,) = (one for one in terms if one is not own[0])
        if not other.joint.type.info.is_length[other.variable]:
            found.append(own[0].ratio / other.ratio)
    return found
