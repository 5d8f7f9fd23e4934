"""TypeScript of the wire messages, generated: ``python -m kinegen.studio.wire.typescript FILE``."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import inspect
import sys
import types
import typing
from itertools import pairwise
from pathlib import Path
from typing import Any

from kinegen.studio.wire import messages as wire

__all__ = ["main", "schema_hash", "typescript"]

HEAD = """\
// Generated from src/kinegen/studio/wire/messages.py; do not edit.
// To make it again: make wire
/* eslint-disable */
"""


def typescript() -> str:
    """The interfaces of all messages and of what they are made of, and the schema's hash."""
    body = "\n\n".join(_interface(cls) for cls in _classes())
    unions = "\n".join(
        f"export type {name} = {' | '.join(cls.__name__ for cls in group)};"
        for name, group in (("ToPage", wire.TO_PAGE), ("FromPage", wire.FROM_PAGE))
    )
    return f'{HEAD}\nexport const SCHEMA = "{schema_hash()}";\n\n{body}\n\n{unions}\n'


@functools.cache
def schema_hash() -> str:
    """A short name for exactly these messages."""
    text = "\n".join(_interface(cls) for cls in _classes())
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _classes() -> list[type]:
    """All dataclasses of the wire, in the order they are written."""
    own: list[type] = [cls for _, cls in inspect.getmembers(wire, inspect.isclass)]
    own = [cls for cls in own if dataclasses.is_dataclass(cls)]
    return sorted(own, key=lambda cls: inspect.getsourcelines(cls)[1])


def _interface(cls: type) -> str:
    hints = typing.get_type_hints(cls)
    notes = _notes(cls)
    summary = " ".join((cls.__doc__ or "").split())
    lines = [f"/** {summary} */", f"export interface {cls.__name__} {{"]
    if issubclass(cls, wire.Message):
        lines.append(f'  kind: "{cls.KIND}";')
    for field in dataclasses.fields(cls):
        optional = "?" if _has_default(field) else ""
        if field.name in notes:
            lines.append(f"  /** {notes[field.name]} */")
        lines.append(f"  {field.name}{optional}: {_type(hints[field.name])};")
    return "\n".join([*lines, "}"])


def _has_default(field: dataclasses.Field[Any]) -> bool:
    missing = dataclasses.MISSING
    return field.default is not missing or field.default_factory is not missing


def _notes(cls: type) -> dict[str, str]:
    """Docstrings below the fields, by field."""
    import ast
    import textwrap

    node = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
    notes: dict[str, str] = {}
    body = node.body if isinstance(node, ast.ClassDef) else []
    for before, after in pairwise(body):
        if (
            isinstance(before, ast.AnnAssign)
            and isinstance(before.target, ast.Name)
            and isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
        ):
            notes[before.target.id] = " ".join(str(after.value.value).split())
    return notes


_SIMPLE = {str: "string", int: "number", float: "number", bool: "boolean", Any: "any"}


def _type(hint: Any) -> str:
    if hint in _SIMPLE:
        return _SIMPLE[hint]
    if hint is type(None):
        return "null"
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return " | ".join(dict.fromkeys(_type(one) for one in inside))
    if origin is typing.Literal:
        return " | ".join(f'"{one}"' for one in inside)
    if origin is list:
        inner = _type(inside[0])
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    if origin is tuple:
        return f"[{', '.join(_type(one) for one in inside)}]"
    if origin is dict:
        return f"Record<{_type(inside[0])}, {_type(inside[1])}>"
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return hint.__name__
    raise TypeError(f"the wire has no TypeScript for {hint!r}")


def main() -> None:
    """Write the file named on the command line."""
    Path(sys.argv[1]).write_text(typescript(), encoding="utf-8")


if __name__ == "__main__":
    main()
