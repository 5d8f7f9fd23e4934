"""Rules within one coupling of a RAFF text: which keys belong together, and what they say."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Final

from kinegen.errors import NumberError
from kinegen.raff.formula import Formula
from kinegen.raff.nodes import Listing, Node
from kinegen.raff.numbers import Values
from kinegen.raff.reader import Reader
from kinegen.raff.records import Row
from kinegen.raff.sections.coupling import CAM_VARIABLE, COUPLING, COUPLING_KEYS

__all__ = ["check_coupling"]

_MEMBERS: Final = {"rack": "pinion", "screw": "nut", "cam": "follower"}
_SAMPLES: Final = 24
"""Places over a turn where a profile is tried."""
_LEAST_KNOTS: Final = 3


def check_coupling(reader: Reader, row: Row, values: Values) -> None:
    """Check one coupling."""
    given = [key for key in COUPLING_KEYS if key in row.node.table]
    if len(given) != 1:
        kinds = ", ".join(COUPLING_KEYS)
        if given:
            place: Node = row.node.key(given[1])
            reader.problem(place, f"a coupling is one of {kinds}, not {' and '.join(given)}")
        else:
            reader.problem(row.node, f"a coupling needs one of {kinds}")
        return
    kind = given[0]
    needs, may = COUPLING_KEYS[kind]
    for key in row.node.table:
        if key in COUPLING.keys and key not in (kind, "name", "note", *needs, *may):
            owners = [name for name, keys in COUPLING_KEYS.items() if key in (*keys[0], *keys[1])]
            text = f"'{key}' belongs to {' or '.join(owners)}, not to {kind}"
            reader.problem(row.node.key(key), text)
    for key in needs:
        if key not in row.node.table:
            reader.problem(row.node, f"{kind} needs '{key}': {COUPLING.keys[key].doc}")
    if kind == "belt":
        sizes = [key for key in ("radii", "teeth") if key in row.node.table]
        if len(sizes) != 1:
            also = "not both" if sizes else "and has neither"
            reader.problem(row.node, f"a belt needs 'radii' or 'teeth', {also}")
    _check_members(reader, row, kind)
    if kind == "cam" and "profile" in row.values:
        _check_profile(reader, row, values)


def _check_members(reader: Reader, row: Row, kind: str) -> None:
    """A coupling joins different things."""
    if kind not in row.values:
        return
    if kind == "relation":
        table = row.values[kind]
        if len(table.node.keys) < 2:
            reader.problem(table.node, "a relation needs two joints or more")
        return
    if kind in _MEMBERS:
        first, second = row.values[kind], row.values.get(_MEMBERS[kind])
        if first == second:
            place = row.place(_MEMBERS[kind])
            reader.problem(place, f"'{second}' cannot be coupled with itself")
        return
    first, second = row.values[kind]
    if first == second:
        node = row.place(kind)
        place_of = node.items[1] if isinstance(node, Listing) else node
        reader.problem(place_of, f"'{second}' cannot be coupled with itself")


def _check_profile(reader: Reader, row: Row, values: Values) -> None:
    profile, node = row.values["profile"], row.place("profile")
    if isinstance(profile, Formula):
        _check_formula(reader, profile, node, values)
        return
    items = node.items if isinstance(node, Listing) else []
    if len(profile) < _LEAST_KNOTS:
        rows = "1 row" if len(profile) == 1 else f"{len(profile)} rows"
        reader.problem(node, f"a cam's table needs {_LEAST_KNOTS} rows or more, not {rows}")
        return
    known = [[_number(formula, values) for formula in knot] for knot in profile]
    for i, (before, after) in enumerate(pairwise(known)):
        (x0, y0), (x1, y1) = before, after
        if x0 is None or x1 is None or x1 > x0:
            continue
        first, second = profile[i][0].text, profile[i + 1][0].text
        message = f"the table's first column must increase: {second} does not come after {first}"
        if x1 == x0 and y0 != y1:
            message = (
                f"the table jumps at {second}: a cam's profile is continuous; "
                "leave a little room between the two rows"
            )
        reader.problem(items[i + 1] if i + 1 < len(items) else node, message)
        return


def _check_formula(reader: Reader, profile: Formula, node: Node, values: Values) -> None:
    """The profile has a value all the way round."""
    if CAM_VARIABLE in values.formulas:
        reader.problem(
            node,
            f"in a profile '{CAM_VARIABLE}' is the cam's variable; give the parameter "
            f"'{CAM_VARIABLE}' another name",
        )
        return
    if CAM_VARIABLE not in profile.names:
        reader.problem(
            node,
            f"the profile '{profile.text}' does not contain '{CAM_VARIABLE}', the cam's variable",
        )
        return
    if any(name not in values.values for name in profile.names - {CAM_VARIABLE}):
        return  # reported with the number itself
    for i in range(1, _SAMPLES):
        angle = math.tau * i / _SAMPLES
        try:
            profile.evaluate({**values.values, CAM_VARIABLE: angle})
        except NumberError as error:
            reader.problem(node, f"at {CAM_VARIABLE} = {math.degrees(angle):g} deg: {error}")
            return


def _number(formula: Formula, values: Values) -> float | None:
    """A formula's value, or None when it has none (reported elsewhere)."""
    try:
        return formula.evaluate(values.values)
    except NumberError:
        return None
