"""Nodes to checked rows: the reader that holds a RAFF text against the grammar."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final

from kinegen.errors import COMPARED, Problem, RaffError, did_you_mean
from kinegen.plug_ins import registered
from kinegen.raff.axis import WORDS
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.formulas.parser import parse_formula
from kinegen.raff.formulas.tokens import FormulaError
from kinegen.raff.nodes import Listing, Mapping, Node, Scalar, Source
from kinegen.raff.records import NumberUse, ReferenceUse, Row
from kinegen.raff.repeat import REPEAT, ROW_LIMIT, ROWS, Indices, bindings, fill, fill_formula
from kinegen.raff.rules.naming import NAME_LIMIT, NO_NAME, name_fault
from kinegen.raff.rules.shapes import shape_faults
from kinegen.raff.rules.texts import BODIES, text_fault
from kinegen.raff.sections.joint import DEFAULT_TYPE, JOINT, JOINT_TYPES, joint_section
from kinegen.raff.sections.kinds import (
    Axis,
    Either,
    Flag,
    Free,
    Kind,
    ListOf,
    Maybe,
    Name,
    Number,
    Reference,
    Section,
    Table,
    Text,
    Word,
)
from kinegen.raff.sections.parts import ANGLE, SHAPE
from kinegen.raff.wording import NULLS, expected, free_value, short

__all__ = ["BAD", "Reader"]

BAD: Final = object()
"""Stands for a value that could not be read; its problem is recorded."""
_PART_LIMIT: Final = 20 * NAME_LIMIT  # a name of a part behind the names of robots
_NO_INDICES: Final[Indices] = {}
_VECTOR: Final = ListOf(Number(), (3,), hint="x, y, z")
_PROBLEM_LIMIT: Final = 200  # beyond this many a person stops reading them
_MOST_REMARKS: Final = 20
_COMPARED: Final = 10 * COMPARED  # characters of names compared for all hints of a text
_LINE_REST: Final = 100  # characters behind a value in which a comment is looked for


class Reader:
    """Reads nodes by the grammar; collects problems, numbers and references on the way."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems: list[Problem] = []
        self.remarks: list[Problem] = []
        """What is allowed and yet seldom meant."""
        self.numbers: list[NumberUse] = []
        self.references: list[ReferenceUse] = []
        self.indices: Indices = _NO_INDICES
        """What the indices are in the row that is being read or checked."""
        self.index_keys: list[Scalar] = []
        """Where indices get their names."""
        self._said: set[int] = set()
        self._repeated = 0
        self._repeating: Mapping | None = None
        self._compared = 0
        self._formulas: dict[str, Formula] = {}
        self.container: Listing | Mapping | None = None
        self._readers: dict[type, Callable[[Any, Node, str], Any]] = {
            Section: self.section,
            Number: self.number,
            Axis: self.axis,
            ListOf: self.listing,
            Maybe: self.maybe,
            Either: self.either,
            Table: self.table,
            Text: self.text,
            Name: self.name,
            Reference: self.reference,
            Word: self.word,
            Flag: self.flag,
            Free: lambda kind, node, label: self.free(node),
        }

    def problem(self, node: Node, message: str, offset: int | None = None) -> None:
        """Record a problem at a node, or at a character of a scalar's content.

        Raises:
            RaffError: With all of them, when there are so many that reading on helps nobody.
        """
        at = node.start
        if offset is not None and isinstance(node, Scalar) and not self.indices:
            at = self.source.inside(node, offset)
        if self.indices:  # a row that is written once is blamed once
            if at in self._said:
                return
            self._said.add(at)
            values = ", ".join(f"{name} = {value}" for name, value in self.indices.items())
            message = f"{message} (for {values})"
        line, column = self.source.position(at)
        self.problems.append(Problem(self.source.file, line, column, message))
        if len(self.problems) >= _PROBLEM_LIMIT:
            raise RaffError(self.problems)

    def remark(self, node: Node, message: str) -> None:
        """Record something that is allowed and yet seldom meant; a few of them are enough."""
        if self.indices and any(one.message == message for one in self.remarks):
            return
        if len(self.remarks) < _MOST_REMARKS:
            line, column = self.source.position(node.start)
            self.remarks.append(Problem(self.source.file, line, column, message))

    def hint(self, name: str, allowed: Collection[str]) -> str:
        """``"; did you mean 'x'?"``, or nothing when none is near or too many were compared."""
        self._compared += min(sum(map(len, allowed)), COMPARED)
        return did_you_mean(name, allowed) if self._compared <= _COMPARED else ""

    def read(self, kind: Kind, node: Node, label: str) -> Any:
        """The value of a node by its kind, or BAD."""
        return self._readers[type(kind)](kind, node, label)

    def section(self, section: Section, node: Node, label: str) -> Any:
        """A mapping with fixed keys."""
        if type(node) is not Mapping:
            return self.wrong_kind(section, node, label)
        if section is JOINT:
            section = self.section_of_joint(node)
        row = Row(node, indices=self.indices)
        values, keys, readers = row.values, section.keys, self._readers
        repeating, self._repeating = self._repeating, None
        meant: set[str] = set()  # keys that a mistyped one probably was
        for index, key in enumerate(node.keys):
            text = key.text
            known = keys.get(text)
            child = node.values[index]
            if known is None:
                if text != REPEAT or node is not repeating:
                    meant.add(self.unknown_key(section, node, key, child))
            elif node.table[text] == index:
                kind = known.kind
                self.container = node
                value = readers[type(kind)](kind, child, text)
                if value is not BAD:
                    values[text] = value
        for name, known in keys.items():
            if known.required and name not in node.table and name not in meant:
                self.problem(node, f"{section.title} needs '{name}': {known.doc}")
        if section is SHAPE:
            for place, fault in shape_faults(row):
                self.problem(place, fault)
        return row

    def one_row(self, section: Section, node: Mapping, indices: Indices) -> Row:
        """A row by itself, as it is for these indices."""
        self.indices = indices
        self._repeating = node
        row: Row = self.section(section, node, section.title)
        self.indices = _NO_INDICES
        return row

    def section_of_joint(self, node: Mapping) -> Section:
        """The keys for a joint row: its type decides which make sense."""
        kind = node.get("type")
        word = kind.text if isinstance(kind, Scalar) else DEFAULT_TYPE
        return joint_section(word) if word in JOINT_TYPES else JOINT

    def unknown_key(self, section: Section, node: Mapping, key: Scalar, child: Node) -> str:
        """Say what is wrong with a key that the section has not; gives the key it stood for."""
        text = key.text
        empty = isinstance(child, Scalar) and child.plain and child.text == ""
        if text in ("", "<<"):
            return ""  # already reported with the syntax
        if empty and node.flow and ")" in text and key.plain:
            return ""  # the rest of a formula with a comma, reported with its first part
        if empty and ":" in text:
            first, rest = text.split(":", 1)
            self.problem(key, f"put a space after the colon: '{short(first)}: {short(rest)}'")
            return first
        if section.title == "a joint" and text in JOINT.keys:
            kind = node.get("type")
            word = kind.text if isinstance(kind, Scalar) else DEFAULT_TYPE
            only = "only a screw joint has 'pitch'"
            none = f"a {word} joint has no variable, so no '{text}'"
            if text == "follows" and JOINT_TYPES[word].moves:
                none = f"a {word} joint has no single variable that could follow another"
            self.problem(key, only if text == "pitch" else none)
            return ""
        where = f"in {section.title}" if section.title != "the file" else "at the top of the file"
        hint = section.hints.get(text) or section.hints.get(text.lower())
        if hint:
            self.problem(key, f"unknown key '{text}' {where}; {hint}")
            return ""
        nearest = did_you_mean(text, section.keys)
        listed = "" if nearest else f"; keys: {' '.join(section.keys)}"
        self.problem(key, f"unknown key '{short(text)}' {where}{nearest}{listed}")
        return nearest.split("'")[1] if nearest else ""

    def number(self, kind: Number, node: Node, label: str) -> Any:
        """A number or formula."""
        if type(node) is not Scalar:
            return self.wrong_kind(kind, node, label)
        formula = self._formulas.get(node.text)
        try:
            if formula is None:
                formula = self._formulas[node.text] = parse_formula(node.text)
            if self.indices and formula.names:
                formula = fill_formula(formula, self.indices)
                formula = self._formulas.setdefault(formula.text, formula)
        except FormulaError as error:
            self.bad_formula(node, label, error)
            return BAD
        self.numbers.append(NumberUse(formula, kind, node, label, self.indices))
        return formula

    def axis(self, kind: Axis, node: Node, label: str) -> Any:
        """A direction: a word, an angle in the plane or a vector."""
        if isinstance(node, Mapping):
            return self.wrong_kind(kind, node, label)
        if isinstance(node, Scalar):
            return node.text if node.text in WORDS else self.number(ANGLE, node, label)
        return self.listing(_VECTOR, node, label)

    def filled(self, node: Scalar) -> str | None:
        """A text with its indices worked out; None when one cannot be, which is recorded."""
        if not self.indices:
            return node.text
        try:
            return fill(node.text, self.indices)
        except FormulaError as error:
            self.problem(node, error.reason)
            return None

    def repeated(self, kind: Section, node: Mapping, label: str) -> list[Row]:
        """The rows that a row or group with ``repeat`` stands for."""
        found: list[Row] = []
        table, rows, outer = node.get(REPEAT), node.get(ROWS), self.indices
        if isinstance(table, Mapping):
            self.index_keys += table.keys
            for key in table.keys:
                if key.text in outer:
                    self.problem(
                        key, f"the index '{key.text}' is already that of the group outside"
                    )
                    return found
        for key in node.keys:
            if rows is not None and key.text not in (REPEAT, ROWS):
                self.problem(
                    key, "a group has only 'repeat' and 'rows'; write the rows into 'rows'"
                )
                return found
        for bound in bindings(node, self.problem):
            self.indices = {**outer, **bound}
            if rows is not None:
                value = self.listing(ListOf(kind), rows, ROWS)
                found += [] if value is BAD else value
            else:
                self._repeated += 1
                self._repeating = node
                found.append(self.section(kind, node, label))
            if self._repeated > ROW_LIMIT:
                self.indices = outer
                self.problem(node, f"all 'repeat' together make more than {ROW_LIMIT} rows")
                raise RaffError(self.problems)
        self.indices = outer
        return found

    def bad_formula(self, node: Scalar, label: str, error: FormulaError) -> None:
        """Report a formula that cannot be read, with the traps of YAML explained."""
        text, reason = node.text, error.reason
        flow = self.container is not None and self.container.flow
        if node.plain and text in NULLS:
            reason = self.no_value(node, label)
        elif text.lower() in (".inf", "+.inf", "-.inf", ".nan"):
            reason = f"{label} must be a finite number"
        elif flow and node.plain and text.count("(") > text.count(")"):
            reason = (
                "in { } and [ ] a comma ends the value: "
                f'put a formula with commas in quotes, {label}: "{short(text)}, …)"'
            )
        self.problem(node, reason, error.offset)

    def no_value(self, node: Scalar, label: str) -> str:
        """Why a value is missing."""
        rest = self.source.text[node.end : node.end + _LINE_REST].lstrip(" \t")
        if node.text == "" and rest.startswith("#"):
            return f"{label} has no value: '#' starts a comment; put the value in quotes"
        return f"{label} has no value"

    def listing(self, kind: ListOf, node: Node, label: str) -> Any:
        """A list, of the right length."""
        if type(node) is not Listing:
            return self.wrong_kind(kind, node, label)
        items = node.items
        broken = node.flow and any(
            type(item) is Scalar and item.plain and item.text.count("(") > item.text.count(")")
            for item in (items if kind.sizes else ())
        )
        if kind.sizes and len(items) not in kind.sizes and not broken:
            sizes = " or ".join(map(str, kind.sizes))
            hint = f" ({kind.hint})" if kind.hint else ""
            self.problem(node, f"{label} needs {sizes} values{hint}, not {len(items)}")
            return BAD
        values, bad = [], False
        parts, item_kind = kind.parts, kind.item
        table = item_kind if isinstance(item_kind, Section) and "name" in item_kind.keys else None
        for index, item in enumerate(items):
            self.container = node
            if table is not None and isinstance(item, Mapping) and REPEAT in item.table:
                values += self.repeated(table, item, label)
                continue
            if self.indices and table is not None:
                self._repeated += 1
            value = self.read(parts[index] if parts else item_kind, item, label)
            if value is BAD:
                bad = True
                if broken:
                    break
            else:
                values.append(value)
        # A broken row of a table must not hide the others; a vector is good or bad as a whole.
        return BAD if bad and not isinstance(item_kind, Section) else values

    def maybe(self, kind: Maybe, node: Node, label: str) -> Any:
        """A value or the word none."""
        if isinstance(node, Scalar) and node.plain and node.text in ("none", "null", "~"):
            return None
        if isinstance(node, Scalar) and isinstance(kind.kind, (ListOf, Section)):
            return self.wrong_kind(kind, node, label)
        return self.read(kind.kind, node, label)

    def either(self, kind: Either, node: Node, label: str) -> Any:
        """One of several kinds, by how it is written."""
        chosen: Kind | None
        if type(node) is Scalar:
            chosen = kind.scalar
        else:
            chosen = kind.listing if type(node) is Listing else kind.mapping
        if chosen is None:
            return self.wrong_kind(kind, node, label)
        return self.read(chosen, node, label)

    def table(self, kind: Table, node: Node, label: str) -> Any:
        """A mapping whose keys are names of the author's choice."""
        if type(node) is not Mapping:
            return self.wrong_kind(kind, node, label)
        row = Row(node)
        for index, key in enumerate(node.keys):
            child = node.values[index]
            empty = isinstance(child, Scalar) and child.text == "" and child.plain
            if key.text in ("", "<<") or node.table[key.text] != index:
                continue
            if empty and node.flow and ")" in key.text:
                continue  # the rest of a formula with a comma
            if empty and ":" in key.text:
                first, rest = key.text.split(":", 1)
                self.problem(key, f"put a space after the colon: '{first}: {short(rest)}'")
                continue
            if kind.to and self.reference(Reference(kind.to), key, label) is BAD:
                continue
            self.container = node
            value = self.read(kind.value, child, key.text)
            if value is not BAD:
                row.values[key.text] = value
        return row

    def text(self, kind: Text, node: Node, label: str) -> Any:
        """Any text; file names and colours have their own rules."""
        if type(node) is not Scalar:
            return self.wrong_kind(kind, node, label)
        text = self.filled(node)
        if text is None:
            return BAD
        if node.plain and text in NULLS:
            if label in BODIES and text:
                return "none"
            self.problem(node, self.no_value(node, label))
            return BAD
        fault = text_fault(label, text)
        if fault:
            self.problem(node, fault)
            return BAD
        return text

    def name(self, kind: Name, node: Node, label: str) -> Any:
        """A new name."""
        if type(node) is not Scalar:
            return self.wrong_kind(kind, node, label)
        text = self.filled(node)
        return text if text is not None and self.good_name(node, kind, text) else BAD

    def good_name(self, node: Scalar, kind: Name, text: str | None = None) -> bool:
        """Whether a scalar, or what it stands for here, may be a name; says why not."""
        fault = name_fault(node.text if text is None else text, kind, plain=node.plain)
        if fault:
            self.problem(node, fault)
        return not fault

    def reference(self, kind: Reference, node: Node, label: str) -> Any:
        """The name of something else."""
        if type(node) is not Scalar:
            return self.wrong_kind(kind, node, label)
        if node.plain and node.text in NULLS:
            self.problem(node, self.no_value(node, label))
            return BAD
        text = self.filled(node)
        if text is None:
            return BAD
        if len(text) > _PART_LIMIT or NO_NAME.search(text):
            why = "; an index is filled in inside 'repeat' only" if "{" in text else ""
            self.problem(node, f"{label} '{short(text)}' is not a name{why}")
            return BAD
        self.references.append(ReferenceUse(text, kind.to, node, label, self.indices))
        return text

    def free(self, node: Node) -> Any:
        """Anything, as plain values."""
        if not self.indices:
            return free_value(node)
        if isinstance(node, Listing):
            return [self.free(item) for item in node.items]
        if isinstance(node, Mapping):
            pairs = zip(node.keys, node.values, strict=False)
            return {key.text: self.free(value) for key, value in pairs}
        text = self.filled(node)
        return text if text is not None and text != node.text else free_value(node)

    def word(self, kind: Word, node: Node, label: str) -> Any:
        """One of a few words."""
        if type(node) is not Scalar:
            return self.wrong_kind(kind, node, label)
        if node.text in kind.choices:
            return node.text
        if label == "raff":
            self.problem(node, f"RAFF version '{short(node.text)}' is unknown; write raff: 1")
        elif node.plain and node.text in NULLS:
            self.problem(node, self.no_value(node, label))
        else:
            choices = kind.choices
            if kind.group:
                choices += tuple(registered(kind.group))
                if node.text in choices:
                    return node.text
            hint = did_you_mean(node.text, choices)
            extra = "" if hint else f"; {label}: {', '.join(dict.fromkeys(choices))}"
            self.problem(node, f"unknown {label} '{short(node.text)}'{hint}{extra}")
        return BAD

    def flag(self, kind: Flag, node: Node, label: str) -> Any:
        """True or false, nothing else."""
        if type(node) is Scalar and node.text in ("true", "false") and node.plain:
            return node.text == "true"
        if type(node) is not Scalar:
            return self.wrong_kind(kind, node, label)
        if node.plain and node.text in NULLS:
            self.problem(node, self.no_value(node, label))
        else:
            also = " or a mapping" if label == "motor" else ""
            self.problem(node, f"{label} must be true or false{also}, not '{short(node.text)}'")
        return BAD

    def wrong_kind(self, kind: Kind, node: Node, label: str) -> Any:
        """Say what was expected where something of another form stands."""
        if isinstance(node, Scalar) and node.plain and node.text in NULLS:
            self.problem(node, self.no_value(node, label))
            return BAD
        found = (
            f"'{short(node.text)}'"
            if isinstance(node, Scalar)
            else "a list"
            if isinstance(node, Listing)
            else "a mapping"
        )
        self.problem(node, f"{label} must be {expected(kind)}, not {found}")
        return BAD
