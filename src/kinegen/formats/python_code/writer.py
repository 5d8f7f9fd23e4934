"""A mechanism as a Python program that builds it, row by row, with the public calls."""

from __future__ import annotations

import keyword
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from kinegen.errors import KinegenError
from kinegen.formats.format import Format, Written
from kinegen.formats.mechanisms.raff import with_start
from kinegen.formats.python_code.comments import Comment, comments_of
from kinegen.formats.python_code.literals import Argument, call_text, value_of
from kinegen.formats.python_code.reader import read_python
from kinegen.kernels import Floats
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.write import write
from kinegen.raff.document import Document
from kinegen.raff.nodes import Listing, Node
from kinegen.raff.nodes import Mapping as Table

__all__ = ["FORMAT", "python_code"]

MOST_ROWS = 400
"""Every call reads the mechanism again: beyond so many rows a program gives the whole text."""
_NAMED = ("name", "title", "description", "source")
_FOOT = '\nif __name__ == "__main__":\n    print(mechanism.to_raff())\n'


@dataclass(slots=True, eq=False)
class _Statement:
    """One call of the program."""

    head: str
    arguments: list[Argument]
    first: int
    """Lines of the text that it stands for."""
    last: int
    before: list[str] = field(default_factory=list)
    """Comments above it."""
    comment: str = ""
    """At its end."""
    gap: bool = False
    """Whether a blank line comes before it."""

    def text(self) -> str:
        lines = [f"# {comment}".rstrip() for comment in self.before]
        lines.append(call_text(self.head, self.arguments, self.comment))
        return ("\n" if self.gap else "") + "\n".join(lines)


def python_code(mechanism: Mechanism) -> tuple[str, list[str]]:
    """The text of a Python program that builds the mechanism, and notes.

    Formulas, units and comments of the mechanism's text are kept. Running the program gives
    ``mechanism``, which is equal to the one that it was written from.
    """
    document = mechanism.document
    if document is None or document.root.get("robots") is not None or _has_groups(document):
        document = Document(write(mechanism))
    program = _program(document, mechanism)
    if program is not None:
        return program, []
    return _whole(mechanism), [
        "the program gives the whole text to kg.load: the mechanism cannot be built row by row"
    ]


def _has_groups(document: Document) -> bool:
    """Whether rows stand for groups of rows, which have no name of their own."""
    return any(
        "name" not in value_of(item)
        for key, node in zip(document.root.keys, document.root.values, strict=True)
        if key.text in ("joints", "frames") and isinstance(node, Listing)
        for item in node.items
    )


def _program(document: Document, mechanism: Mechanism) -> str | None:
    """The program row by row; None where that would not give the same mechanism."""
    if len(mechanism.joints) + len(mechanism.parameters) > MOST_ROWS:
        return None
    statements = _statements(document, mechanism)
    tail = _place(statements, comments_of(document))
    lines = ["import kinegen as kg\n", *(one.text() for one in statements), *tail, _FOOT]
    program = "\n".join(lines)
    try:
        built = read_python(program, file="program.py")
    except KinegenError:
        return None
    return program if write(built) == write(mechanism) else None


def _whole(mechanism: Mechanism) -> str:
    """A program with the mechanism's text in it."""
    text = write(mechanism).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return f'import kinegen as kg\n\nmechanism = kg.load("""\\\n{text}""")\n{_FOOT}'


