"""The operations and functions of formulas: their number of arguments and their meaning."""

from __future__ import annotations

import math
from collections.abc import Callable

__all__ = ["CONSTANTS", "FUNCTIONS", "OPERATIONS", "apply"]


def _round(x: float) -> float:
    """Nearest whole number, halves to the even one, as C's nearbyint does."""
    return float(round(x))


def _sign(x: float) -> float:
    return float((x > 0) - (x < 0))


OPERATIONS: dict[str, tuple[int, Callable[..., float]]] = {
    "neg": (1, lambda a: -a),
    "add": (2, lambda a, b: a + b),
    "sub": (2, lambda a, b: a - b),
    "mul": (2, lambda a, b: a * b),
    "div": (2, lambda a, b: a / b),
    "pow": (2, math.pow),
    "sin": (1, math.sin),
    "cos": (1, math.cos),
    "tan": (1, math.tan),
    "asin": (1, math.asin),
    "acos": (1, math.acos),
    "atan": (1, math.atan),
    "atan2": (2, math.atan2),
    "sqrt": (1, math.sqrt),
    "abs": (1, abs),
    "min": (2, min),
    "max": (2, max),
    "exp": (1, math.exp),
    "log": (1, math.log),
    "floor": (1, lambda a: float(math.floor(a))),
    "ceil": (1, lambda a: float(math.ceil(a))),
    "round": (1, _round),
    "hypot": (2, math.hypot),
    "sign": (1, _sign),
}
"""Every operation of a formula's postfix form: (number of arguments, what it computes)."""

FUNCTIONS: dict[str, int | None] = {
    name: None if name in ("min", "max", "hypot") else count
    for name, (count, _) in OPERATIONS.items()
    if name not in ("neg", "add", "sub", "mul", "div", "pow")
}
"""The functions a formula may call: number of arguments, None for two or more."""

CONSTANTS: dict[str, float] = {"pi": math.pi, "tau": math.tau}

_WORDS = {
    "div": "division by zero",
    "log": "log needs a number above 0",
    "sqrt": "sqrt needs a number that is not negative",
    "asin": "asin needs a number from -1 to 1",
    "acos": "acos needs a number from -1 to 1",
    "pow": "this power is not a real number",
}


def apply(operation: str, *arguments: float) -> tuple[float, str]:
    """One operation's result and an empty text, or NaN and why there is none."""
    try:
        result = OPERATIONS[operation][1](*arguments)
    except (ValueError, ZeroDivisionError):
        return math.nan, _WORDS.get(operation, f"{operation} has no result here")
    except OverflowError:
        return math.nan, "the result is too large"
    if not math.isfinite(result):
        return math.nan, "the result is too large"
    return result, ""
