"""Sizes: what a workshop chooses of the parts, such as bar width, holes and clearance."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

from kinegen.errors import UsageError
from kinegen.raff.formulas.parser import parse_formula
from kinegen.raff.formulas.tokens import FormulaError
from kinegen.raff.quantities import check_quantity, measure

__all__ = [
    "SIZE_OPTIONS",
    "Sizes",
    "millimetres",
    "parse_length",
    "parse_sizes",
    "parse_switch",
    "parse_word",
    "plain_mm",
]

LARGEST = 10.0
"""[m] A bar or hole that is wider was meant in millimetres."""

SIZE_OPTIONS: Mapping[str, str] = {
    "width": "width of bars, such as 20mm",
    "hole": "diameter of the pins",
    "clearance": "how much wider a hole is than its pin",
    "corner": "radius of the corners of bars and plates; default: half the width",
    "thickness": "thickness of the material",
    "spacer": "thickness of the washers between two levels",
}
"""What each size is, for the help of formats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Sizes of parts [m]; UsageError for impossible values."""

    width: float = 0.020
    """Of bars, and of the margin around the holes of plates."""
    hole: float = 0.005
    """Diameter of the pins, to which the clearance is added."""
    clearance: float = 0.0001
    """How much wider than its pin a hole is."""
    corner: float | None = None
    """Radius of corners; None: half the width, so that bars end round."""
    thickness: float = 0.004
    """Of the material: of a level of the stack."""
    spacer: float = 0.0005
    """Washers between two levels."""
    kerf: float = 0.0
    """Width of the cut: outlines grow and holes shrink by half of it."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name == "corner" and value is None:
                continue
            least_open = field.name in ("width", "hole", "thickness")
            self._check(field.name, value, least_open=least_open)
        if self.drilled >= self.width:
            raise UsageError(
                f"a hole of {millimetres(self.drilled)} does not fit a bar that is "
                f"{millimetres(self.width)} wide; use a smaller hole or a wider bar"
            )
        if self.corner is not None and self.corner > self.width / 2:
            raise UsageError(
                f"corner is {millimetres(self.corner)}: at most half the width, "
                f"{millimetres(self.width / 2)}"
            )
        if self.kerf >= self.drilled:
            raise UsageError(
                f"kerf is {millimetres(self.kerf)}: a cut as wide as the holes "
                f"({millimetres(self.drilled)}) leaves none"
            )

    def _check(self, name: str, value: float, *, least_open: bool) -> None:
        if not isinstance(value, int | float) or not math.isfinite(value):
            raise UsageError(f"{name} must be a finite length [m], not {value!r}")
        if value < 0 or (least_open and value == 0):
            least = "greater than 0" if least_open else "at least 0"
            raise UsageError(f"{name} must be {least}, not {millimetres(value)}")
        if value > LARGEST:
            raise UsageError(f"{name} is {value:g} m; lengths without a unit are in metres")

    @property
    def drilled(self) -> float:
        """Diameter of holes: pin diameter plus clearance [m]."""
        return self.hole + self.clearance

    @property
    def corner_radius(self) -> float:
        """Radius of the corners [m]."""
        return self.width / 2 if self.corner is None else self.corner

    @property
    def step(self) -> float:
        """From one level of the stack to the next [m]."""
        return self.thickness + self.spacer


def parse_sizes(options: Mapping[str, str], defaults: Sizes | None = None) -> Sizes:
    """Sizes from the options of a format: ``{"width": "20mm"}``; other options are passed over."""
    names = {field.name for field in fields(Sizes)}
    given = {name: parse_length(name, text) for name, text in options.items() if name in names}
    return replace(defaults or Sizes(), **given)


def parse_length(name: str, text: str) -> float:
    """A length [m] from the text of an option: ``20mm``, ``1/4 in``, ``0.02``."""
    try:
        formula = parse_formula(text)
        problem = check_quantity(formula, measure(formula, {}), "length")
    except FormulaError as error:
        raise UsageError(f"{name}={text}: {error}; use a length such as 20mm") from None
    if problem:
        raise UsageError(f"{name}={text}: it must be {problem}")
    if formula.value is None:
        raise UsageError(f"{name}={text}: use a length such as 20mm")
    return formula.value


def parse_switch(options: Mapping[str, str], name: str, default: bool) -> bool:
    """An option that is yes or no."""
    if name not in options:
        return default
    return parse_word(name, options[name].lower(), ("yes", "no")) == "yes"


def parse_word(name: str, text: str, allowed: tuple[str, ...]) -> str:
    """One of the words that an option takes."""
    if text not in allowed:
        raise UsageError(f"{name}={text}: use one of {', '.join(allowed)}")
    return text


def millimetres(length: float) -> str:
    """A length for people: ``150 mm``."""
    return f"{plain_mm(length, 3)} mm"


def plain_mm(length: float, digits: int = 6) -> str:
    """A length in millimetres, without the unit: ``150``."""
    return f"{round(1000 * length, digits) + 0.0:.10g}"
