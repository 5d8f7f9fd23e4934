"""A joint's axis given as a direction: the turn that brings z there.

The new x axis is the old z axis, made perpendicular to the new z; a z that stays on its line keeps
its x. So a slider in the plane has x upright, and a hinge on it with ``axis: x`` turns in the plane
again, with x along the slide.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from kinegen.raff.formulas.formula import Formula
from kinegen.raff.formulas.parser import parse_formula

__all__ = ["IN_PLANE", "UPRIGHT", "WORDS", "Direction", "axis_turn", "axis_word"]

Direction = str | Formula | Sequence[Formula]
"""As in a file: 'x', '-y', …; an angle in the xy plane from x [rad]; three components."""

_HALF: Final = Formula.constant(math.pi)
_QUARTER: Final = Formula.constant(-math.pi / 2)
_ZERO: Final = Formula.constant(0.0)
IN_PLANE: Final = (_HALF, _QUARTER)
"""Roll and pitch that bring z to x, and x to z; the yaw is then the angle in the plane."""
UPRIGHT: Final = {"z": (_ZERO, _ZERO, _ZERO), "-z": (_HALF, _ZERO, _ZERO)}
_YAWS: Final = {"x": 0.0, "y": math.pi / 2, "-x": math.pi, "-y": -math.pi / 2}
WORDS: Final = (*_YAWS, *UPRIGHT)


def axis_turn(axis: Direction) -> tuple[Formula, Formula, Formula]:
    """Roll, pitch and yaw [rad], about fixed axes, of the frame whose z has a direction."""
    if isinstance(axis, str):
        return UPRIGHT.get(axis) or (*IN_PLANE, Formula.constant(_YAWS[axis]))
    if isinstance(axis, Formula):
        return *IN_PLANE, axis
    a, b, c = axis
    if a.value == 0 and b.value == 0:
        return UPRIGHT["-z" if c.value is not None and c.value < 0 else "z"]
    if a.value is not None and b.value is not None and c.value is not None:
        tilt = math.atan2(math.hypot(a.value, b.value), c.value)
        yaw = Formula.constant(math.atan2(b.value, a.value))
        return _HALF, Formula.constant(tilt - math.pi), yaw
    tilted = parse_formula(f"atan2(hypot({a.text}, {b.text}), {c.text}) - pi")
    return _HALF, tilted, parse_formula(f"atan2({b.text}, {a.text})")


def axis_word(yaw: float) -> str:
    """The word for an angle in the plane; empty where there is none."""
    return next((word for word, angle in _YAWS.items() if angle == yaw), "")
