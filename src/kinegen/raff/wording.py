"""How kinds, values and texts are worded and read, without regard to their place."""

from __future__ import annotations

import re
from typing import Any

from kinegen.raff.nodes import Listing, Mapping, Node
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

__all__ = ["NULLS", "expected", "free_value", "short"]

_INT = re.compile(r"[-+]?[0-9]{1,18}\Z")
_FLOAT = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\Z")
NULLS = ("", "~", "null", "Null", "NULL")


def expected(kind: Kind) -> str:
    """What a kind looks like, in words."""
    match kind:
        case Number():
            return "one number"
        case ListOf(sizes=sizes, hint=hint):
            count = f" of {' or '.join(map(str, sizes))}" if sizes else ""
            return f"a list{count}" + (f" [{hint}]" if hint else "")
        case Section(keys=keys):
            return "a mapping {" + ", ".join(list(keys)[:4]) + ", …}"
        case Table():
            return "a mapping {name: value, …}"
        case Either(scalar=scalar, listing=listing, mapping=mapping):
            options = [
                expected(option) for option in (scalar, listing, mapping) if option is not None
            ]
            return " or ".join(options)
        case Maybe(kind=inner):
            return expected(inner) + " or none"
        case Axis():
            return "x, y, z, an angle in the plane or a list of 3 [x, y, z]"
        case Flag():
            return "true or false"
        case Text() | Free():
            return "text"
        case Name() | Reference():
            return "a name"
        case Word(choices=choices):
            return "one of " + ", ".join(choices)


def free_value(node: Node) -> Any:
    """A node as plain Python values, by YAML 1.2's core schema; depth was limited before."""
    if isinstance(node, Listing):
        return [free_value(item) for item in node.items]
    if isinstance(node, Mapping):
        return {
            key.text: free_value(value) for key, value in zip(node.keys, node.values, strict=False)
        }
    text = node.text
    if not node.plain:
        return text
    if text in NULLS:
        return None
    if text in ("true", "false"):
        return text == "true"
    if _INT.match(text):
        return int(text)
    return float(text) if _FLOAT.match(text) else text


def short(text: str) -> str:
    """A text cut to fit a message."""
    return text if len(text) <= 40 else text[:40] + "…"
