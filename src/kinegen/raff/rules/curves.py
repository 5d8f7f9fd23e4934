"""Rules within the curve of a guide: which keys belong together, and what they say."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, Final

from kinegen.errors import NumberError
from kinegen.raff.nodes import Listing, Node
from kinegen.raff.quantities import surely_not
from kinegen.raff.reader import Reader
from kinegen.raff.records import Row
from kinegen.raff.rules.numbers import Values
from kinegen.raff.sections.coupling import CAM_VARIABLE
from kinegen.raff.sections.guide import CURVE_FORMS, CURVE_VARIABLE

__all__ = ["check_curve", "is_by_angle"]

_SAMPLES: Final = 24
"""Places over a turn where a formula is tried."""
_LEAST, _MOST_CONTROLS, _MOST_POINTS = 3, 8, 200


def is_by_angle(curve: Any) -> bool:
    """Whether the place along a curve is an angle."""
    if not isinstance(curve, Row):
        return False
    if "points" in curve.node.table:
        return bool(curve.values.get("closed", False))
    return "bezier" not in curve.node.table and curve.values.get("u", "angle") == "angle"


def check_curve(reader: Reader, row: Row, values: Values) -> None:
    """Check the curve of one guide."""
    curve, form = row.values.get("curve"), row.values.get("type", "")
    if form == "curve" and "curve" not in row.node.table:
        reader.problem(
            row.node, "a guide on a curve needs 'curve': {x: …, y: …}, {points: …} or {bezier: …}"
        )
    if form and form != "curve" and "curve" in row.node.table:
        reader.problem(row.node.key("curve"), "only a guide of type 'curve' has a curve")
    if not isinstance(curve, Row):
        return
    table = curve.node.table
    given = [key for key in CURVE_FORMS if key in table or (key == "x" and "y" in table)]
    if len(given) != 1:
        words = {"x": "formulas 'x' and 'y'", "points": "'points'", "bezier": "'bezier'"}
        wanted = "a curve is given by formulas 'x' and 'y', or by 'points', or by 'bezier'"
        both = f", not by {' and '.join(words[key] for key in given)}" if given else ""
        reader.problem(curve.node, wanted + both)
        return
    kind = given[0]
    allowed = {"x": ("x", "y", "z", "u"), "points": ("points", "closed"), "bezier": ("bezier",)}
    for key in table:
        owners = [name for name, keys in allowed.items() if key in keys]
        if owners and key not in allowed[kind]:
            owner = "formulas" if owners[0] == "x" else f"'{owners[0]}'"
            reader.problem(curve.node.key(key), f"'{key}' belongs to {owner}, not to '{kind}'")
    if kind == "x":
        _check_formulas(reader, curve, values)
    else:
        _check_places(reader, curve, kind, values)


def _check_formulas(reader: Reader, curve: Row, values: Values) -> None:
    for key in ("x", "y"):
        if key not in curve.node.table:
            reader.problem(curve.node, f"a curve of formulas needs '{key}'")
    formulas = {key: curve.values[key] for key in "xyz" if key in curve.values}
    for name in (CURVE_VARIABLE, CAM_VARIABLE):
        if name in values.formulas and any(name in one.names for one in formulas.values()):
            reason = (
                "is the place along it" if name == CURVE_VARIABLE else "has a meaning of its own"
            )
            reader.problem(
                curve.node,
                f"in a curve '{name}' {reason}; rename the parameter '{name}'",
            )
            return
    if formulas and not any(CURVE_VARIABLE in one.names for one in formulas.values()):
        reader.problem(
            curve.node, f"no formula of the curve contains '{CURVE_VARIABLE}', the place along it"
        )
        return
    measures = values.with_variable(CURVE_VARIABLE).measures
    for key, formula in formulas.items():
        if wrong := surely_not(formula, measures, "length"):
            reader.problem(curve.place(key), f"{key} is {wrong}")
            return
    if curve.values.get("u", "angle") != "angle":
        return  # where it runs is for the limits to say
    for key, formula in formulas.items():
        if any(name not in values.values for name in formula.names - {CURVE_VARIABLE}):
            continue  # reported with the number itself
        for i in range(1, _SAMPLES):
            angle = math.tau * i / _SAMPLES
            try:
                formula.evaluate({**values.values, CURVE_VARIABLE: angle})
            except NumberError as error:
                reader.problem(
                    curve.place(key), f"at {CURVE_VARIABLE} = {math.degrees(angle):g} deg: {error}"
                )
                break


def _check_places(reader: Reader, curve: Row, kind: str, values: Values) -> None:
    places, node = curve.values.get(kind), curve.place(kind)
    if not isinstance(places, list):
        return
    most = _MOST_POINTS if kind == "points" else _MOST_CONTROLS
    if not _LEAST <= len(places) <= most:
        what = "points" if kind == "points" else "control points"
        reader.problem(node, f"a curve has {_LEAST} to {most} {what}, not {len(places)}")
        return
    items: list[Node] = list(node.items) if isinstance(node, Listing) else []
    known = [[values.number(one) for one in place] for place in places]
    closed = bool(curve.values.get("closed", False)) and kind == "points"
    rounds = [*known, known[0]] if closed else known
    for i, (a, b) in enumerate(pairwise(rounds)):
        if None in a or None in b or kind == "bezier":
            continue
        longest = max(len(a), len(b))
        filled = [[*one, *([0.0] * (longest - len(one)))] for one in (a, b)]
        if filled[0] == filled[1]:
            at = items[(i + 1) % len(items)] if items else node
            text = "two points that follow each other are the same"
            if closed and i == len(known) - 1:
                text = "a closed curve comes back to its first point by itself; remove the last one"
            reader.problem(at, text)
            return
