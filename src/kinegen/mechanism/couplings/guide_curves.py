"""The curve of a guide: its coordinates as profiles of the place along it, like those of cams."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from kinegen.mechanism.graph import Coupling, CouplingKind
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.formulas.parser import parse_formula
from kinegen.raff.sections.coupling import CAM_VARIABLE
from kinegen.raff.sections.guide import has_depth

__all__ = ["GuideCurve", "curve_couplings", "guide_curve"]

_ZERO: Final = Formula.constant(0.0)
Profile = Formula | tuple[tuple[Formula, Formula], ...]
"""A coordinate as a formula of the cam's variable, or as a table of it."""


@dataclass(frozen=True, slots=True)
class GuideCurve:
    """A curve in the frame of its guide."""

    profiles: Mapping[str, Profile]
    """x, y, and z where it leaves its plane [m], by the place along it."""
    by_angle: bool
    """Whether the place along it is an angle; else a length."""
    ends: tuple[Formula, Formula] | None
    """Where it begins and ends; None where it has no ends, or the file's limits say."""


def guide_curve(keys: Mapping[str, Any]) -> GuideCurve:
    """A curve by the keys of a file, formulas as the mechanism knows them.

    The place along a Bézier curve runs from 0 to the length of its control polygon, along points
    over the lengths of the chords between them, and once around by an angle if they are closed.
    """
    if "points" in keys:
        return _spline(keys["points"], bool(keys.get("closed", False)))
    if "bezier" in keys:
        return _bezier(keys["bezier"])
    profiles = {axis: _varying(keys[axis]) for axis in "xyz" if axis in keys}
    return GuideCurve(profiles, keys.get("u", "angle") == "angle", None)


def curve_couplings(name: str, curve: GuideCurve) -> list[Coupling]:
    """The couplings that hold a point's coordinates on the curve of a guide."""
    return [
        Coupling(
            f"{name}.on_{axis}",
            CouplingKind.CAM,
            (f"{name}.{axis}", f"{name}.s"),
            profile=profile,
            guide=name,
        )
        for axis, profile in curve.profiles.items()
    ]


def _varying(formula: Formula) -> Formula:
    """A formula of the cam's variable, be it a constant one: a cam has no other."""
    if CAM_VARIABLE in formula.names:
        return formula
    return parse_formula(f"{formula.text} + 0*{CAM_VARIABLE}")


def _spline(points: Sequence[Sequence[Formula]], closed: bool) -> GuideCurve:
    rows = [*points, points[0]] if closed else list(points)
    knots = _along(rows)
    ends = (_ZERO, knots[-1])
    if closed:
        whole = knots[-1]
        knots = [_made("tau*({})/({})", one, whole) for one in knots]
        knots[-1] = Formula.constant(math.tau)
    profiles = {
        axis: tuple(zip(knots, column, strict=True)) for axis, column in _columns(points, rows)
    }
    return GuideCurve(profiles, closed, None if closed else ends)


def _bezier(points: Sequence[Sequence[Formula]]) -> GuideCurve:
    whole, degree = _along(points)[-1], len(points) - 1
    share = f"({CAM_VARIABLE}/({whole.text}))"
    profiles: dict[str, Profile] = {}
    for axis, column in _columns(points, points):
        parts = [
            f"{math.comb(degree, k)}*({one.text})*{share}^{k}*(1 - {share})^{degree - k}"
            for k, one in enumerate(column)
        ]
        profiles[axis] = parse_formula(" + ".join(parts))
    return GuideCurve(profiles, False, (_ZERO, whole))


def _columns(
    points: Sequence[Sequence[Formula]], rows: Sequence[Sequence[Formula]]
) -> list[tuple[str, list[Formula]]]:
    """The coordinates of rows; z where some point has one."""
    axes = "xyz" if has_depth({"points": points}) else "xy"
    return [
        (axis, [row[k] if k < len(row) else _ZERO for row in rows]) for k, axis in enumerate(axes)
    ]


def _along(rows: Sequence[Sequence[Formula]]) -> list[Formula]:
    """How far each point is from the first, over straight chords."""
    found = [_ZERO]
    for a, b in pairwise(rows):
        steps = [
            _made("({}) - ({})", b[k] if k < len(b) else _ZERO, a[k] if k < len(a) else _ZERO)
            for k in range(max(len(a), len(b)))
        ]
        chord = _made("hypot({}, {})", steps[0], steps[1])
        if len(steps) > 2:
            chord = _made("hypot({}, {})", chord, steps[2])
        found.append(chord if len(found) == 1 else _made("{} + {}", found[-1], chord))
    return found


def _made(pattern: str, *formulas: Formula) -> Formula:
    """A formula of others; a number where they are numbers."""
    made = parse_formula(pattern.format(*(one.text for one in formulas)))
    return made if made.names else Formula.constant(made.evaluate({}))
