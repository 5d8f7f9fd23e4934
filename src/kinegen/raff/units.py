"""Units of RAFF numbers: symbols, the quantities they measure, and which fits which."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import NamedTuple

__all__ = [
    "NAMED_DIMENSIONS",
    "NUMBER",
    "Dimension",
    "Unit",
    "dimension_of",
    "match_unit",
    "quantity_of",
    "unit_symbols",
    "units_of",
    "with_article",
]

Dimension = tuple[float, float, float, float]
"""Powers of length, mass, time and angle; roots make them fractions. The angle only gives names: a
computed value may gain or lose it (an arc length is a radius times an angle)."""

NUMBER: Dimension = (0, 0, 0, 0)


class Unit(NamedTuple):
    """A unit: its text, what it measures, and its size in SI as a fraction.

    A fraction, so that ``150 mm`` is exactly the number ``0.15``.
    """

    text: str
    dimension: Dimension
    numerator: float
    denominator: float


_QUANTITIES: dict[str, tuple[Dimension, tuple[str, ...]]] = {
    # quantity: (dimension, units to suggest)
    "number": (NUMBER, ()),
    "length": ((1, 0, 0, 0), ("m", "mm", "cm", "in")),
    "angle": ((0, 0, 0, 1), ("rad", "deg")),
    "mass": ((0, 1, 0, 0), ("kg", "g")),
    "time": ((0, 0, 1, 0), ("s", "ms")),
    "force": ((1, 1, -2, 0), ("N", "kN")),
    "torque": ((2, 1, -2, 0), ("Nm", "mNm")),
    "speed": ((1, 0, -1, 0), ("m/s", "mm/s")),
    "angular speed": ((0, 0, -1, 1), ("rad/s", "deg/s", "rpm")),
    "acceleration": ((1, 0, -2, 0), ("m/s2", "mm/s2")),
    "angular acceleration": ((0, 0, -2, 1), ("rad/s2", "deg/s2")),
    "density": ((-3, 1, 0, 0), ("kg/m3", "g/cm3")),
    "inertia": ((2, 1, 0, 0), ("kgm2", "gcm2")),
    "stiffness": ((0, 1, -2, 0), ("N/m", "N/mm")),
    "angular stiffness": ((2, 1, -2, -1), ("Nm/rad", "Nm/deg")),
    "damping": ((0, 1, -1, 0), ("N.s/m",)),
    "angular damping": ((2, 1, -1, -1), ("Nm.s/rad",)),
    "frequency": ((0, 0, -1, 0), ("Hz", "kHz")),
    "area": ((2, 0, 0, 0), ("m2", "mm2")),
    "volume": ((3, 0, 0, 0), ("m3", "cm3")),
}
NAMED_DIMENSIONS = {dimension: name for name, (dimension, _) in _QUANTITIES.items()}

_POUND = 0.45359237  # kg, international avoirdupois pound (1959 agreement)
_GRAVITY = 9.80665  # m/s², standard gravity: what a "kilogram" of force means

_SYMBOLS: dict[str, tuple[str, float, float]] = {
    # symbol: (quantity, numerator, denominator)
    "%": ("number", 1, 100),
    "m": ("length", 1, 1),
    "mm": ("length", 1, 1000),
    "cm": ("length", 1, 100),
    "um": ("length", 1, 1e6),
    "µm": ("length", 1, 1e6),  # U+00B5, the keyboard's
    "μm": ("length", 1, 1e6),  # U+03BC, the Greek letter
    "km": ("length", 1000, 1),
    "in": ("length", 254, 10000),
    "ft": ("length", 3048, 10000),
    "rad": ("angle", 1, 1),
    "mrad": ("angle", 1, 1000),
    "deg": ("angle", math.pi, 180),
    "°": ("angle", math.pi, 180),
    "turn": ("angle", math.tau, 1),
    "rev": ("angle", math.tau, 1),
    "kg": ("mass", 1, 1),
    "g": ("mass", 1, 1000),
    "mg": ("mass", 1, 1e6),
    "t": ("mass", 1000, 1),
    "lb": ("mass", _POUND, 1),
    "oz": ("mass", _POUND, 16),
    "s": ("time", 1, 1),
    "ms": ("time", 1, 1000),
    "us": ("time", 1, 1e6),
    "min": ("time", 60, 1),
    "h": ("time", 3600, 1),
    "N": ("force", 1, 1),
    "kN": ("force", 1000, 1),
    "mN": ("force", 1, 1000),
    "kgf": ("force", _GRAVITY, 1),
    "lbf": ("force", _POUND * _GRAVITY, 1),
    "Nm": ("torque", 1, 1),
    "kNm": ("torque", 1000, 1),
    "mNm": ("torque", 1, 1000),
    "Nmm": ("torque", 1, 1000),
    "Ncm": ("torque", 1, 100),
    "kgcm": ("torque", _GRAVITY, 100),
    "kg.cm": ("torque", _GRAVITY, 100),
    "ozin": ("torque", _POUND * _GRAVITY * 0.0254, 16),
    "oz.in": ("torque", _POUND * _GRAVITY * 0.0254, 16),
    "rpm": ("angular speed", math.pi, 30),
    "kgm2": ("inertia", 1, 1),
    "kgcm2": ("inertia", 1, 1e4),
    "kgmm2": ("inertia", 1, 1e6),
    "gcm2": ("inertia", 1, 1e7),
    "gmm2": ("inertia", 1, 1e9),
    "Hz": ("frequency", 1, 1),
    "kHz": ("frequency", 1000, 1),
}

# What may stand under a "/" in a unit. Not every symbol: in '10 mm/t' the t is a parameter.
_BELOW = frozenset("s ms us min h rad mrad deg ° turn rev m mm cm in ft kg".split())
_FACTOR = re.compile(r"(°|%|[A-Za-zµμ]+[0-9]?)(?:(?:\^|\*\*)([0-9])(?![0-9.])|([²³]))?")
_POWERS = {"²": 2, "³": 3}


def _factor(text: str, at: int) -> tuple[str, Unit, int] | None:
    """The one symbol with its power that starts at ``at``: (symbol, unit, end)."""
    found = _FACTOR.match(text, at)
    if not found:
        return None
    symbol, end = found.group(1), found.end()
    power = int(found.group(2) or _POWERS.get(found.group(3), 1))
    if symbol not in _SYMBOLS and symbol[-1].isdigit():
        symbol, power = symbol[:-1], int(symbol[-1])
        end = found.end(1)
    if symbol not in _SYMBOLS or power == 0:
        return None
    if (text[end : end + 1] or " ").isalnum() or text[end : end + 1] == "_":
        return None
    quantity, numerator, denominator = _SYMBOLS[symbol]
    d = _QUANTITIES[quantity][0]
    dimension = (d[0] * power, d[1] * power, d[2] * power, d[3] * power)
    return symbol, Unit(text[at:end], dimension, numerator**power, denominator**power), end


@lru_cache(maxsize=1024)
def _match(text: str) -> Unit | None:
    """The longest unit that starts ``text``."""
    for special in ("kg.cm", "oz.in"):
        after = text[len(special) : len(special) + 1]
        if text.startswith(special) and not (after.isalnum() or after in ("²", "^", "_")):
            quantity, numerator, denominator = _SYMBOLS[special]
            return Unit(special, _QUANTITIES[quantity][0], numerator, denominator)
    first = _factor(text, 0)
    if first is None:
        return None
    _, unit, end = first
    d, numerator, denominator = unit.dimension, unit.numerator, unit.denominator
    while text[end : end + 1] in (".", "·", "/"):
        divide = text[end] == "/"
        more = _factor(text, end + 1)
        if more is None or (divide and more[0] not in _BELOW):
            break
        _, unit, end = more
        e, sign = unit.dimension, -1 if divide else 1
        d = (d[0] + sign * e[0], d[1] + sign * e[1], d[2] + sign * e[2], d[3] + sign * e[3])
        if divide:
            numerator, denominator = numerator * unit.denominator, denominator * unit.numerator
        else:
            numerator, denominator = numerator * unit.numerator, denominator * unit.denominator
    return Unit(text[:end], d, numerator, denominator)


def match_unit(text: str, at: int) -> Unit | None:
    """The longest unit that starts at offset ``at``, such as ``m/s`` in ``5 m/s``; or None."""
    # No unit is longer than this; a short key keeps the cache useful.
    return _match(text[at : at + 24])


def dimension_of(quantity: str) -> Dimension:
    """The dimension of a quantity's name: ``"length"`` gives (1, 0, 0, 0)."""
    return _QUANTITIES[quantity][0]


def quantity_of(dimension: Dimension) -> str:
    """The name of a dimension's quantity, or its SI unit when it has no name."""
    if dimension in NAMED_DIMENSIONS:
        return NAMED_DIMENSIONS[dimension]
    symbols = zip(("m", "kg", "s", "rad"), dimension, strict=True)
    return "quantity in " + " ".join(
        symbol if power == 1 else f"{symbol}^{power:g}" for symbol, power in symbols if power
    )


def with_article(quantity: str) -> str:
    """``"an angle"``, ``"a length"``."""
    return f"an {quantity}" if quantity[0] in "aeiou" else f"a {quantity}"


def units_of(quantity: str) -> tuple[str, ...]:
    """The units to suggest for a quantity, the SI one first."""
    return _QUANTITIES[quantity][1]


def unit_symbols() -> tuple[str, ...]:
    """Every simple unit symbol."""
    return tuple(_SYMBOLS)
