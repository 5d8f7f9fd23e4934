"""Profiles of cams by a formula: whether they are smooth where the cam starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kinegen.errors import NumberError
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.sections.coupling import CAM_VARIABLE

__all__ = ["profile_fault"]

_FAR: Final = 1e-4
_NEAR: Final = 1e-8
"""Distances from the start [rad, m] at which slopes are compared."""
_STEEPER: Final = 10.0
"""How much steeper a profile may be nearby: a square root is a hundred times, a jump 10,000."""
_FLAT: Final = 1e-6
"""Slopes below this count as level: rounding makes them differ."""


def profile_fault(profile: Formula, values: Mapping[str, float], start: Formula) -> str:
    """What is wrong with a profile beside its cam's start; empty if it is smooth there."""

    def height(x: float) -> float:
        return profile.evaluate({**values, CAM_VARIABLE: x})

    def slope(by: float) -> float:
        return max(abs(height(x + side * by) - height(x)) / by for side in (1, -1))

    try:
        x = start.evaluate(values)
        height(x)
    except NumberError:
        return ""  # reported with the number itself
    try:
        far, near = slope(_FAR), slope(_NEAR)
    except NumberError as error:
        return f"the profile has no value beside the cam's start, {CAM_VARIABLE} = {x:g}: {error}"
    if near > _STEEPER * max(far, _FLAT):
        return (
            f"the profile '{profile.text}' jumps or has an infinite slope at the cam's start, "
            f"{CAM_VARIABLE} = {x:g}: it must be smooth"
        )
    return ""
