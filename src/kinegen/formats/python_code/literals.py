"""Values of RAFF as Python literals: numbers where they read back the same, else texts."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from typing import Any, TypeAlias

from kinegen.raff.formulas.formula import format_number
from kinegen.raff.nodes import Listing, Mapping, Node, Scalar

__all__ = ["WIDTH", "Argument", "call_text", "value_of"]

WIDTH = 100
"""Of a program's lines."""

Argument: TypeAlias = tuple[str, Any]
"""Of a call: what comes before the value, such as ``d=``, and the value."""

_FLAGS = {"true": True, "false": False}
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_DIGITS = 15
"""Of integers and decimals that every reader takes as they are."""


def value_of(node: Node) -> Any:
    """What a node of a text is in Python; formulas and numbers in unusual form stay texts."""
    if isinstance(node, Listing):
        return [value_of(item) for item in node.items]
    if isinstance(node, Mapping):
        pairs = zip(node.keys, node.values, strict=True)
        return {key.text: value_of(value) for key, value in pairs}
    return _scalar(node)


def _scalar(node: Scalar) -> Any:
    text = node.text
    if not node.plain:
        return text
    if text in _FLAGS:
        return _FLAGS[text]
    if _INTEGER.fullmatch(text) and len(text) <= _DIGITS:
        return int(text)
    try:
        number = float(text)
    except ValueError:
        return text
    # 0.20, 3.0 and 1e-3 stay as they were written
    return number if format_number(number) == repr(number) == text else text


def call_text(head: str, arguments: Sequence[Argument], comment: str = "") -> str:
    """A call on one line, or with one argument per line; a short comment behind it."""
    line = f"{head}({', '.join(prefix + _flat(value) for prefix, value in arguments)})"
    behind = f"  # {comment}" if comment else ""
    if len(line + behind) <= WIDTH:
        return line + behind
    before = f"# {comment}\n" if comment else ""
    if len(line) <= WIDTH:
        return before + line
    inner = "".join(f"    {prefix}{_folded(value, 4, prefix)},\n" for prefix, value in arguments)
    return f"{before}{head}(\n{inner})"


def _flat(value: Any) -> str:
    """A value as Python code on one line."""
    if isinstance(value, str):
        shown = repr(value)
        if shown[0] == '"' or '"' in value:
            return shown
        return '"' + shown[1:-1].replace("\\'", "'") + '"'
    if isinstance(value, dict):
        pairs = (f"{_flat(str(key))}: {_flat(inner)}" for key, inner in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flat, value)) + "]"
    return repr(value)


def _folded(value: Any, indent: int, prefix: str = "") -> str:
    """A value over as many lines as it needs; its first one begins after the prefix."""
    flat = _flat(value)
    if indent + len(prefix) + len(flat) + 1 <= WIDTH:
        return flat
    lead, end = " " * (indent + 4), " " * indent
    if isinstance(value, str) and "\n" not in value:
        pieces = textwrap.wrap(
            value, WIDTH - indent - 8, drop_whitespace=False, break_long_words=False,
            break_on_hyphens=False,
        )  # fmt: skip
        if "".join(pieces) == value:
            return "(\n" + "".join(f"{lead}{_flat(piece)}\n" for piece in pieces) + f"{end})"
    if isinstance(value, dict):
        keys = {_flat(str(key)) + ": ": inner for key, inner in value.items()}
        rows = (f"{lead}{key}{_folded(inner, indent + 4, key)},\n" for key, inner in keys.items())
        return "{\n" + "".join(rows) + end + "}"
    if isinstance(value, list):
        rows = (f"{lead}{_folded(inner, indent + 4)},\n" for inner in value)
        return "[\n" + "".join(rows) + end + "]"
    return flat
