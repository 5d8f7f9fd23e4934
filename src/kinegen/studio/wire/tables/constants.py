"""Modules of constants: a name, a number, and its reason below."""

from __future__ import annotations

import ast
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

__all__ = ["Constant", "read_constants"]


class Constant(NamedTuple):
    """A number as Python writes it, and its reason."""

    value: str
    reason: str


def read_constants(module: ModuleType) -> dict[str, Constant]:
    """All constants of a module by name."""
    text = Path(str(module.__file__)).read_text("utf-8")
    out: dict[str, Constant] = {}
    for line, reason in pairwise(ast.parse(text).body):
        match line, reason:
            case (
                ast.Assign(
                    targets=[ast.Name(id=name)],
                    value=ast.Constant(value=float() | int()) | ast.BinOp(),
                ),
                ast.Expr(value=ast.Constant(value=str(said))),
            ):
                value = ast.get_source_segment(text, line.value)
                out[name] = Constant(str(value), " ".join(said.split()))
    return out
