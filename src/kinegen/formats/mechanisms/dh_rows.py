"""Rows of a Denavit-Hartenberg table: columns, units, joint variables."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from kinegen.errors import did_you_mean
from kinegen.formats.mechanisms.symbols import ZERO, added, constant_part, has_unit, joined, terms
from kinegen.formats.mechanisms.table import Cell, read_rows
from kinegen.formats.problems import Notes
from kinegen.joint_types import JointType
from kinegen.raff.formulas.formula import Formula, format_number
from kinegen.raff.formulas.parser import parse_formula
from kinegen.raff.formulas.tokens import FormulaError

__all__ = ["ANGLE_UNITS", "LENGTH_UNITS", "Row", "column_kinds", "read_table"]

LENGTH_UNITS = ("m", "mm", "cm", "in")
ANGLE_UNITS = ("rad", "deg")
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "theta": ("theta", "th", "teta", "thetai", "thetaj"),
    "d": ("d", "di", "dj"),
    "a": ("a", "r", "ai", "aj", "ai-1", "aj-1"),
    "alpha": ("alpha", "al", "alphai", "alphaj", "alphai-1", "alphaj-1"),
    "type": ("type", "sigma", "kind", "jointtype"),
    "offset": ("offset", "off"),
    "lower": ("lower", "min", "low", "qmin"),
    "upper": ("upper", "max", "high", "qmax"),
    "name": ("name", "joint", "link", "axis", "i", "j", "no", "no.", "nr", "#"),
}
"""Columns with the spellings by which they are known (lower case, without _ and braces)."""
_REQUIRED = ("theta", "d", "a", "alpha")
_ANGLES = ("theta", "alpha")

TYPES: Mapping[str, JointType] = {
    **dict.fromkeys(("r", "0", "revolute", "rotational", "rotary"), JointType.REVOLUTE),
    **dict.fromkeys(("p", "t", "1", "prismatic", "translational", "linear"), JointType.PRISMATIC),
    **dict.fromkeys(("f", "2", "fixed"), JointType.FIXED),
}
_GREEK = {"θ": "theta", "ϑ": "theta", "α": "alpha", "σ": "sigma", "π": "pi", "−": "-", "–": "-"}
_EMPTY = frozenset(("", "-", "*", "var", "variable", "—"))
_HEADER = re.compile(
    r"\\?(?P<name>[^\s\[(/]+?)_?\s*(?:[\[(/]\s*(?P<unit>[^\])]*?)\s*[\])]?|_(?P<tail>deg|rad|mm|cm|m))?$"
)
_PLAIN = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+$")
_VARIABLE = re.compile(r"(q|th|theta|t)_?[0-9]*$")
_SLIDING_VARIABLE = re.compile(r"q_?[0-9]*$")
_LARGEST_PLAIN_ANGLE = 4 * math.pi
"""[rad] A larger number in a column without a unit was meant in degrees."""


@dataclass(slots=True)
class Row:
    """One joint, its variable removed from theta or d."""

    name: str
    type: JointType
    theta: Formula
    d: Formula
    a: Formula
    alpha: Formula
    limits: tuple[Formula, Formula] | None
    variable: str | None
    """Name of its variable, if the table gives one."""


@dataclass(frozen=True, slots=True)
class _Column:
    kind: str
    unit: str | None


def read_table(
    text: str, notes: Notes, values: Mapping[str, Formula], units: Mapping[str, str]
) -> list[Row]:
    """The rows of a table; what is wrong with it goes to the notes.

    Args:
        text: The table.
        notes: Collects problems; the rows are only good if there are none.
        values: Symbols that have a number, and so are no joint variables.
        units: Units of 'angle' and 'length' where the header gives none.
    """
    lines = read_rows(text)
    if not lines:
        notes.add(0, "the table is empty; its first row names the columns: theta d a alpha")
        return []
    columns = _read_header(lines[0], notes)
    if notes.problems:
        return []
    if len(lines) == 1:
        notes.add(lines[0][0].offset, "the table has a header but no rows")
    rows: list[Row] = []
    for line in lines[1:]:
        if len(line) != len(columns):
            notes.add(
                line[min(len(line), len(columns)) - 1].offset,
                f"this row has {len(line)} cells, the header has {len(columns)}",
            )
            continue
        cells = {c.kind: (cell, c) for c, cell in zip(columns, line, strict=True) if c is not None}
        row = _RowReader(cells, notes, values, units, len(rows) + 1, [r.name for r in rows]).read()
        rows.append(row)
    return rows


def column_kinds(header: list[Cell]) -> list[str]:
    """What each column of a table is, such as 'theta [deg]'; empty for those that are unknown."""
    columns = _read_header(header, Notes("", ""))
    return [(f"{c.kind} [{c.unit}]" if c.unit else c.kind) if c else "" for c in columns]


def _read_header(header: list[Cell], notes: Notes) -> list[_Column | None]:
    known = {spelling: kind for kind, names in COLUMNS.items() for spelling in names}
    columns: list[_Column | None] = []
    for cell in header:
        found = _HEADER.match(_plain(cell.text))
        spelling = found["name"] if found else cell.text
        kind = known.get(re.sub(r"[_{}\\]", "", spelling.lower()))
        unit = (found["unit"] or found["tail"]) if found else None
        if kind is None:
            if cell.text.strip():
                hint = did_you_mean(spelling, known) or f"; columns: {', '.join(COLUMNS)}"
                notes.add(cell.offset, f"unknown column '{cell.text}'{hint}")
            columns.append(None)
            continue
        if kind in [c.kind for c in columns if c is not None]:
            notes.add(cell.offset, f"column '{kind}' appears twice")
        unit = {"degrees": "deg", "degree": "deg", "°": "deg", "radians": "rad"}.get(
            unit or "", unit
        )
        allowed = _units_of(kind)
        if unit is not None and unit not in allowed:
            words = f"units: {', '.join(allowed)}" if allowed else "it takes none"
            hint = did_you_mean(unit, allowed)
            notes.add(cell.offset, f"column '{kind}' cannot be in '{unit}'{hint or '; ' + words}")
        columns.append(_Column(kind, unit))
    missing = [kind for kind in _REQUIRED if kind not in {c.kind for c in columns if c}]
    if missing:
        first = header[0].offset if header else 0
        notes.add(
            first,
            f"the first row must name the columns theta, d, a and alpha; "
            f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing",
        )
    return columns


def _units_of(kind: str) -> tuple[str, ...]:
    if kind in _ANGLES:
        return ANGLE_UNITS
    if kind in ("d", "a"):
        return LENGTH_UNITS
    return (*ANGLE_UNITS, *LENGTH_UNITS) if kind in ("offset", "lower", "upper") else ()


def _plain(text: str) -> str:
    """The text with the letters that formulas know."""
    return "".join(_GREEK.get(letter, letter) for letter in text)


def _number_or(text: str, otherwise: float) -> float:
    return float(text) if _PLAIN.match(text) else otherwise


class _RowReader:
    """Reads one row."""

    def __init__(
        self,
        cells: Mapping[str, tuple[Cell, _Column]],
        notes: Notes,
        values: Mapping[str, Formula],
        units: Mapping[str, str],
        number: int,
        names: list[str],
    ) -> None:
        self.cells, self.notes, self.values, self.units = cells, notes, values, units
        self.number, self.names = number, names

    def read(self) -> Row:
        """The row, with zeros where a cell makes no sense."""
        name = self._name()
        formulas = {kind: self._formula(kind) for kind in _REQUIRED}
        kind = self._type(formulas)
        moving = "theta" if kind.info.is_hinge else "d" if kind.info.is_slide else None
        variable: str | None = None
        if moving is not None:
            formulas[moving], variable = self._take_variable(moving, formulas[moving])
            offset = self._formula("offset", "angle" if moving == "theta" else "length")
            if offset is not None:
                formulas[moving] = added(formulas[moving] or ZERO, offset)
        theta, d, a, alpha = (formulas[kind] or ZERO for kind in _REQUIRED)
        return Row(name, kind, theta, d, a, alpha, self._limits(kind), variable)

    def _text(self, kind: str) -> str:
        return self.cells[kind][0].text if kind in self.cells else ""

    def _problem(self, kind: str, message: str, at: int = 0) -> None:
        self.notes.add(self.cells[kind][0].offset + at, message)

    def _name(self) -> str:
        text = self._text("name").strip()
        if not text or text.isdigit():
            text = f"j{text or self.number}"
        name = re.sub(r"[^A-Za-z0-9_-]+", "_", text)
        if not name[0].isalpha():
            self._problem("name", f"'{text}' is not a name: it must start with a letter")
        elif name == "base":
            self._problem("name", "'base' is the name of the ground; choose another")
        elif name in self.names:
            self._problem("name", f"joint '{name}' appears twice")
        return name

    def _formula(self, kind: str, quantity: str | None = None) -> Formula | None:
        """A cell's number; None where the cell is empty."""
        text = re.sub(r"\*\s*$", "", _plain(self._text(kind))).strip()
        if text.lower() in _EMPTY:
            return None
        if _DECIMAL_COMMA.match(text):
            text = text.replace(",", ".")
        quantity = quantity or ("angle" if kind in _ANGLES else "length")
        unit = self._unit(kind, quantity)
        if unit is None:
            return None
        try:
            return self._in_unit(kind, text, quantity, unit)
        except FormulaError as error:
            self._problem(kind, f"{kind}: {error.reason}", min(error.offset, len(text)))
            return None

    def _unit(self, kind: str, quantity: str) -> str | None:
        unit = self.cells[kind][1].unit or self.units[quantity]
        if unit in (ANGLE_UNITS if quantity == "angle" else LENGTH_UNITS):
            return unit
        text, usual = self._text(kind), self.units[quantity]
        if re.search(r"[a-zA-Z°]", text) or _number_or(text, 1.0) == 0:
            return usual
        word = "turns" if quantity == "angle" else "slides"
        self._problem(
            kind,
            f"{kind}: this joint {word}, but the column is in '{unit}'; write the unit here, such "
            f"as '{text} {usual}'",
        )
        return None

    def _in_unit(self, kind: str, text: str, quantity: str, unit: str) -> Formula:
        """A formula whose plain numbers are in a unit."""
        formula = parse_formula(text)
        if has_unit(formula) or re.search(r"\bpi\b", text):
            return formula
        if unit in ("m", "rad"):
            value = formula.value
            given = self.cells[kind][1].unit is not None
            if quantity == "angle" and value is not None and not given:
                if abs(value) > _LARGEST_PLAIN_ANGLE:
                    self._problem(
                        kind,
                        f"{kind}: {text} rad is more than two turns; if it is in degrees, write "
                        f"'{kind}(deg)' in the header",
                    )
            return formula
        if _PLAIN.match(text):
            return ZERO if formula.value == 0 else parse_formula(f"{text.lstrip('+')} {unit}")
        parts: list[tuple[str, str]] = []
        for sign, term in terms(text):
            number = parse_formula(term).value
            # Terms with symbols are left alone: a symbol's number has its own unit.
            parts.append((sign, term if number is None else f"{format_number(number)} {unit}"))
        return parse_formula(joined(parts))

    def _type(self, formulas: Mapping[str, Formula | None]) -> JointType:
        word = self._text("type").strip().lower()
        if word and word not in _EMPTY:
            if word in TYPES:
                return TYPES[word]
            hint = did_you_mean(word, TYPES) or "; types: revolute (R), prismatic (P), fixed (F)"
            self._problem("type", f"unknown joint type '{self._text('type')}'{hint}")
            return JointType.REVOLUTE
        if self._free(formulas["theta"]) or self._text("theta").rstrip().endswith("*"):
            return JointType.REVOLUTE
        slides = self._free(formulas["d"])
        marked = self._text("d").rstrip().endswith("*") or any(
            _SLIDING_VARIABLE.match(name) for name in slides
        )
        fixed_angle = formulas["theta"] is not None
        return JointType.PRISMATIC if marked or (slides and fixed_angle) else JointType.REVOLUTE

    def _free(self, formula: Formula | None) -> list[str]:
        """Symbols of a formula that have no number."""
        return sorted(formula.names - set(self.values)) if formula is not None else []

    def _take_variable(self, kind: str, formula: Formula | None) -> tuple[Formula, str | None]:
        """The constant part of a formula and the name of the joint's variable in it."""
        free = self._free(formula)
        if formula is None or not free:
            return formula or ZERO, None
        named = [name for name in free if _VARIABLE.match(name)] if len(free) > 1 else free
        if len(named) != 1:
            self._problem(
                kind, f"{kind}: which of {', '.join(free)} is the variable of the joint? Name it q1"
            )
            return ZERO, None
        rest = constant_part(formula, named[0])
        if rest is None:
            self._problem(
                kind,
                f"{kind}: '{formula.text}' must be the variable {named[0]} plus a constant: joints "
                "turn about and slide along +z",
            )
            return ZERO, named[0]
        return rest, named[0]

    def _limits(self, kind: JointType) -> tuple[Formula, Formula] | None:
        if not kind.info.moves:
            return None
        quantity = "angle" if kind.info.is_hinge else "length"
        ends = [self._formula(column, quantity) for column in ("lower", "upper")]
        lower, upper = ends
        if lower is None or upper is None:
            if (lower is None) != (upper is None) and not self.notes.problems:
                given = "upper" if lower is None else "lower"
                self._problem(given, "specify both limits of a joint, or none")
            return None
        if lower.value is not None and upper.value is not None and lower.value > upper.value:
            self._problem("lower", f"lower {lower.text} is above upper {upper.text}")
        return lower, upper
