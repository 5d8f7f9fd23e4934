"""Numbers of a RAFF text: parameters in order, their quantities and values, every field's check."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from kinegen.errors import NumberError
from kinegen.raff.formulas.formula import Formula, format_number
from kinegen.raff.formulas.tokens import FormulaError
from kinegen.raff.quantities import Measure, check_quantity, measure
from kinegen.raff.reader import Reader
from kinegen.raff.records import NumberUse, Row
from kinegen.raff.rules.names import find_cycle, path_text
from kinegen.raff.units import NUMBER
from kinegen.raff.wording import short

__all__ = ["LARGEST", "Values", "check_numbers", "evaluate_parameters"]

FULL_TURN: Final = 6.3
"""[rad] Plain angles beyond a turn were most often meant in degrees."""
LONG: Final = 20.0
"""[m] Plain lengths beyond this were most often meant in millimetres."""
LARGEST: Final = 1e12
"""No length, angle, mass or torque of a mechanism is larger; a typing slip is."""
_IS_ARITHMETIC: Final = re.compile(r"[\d\s.()+*/-]+\Z")
"""Formulas of plain numbers alone, without pi."""
_NOT_NUMBERS: Final = ("true", "false", "yes", "no", "on", "off", "none", "auto")


@dataclass(slots=True)
class Values:
    """The parameters of a mechanism: formulas, values [SI] and what they measure."""

    formulas: dict[str, Formula] = field(default_factory=dict)
    values: dict[str, float] = field(default_factory=dict)
    measures: dict[str, Measure | None] = field(default_factory=dict)
    cycle: list[str] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)
    """Parameters, and robots, that are there but could not be read: already reported."""

    def with_variable(self, name: str) -> Values:
        """The same where a name stands for the variable of a joint, which may be anything."""
        return Values(
            {**self.formulas, name: Formula.constant(0.0)},
            {**self.values, name: 0.0},
            {**self.measures, name: None},
            broken=self.broken,
        )

    def number(self, formula: Formula) -> float | None:
        """A formula's value, or None when it has none (reported elsewhere)."""
        if formula.value is not None:
            return formula.value
        try:
            return formula.evaluate(self.values)
        except NumberError:
            return None

    def knows(self, name: str) -> bool:
        """Whether a name is that of a parameter, be it a broken one."""
        return name in self.formulas or not self.broken.isdisjoint((name, name.split(".", 1)[0]))


def evaluate_parameters(formulas: Mapping[str, Formula]) -> Values:
    """All parameters' values, in the order they need each other.

    Those in a cycle, or that need something unknown or cannot be computed, get no value.
    """
    result = Values(dict(formulas))
    result.cycle = find_cycle({name: sorted(f.names) for name, f in formulas.items()})
    waiting = dict(formulas)
    needs = {name: {n for n in f.names if n in formulas} for name, f in formulas.items()}
    users: dict[str, list[str]] = {}
    for name, needed in needs.items():
        for other in needed:
            users.setdefault(other, []).append(name)
    ready = [name for name, needed in needs.items() if not needed]
    while ready:
        name = ready.pop()
        formula = waiting.pop(name)
        try:
            result.measures[name] = _of_parameter(measure(formula, result.measures))
        except FormulaError:
            result.measures[name] = None
        try:
            result.values[name] = formula.evaluate(result.values)
        except NumberError:
            pass  # reported where it stands
        for user in users.get(name, ()):
            needs[user].discard(name)
            if not needs[user]:
                ready.append(user)
    return result


def _of_parameter(found: Measure | None) -> Measure | None:
    """What a parameter measures: a plain number may stand for anything."""
    if found is None or found.dimension == (0, 0, 0, 0):
        return None
    return found._replace(unit="")