def _statements(document: Document, mechanism: Mechanism) -> list[_Statement]:
    root, source = document.root, document.source

    def lines(start: int, node: Node) -> tuple[int, int]:
        end = max(start, node.end - 1)
        text = document.text
        while end > start and text[end] in " \t\r\n":
            end -= 1
        return source.position(start)[0], source.position(end)[0]

    first = _Statement("mechanism = kg.Mechanism", [("", mechanism.name)], 1, 1)
    for name in _NAMED[1:]:
        text = getattr(mechanism, name)
        if text is not None:
            first.arguments.append((f"{name}=", text))
    rows: list[_Statement] = []
    later: list[_Statement] = []
    known = {"base", "world"}
    for key, node in zip(root.keys, root.values, strict=True):
        span = lines(key.start, node)
        if key.text in _NAMED or key.text == "raff":
            first.last = max(first.last, span[1])
        elif key.text == "parameters" and isinstance(node, Table):
            for own, value in zip(node.keys, node.values, strict=True):
                rows.append(_parameter(own.text, value, lines(own.start, value)))
        elif key.text in ("joints", "frames") and isinstance(node, Listing):
            for item in node.items:
                made, postponed = _row(key.text, value_of(item), known, lines(item.start, item))
                rows.append(made)
                later += postponed
        else:
            arguments = [("", key.text), ("", value_of(node))]
            late = key.text in _NAMING or isinstance(node, Listing)
            one = _Statement("mechanism.set_key", arguments, *span)
            (later if late and key.text != "gravity" else rows).append(one)
    ordered = sorted(rows, key=lambda one: _ORDER.get(one.head, 0))
    found = [first, *ordered, *later]
    for before, one in pairwise(found):
        one.gap = before.head != one.head
    return found


_NAMING = ("mode", "collisions", "world")
"""Keys of the file whose values name joints: they come when those are there."""
_ORDER = {"mechanism.add_parameter": 1, "mechanism.add_joint": 2, "mechanism.add_frame": 3}


def _parameter(name: str, node: Node, span: tuple[int, int]) -> _Statement:
    value = value_of(node)
    arguments: list[Argument] = [("", name)]
    if isinstance(value, dict):
        arguments.append(("", value.pop("value")))
        arguments += [(f"{key}=", inner) for key, inner in value.items()]
    else:
        arguments.append(("", value))
    return _Statement("mechanism.add_parameter", arguments, *span)


def _row(
    section: str, row: dict[str, Any], known: set[str], span: tuple[int, int]
) -> tuple[_Statement, list[_Statement]]:
    """The call of a joint or frame; what names later joints is set at the end."""
    name, parent = row.pop("name"), row.pop("parent")
    later = []
    if section == "joints":
        for key in [key for key, value in row.items() if _names_later(value, known | {name})]:
            value = row.pop(key)
            arguments = [("", name), ("", key), ("", value)]
            later.append(_Statement("mechanism.set_value", arguments, span[1], span[1]))
        known.add(name)
    plain = {key: value for key, value in row.items() if _is_argument(key)}
    other = {key: value for key, value in row.items() if key not in plain}
    arguments = [("", name), ("", parent), *((f"{key}=", value) for key, value in plain.items())]
    arguments += [("**", other)] if other else []
    head = f"mechanism.add_{section.removesuffix('s')}"
    return _Statement(head, arguments, *span), later


def _names_later(value: Any, known: set[str]) -> bool:
    """Whether a key refers to a joint that does not exist yet."""
    if not isinstance(value, dict):
        return False
    return any(value.get(key, "base") not in known for key in ("onto", "joint"))


def _is_argument(key: str) -> bool:
    return key.isidentifier() and not keyword.iskeyword(key)


def _place(statements: list[_Statement], comments: list[Comment]) -> list[str]:
    """Give comments to the statements of their lines; the rest, for the end of the program."""
    by_line = sorted(statements, key=lambda one: one.first)
    tail = []
    for comment in comments:
        same = [one for one in by_line if one.first <= comment.line <= one.last]
        if same and not comment.stands_alone and not same[-1].comment:
            same[-1].comment = comment.text
            continue
        if same:
            same[-1].before.append(comment.text)
            continue
        after = [one for one in by_line if one.first > comment.line]
        if after:
            after[0].before.append(comment.text)
        else:
            tail.append(f"# {comment.text}".rstrip())
    return tail


def _write(
    mechanism: Mechanism,
    *,
    options: Mapping[str, str],
    file: str = "",
    q: Floats | None = None,
    motion: str | None = None,
) -> Written:
    FORMAT.check_options(options)
    text, notes = python_code(with_start(mechanism, q))
    return Written(text, tuple(notes))


FORMAT = Format(
    "python",
    "Python program that builds the mechanism",
    (".py",),
    read_python,
    _write,
    media_type="text/x-python; charset=utf-8",
)
