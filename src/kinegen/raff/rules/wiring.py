"""Rules of motors on buses: whole ids, one servo each, directions of 1 or -1."""

from __future__ import annotations

from collections.abc import Iterator

from kinegen.raff.formulas.formula import Formula
from kinegen.raff.reader import Reader
from kinegen.raff.records import Row
from kinegen.raff.rules.names import rows_of
from kinegen.raff.rules.numbers import Values

__all__ = ["check_wiring"]


def check_wiring(reader: Reader, root: Row, values: Values) -> None:
    """Check the wiring of all motors of a file."""
    taken: dict[tuple[str, float], str] = {}
    for joint in rows_of(root, "joints"):
        reader.indices = joint.indices
        for motor in _motors(joint):
            number = _number(motor, "id", values)
            if number is not None and (number != int(number) or number > 253):
                reader.problem(motor.place("id"), "an id must be a whole number from 0 to 253")
            direction = _number(motor, "direction", values)
            if direction is not None and abs(direction) != 1:
                reader.problem(motor.place("direction"), "the direction must be 1 or -1")
            if "travel" in motor.values and "ratio" in motor.values:
                message = "'travel' and 'ratio' both specify the travel of the joint; use only one"
                reader.problem(motor.node.key("ratio"), message)
            if number is None:
                continue
            bus, name = str(motor.values.get("bus", "")), str(joint.values.get("name", ""))
            other = taken.setdefault((bus, number), name)
            if other != name:
                where = f"bus '{bus}'" if bus else "one bus"
                reader.problem(
                    motor.place("id"),
                    f"the servos of '{other}' and '{name}' both have id {number:g} on {where}: "
                    "each needs its own",
                )
    reader.indices = {}


def _motors(joint: Row) -> Iterator[Row]:
    given = joint.values.get("motor")
    for one in given if isinstance(given, list) else [given]:
        if isinstance(one, Row):
            yield one


def _number(row: Row, key: str, values: Values) -> float | None:
    """The number of a key; None where there is none, or a wrong one that is reported elsewhere."""
    formula = row.values.get(key)
    return values.number(formula) if isinstance(formula, Formula) else None
