"""Rules within the row of a joint: limits, start, friction, motor."""

from __future__ import annotations

import math
from typing import Any, Final

from kinegen.raff.formulas.formula import Formula
from kinegen.raff.formulas.tokens import FormulaError
from kinegen.raff.nodes import Listing, Node, Scalar
from kinegen.raff.quantities import check_quantity, measure
from kinegen.raff.records import NumberUse, Row
from kinegen.raff.rules.numbers import FULL_TURN, remark_on
from kinegen.raff.rules.row_rules import RowRules
from kinegen.raff.sections.joint import DEFAULT_TYPE, JOINT_TYPES
from kinegen.raff.sections.kinds import Number
from kinegen.raff.sections.parts import ANGLE
from kinegen.raff.units import Unit

__all__ = ["check_joint", "check_start", "check_within"]

_RATIO: Final = Number("number")
_SLACK: Final = 1e-9  # rad or m: a start written in rounded decimals may touch its limit
_QUATERNION_SLACK: Final = 1e-2  # how far from length 1 a rounded quaternion may be


def check_joint(rules: RowRules, row: Row) -> None:
    """Everything about one joint."""
    rules.placement(row)
    values = row.values
    closes = values.get("closes")
    if closes is not None:
        rules.placement(closes)
        for key in ("mass", "centre", "inertia", "density"):
            if key in values:
                rules.problem(
                    row.node.key(key),
                    f"a cut joint (with 'closes') carries no link, so it has no '{key}'",
                )
    if "type" in row.node.table and "type" not in values:
        return  # without a type nothing is known of its variables
    kind = values.get("type", DEFAULT_TYPE)
    if "limits" in values:
        _check_limits(rules, row, kind)
    if "start" in values and JOINT_TYPES[kind].has_quaternion:
        check_start(rules, row, kind)
    _check_friction(rules, values.get("friction"))
    motor = values.get("motor")
    for one in motor if isinstance(motor, list) else [motor]:
        _check_motor(rules, one)


def _check_friction(rules: RowRules, row: Any) -> None:
    """What breaks a joint loose is no less than what it takes to keep it moving."""
    if not isinstance(row, Row) or not {"static", "coulomb"} <= set(row.values):
        return
    static, moving = (rules.number(row.values[key]) for key in ("static", "coulomb"))
    if static is not None and moving is not None and static < moving:
        rules.problem(
            row.place("static"),
            f"static {row.values['static'].text} is less than coulomb "
            f"{row.values['coulomb'].text}: friction at rest must not be less than sliding "
            "friction",
        )


def _check_motor(rules: RowRules, row: Any) -> None:
    """What some of its keys need besides."""
    if not isinstance(row, Row):
        return
    _check_profile(rules, row)
    thermal = row.values.get("thermal")
    if thermal is not None and "limit" in thermal.node.table:
        if not {"stall", "torque", "force"} & set(row.node.table):
            message = "a limit needs the motor's 'torque', which it lowers"
            rules.problem(thermal.node.key("limit"), message)
    if "no_load" not in row.node.table:
        return
    if not {"stall", "torque", "force"} & set(row.node.table):
        rules.problem(
            row.place("no_load"), "no_load needs 'stall': the effort of the motor at rest"
        )


def _check_profile(rules: RowRules, row: Row) -> None:
    """A profile needs what it keeps within, and a jerk one that keeps it."""
    kind = row.values.get("profile", "none")
    needed = {"none": [], "trapezoidal": ["speed", "acceleration"]}.get(
        kind, ["speed", "acceleration", "jerk"]
    )
    missing = [key for key in needed if key not in row.node.table]
    if missing:
        rules.problem(
            row.place("profile"),
            f"a {kind} profile needs {' and '.join(repr(key) for key in missing)}",
        )
    if "jerk" in row.node.table and kind != "jerk-limited":
        rules.problem(row.node.key("jerk"), "'jerk' is for 'profile: jerk-limited'")


def _check_limits(rules: RowRules, row: Row, kind: str) -> None:
    """Limits in order, and the start within them."""
    limits, node = row.values["limits"], row.place("limits")
    if limits is None:
        return
    if JOINT_TYPES[kind].swings:
        _check_swing(rules, row, limits)
        return
    start: Any = row.values.get("start")
    if JOINT_TYPES[kind].nv == 1:
        check_within(rules, limits, node, start, row.place("start") if start is not None else node)
        return
    items = node.items if isinstance(node, Listing) else []
    place = row.place("start") if isinstance(start, list) else None
    places = place.items if isinstance(place, Listing) else []
    for k, (pair, item) in enumerate(zip(limits, items, strict=False)):
        known = start is not None and k < len(places)
        check_within(rules, pair, item, start[k] if known else None, places[k] if known else item)


