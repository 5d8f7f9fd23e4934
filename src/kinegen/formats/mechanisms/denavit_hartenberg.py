"""Import of Denavit-Hartenberg tables, standard (distal) and modified (proximal).

The standard convention moves by ``Rz(theta) Tz(d) Tx(a) Rx(alpha)`` per row, the modified one by
``Rx(alpha) Tx(a) Rz(theta) Tz(d)``. The latter is a Kleinfinger row (its a is called d there, its
d is r); the former becomes one when a and alpha of each row go to the row after it, and those of
the last row to a frame named ``tool``. Both conversions are exact.
"""

from __future__ import annotations

import enum
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import PurePath

from kinegen.errors import UsageError, did_you_mean
from kinegen.formats.format import Format, Reader
from kinegen.formats.mechanisms.dh_rows import ANGLE_UNITS, LENGTH_UNITS, Row, read_table
from kinegen.formats.mechanisms.symbols import ZERO, readable_angle
from kinegen.formats.mechanisms.values import check_values
from kinegen.formats.problems import Notes
from kinegen.mechanism.graph import (
    BASE,
    Frame,
    Joint,
    Mechanism,
    Parameter,
    Placement,
    PlacementKind,
)
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.formulas.parser import parse_formula
from kinegen.raff.opener import Opener

__all__ = ["MODIFIED", "STANDARD", "Convention", "read_denavit_hartenberg", "symbols_of"]


class Convention(enum.StrEnum):
    """Which of the two Denavit-Hartenberg conventions a table follows."""

    STANDARD = "standard"
    MODIFIED = "modified"


def read_denavit_hartenberg(
    text: str,
    *,
    file: str = "table",
    convention: Convention | str = Convention.STANDARD,
    angle: str = "rad",
    length: str = "m",
    values: Mapping[str, Formula] | None = None,
    name: str | None = None,
) -> Mechanism:
    """The mechanism of a Denavit-Hartenberg table.

    The first row names the columns: theta, d, a, alpha and, if wanted, type, offset, lower, upper,
    name, with units such as ``alpha(deg)`` or ``d [mm]``. A joint is prismatic if its type says so
    or, without that column, if d holds its variable (``q3``, ``d3*``) and theta does not. The
    variable of a joint may be named (``q1``), left out, or written with its constant part
    (``q1 - 90 deg``). All joints get a motor, lengths become parameters.

    Args:
        text: The table: CSV, Markdown, or columns divided by blanks.
        file: For error messages, and for the mechanism's name.
        convention: 'standard' or 'modified'.
        angle: Unit of angles without one: 'rad' or 'deg'.
        length: Unit of lengths without one: 'm', 'mm', 'cm' or 'in'.
        values: Numbers for the symbols in the table.
        name: Of the mechanism; by default the file's.

    Raises:
        FormatError: The table cannot be read; every problem is reported with its line and column.
    """
    convention = Convention(_chosen("convention", convention, list(Convention)))
    units = {
        "angle": _chosen("angle", angle, ANGLE_UNITS),
        "length": _chosen("length", length, LENGTH_UNITS),
    }
    values = values or {}
    notes = Notes(text, file)
    rows = read_table(text, notes, values, units)
    notes.raise_if_any()
    check_values(symbols_of(rows), values, (), file)
    mechanism = Mechanism(name or mechanism_name(file))
    kind = "Standard" if convention is Convention.STANDARD else "Modified"
    mechanism.source = f"{kind} Denavit-Hartenberg table {PurePath(file).name}."
    _Builder(mechanism, rows, values).build(convention)
    return mechanism


def _reader(convention: Convention) -> Reader:
    def read(
        text: str, *, file: str, values: Mapping[str, Formula], options: Mapping[str, str],
        opener: Opener | None = None,
    ) -> Mechanism:  # fmt: skip
        STANDARD.check_options(options)
        return read_denavit_hartenberg(
            text, file=file, convention=convention, values=values, **options
        )

    return read


