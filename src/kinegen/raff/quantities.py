"""Which quantity a formula measures, and whether that fits the field it stands in."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from kinegen.raff.formulas.formula import Formula, format_number
from kinegen.raff.formulas.operations import OPERATIONS, apply
from kinegen.raff.formulas.tokens import FormulaError
from kinegen.raff.units import (
    NAMED_DIMENSIONS,
    NUMBER,
    Dimension,
    Unit,
    dimension_of,
    quantity_of,
    units_of,
    with_article,
)

__all__ = ["Measure", "check_quantity", "measure", "surely_not"]


class Measure(NamedTuple):
    """What a value measures."""

    dimension: Dimension
    loose: bool = False
    """A plain number was multiplied in. It may have stood for anything (``9.81 * mass``), so
    only a length taken for an angle, or the reverse, is an error."""
    unit: str = ""
    """The unit, when the value is one number with its unit and nothing else."""
    ratio: bool = False
    """A plain number in which units cancelled: it cannot stand for a length or a mass."""


_PURE = Measure(NUMBER)
_RATIO = Measure(NUMBER, ratio=True)
_ANGLE = Measure(dimension_of("angle"))
_GEOMETRY = (dimension_of("length"), dimension_of("angle"))

# A value whose quantity is not known (a parameter given as a plain number) is None here.
_Known = Measure | None


def measure(
    formula: Formula, names: Mapping[str, Measure | None], doubts: list[str] | None = None
) -> Measure | None:
    """What a formula measures, given what its parameters measure; None when unknown.

    Args:
        formula: The formula.
        names: What each parameter measures; an absent or None one is unknown.
        doubts: Takes sentences on what is allowed in it and yet seldom meant.

    Raises:
        FormulaError: It adds, compares or takes the sine of things it cannot.
    """
    if formula.typed is None:
        return _PURE
    stack: list[_Known] = []
    numbers: list[float | None] = []  # the values that are known without parameters, for powers
    for operation, payload, offset in formula.typed:
        exponent = numbers[-1] if numbers else None
        if doubts is not None:
            doubts += _doubt(operation, stack, numbers)
        _compute(numbers, operation, payload)
        if operation == "const":
            stack.append(_PURE)
        elif operation == "name":
            stack.append(names.get(str(payload)))
        elif operation == "unit":
            assert isinstance(payload, Unit)
            stack.append(_with_unit(formula, stack.pop(), payload, offset))
        elif operation in ("mul", "div"):
            right, left = stack.pop(), stack.pop()
            stack.append(_product(left, right, 1 if operation == "mul" else -1))
        elif operation == "pow":
            power = stack.pop()
            if power is not None and power.dimension != NUMBER:
                wrong = with_article(quantity_of(power.dimension))
                raise FormulaError(
                    f"an exponent must be a plain number, not {wrong}: put the value before the "
                    "unit in parentheses, (3^2) mm",
                    text=formula.text,
                    offset=offset,
                )
            stack.append(_power(stack.pop(), exponent))
        elif operation in ("add", "sub", "min", "max", "hypot"):
            right, left = stack.pop(), stack.pop()
            stack.append(_same(formula, left, right, operation, offset))
        elif operation == "atan2":
            right, left = stack.pop(), stack.pop()
            _same(formula, left, right, operation, offset)
            stack.append(_ANGLE)
        elif operation == "sqrt":
            stack.append(_power(stack.pop(), 0.5))
        elif operation in ("sin", "cos", "tan"):
            _need_plain(formula, stack.pop(), f"{operation} needs an angle", offset)
            stack.append(_PURE)
        elif operation in ("asin", "acos", "atan"):
            _need_plain(formula, stack.pop(), f"{operation} needs a ratio", offset)
            stack.append(_ANGLE)
        elif operation in ("exp", "log"):
            _need_plain(formula, stack.pop(), f"{operation} needs a plain number", offset)
            stack.append(_PURE)
        elif operation == "sign":
            top = stack[-1]
            stack[-1] = _PURE if top is None or top.dimension == NUMBER else _RATIO
        elif operation in ("floor", "ceil", "round"):
            _need_plain(formula, stack[-1], f"{operation} needs a plain number", offset)
        elif (top := stack[-1]) is not None:  # neg abs floor ceil round
            stack[-1] = top._replace(unit=top.unit if operation == "neg" else "")
    return stack[0]


def _doubt(operation: str, stack: list[_Known], numbers: list[float | None]) -> Iterator[str]:
    """What is seldom meant about an operation: a plain number beside a length, sines of degrees."""
    if operation in ("add", "sub", "min", "max", "hypot"):
        for one, other, plain in zip(stack[-2:], stack[:-3:-1], numbers[-2:], strict=True):
            is_plain = one is not None and one.dimension == NUMBER and not one.ratio
            if is_plain and plain and other is not None and other.dimension != _ANGLE.dimension:
                quantity = NAMED_DIMENSIONS.get(other.dimension, "")
                if quantity and (units := units_of(quantity)):
                    shown = format_number(plain)
                    yield f"the plain number {shown} counts as {shown} {units[0]}; add a unit"
    elif operation in ("sin", "cos", "tan"):
        angle, plain = stack[-1], numbers[-1]
        if angle is not None and angle.dimension == NUMBER and plain is not None:
            shown = format_number(plain)
            if abs(plain) > 2 * math.pi and plain == int(plain):
                yield f"{operation} takes {shown} as rad; did you mean {shown} deg?"


def _compute(numbers: list[float | None], operation: str, payload: object) -> None:
    """Follow the values of constants; None where parameters or units come in."""
    if operation in ("const", "name"):
        numbers.append(payload if isinstance(payload, float) else None)
    elif operation == "unit":
        numbers[-1] = None
    else:
        count = OPERATIONS[operation][0]
        given = [number for number in numbers[-count:] if number is not None]
        numbers[-count:] = [apply(operation, *given)[0] if len(given) == count else None]


def check_quantity(formula: Formula, found: Measure | None, wanted: str) -> str:
    """Why a formula does not fit a field of quantity ``wanted``; empty when it does."""
    if found is None or not wanted:
        return ""
    dimension = dimension_of(wanted)
    if found.dimension == NUMBER and (not found.ratio or dimension[:3] == (0, 0, 0)):
        return ""
    if found.ratio:
        return f"{with_article(wanted)}, but '{formula.text}' is a ratio without a unit"
    if found.dimension == dimension:
        return ""
    if not found.unit and found.dimension[:3] == dimension[:3]:
        return ""
    if found.loose and not (dimension in _GEOMETRY and found.dimension in _GEOMETRY):
        return ""
    allowed = units_of(wanted)
    other = quantity_of(found.dimension)
    if found.unit:
        use = f"use {', '.join(allowed)}, …" if allowed else "write it without a unit"
        return f"{with_article(wanted)}; '{found.unit}' is a unit of {other}: {use}"
    return f"{with_article(wanted)}, but '{formula.text}' is {with_article(other)}"


def surely_not(formula: Formula, names: Mapping[str, Measure | None], wanted: str) -> str:
    """Why a formula of a variable surely does not measure ``wanted``; empty where it may.

    What is written for a place of 0 has odd dimensions, as 0/length: only a number with its unit, a
    length and an angle are judged.
    """
    try:
        found = measure(formula, names)
    except FormulaError:
        return ""  # reported with the number itself
    is_sure = found is not None and (found.unit or found.dimension in _GEOMETRY)
    return check_quantity(formula, found, wanted) if is_sure else ""


def _with_unit(formula: Formula, value: _Known, unit: Unit, offset: int) -> Measure:
    if value is not None and value.dimension != NUMBER:
        already = with_article(quantity_of(value.dimension))
        raise FormulaError(
            f"the value before '{unit.text}' is already {already}",
            text=formula.text,
            offset=offset,
        )
    direct = formula.typed is not None and all(
        step[0] in ("const", "unit", "neg") for step in formula.typed
    )
    return Measure(unit.dimension, unit=unit.text if direct else "")


def _product(left: _Known, right: _Known, sign: int) -> _Known:
    if left is None or right is None:
        return None
    d, e = left.dimension, right.dimension
    if d == NUMBER and e == NUMBER:
        return _RATIO if left.ratio and right.ratio else _PURE
    dimension = (
        d[0] + sign * e[0],
        d[1] + sign * e[1],
        d[2] + sign * e[2],
        d[3] + sign * e[3],
    )
    # a number over something is just that, and a ratio stands for nothing else
    vague = [one.dimension == NUMBER and not one.ratio for one in (left, right)]
    loose = left.loose or right.loose or vague[1] or (vague[0] and sign > 0)
    if dimension[:3] == (0, 0, 0) and dimension != _ANGLE.dimension:
        return _PURE if loose else _RATIO
    return Measure(dimension, loose)


def _power(base: _Known, exponent: float | None) -> _Known:
    if base is None or base.dimension == NUMBER:
        return base
    if exponent is None:
        return None
    share = Fraction(exponent).limit_denominator(1000)
    a, b, c, d = (_whole(Fraction(power) * share) for power in base.dimension)
    if (a, b, c) == (0, 0, 0) and d == 0:
        return _RATIO
    return Measure((a, b, c, d), base.loose)


def _whole(power: Fraction) -> int | float:
    return int(power) if power.denominator == 1 else float(power)


def _same(formula: Formula, left: _Known, right: _Known, operation: str, offset: int) -> _Known:
    """The measure of a sum, or the error that its parts differ."""
    if left is None or left.dimension == NUMBER:
        return right and right._replace(unit="")
    if right is None or right.dimension == NUMBER:
        return left._replace(unit="")
    if left.dimension[:3] != right.dimension[:3]:
        both = (left.dimension, right.dimension)
        if not (left.loose or right.loose) or all(d in _GEOMETRY for d in both):
            verb = {
                "add": "adds {} to {}",
                "sub": "subtracts {} from {}",
            }.get(operation, operation + " compares {} with {}")
            first, second = (with_article(quantity_of(d)) for d in both)
            if operation in ("add", "sub"):
                first, second = second, first
            raise FormulaError(
                f"'{formula.text}' {verb.format(first, second)}", text=formula.text, offset=offset
            )
        return None
    return Measure(left.dimension, left.loose or right.loose)


def _need_plain(formula: Formula, value: _Known, need: str, offset: int) -> None:
    """Refuse an argument that has a unit of something else than an angle."""
    if value is None or value.dimension[:3] == (0, 0, 0):
        return
    if value.loose and value.dimension not in _GEOMETRY:
        return
    raise FormulaError(
        f"{need}, not {with_article(quantity_of(value.dimension))}",
        text=formula.text,
        offset=offset,
    )
