"""Small algebra on the numbers of imported files: sums, joint variables, readable angles."""

from __future__ import annotations

import math
import re

from kinegen.raff.formulas.formula import Formula, format_number
from kinegen.raff.formulas.parser import parse_formula
from kinegen.raff.units import Unit

__all__ = ["ZERO", "added", "constant_part", "has_unit", "readable_angle", "terms"]

ZERO = Formula.constant(0.0)

_PIECE = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[A-Za-z_]\w*|\S|\s+")
_SAME_ANGLE = 1e-9
"""[rad] A decimal this near to a whole degree was one before somebody rounded it."""


def terms(text: str) -> list[tuple[str, str]]:
    """The terms of a sum with their signs: ``q1 - 90`` gives ``('+', 'q1'), ('-', '90')``."""
    result: list[tuple[str, str]] = []
    sign, term, depth = "+", "", 0
    for piece in _PIECE.findall(text):
        depth += (piece in "([") - (piece in ")]") if len(piece) == 1 else 0
        starts_term = not term.strip() or term.rstrip()[-1] in "*/^("
        if piece in ("+", "-") and depth == 0 and not (starts_term and term.strip()):
            if term.strip():
                result.append((sign, term.strip()))
                sign = "+"
            sign = "-" if (sign == "-") != (piece == "-") else "+"
            term = ""
        else:
            term += piece
    return [*result, (sign, term.strip())] if term.strip() else result


def joined(parts: list[tuple[str, str]]) -> str:
    """The text of a sum of terms."""
    text = "".join(f" {sign} {term}" for sign, term in parts)
    return text.removeprefix(" + ").replace(" - ", "-", 1) if text[:3] == " - " else text[3:]


def added(one: Formula, other: Formula) -> Formula:
    """The sum of two numbers, as short as it can be written."""
    if one.value == 0:
        return other
    if other.value == 0:
        return one
    return parse_formula(joined([*terms(one.text), *terms(other.text)]))


def constant_part(formula: Formula, variable: str) -> Formula | None:
    """What is left of a formula without its joint variable; None unless it is *variable + rest*."""
    rest = dict.fromkeys(formula.names, 0.731)
    values = [formula.evaluate({**rest, variable: x}) for x in (0.0, 1.0, 2.5)]
    if not (math.isclose(values[1] - values[0], 1.0, abs_tol=1e-9)
            and math.isclose(values[2] - values[0], 2.5, abs_tol=1e-9)):  # fmt: skip
        return None
    parts = terms(formula.text)
    if ("+", variable) in parts:
        parts.remove(("+", variable))
        return parse_formula(joined(parts)) if parts else ZERO
    return parse_formula(re.sub(rf"\b{re.escape(variable)}\b", "0", formula.text))


def has_unit(formula: Formula) -> bool:
    """Whether a unit is written anywhere in a formula."""
    return any(isinstance(step[1], Unit) for step in formula.typed or ())


def readable_angle(formula: Formula) -> Formula:
    """An angle in whole degrees if it is one (``pi/2``, ``1.5707963268``), else as it was."""
    if formula.value is None or formula.value == 0 or has_unit(formula):
        return formula
    degrees = round(math.degrees(formula.value))
    if degrees and abs(math.radians(degrees) - formula.value) < _SAME_ANGLE:
        return parse_formula(f"{format_number(degrees)} deg")
    return formula
