"""Formulas of curves, checked: what is wrong with one is said at its field and character."""

from __future__ import annotations

import math
from collections.abc import Sequence

from kinegen.curves.formula import read_formula
from kinegen.errors import KinegenError, UsageError
from kinegen.raff.formulas.parser import parse_formula
from kinegen.raff.formulas.tokens import FormulaError

__all__ = ["CurveProblem", "formula_of", "range_of"]


class CurveProblem(UsageError):
    """Something of a curve makes no sense; says in which field, and at which character of it."""

    def __init__(self, message: str, field: str | None = None, offset: int | None = None) -> None:
        super().__init__(message)
        self.field, self.offset = field, offset


def formula_of(text: str, field: str, names: Sequence[str]) -> str:
    """A formula that reads well; else the field and the character where it does not."""
    if not text.strip():
        raise CurveProblem("enter a formula", field, 0)
    try:
        read_formula(text, names, field)
    except FormulaError as error:
        raise CurveProblem(error.reason, field, error.offset) from None
    except KinegenError as error:
        raise CurveProblem(str(error), field) from None
    return text


def range_of(ends: tuple[str, str], field: str) -> tuple[str, str]:
    """Two numbers with units that read well; else the end and the character where they do not."""
    for n, end in enumerate(ends):
        name = f"{field}.{n}"
        try:
            formula = parse_formula(end)
            if formula.names:
                place = formula.name_places()[0]
                raise FormulaError("enter a number", text=end, offset=place[1])
            value = formula.evaluate({})
        except FormulaError as error:
            raise CurveProblem(error.reason, name, error.offset) from None
        except KinegenError as error:
            raise CurveProblem(str(error), name) from None
        if not math.isfinite(value):
            raise CurveProblem(f"{name} must be a finite number, got {value}", name)
    return ends
