"""Rules within one coupling of a RAFF text: which keys belong together, and what they say."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Final

from kinegen.errors import NumberError
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.formulas.tokens import FormulaError
from kinegen.raff.nodes import Listing, Node
from kinegen.raff.quantities import measure, surely_not
from kinegen.raff.reader import Reader
from kinegen.raff.records import Row
from kinegen.raff.rules.names import rows_of
from kinegen.raff.rules.numbers import Values
from kinegen.raff.sections.coupling import CAM_VARIABLE, COUPLING, COUPLING_KEYS
from kinegen.raff.sections.joint import DEFAULT_TYPE, JOINT_TYPES
from kinegen.raff.units import NUMBER, quantity_of, with_article

__all__ = ["check_coupling", "check_ratio", "variable_quantities"]

_MEMBERS: Final = {"rack": "pinion", "screw": "nut", "cam": "follower"}
_SAMPLES: Final = 24
"""Places over a turn where a profile is tried."""
_LEAST_KNOTS: Final = 3


def variable_quantities(root: Row) -> dict[str, str]:
    """What the variables of a text's own joints are, angles or lengths, as couplings name them."""
    found: dict[str, str] = {}
    for row in rows_of(root, "joints"):
        name = row.values.get("name")
        if name is None or ("type" in row.node.table and "type" not in row.values):
            continue
        variables = JOINT_TYPES[row.values.get("type", DEFAULT_TYPE)].variables
        if len(variables) == 1:
            found[name] = variables[0][1]
        found |= {f"{name}.{variable}": quantity for variable, quantity in variables}
    return found


def check_ratio(reader: Reader, row: Row, values: Values, quantities: Mapping[str, str]) -> None:
    """The ratio of a joint that follows another has the unit of one by the other, if it has any."""
    follows = row.values.get("follows")
    if not isinstance(follows, Row) or "ratio" not in follows.values:
        return
    name, variable = row.values.get("name"), follows.values.get("variable")
    own = quantities.get(f"{name}.{variable}" if variable else f"{name}")
    other = quantities.get(follows.values.get("joint", ""))
    ratio: Formula = follows.values["ratio"]
    try:
        found = measure(ratio, values.measures)
    except FormulaError:
        return  # reported with the number itself
    if own is None or other is None or found is None or found.dimension == NUMBER:
        return
    per = {("length", "angle"): 1, ("angle", "length"): -1}.get((own, other), 0)
    if found.dimension[:3] == (per, 0, 0) and (per or not found.dimension[3]):
        return
    right = {1: "a length per radian (10 mm)", -1: "1/(10 mm), radians per length"}
    reader.problem(
        follows.place("ratio"),
        f"'{ratio.text}' is {with_article(quantity_of(found.dimension))}; the ratio of "
        f"{with_article(own)} to {with_article(other)} is {right.get(per, 'a plain number')}",
    )


def check_coupling(reader: Reader, row: Row, values: Values, quantities: Mapping[str, str]) -> None:
    """Check one coupling; ``quantities`` are those of the joints' variables."""
    given = [key for key in COUPLING_KEYS if key in row.node.table]
    if len(given) != 1:
        kinds = ", ".join(COUPLING_KEYS)
        if given:
            place: Node = row.node.key(given[1])
            reader.problem(place, f"a coupling must be one of {kinds}, not {' and '.join(given)}")
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
        _check_units(reader, row, values, quantities)


def _check_units(reader: Reader, row: Row, values: Values, quantities: Mapping[str, str]) -> None:
    """A cam's profile gives what its follower measures."""
    profile, node = row.values["profile"], row.place("profile")
    cam = quantities.get(row.values.get("cam", ""), "")
    follower = quantities.get(row.values.get("follower", ""), "")
    measures = values.with_variable(CAM_VARIABLE).measures
    uses = [(profile, node, follower)]
    if not isinstance(profile, Formula):
        items = node.items if isinstance(node, Listing) else [node] * len(profile)
        uses = [
            (formula, place, quantity)
            for knot, place in zip(profile, items, strict=True)
            for formula, quantity in zip(knot, (cam, follower), strict=True)
        ]
    for formula, place, quantity in uses:
        if wrong := surely_not(formula, measures, quantity):
            column = "profile" if quantity == follower else "the cam's column"
            reader.problem(place, f"{column} is {wrong}")


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
    if len(row.values[kind]) != 2:  # reported where the list was read
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
    known = [[values.number(formula) for formula in knot] for knot in profile]
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
            f"in a profile '{CAM_VARIABLE}' is the cam's variable; rename the parameter "
            f"'{CAM_VARIABLE}'",
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
