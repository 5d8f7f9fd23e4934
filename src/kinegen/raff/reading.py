"""A RAFF text read and checked, with the files it includes: the entrance of this room."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from kinegen.errors import KinegenError, Problem, RaffError, UsageError
from kinegen.file_names import legible
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.nodes import Mapping, Node, Scalar, Source
from kinegen.raff.opener import Opener, Place
from kinegen.raff.quantities import check_quantity, measure
from kinegen.raff.reader import Reader
from kinegen.raff.records import Row
from kinegen.raff.rules.names import (
    Names,
    check_follows,
    check_parents,
    check_references,
    collect_names,
    rows_of,
)
from kinegen.raff.rules.numbers import Values, check_numbers, evaluate_parameters
from kinegen.raff.rules.rows import check_rows
from kinegen.raff.sections.file import FILE
from kinegen.raff.source import decode, parse_source
from kinegen.raff.units import NAMED_DIMENSIONS, quantity_of
from kinegen.raff.wording import short

__all__ = ["JOINT_LIMIT", "Reading", "read_raff"]

_FOREIGN: Final = "it is not a RAFF file, or not YAML; open it by itself to see why"
_INCLUDE_DEPTH: Final = 16
JOINT_LIMIT: Final = 200_000
"""Joints of a mechanism after all includes: twenty times the largest planned file."""


@dataclass(slots=True, eq=False)
class Reading:
    """A checked RAFF text."""

    source: Source
    root: Row
    names: Names
    values: Values
    """Parameters, those of included robots as ``robot.parameter``."""
    robots: dict[str, Reading] = field(default_factory=dict)
    """Included texts by the robot's name; equal files are shared."""
    folder: str = ""
    """Where names of files in it begin."""
    remarks: tuple[Problem, ...] = ()
    """What is allowed and yet seldom meant, such as an angle of 90 rad."""
    is_whole: bool = True
    """Whether all that it includes could be read."""
    joint_count: int = 0
    size: int = 0
    """Characters of the text with all that it includes written into it."""
    mentions: int = 0
    """Names in that text that a robot's name comes in front of when it is included."""


def read_raff(text: str | bytes, *, file: str = "text", opener: Opener | None = None) -> Reading:
    """Read and check a RAFF text.

    Args:
        text: The text, or a file's bytes in UTF-8.
        file: Name of the file, for messages.
        opener: Finds included files; without one, an include is a problem.

    Raises:
        RaffError: With every problem of the text and of what it includes.
    """
    session = _Session(opener)
    own = opener.own if opener is not None else None
    reading = session.read(text, Place("" if own is None else own.path, file), ())
    if session.problems or reading is None:
        raise RaffError(dict.fromkeys(session.problems))
    return reading


def listed(value: Any) -> Iterable[Any]:
    """A value, or those of a list."""
    return value if isinstance(value, list) else [value]


