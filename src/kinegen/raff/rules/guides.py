"""Rules within the row of a guide."""

from __future__ import annotations

from typing import Final

from kinegen.raff.formulas.formula import Formula
from kinegen.raff.records import Row
from kinegen.raff.rules.curves import check_curve, is_by_angle
from kinegen.raff.rules.joints import check_start, check_within
from kinegen.raff.rules.row_rules import RowRules
from kinegen.raff.sections.joint import JOINT_TYPES

__all__ = ["check_guide"]

_BALL: Final = next(word for word, info in JOINT_TYPES.items() if info.is_ball)


def check_guide(rules: RowRules, row: Row) -> None:
    """Its placement, what its point may do on it, and where that is."""
    rules.placement(row)
    values = row.values
    form, start, point = values.get("type", ""), values.get("start"), values.get("point")
    if form == "circle" and "radius" not in row.node.table:
        rules.problem(row.node, "a circle needs 'radius'")
    elif "radius" in values and form != "circle":
        rules.problem(row.node.key("radius"), "only a circle has 'radius'")
    check_curve(rules.reader, row, rules.known)
    by_angle = form == "circle" or (form == "curve" and is_by_angle(values.get("curve")))
    along = "angle" if by_angle else "length"
    if form and start is not None and isinstance(start, list) != (form == "plane"):
        wanted = "[x, y]" if form == "plane" else "one number"
        rules.problem(row.place("start"), f"start of a point on a {form} is {wanted}")
    elif form and isinstance(start, Formula):
        rules.quantity(start, row.place("start"), along)
    _check_turn(rules, row)
    if "limits" in values and form == "plane":
        rules.problem(row.node.key("limits"), "a plane has no limits")
    elif "limits" in values:
        own = start if isinstance(start, Formula) else None
        node = row.place("limits")
        check_within(rules, values["limits"], node, own, row.place("start") if own else node)
        for end in values["limits"] if form else ():
            rules.quantity(end, row.place("limits"), along)
    if "size" in values and form != "plane":
        rules.problem(row.node.key("size"), "only a plane has 'size'")
    if point is not None and "axis" in point.node.table:
        rules.axis(point, [])
        if not values.get("pin"):
            rules.problem(point.node.key("axis"), "only a pin has an axis: add 'pin: true'")
    if point is not None and {"link", "frame"} <= set(point.node.table):
        rules.problem(
            point.node.key("frame"),
            "'link' and 'frame' both specify the point; use only one",
        )


def _check_turn(rules: RowRules, row: Row) -> None:
    """How the link of a guide's point is turned at the start."""
    turn, node = row.values.get("turn"), row.place("turn")
    if turn is None:
        return
    if isinstance(turn, list) and row.values.get("pin"):
        rules.problem(node, "turn about a pin is one angle")
    elif not isinstance(turn, list) and not row.values.get("pin"):
        rules.problem(node, "turn about a point is [roll, pitch, yaw] or [w, x, y, z]")
    elif isinstance(turn, list):
        check_start(rules, Row(row.node, {"start": turn}), _BALL, node)
