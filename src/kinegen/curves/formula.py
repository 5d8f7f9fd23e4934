"""Formulas over whole arrays: RAFF's own formulas, with a reason for each point without value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from kinegen.errors import UsageError, did_you_mean
from kinegen.kernels import Floats
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.formulas.parser import parse_formula
from kinegen.raff.formulas.tokens import FormulaError
from kinegen.raff.quantities import check_quantity, measure

__all__ = ["Range", "columns", "range_of", "read_formula", "values_of"]

Range = tuple[float | str, float | str]
"""From, to: numbers or formulas without names, such as ``("0", "360 deg")``."""

_OPERATIONS: dict[str, Callable[..., Any]] = {
    "neg": np.negative, "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
    "pow": np.float_power, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin,
    "acos": np.arccos, "atan": np.arctan, "atan2": np.arctan2, "sqrt": np.sqrt, "abs": np.abs,
    "min": np.minimum, "max": np.maximum, "exp": np.exp, "log": np.log, "floor": np.floor,
    "ceil": np.ceil, "round": np.rint, "hypot": np.hypot, "sign": np.sign,
}  # fmt: skip
FAR = 1e6
"""Points further away than this [m] are slips."""
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


def columns(
    formulas: Mapping[str, Formula], values: Mapping[str, Floats | float], count: int
) -> tuple[Floats, Callable[[int], str]]:
    """Several formulas side by side, (count, n), a row NaN where one has no value; and why."""
    found = np.stack([values_of(each, values, count) for each in formulas.values()], axis=1)
    # NaN compares as false
    found[~(np.abs(found) < FAR).all(axis=1)] = np.nan

    def reason(index: int) -> str:
        here = {
            name: float(np.broadcast_to(np.asarray(value, dtype=float), (count,))[index])
            for name, value in values.items()
        }
        reasons = ((what, _reason(each, here)) for what, each in formulas.items())
        return next((f"{what}: {why}" for what, why in reasons if why), "")

    return found, reason


def _reason(formula: Formula, values: Mapping[str, float]) -> str:
    used = ", ".join(f"{name} = {values[name]:.6g}" for name in sorted(formula.names))
    where = f" at {used}" if used else ""
    try:
        value = formula.evaluate(values)
    except ValueError as error:
        return f"{error}{where}"
    return "" if abs(value) < FAR else f"'{formula.text}' is too large{where}: {value:.3g} m"


def range_of(given: Range, what: str, *, quantity: str = "number") -> tuple[float, float]:
    """Two finite numbers; an angle or a length fits a plain number too."""
    try:
        first, last = given
    except (TypeError, ValueError):
        raise UsageError(f"the range of {what} must be two numbers, got {given!r}") from None
    values = []
    for end in (first, last):
        formula = parse_formula(end if isinstance(end, str) else repr(float(end)))
        if formula.names:
            raise UsageError(
                f"the range of {what} must be two numbers; '{formula.text}' is not a number"
            )
        values.append(formula.evaluate({}))
    return values[0], values[1]
