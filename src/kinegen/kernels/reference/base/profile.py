"""The profile of a cam: how high its follower stands at x, with the first two derivatives.

Derivatives of a formula are taken by its Taylor series: every value is a polynomial of degree two
in a small step, and functions of it follow from their own derivatives.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from kinegen.kernels.layout import OPERATIONS, Blocks, Floats

__all__ = ["bend_tables", "cam_profile", "is_cam", "spline", "spline_bends"]

Jet = tuple[float, float, float]
"""A value and its first two derivatives."""

_SLOPES: dict[str, Callable[[float], Jet]] = {
    "neg": lambda x: (-x, -1.0, 0.0),
    "sin": lambda x: (math.sin(x), math.cos(x), -math.sin(x)),
    "cos": lambda x: (math.cos(x), -math.sin(x), -math.cos(x)),
    "tan": lambda x: (math.tan(x), math.cos(x) ** -2, 2 * math.tan(x) * math.cos(x) ** -2),
    "asin": lambda x: (math.asin(x), (1 - x * x) ** -0.5, x * (1 - x * x) ** -1.5),
    "acos": lambda x: (math.acos(x), -((1 - x * x) ** -0.5), -x * (1 - x * x) ** -1.5),
    "atan": lambda x: (math.atan(x), 1 / (1 + x * x), -2 * x / (1 + x * x) ** 2),
    "sqrt": lambda x: (math.sqrt(x), 0.5 * x**-0.5, -0.25 * x**-1.5),
    "abs": lambda x: (abs(x), -1.0 if x < 0 else 1.0, 0.0),
    "exp": lambda x: (math.exp(x),) * 3,
    "log": lambda x: (math.log(x), 1 / x, -1 / x**2),
    "floor": lambda x: (float(math.floor(x)), 0.0, 0.0),
    "ceil": lambda x: (float(math.ceil(x)), 0.0, 0.0),
    "round": lambda x: (float(round(x)), 0.0, 0.0),
    "sign": lambda x: (float((x > 0) - (x < 0)), 0.0, 0.0),
}
"""Functions of one value with their first two derivatives."""


def _of(slopes: Jet, a: Jet) -> Jet:
    """The chain rule."""
    f, d, dd = slopes
    return f, d * a[1], dd * a[1] ** 2 + d * a[2]


def _sum(a: Jet, b: Jet, sign: float = 1.0) -> Jet:
    return a[0] + sign * b[0], a[1] + sign * b[1], a[2] + sign * b[2]


def _product(a: Jet, b: Jet) -> Jet:
    return a[0] * b[0], a[1] * b[0] + a[0] * b[1], a[2] * b[0] + 2 * a[1] * b[1] + a[0] * b[2]


def _quotient(a: Jet, b: Jet) -> Jet:
    x = b[0]
    return _product(a, _of((1 / x, -1 / x**2, 2 / x**3), b))


def _power(a: Jet, b: Jet) -> Jet:
    x, p = a[0], b[0]
    if b[1] == b[2] == 0:
        slope = p * math.pow(x, p - 1) if p else 0.0
        bend = p * (p - 1) * math.pow(x, p - 2) if p not in (0.0, 1.0) else 0.0
        return _of((math.pow(x, p), slope, bend), a)
    exponent = _product(b, _of(_SLOPES["log"](x), a))
    return _of((math.pow(x, p),) * 3, exponent)


def _root_of_squares(a: Jet, b: Jet) -> Jet:
    return _of(_SLOPES["sqrt"](a[0] ** 2 + b[0] ** 2), _sum(_product(a, a), _product(b, b)))


def _angle(a: Jet, b: Jet) -> Jet:
    """Of the point (b, a): its rate is (b a' - a b') / (a² + b²)."""
    square = _sum(_product(a, a), _product(b, b))
    top = b[0] * a[1] - a[0] * b[1], b[0] * a[2] - a[0] * b[2], 0.0
    rate = _quotient(top, square)
    return math.atan2(a[0], b[0]), rate[0], rate[1]


_BINARY: dict[str, Callable[[Jet, Jet], Jet]] = {
    "add": _sum,
    "sub": lambda a, b: _sum(a, b, -1.0),
    "mul": _product,
    "div": _quotient,
    "pow": _power,
    "atan2": _angle,
    "min": lambda a, b: a if a[0] < b[0] else b,
    "max": lambda a, b: a if a[0] > b[0] else b,
    "hypot": _root_of_squares,
}


def _share(blocks: Blocks, part: str, coupling: int) -> slice:
    first, last = blocks.int_part(part)[coupling : coupling + 2].tolist()
    return slice(first, last)


def is_cam(blocks: Blocks, coupling: int) -> bool:
    """Whether a coupling has a profile."""
    shares = (_share(blocks, part, coupling) for part in ("profile_start", "knot_start"))
    return any(share.start < share.stop for share in shares)


def cam_profile(blocks: Blocks, coupling: int, x: float) -> Jet:
    """The profile at x: from its formula or its table."""
    share = _share(blocks, "profile_start", coupling)
    if share.start == share.stop:
        return _read_table(blocks, coupling, x)
    stack: list[Jet] = []
    try:
        for number, argument in blocks.int_part("profile").reshape(-1, 2)[share].tolist():
            operation = OPERATIONS[number]
            if operation == "const":
                stack.append((float(blocks.real_part("constants")[argument]), 0.0, 0.0))
            elif operation == "name":
                known = argument >= 0
                value = float(blocks.real_part("parameters")[argument]) if known else x
                stack.append((value, 0.0 if known else 1.0, 0.0))
            elif operation in _BINARY:
                b = stack.pop()
                stack.append(_BINARY[operation](stack.pop(), b))
            else:
                a = stack.pop()
                stack.append(_of(_SLOPES[operation](a[0]), a))
    except (ValueError, ZeroDivisionError, OverflowError):
        return (math.nan,) * 3
    return stack[0]


def spline_bends(knots: Floats, repeats: bool) -> Floats:
    """Second derivatives at the knots (n, 2): 0 at both ends, or the same at both."""
    x, y = knots[:, 0], knots[:, 1]
    last = len(x) - 1
    if last < 2:
        return np.zeros(len(x))
    h = np.diff(x)
    slopes = np.diff(y) / h
    A, rhs = np.eye(last + 1), np.zeros(last + 1)
    for i in range(1, last):
        A[i, i - 1 : i + 2] = h[i - 1], 2 * (h[i - 1] + h[i]), h[i]
        rhs[i] = 6 * (slopes[i] - slopes[i - 1])
    if repeats:
        A[last, 0] = -1.0
        A[0, [last - 1, 0, 1]] = h[-1], 2 * (h[-1] + h[0]), h[0]
        rhs[0] = 6 * (slopes[0] - slopes[-1])
    return np.asarray(np.linalg.solve(A, rhs))


def spline(knots: Floats, bends: Floats, repeats: bool, x: float) -> Jet:
    """The cubic spline at x; straight on beyond its ends, or round again."""
    at, y = knots[:, 0], knots[:, 1]
    if repeats:
        x = float(at[0] + (x - at[0]) % (at[-1] - at[0]))
    inside = float(np.clip(x, at[0], at[-1]))
    i = int(np.clip(np.searchsorted(at, inside, side="right") - 1, 0, len(at) - 2))
    h, s = float(at[i + 1] - at[i]), inside - float(at[i])
    A, B = float(bends[i]), float(bends[i + 1])
    # powers of the distance from the knot on the left
    c1 = float(y[i + 1] - y[i]) / h - h * (2 * A + B) / 6
    c3 = (B - A) / (6 * h)
    f = float(y[i]) + s * (c1 + s * (A / 2 + s * c3))
    slope, bend = c1 + s * (A + 3 * s * c3), A + 6 * s * c3
    if x != inside:
        return f + (x - inside) * slope, slope, 0.0
    return f, slope, bend


def _table(blocks: Blocks, coupling: int) -> tuple[Floats, Floats, bool]:
    """Knots and bends; the last knot of a table that repeats is as high as its first."""
    share = _share(blocks, "knot_start", coupling)
    knots = blocks.real_part("knots").reshape(-1, 2)[share].copy()
    repeats = bool(blocks.int_part("table_repeats")[coupling])
    if repeats:
        knots[-1, 1] = knots[0, 1]
    return knots, blocks.real_part("bends").reshape(-1, 3)[share], repeats


def bend_tables(blocks: Blocks) -> None:
    """Second derivatives at the knots of all tables."""
    for coupling in range(blocks.counts.coupling):
        knots, bends, repeats = _table(blocks, coupling)
        bends[:, 0] = spline_bends(knots, repeats)


def _read_table(blocks: Blocks, coupling: int, x: float) -> Jet:
    knots, bends, repeats = _table(blocks, coupling)
    return spline(knots, bends[:, 0], repeats, x)
