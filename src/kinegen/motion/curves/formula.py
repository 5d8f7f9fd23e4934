"""Formulas over whole arrays: RAFF's own formulas, with a reason for each point without value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from kinegen.errors import UsageError, did_you_mean
from kinegen.kernels import Floats
from kinegen.raff.formula import Formula, FormulaError, parse_formula
from kinegen.raff.quantities import check_quantity, measure

__all__ = ["Range", "column", "join_reasons", "range_of", "read_formula", "values_of"]

Range = tuple[float | str, float | str]
"""From, to: numbers or formulas without names, such as ``("0", "360 deg")``."""

_OPERATIONS: dict[str, Callable[..., Any]] = {
    "neg": np.negative, "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
    "pow": np.float_power, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin,
    "acos": np.arccos, "atan": np.arctan, "atan2": np.arctan2, "sqrt": np.sqrt, "abs": np.abs,
    "min": np.minimum, "max": np.maximum, "exp": np.exp, "log": np.log, "floor": np.floor,
    "ceil": np.ceil, "round": np.rint, "hypot": np.hypot, "sign": np.sign,
}  # fmt: skip
_TWO = frozenset({"add", "sub", "mul", "div", "pow", "atan2", "min", "max", "hypot"})


def read_formula(
    text: str | float, names: Sequence[str], what: str, *, quantity: str = "length"
) -> Formula:
    """A formula over given names; its units must fit the quantity.

    Raises:
        FormulaError: with the character where it makes no sense.
    """
    formula = parse_formula(text if isinstance(text, str) else repr(float(text)))
    for name, offset in formula.name_places():
        if name not in names:
            hint = did_you_mean(name, names) or f"; it may use {', '.join(names)}"
            raise FormulaError(f"unknown name '{name}'{hint}", text=formula.text, offset=offset)
    wrong = check_quantity(formula, measure(formula, dict.fromkeys(names)), quantity)
    if wrong:
        raise UsageError(f"{what}: '{formula.text}': this is {wrong}")
    return formula


def values_of(formula: Formula, values: Mapping[str, Floats | float], count: int) -> Floats:
    """The formula at every point, (count,); NaN where it has no finite value."""
    stack: list[Any] = []
    with np.errstate(all="ignore"):
        for operation, payload in formula.postfix():
            if operation == "const":
                stack.append(float(payload))
            elif operation == "name":
                stack.append(values[str(payload)])
            else:
                size = 2 if operation in _TWO else 1
                result = _OPERATIONS[operation](*stack[-size:])
                # as for single numbers: what is not finite on the way has no value at all
                stack[-size:] = [np.where(np.isfinite(result), result, np.nan)]
    return np.array(np.broadcast_to(stack[0], (count,)), dtype=float)


def column(
    formula: Formula, values: Mapping[str, Floats | float], count: int, what: str
) -> tuple[Floats, list[str]]:
    """Values at every point, and for those without one why: '' where there is one."""
    found = values_of(formula, values, count)
    reasons = [""] * count
    for i in np.flatnonzero(~np.isfinite(found)).tolist():
        here = {
            name: float(np.broadcast_to(np.asarray(value, dtype=float), (count,))[i])
            for name, value in values.items()
        }
        reasons[i] = f"{what}: {_reason(formula, here)}"
    return found, reasons


def _reason(formula: Formula, values: Mapping[str, float]) -> str:
    try:
        formula.evaluate(values)
    except ValueError as error:
        used = ", ".join(f"{name} = {values[name]:.6g}" for name in sorted(formula.names))
        return f"{error} at {used}" if used else str(error)
    return f"'{formula.text}' is not a finite number"


def join_reasons(*columns: list[str]) -> tuple[str, ...]:
    """The first reason of each point; empty when no point needs one."""
    joined = tuple(next((r for r in row if r), "") for row in zip(*columns, strict=True))
    return joined if any(joined) else ()


def range_of(given: Range, what: str, *, quantity: str = "number") -> tuple[float, float]:
    """Two finite numbers; an angle or a length fits a plain number too."""
    try:
        first, last = given
    except (TypeError, ValueError):
        raise UsageError(f"the range of {what} is two numbers, got {given!r}") from None
    values = []
    for end in (first, last):
        formula = parse_formula(end if isinstance(end, str) else repr(float(end)))
        if formula.names:
            raise UsageError(f"the range of {what} is two numbers, '{formula.text}' is none")
        values.append(formula.evaluate({}))
    return values[0], values[1]
