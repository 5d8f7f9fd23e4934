"""The question what a Denavit-Hartenberg table says, while it is pasted or typed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

from kinegen.studio.wire.message import Length, Question, Result

__all__ = ["TableProblem", "TableRequest", "TableResult"]


@dataclass(slots=True)
class TableProblem:
    """Something wrong in a table."""

    line: int
    """Of the text, from 1; 0 where it belongs to no place."""
    column: int
    """Letter of the line, from 1."""
    row: int
    """Of the table, 0 for the header; -1 where it belongs to none."""
    cell: int
    """Of the row, from 0; -1 where it belongs to none."""
    message: str


@dataclass(slots=True)
class TableResult(Result):
    """A table as it was understood."""

    columns: list[str]
    """What each column is, such as 'theta [deg]'; empty for one that is unknown."""
    rows: list[list[str]]
    """The cells, header first."""
    problems: list[TableProblem]
    symbols: list[str]
    """Symbols that need a number."""
    raff: str
    """The mechanism; empty while there are problems."""
    joints: int
    """How many joints it has."""


@dataclass(slots=True)
class TableRequest(Question):
    """Read a Denavit-Hartenberg table; the pose does not matter."""

    KIND: ClassVar[str] = "table"
    RESULT: ClassVar[type[Result]] = TableResult
    text: Annotated[str, Length(0, 200_000)]
    convention: Literal["standard", "modified"]
    angle: Literal["rad", "deg"] = "rad"
    """Unit of angles where the table names none."""
    length: Literal["m", "mm", "cm", "in"] = "m"
    name: Annotated[str, Length(0, 100)] = ""
    """Of the mechanism."""
    values: dict[str, str] = field(default_factory=dict)
    """Numbers of symbols, such as '400 mm'."""