def check_numbers(reader: Reader, root: Row, values: Values) -> None:
    """Every number of a text: known names, fitting quantity, finite and sensible value."""
    if values.cycle:
        table = root.values.get("parameters")
        first = next((name for name in values.cycle if table and name in table.node.table), None)
        node = table.node.key(first) if table is not None and first else root.node
        at = values.cycle.index(first) if first else 0
        cycle = [*values.cycle[at:-1], *values.cycle[:at]]
        reader.problem(node, f"parameters form a cycle: {path_text([*cycle, cycle[0]])}")
    good: set[tuple[str, str, str]] = set()
    for use in reader.numbers:
        formula, reader.indices = use.formula, use.indices
        if formula.typed is None:
            value = formula.value
            assert value is not None
            most = 1.0 if use.kind.sign == "share" else LARGEST
            if -LARGEST <= value <= most and (value > 0 or not use.kind.sign):
                if not -FULL_TURN <= value <= FULL_TURN:
                    remark_on(reader, use, value)
                continue
            check_value(reader, use, value)
            continue
        key = (formula.text, use.kind.quantity, use.kind.sign)
        if key not in good and check_formula(reader, use, values):
            good.add(key)
    reader.indices = {}


def remark_on(reader: Reader, use: NumberUse, value: float) -> None:
    """Ask whether a plain number was meant in the unit that people think in."""
    shown = format_number(value)
    if use.kind.quantity == "angle":
        reader.remark(use.node, f"{use.label} is {shown} rad; did you mean {shown} deg?")
    elif use.kind.quantity == "length" and abs(value) > LONG:
        reader.remark(use.node, f"{use.label} is {shown} m; did you mean {shown} mm?")


def check_formula(reader: Reader, use: NumberUse, values: Values) -> bool:
    """Whether a formula is right for its field; says why not."""
    formula, node = use.formula, use.node
    if use.kind.variable:
        values = values.with_variable(use.kind.variable)
    unknown = [place for place in formula.name_places() if not values.knows(place[0])]
    for name, start in unknown:
        if formula.text in _NOT_NUMBERS:
            reader.problem(node, f"{use.label} must be a number, not {formula.text}")
            break
        hint = reader.hint(name, values.formulas)
        listed = ", ".join(islice(values.formulas, 12))
        extra = hint or f"; parameters: {listed or 'none'}"
        if not hint and formula.text[:start].rstrip().endswith("/"):
            extra += "; units are written without spaces: m/s"
        reader.problem(node, f"unknown parameter '{short(name)}'{extra}", start)
    doubts: list[str] = []
    try:
        found = measure(formula, values.measures, doubts)
    except FormulaError as error:
        reader.problem(node, error.reason, error.offset)
        return False
    wrong = check_quantity(formula, found, use.kind.quantity)
    if wrong:
        reader.problem(node, f"{use.label} is {wrong}")
        return False
    if unknown or any(name not in values.values for name in formula.names):
        return False
    try:
        value = formula.evaluate(values.values)
    except NumberError as error:
        reader.problem(node, str(error))
        return False
    plain = found is None or found == Measure(NUMBER)
    is_parameter = formula.text in values.formulas
    if plain and abs(value) > FULL_TURN and (is_parameter or _IS_ARITHMETIC.match(formula.text)):
        remark_on(reader, use, value)
    for doubt in doubts:
        reader.remark(node, f"in '{short(formula.text)}', {doubt}")
    return check_value(reader, use, value)


def check_value(reader: Reader, use: NumberUse, value: float) -> bool:
    """Whether a value is of sensible size and sign; says why not."""
    shown = format_number(value)
    if use.formula.text != shown:
        shown = f"{use.formula.text} = {value:.6g}" if len(use.formula.text) < 40 else f"{value:g}"
    if abs(value) > LARGEST:
        reader.problem(use.node, f"{use.label} is {value:g}, which is implausibly large")
        return False
    if use.kind.sign == "positive" and value <= 0:
        reader.problem(use.node, f"{use.label} must be above 0, not {shown}")
        return False
    if use.kind.sign == "not negative" and value < 0:
        reader.problem(use.node, f"{use.label} must not be negative: {shown}")
        return False
    if use.kind.sign == "not zero" and value == 0:
        reader.problem(use.node, f"{use.label} must not be 0")
        return False
    if use.kind.sign == "share" and not 0 <= value <= 1:
        reader.problem(use.node, f"{use.label} must be from 0 to 1, not {shown}")
        return False
    return True
