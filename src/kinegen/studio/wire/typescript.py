"""TypeScript of the wire messages, which ``make tables`` writes."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import types
import typing
from typing import Any

from kinegen.studio.wire import messages as wire
from kinegen.studio.wire.codec import is_required
from kinegen.studio.wire.message import Message, PieceHead, Question, Result
from kinegen.studio.wire.parts import RowValue, Shape
from kinegen.studio.wire.questions import QUESTIONS
from kinegen.studio.wire.tables import frames
from kinegen.studio.wire.tables.text import field_notes, head

__all__ = ["schema_hash", "typescript", "wire_classes"]

HEAD = head("studio/wire") + "/* eslint-disable */\n"

_GROUPS = (
    wire.StructureEdit, wire.MotionEdit, wire.SimulationOrder, wire.SignalOverride, wire.DriveOrder,
)  # fmt: skip
"""Kinds of messages from a page that have a name of their own."""
_NAMED = {"RowValue": RowValue, "Shape": Shape}
"""Types that are no classes and have a name all the same."""
TAIL = """\
/** The kinds of questions. */
export type QuestionKind = keyof Questions;
/** What a question says besides the pose; its number comes from the connection. */
export type Asked<K extends QuestionKind> = Omit<Questions[K]["request"], "kind" | "request" | "q">;
/** What answers a question. */
export type ResultOf<K extends QuestionKind> = Questions[K]["result"];
/** What the pieces before the answer hold. */
export type PieceOf<K extends QuestionKind> = Questions[K]["piece"];
/** The head of any piece. */
export type PieceHead = PieceOf<QuestionKind>;
"""


def typescript() -> str:
    """The interfaces of all messages and of what they are made of, and the schema's hash."""
    body = "\n\n".join(_interface(cls) for cls in wire_classes())
    named = "\n".join(f"export type {name} = {_union(hint)};" for name, hint in _NAMED.items())
    unions = "\n".join(
        f"export type {name} = {' | '.join(cls.__name__ for cls in group)};"
        for name, group in (
            ("ToPage", wire.TO_PAGE),
            ("FromPage", wire.FROM_PAGE),
            *((base.__name__, _kinds(base)) for base in _GROUPS),
        )
    )
    parts = (HEAD, f'export const SCHEMA = "{schema_hash()}";', body, named, unions,
             _questions(), TAIL)  # fmt: skip
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _kinds(base: type) -> list[type[Message]]:
    """The messages of a page that are one of a kind."""
    return [cls for cls in wire.FROM_PAGE if issubclass(cls, base)]


def _questions() -> str:
    """Which answer belongs to which question."""
    lines = ["/** What each question is answered with. */", "export interface Questions {"]
    for cls in QUESTIONS:
        pieces = " | ".join(piece.__name__ for piece in cls.PIECES) or "never"
        pair = f"request: {cls.__name__}; result: {cls.RESULT.__name__}; piece: {pieces}"
        lines.append(f"  {cls.KIND}: {{ {pair} }};")
    lines += ["}", "", "/** The kinds of pieces that come before the answer to each question. */"]
    lines.append('export const PIECES: { [K in QuestionKind]: readonly PieceOf<K>["kind"][] } = {')
    for cls in QUESTIONS:
        kinds = ", ".join(f'"{piece.KIND}"' for piece in cls.PIECES)
        lines.append(f"  {cls.KIND}: [{kinds}],")
    return "\n".join([*lines, "};"])


@functools.cache
def schema_hash() -> str:
    """A short name for exactly these messages and binary frames."""
    text = "\n".join([*map(_interface, wire_classes()), _questions(), frames.typescript()])
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def wire_classes() -> list[type]:
    """All dataclasses of the wire: the messages, and what they are made of before each."""
    found: dict[type, None] = {}
    results = (wire.Saved, wire.RobotPace, wire.TaughtMotion, wire.UploadPlan, wire.Uploaded,
               wire.Picture, wire.PictureHead, wire.PageCode, wire.Invitation,
               wire.ScreenLinks)  # fmt: skip
    for cls in (*wire.TO_PAGE, *wire.FROM_PAGE, *results):
        _collect(cls, found)
    return list(found)


def _collect(hint: Any, found: dict[type, None]) -> None:
    """Add the dataclasses that a type is made of, and itself where it is one."""
    for inside in typing.get_args(hint):
        _collect(inside, found)
    if not _is_class(hint) or hint in found:
        return
    for inside in typing.get_type_hints(hint).values():
        _collect(inside, found)
    if issubclass(hint, Question):
        for other in (hint.RESULT, *hint.PIECES):
            _collect(other, found)
    found[hint] = None


def _is_class(hint: Any) -> bool:
    """Whether a type is a dataclass or a mapping with known keys."""
    return isinstance(hint, type) and (dataclasses.is_dataclass(hint) or typing.is_typeddict(hint))


@functools.cache
def _is_read() -> frozenset[type]:
    """Classes that pages write: what has a default there can be left out."""
    found: dict[type, None] = {}
    for cls in wire.FROM_PAGE:
        for hint in typing.get_type_hints(cls).values():
            _collect(hint, found)
    return frozenset({*found, *wire.FROM_PAGE})


def _interface(cls: type) -> str:
    hints = typing.get_type_hints(cls)
    notes = _notes(cls)
    summary = " ".join((cls.__doc__ or "").split())
    lines = [f"/** {summary} */", f"export interface {cls.__name__} {{"]
    if issubclass(cls, (Message, PieceHead)):
        lines.append(f'  kind: "{cls.KIND}";')
    for name, is_optional in _keys(cls).items():
        if name in notes:
            lines.append(f"  /** {notes[name]} */")
        lines.append(f"  {name}{'?' if is_optional else ''}: {_type(hints[name])};")
    return "\n".join([*lines, "}"])


def _keys(cls: Any) -> dict[str, bool]:
    """The fields of a class, and whether each may be left out."""
    if typing.is_typeddict(cls):
        hints = typing.get_type_hints(cls, include_extras=True)
        return {name: not is_required(cls, hint) for name, hint in hints.items()}
    is_read = cls in _is_read()
    return {field.name: is_read and _has_default(field) for field in dataclasses.fields(cls)}


def _has_default(field: dataclasses.Field[Any]) -> bool:
    missing = dataclasses.MISSING
    return field.default is not missing or field.default_factory is not missing


def _notes(cls: type) -> dict[str, str]:
    """Docstrings below the fields, by field; of inherited ones too."""
    notes: dict[str, str] = {}
    for base in cls.__bases__:
        if dataclasses.is_dataclass(base):
            notes |= _notes(base)
    return notes | field_notes(cls)


_SIMPLE = {str: "string", int: "number", float: "number", bool: "boolean"}


def _type(hint: Any) -> str:
    if hint in _SIMPLE:
        return _SIMPLE[hint]
    if hint is type(None):
        return "null"
    if hint is Result:
        return "unknown"
    for name, named in _NAMED.items():
        if hint == named:
            return name
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return _union(hint)
    if origin is typing.Literal:
        return " | ".join(f'"{one}"' for one in inside)
    if origin is list:
        inner = _type(inside[0])
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    if origin is tuple:
        return f"[{', '.join(_type(one) for one in inside)}]"
    if origin is dict:
        return f"Record<{_type(inside[0])}, {_type(inside[1])}>"
    if _is_class(hint):
        return str(hint.__name__)
    raise TypeError(f"the wire has no TypeScript for {hint!r}")


def _union(hint: Any) -> str:
    return " | ".join(dict.fromkeys(_type(one) for one in typing.get_args(hint)))
