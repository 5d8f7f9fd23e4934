"""RowRules: what the rules of all rows need at hand, and the placement that many rows have."""

from __future__ import annotations

from typing import Any

from kinegen.raff.formulas.formula import Formula
from kinegen.raff.formulas.tokens import FormulaError
from kinegen.raff.nodes import Node
from kinegen.raff.quantities import check_quantity, measure
from kinegen.raff.reader import Reader
from kinegen.raff.records import Row
from kinegen.raff.rules.numbers import Values
from kinegen.raff.sections.parts import KLEINFINGER, POSE

__all__ = ["RowRules"]


class RowRules:
    """The values of a text's numbers, and rules that several kinds of rows share."""

    def __init__(self, reader: Reader, values: Values, base: str = "") -> None:
        self.reader = reader
        self.problem = reader.problem
        self.known, self.values = values, values.values
        self.measures = values.measures
        self.number = values.number
        self.base = base

    def placement(self, row: Row) -> None:
        """The six Kleinfinger numbers or xyz and rpy, not both."""
        table = row.node.table
        six = [key for key in KLEINFINGER if key in table]
        pose = [key for key in POSE if key in table]
        if six and pose:
            self.problem(
                row.node.key(pose[0]),
                f"'{pose[0]}' and '{six[0]}' both place a frame; use one of them",
            )
        elif "axis" in table:
            self.axis(row, six)

    def axis(self, row: Row, six: list[str]) -> None:
        """The direction goes with xyz alone, and is one."""
        if six:
            self.problem(
                row.node.key("axis"),
                f"'axis' and '{six[0]}' both place a frame; with 'axis', specify the position as "
                "'xyz: [x, y, z]'",
            )
        elif "rpy" in row.node.table:
            self.problem(
                row.node.key("axis"), "'axis' and 'rpy' both turn a frame; use one of them"
            )
        axis = row.values.get("axis")
        if isinstance(axis, list) and all(self.number(one) == 0 for one in axis):
            self.problem(row.place("axis"), "the axis [0, 0, 0] has no direction")

    def placed(self, row: Row) -> None:
        """What has its placement under ``at``."""
        if "at" in row.values:
            self.placement(row.values["at"])

    def quantity(self, formula: Formula, node: Node, quantity: str) -> None:
        """Whether a number of any kind is one of this quantity."""
        try:
            wrong = check_quantity(formula, measure(formula, self.measures), quantity)
        except FormulaError:
            return  # reported elsewhere
        if wrong:
            self.problem(node, f"this is {wrong}")

    def whole(self, row: Row, key: str, formula: Formula | None) -> None:
        """A count is a whole number."""
        value = None if formula is None else self.number(formula)
        if value is not None and value != int(value):
            self.problem(row.place(key), f"{key} must be a whole number, not {value:g}")

    def pair(self, pair: Any, node: Node, label: str) -> tuple[float, float] | None:
        """Lower and upper ends, in that order."""
        if pair is None:
            return None
        lower, upper = self.number(pair[0]), self.number(pair[1])
        if lower is None or upper is None:
            return None
        if lower > upper:
            texts = f"[{pair[1].text}, {pair[0].text}]"
            self.problem(node, f"{label} are reversed: lower first, {texts}")
            return None
        return lower, upper