class _Session:
    """One reading with all its includes; each file is read once."""

    def __init__(self, opener: Opener | None) -> None:
        self.opener = opener
        self.problems: list[Problem] = []
        self.known: dict[str, Reading | UsageError | None] = {}
        """Included files by their path; None for one with problems, which are collected."""
        self.size = 0
        """Characters of all that was written into including texts so far."""

    def read(self, text: str | bytes, place: Place, stack: tuple[Place, ...]) -> Reading | None:
        """One text; None when it has problems, which are collected.

        Raises:
            UsageError: An included file is not RAFF at all. Its problems would quote it, and it
                may be a file of anyone's.
        """
        if isinstance(text, bytes):
            text, bad = decode(text, place.shown)
            if bad and stack:
                raise UsageError(_FOREIGN)
            if bad:
                self.problems += bad
                return None
        source, node, problems = parse_source(text, place.shown)
        if stack and not (isinstance(node, Mapping) and "raff" in node.table):
            raise UsageError(_FOREIGN)
        reader = Reader(source)
        reader.problems = problems
        reading = None
        try:
            root = self.root(reader, node) if node is not None or not problems else None
            if root is not None:
                reading = self.check(reader, root, (*stack, place))
        except RaffError:
            pass  # so many problems that reading ended; they are all there
        self.problems += reader.problems
        return None if reader.problems or not (reading and reading.is_whole) else reading

    def root(self, reader: Reader, node: Node | None) -> Row | None:
        """The file's own mapping."""
        if node is None or (isinstance(node, Scalar) and node.plain and not node.text):
            reader.problem(
                node or Scalar("", 0, 0, True), "the file is empty; start it with raff: 1"
            )
            return None
        if not isinstance(node, Mapping):
            reader.problem(node, "a RAFF file consists of 'key: value' lines; the first is raff: 1")
            return None
        row: Row = reader.section(FILE, node, "file")
        return row

    def check(self, reader: Reader, root: Row, stack: tuple[Place, ...]) -> Reading:
        """Everything that needs the text as a whole."""
        names = collect_names(reader, root)
        reading = Reading(reader.source, root, names, Values(), folder=stack[-1].folder)
        reading.joint_count = len(rows_of(root, "joints"))
        reading.size = len(reader.source.text)
        reading.mentions = len(names) + len(reader.references)
        reading.mentions += sum(len(use.formula.name_places()) for use in reader.numbers)
        for row in rows_of(root, "robots"):
            self.include(reader, row, reading, stack)
        check_references(reader, names)
        check_parents(reader, root, names)
        check_follows(reader, root)
        formulas = self.parameters(reading)
        reading.values = evaluate_parameters(formulas)
        table = root.node.get("parameters")
        if isinstance(table, Mapping):
            reading.values.broken = {name for name in table.table if name not in formulas}
        reading.values.broken |= names.unread
        check_numbers(reader, root, reading.values)
        check_rows(reader, root, reading.values, names.base)
        self.read_heights(reader, root, stack)
        for row in rows_of(root, "robots"):
            self.check_overrides(reader, row, reading)
        reading.remarks = tuple(reader.remarks)
        return reading

    def read_heights(self, reader: Reader, root: Row, stack: tuple[Place, ...]) -> None:
        """Tables of height fields that are files; only fixed objects have height fields."""
        for section in ("objects", "joints"):
            for row in rows_of(root, section):
                shapes = [row.values.get("shape"), row.values.get("collision")]
                for shape in [one for each in shapes for one in listed(each)]:
                    if not (isinstance(shape, Row) and "heights" in shape.values):
                        continue
                    if section != "objects" or row.values.get("fixed") is not True:
                        what = "an object with 'fixed: true'"
                        reader.problem(shape.place("heights"), f"only {what} has a height field")
                    elif isinstance(shape.values["heights"], str):
                        self.read_table(reader, shape, stack)

    def read_table(self, reader: Reader, shape: Row, stack: tuple[Place, ...]) -> None:
        """Put the table of a file where its name stands."""
        name, node = shape.values["heights"], shape.place("heights")
        if self.opener is None:
            reader.problem(node, f"'{legible(name)}' cannot be read: this text has no folder")
            return
        path = name
        if len(stack) > 1 and not os.path.isabs(name):
            folder = os.path.relpath(stack[-1].folder or ".", stack[0].folder or ".")
            path = os.path.normpath(os.path.join(folder, name)).replace(os.sep, "/")
        try:
            from kinegen.raff.height_files import read_heights  # with NumPy

            grid = read_heights(name, self.opener.content(path))
        except KinegenError as error:
            named = str(error) if name in str(error) else f"'{legible(name)}': {error}"
            reader.problem(node, named)
            return
        shape.values["heights"] = grid.tolist()

    def include(self, reader: Reader, row: Row, reading: Reading, stack: tuple[Place, ...]) -> None:
        """Read the file of one robot row."""
        name, include = row.values.get("name"), row.values.get("include")
        if name is None:
            return
        if include is None:
            reading.names.unread.add(name)
            return
        node = row.place("include")
        reading.names.unread.add(name)  # until it has been
        try:
            included = self.included(include, stack)
            if included is not None:
                self.grow(reading, name, included)
                for clash in reading.names.clashes(name, included.names):
                    reader.problem(node, f"its part '{clash}' has a name that is already used here")
        except UsageError as error:
            reader.problem(node, f"cannot include '{legible(include)}': {error}")
            return
        if included is None:
            reading.is_whole = False
            if len(stack) == 1:  # further down it would only be said again
                reader.problem(node, f"'{legible(include)}' has problems")
            return
        reading.robots[name] = included
        reading.names.include(name, included.names)
        reading.names.unread.discard(name)

    def included(self, include: str, stack: tuple[Place, ...]) -> Reading | None:
        """The reading of an included file, None when that has problems.

        A file is read once, however often it is included.
        """
        if self.opener is None:
            raise UsageError("this text has no folder")
        place = self.opener.find(include, stack[-1] if len(stack) > 1 else None)
        paths = [one.path for one in stack]
        if place.path in paths:
            circle = [place, *stack[paths.index(place.path) + 1 :], place]
            raise UsageError(f"files include each other: {' -> '.join(p.shown for p in circle)}")
        if len(stack) >= _INCLUDE_DEPTH:
            raise UsageError(f"includes are nested more than {_INCLUDE_DEPTH} deep")
        if place.path not in self.known:
            try:
                self.known[place.path] = self.read(self.opener.read(place), place, stack)
            except UsageError as error:
                self.known[place.path] = error
        known = self.known[place.path]
        if isinstance(known, UsageError):
            raise known
        return known

    def grow(self, reading: Reading, robot: str, included: Reading) -> None:
        """Count what an include adds; UsageError, before anything is copied, when it is too much.

        Few short files that include each other several times make a mechanism of any size.
        """
        assert self.opener is not None
        size = included.size + included.mentions * (len(robot) + 1)
        reading.joint_count += included.joint_count + 1
        reading.size += size
        reading.mentions += included.mentions
        self.size += size
        if reading.joint_count > JOINT_LIMIT:
            raise UsageError(f"more than {JOINT_LIMIT} joints after this include")
        if self.size > self.opener.total:
            most = self.opener.total
            raise UsageError(f"more than {most} characters after this include")

    def parameters(self, reading: Reading) -> dict[str, Formula]:
        """Every parameter's formula: own ones, then those of the robots with their overrides."""
        formulas: dict[str, Formula] = {}
        own = reading.root.values.get("parameters")
        for name, value in own.values.items() if own is not None else ():
            formula = value.values.get("value") if isinstance(value, Row) else value
            if formula is not None:
                formulas[name] = formula
        for row in rows_of(reading.root, "robots"):
            robot = row.values.get("name", "")
            included = reading.robots.get(robot)
            if included is None:
                continue
            for name, formula in included.values.formulas.items():
                formulas[f"{robot}.{name}"] = formula.renamed(lambda n, p=robot: f"{p}.{n}")  # type: ignore[misc]
            overrides = row.values.get("parameters")
            for name, formula in overrides.values.items() if overrides is not None else ():
                if f"{robot}.{name}" in formulas:
                    formulas[f"{robot}.{name}"] = formula
        return formulas

    def check_overrides(self, reader: Reader, row: Row, reading: Reading) -> None:
        """Overrides name parameters that are there, and measure the same."""
        overrides = row.values.get("parameters")
        included = reading.robots.get(row.values.get("name", ""))
        if overrides is None or included is None:
            return
        known = included.values
        for name, formula in overrides.values.items():
            key = overrides.node.key(name)
            if name not in known.formulas:
                listed = ", ".join(islice(known.formulas, 12)) or "none"
                hint = reader.hint(name, known.formulas) or f"; parameters: {listed}"
                what = f"parameter '{short(name)}' is not in '{row.values['include']}'"
                reader.problem(key, what + hint)
                continue
            wanted = known.measures.get(name)
            if wanted is None or wanted.dimension not in NAMED_DIMENSIONS:
                continue
            try:
                found = measure(formula, reading.values.measures)
            except KinegenError:
                continue  # reported with the number itself
            wrong = check_quantity(formula, found, quantity_of(wanted.dimension))
            if wrong:
                reader.problem(overrides.place(name), f"{name} is {wrong}")
