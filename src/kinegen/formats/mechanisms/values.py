"""Numbers for the symbols of a file: from the command line or from a side file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePath

from kinegen.errors import FormatError, did_you_mean
from kinegen.formats.problems import Notes
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.formulas.parser import parse_formula
from kinegen.raff.formulas.tokens import FormulaError

__all__ = ["check_values", "parse_values", "read_values"]

_ASSIGNMENT = re.compile(r"\s*([A-Za-z][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$")


def parse_values(assignments: Iterable[str]) -> dict[str, Formula]:
    """Numbers from ``NAME=NUMBER`` words, such as ``L2=0.4`` or ``L2=400 mm``."""
    values: dict[str, Formula] = {}
    for assignment in assignments:
        found = _ASSIGNMENT.match(assignment)
        if found is None:
            raise FormatError(f"'{assignment}' is not NAME=NUMBER, such as L2=0.4 or 'L2=400 mm'")
        name, text = found.groups()
        if name in values:
            raise FormatError(f"symbol '{name}' is given twice")
        try:
            values[name] = _number(text)
        except FormulaError as error:
            raise FormatError(f"symbol '{name}': {error}") from None
    return values


def read_values(text: str, file: str = "values") -> dict[str, Formula]:
    """Numbers from a side file: one ``name = number [unit]`` per line, ``#`` starts a comment."""
    notes = Notes(text, file)
    values: dict[str, Formula] = {}
    offset = 0
    for line in text.splitlines(keepends=True):
        content = line.split("#", 1)[0]
        start = offset + len(content) - len(content.lstrip())
        offset += len(line)
        if not content.strip():
            continue
        found = _ASSIGNMENT.match(content.rstrip())
        if found is None:
            notes.add(start, f"'{content.strip()}' is not 'name = number', such as 'L2 = 400 mm'")
            continue
        name, number = found.groups()
        if name in values:
            notes.add(start, f"symbol '{name}' is given twice")
            continue
        try:
            values[name] = _number(number)
        except FormulaError as error:
            at = offset - len(line) + found.start(2) + error.offset
            notes.add(at, f"symbol '{name}': {error.reason}")
    notes.raise_if_any()
    return values


def _number(text: str) -> Formula:
    formula = parse_formula(text)
    if formula.value is None:
        name = sorted(formula.names)[0]
        raise FormulaError(
            f"it needs '{name}': specify a number", text=text, offset=text.find(name)
        )
    return formula


def check_values(
    needed: Iterable[str], values: Mapping[str, Formula], allowed: Iterable[str], file: str
) -> None:
    """Complain about symbols without a number, and about numbers for symbols that are not there.

    Args:
        needed: Symbols that must have a number, in reading order.
        values: What was given.
        allowed: Further symbols of the file that may have one.
        file: For the message.
    """
    needed = list(dict.fromkeys(needed))
    known = {*needed, *allowed}
    strange = [name for name in values if name not in known]
    missing = [name for name in needed if name not in values]
    lines = [
        f"{file}: symbol '{name}' is not in the file{did_you_mean(name, known)}" for name in strange
    ]
    if missing:
        count = f"{len(missing)} symbols have" if len(missing) > 1 else "1 symbol has"
        lines.append(
            f"{file}: {count} no number: {', '.join(missing)}; specify each, as in 'kinegen "
            "convert "
            f"{PurePath(file).name} robot.raff --value {missing[0]}=0.4', or all in a file of "
            f"lines such as '{missing[0]} = 400 mm' by --values FILE"
        )
    if lines:
        raise FormatError("\n".join(lines))