_OPTIONS = {
    "angle": "unit of angles if the table gives none: rad (default) or deg",
    "length": "unit of lengths if the table gives none: m (default), mm, cm or in",
    "name": "name of the mechanism; default: the file's",
}
STANDARD = Format(
    "dh",
    "Denavit-Hartenberg table, standard (distal) convention",
    (".dh", ".csv", ".tsv"),
    _reader(Convention.STANDARD),
    options=_OPTIONS,
)
MODIFIED = Format(
    "mdh",
    "Denavit-Hartenberg table, modified (proximal, Craig's) convention",
    (".mdh",),
    _reader(Convention.MODIFIED),
    options=_OPTIONS,
)


def mechanism_name(file: str) -> str:
    """A mechanism's name from a file's."""
    stem = os.path.splitext(os.path.basename(file))[0]
    stem = re.sub(r"[^A-Za-z0-9]+", "-", stem).strip("-").lower()
    return stem if stem[:1].isalpha() else f"robot-{stem}".rstrip("-")


def _chosen(what: str, given: str, allowed: Iterable[str]) -> str:
    names = [str(name) for name in allowed]
    if given not in names:
        hint = did_you_mean(given, names)
        raise UsageError(
            f"{what} '{given}' is unknown{hint or ';'} choose one of {', '.join(names)}"
        )
    return str(given)


def symbols_of(rows: list[Row]) -> list[str]:
    """Symbols of the constant parts, in reading order."""
    found: list[str] = []
    for row in rows:
        formulas = [row.theta, row.d, row.a, row.alpha, *(row.limits or ())]
        for formula in formulas:
            found += sorted(formula.names - set(found), key=formula.text.find)
    return found


class _Builder:
    """Turns rows into joints."""

    def __init__(
        self, mechanism: Mechanism, rows: list[Row], values: Mapping[str, Formula]
    ) -> None:
        self.mechanism, self.rows, self.values = mechanism, rows, values
        self.symbols = set(symbols_of(rows))

    def build(self, convention: Convention) -> None:
        """All joints, and the frame at the end."""
        standard = convention is Convention.STANDARD
        a, alpha, parent = ZERO, ZERO, BASE
        for number, row in enumerate(self.rows, start=1):
            if not standard:
                a, alpha = self._length(f"a{number}", row.a), row.alpha
            d = self._length(f"d{number}", row.d)
            joint = Joint(row.name, row.type, parent, _placement(alpha, a, row.theta, d))
            if row.limits is not None:
                joint.limits = (row.limits,)
            if row.type.info.moves:
                joint.motors = ({},)
            self.mechanism.joints[row.name] = joint
            parent = row.name
            if standard:
                a, alpha = self._length(f"a{number}", row.a), row.alpha
        end = next(n for n in ("tool", "flange", "end", "tip") if n not in self.mechanism.joints)
        if not standard:
            a, alpha = ZERO, ZERO
        self.mechanism.frames[end] = Frame(end, parent, _placement(alpha, a, ZERO, ZERO))

    def _length(self, name: str, number: Formula) -> Formula:
        """The number as a parameter of its own, unless it is zero or has symbols."""
        for symbol in sorted(number.names, key=number.text.find):
            self._add_parameter(symbol, self.values[symbol])
        if number.value is None or number.value == 0 or name in self.symbols:
            return number
        self._add_parameter(name, number)
        return parse_formula(name)

    def _add_parameter(self, name: str, number: Formula) -> None:
        if name not in self.mechanism.parameters:
            self.mechanism.parameters[name] = Parameter(name, number)


def _placement(alpha: Formula, d: Formula, theta: Formula, r: Formula) -> Placement:
    numbers = (ZERO, ZERO, readable_angle(alpha), d, readable_angle(theta), r)
    return Placement(PlacementKind.KLEINFINGER, numbers)