def check_within(
    rules: RowRules, limits: Any, node: Node, start: Formula | None, place: Node
) -> None:
    """The limits of one variable in order, and its start within them."""
    ends = rules.pair(limits, node, "limits")
    value = rules.number(start) if start is not None else None
    if start is None or value is None or not ends:
        return
    if not ends[0] - _SLACK <= value <= ends[1] + _SLACK:
        rules.problem(
            place,
            f"start {start.text} is outside the limits [{limits[0].text}, {limits[1].text}]",
        )


def _check_swing(rules: RowRules, row: Row, limit: Formula) -> None:
    """The start of a spherical joint tilts its z axis no further than the limit."""
    start: list[Formula] = row.values.get("start") or []
    most = rules.number(limit)
    numbers = [rules.number(formula) for formula in start]
    known = [number for number in numbers if number is not None]
    if most is None or not known or len(known) != len(numbers):
        return
    if len(known) == 3:
        roll, pitch = known[:2]
        # the z axis after fixed turns about x, then y: yaw does not tilt it
        across = math.hypot(math.sin(roll), math.cos(roll) * math.sin(pitch))
        angle = math.atan2(across, math.cos(roll) * math.cos(pitch))
    else:
        w, x, y, z = known
        angle = 2 * math.atan2(math.hypot(x, y), math.hypot(w, z))
    if angle > most + _SLACK:
        typed = f"[{', '.join(formula.text for formula in start)}]"
        rules.problem(
            row.place("start"),
            f"start {typed} is outside the limits: it swings joint "
            f"'{row.values.get('name', '')}' by {_in_unit_of(limit, angle)}, more than "
            f"{limit.text}",
        )


def check_start(rules: RowRules, row: Row, kind: str, place: Node | None = None) -> None:
    """Rotations of spherical and free joints: constant angles, or a quaternion."""
    start, node = row.values["start"], place or row.place("start")
    if JOINT_TYPES[kind].is_ball:
        parts = {"rpy" if len(start) == 3 else "quat": start}
        if not _measures(rules, start, node, ANGLE if "rpy" in parts else _RATIO):
            return
    else:
        parts = start.values
        if "rpy" in parts and "quat" in parts:
            rules.problem(node, "'rpy' and 'quat' both give a rotation; use one of them")
            return
    if any(formula.value is None for formula in parts.get("rpy", ())):
        rules.problem(
            node,
            "roll, pitch and yaw of a start must be numbers without parameters; "
            "they become a quaternion when the file is read",
        )
    if "quat" in parts:
        numbers = [rules.number(formula) for formula in parts["quat"]]
        known = [number for number in numbers if number is not None]
        length = sum(number * number for number in known) ** 0.5
        if len(known) == 4 and abs(length - 1) > _QUATERNION_SLACK:
            rules.problem(
                node,
                f"the quaternion [w, x, y, z] has length {length:.4g}; it must be 1",
            )


def _measures(rules: RowRules, numbers: Any, node: Node, kind: Number) -> bool:
    """Whether the numbers of a spherical start measure what their count makes them."""
    right = True
    items = node.items if isinstance(node, Listing) else []
    for formula, item in zip(numbers, items, strict=False):
        if not isinstance(item, Scalar):
            continue
        plain = formula.value if formula.typed is None else None
        if kind is ANGLE and plain is not None and abs(plain) > FULL_TURN:
            remark_on(rules.reader, NumberUse(formula, kind, item, "start"), plain)
        try:
            wrong = check_quantity(formula, measure(formula, rules.measures), kind.quantity)
        except FormulaError:
            continue  # reported elsewhere
        if wrong:
            rules.problem(item, f"start is {wrong}")
            right = False
    return right


def _in_unit_of(formula: Formula, value: float) -> str:
    """An angle in the unit that another one was typed in."""
    for _, payload, _ in formula.typed or ():
        if isinstance(payload, Unit):
            return f"{value * payload.denominator / payload.numerator:.4g} {payload.text}"
    return f"{value:.4g}"
