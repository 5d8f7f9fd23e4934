"""What a Denavit-Hartenberg table says: its cells, what is wrong with which, the mechanism."""

from __future__ import annotations

from kinegen.errors import FormatError
from kinegen.formats.mechanisms.denavit_hartenberg import (
    mechanism_name,
    read_denavit_hartenberg,
    symbols_of,
)
from kinegen.formats.mechanisms.dh_rows import column_kinds, read_table
from kinegen.formats.mechanisms.table import Cell, read_rows
from kinegen.formats.mechanisms.values import parse_values
from kinegen.formats.problems import FormatProblems, Notes
from kinegen.kernels import Floats
from kinegen.mechanism.write import write
from kinegen.raff.formulas.formula import Formula
from kinegen.studio.jobs.answers import Progress
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.wire.questions.table import TableProblem, TableRequest, TableResult

__all__ = ["answer_table"]

MOST_ROWS = 500
"""Rows that are shown; no arm has as many joints."""


def answer_table(
    compiled: CompiledText, q: Floats, request: TableRequest, report: Progress
) -> TableResult:
    """A table as it is understood so far."""
    cells = read_rows(request.text)
    found = TableResult(
        columns=column_kinds(cells[0]) if cells else [],
        rows=[[cell.text for cell in row] for row in cells[:MOST_ROWS]],
        problems=[], symbols=[], raff="", joints=0,
    )  # fmt: skip
    try:
        given = [f"{name}={text}" for name, text in request.values.items() if text.strip()]
        values = parse_values(given)
        found.symbols = _symbols(request, values)
        if any(name not in values for name in found.symbols):
            lacking = ", ".join(name for name in found.symbols if name not in values)
            raise FormatError(f"specify numbers for {lacking}")
        known = {name: value for name, value in values.items() if name in found.symbols}
        name = mechanism_name(request.name) if request.name.strip() else "arm"
        made = read_denavit_hartenberg(
            request.text, file="table", convention=request.convention, angle=request.angle,
            length=request.length, values=known, name=name,
        )  # fmt: skip
    except FormatProblems as error:
        starts = _line_starts(request.text)
        for one in error.problems:
            row, cell = _cell_at(cells, starts[min(one.line, len(starts)) - 1] + one.column - 1)
            found.problems.append(TableProblem(one.line, one.column, row, cell, one.message))
    except FormatError as error:
        found.problems.append(TableProblem(0, 0, -1, -1, str(error)))
    else:
        found.raff, found.joints = write(made), len(made.joints)
    return found


def _symbols(request: TableRequest, values: dict[str, Formula]) -> list[str]:
    """Symbols of a table that are no joint variables; empty while it has other problems."""
    notes = Notes(request.text, "table")
    units = {"angle": request.angle, "length": request.length}
    rows = read_table(request.text, notes, values, units)
    return [] if notes.problems else symbols_of(rows)


def _line_starts(text: str) -> list[int]:
    return [0] + [i + 1 for i, letter in enumerate(text) if letter == "\n"]


def _cell_at(rows: list[list[Cell]], offset: int) -> tuple[int, int]:
    """Row and cell in which a letter of the text is; -1 where it is in none."""
    best = (-1, -1)
    for i, row in enumerate(rows):
        for k, cell in enumerate(row):
            if cell.offset <= offset:
                best = (i, k)
    return best
