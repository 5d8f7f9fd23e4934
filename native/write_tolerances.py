"""Write the tolerances of the compiled kernels and of the page from ``kinegen.kernels.tolerances``.

python native/write_tolerances.py
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "src" / "kinegen" / "kernels" / "tolerances.py"
HEADER = ROOT / "native" / "kernel" / "base" / "tolerances.hpp"
PAGE = ROOT / "web" / "src" / "kernel" / "tolerances.ts"

IN_KERNELS = (
    "SHUT", "OPEN", "RANK", "LOOP_RANK", "BRANCH_RANK", "SINGULAR", "UNSEEN", "MASSLESS",
    "LIMIT_SLACK", "UPRIGHT", "STANDSTILL", "QUIET",
)  # fmt: skip
"""Those that kernels decide by; others are given to them."""
IN_PAGE = ("CLOSED", "SHUT", "SHOWN_CLOSED", "MET", "RANK")
"""Those that the page gives to kernels, or decides by."""
ORIGIN = "Written by native/write_tolerances.py from src/kinegen/kernels/tolerances.py: edit there."


class Tolerance(NamedTuple):
    """A number as Python writes it, and its reason."""

    value: str
    reason: str


def read_table() -> dict[str, Tolerance]:
    """All tolerances by name."""
    text = TABLE.read_text("utf-8")
    body = ast.parse(text).body
    out: dict[str, Tolerance] = {}
    for line, reason in pairwise(body):
        match line, reason:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=float())),
                ast.Expr(value=ast.Constant(value=str(said))),
            ):
                value = ast.get_source_segment(text, line.value)
                out[name] = Tolerance(str(value), " ".join(said.split()))
    return out


def header_text(table: Mapping[str, Tolerance]) -> str:
    """The header of the kernels."""
    lines = [
        "// Tolerances that several rooms share; lengths in sizes of the mechanism, angles in rad.",
        f"// {ORIGIN}",
        "#pragma once",
        "",
        "namespace kinegen::tolerance {",
    ]
    for name in IN_KERNELS:
        lines += ["", *textwrap.wrap(table[name].reason, 97, initial_indent="// ",
                                     subsequent_indent="// ")]  # fmt: skip
        lines.append(f"constexpr double {name} = {table[name].value};")
    return "\n".join([*lines, "", "}  // namespace kinegen::tolerance", ""])


def page_text(table: Mapping[str, Tolerance]) -> str:
    """The module of the page."""
    lines = [
        "// Tolerances as shares of the mechanism's size; angles count in radians beside them.",
        f"// {ORIGIN}",
    ]
    for name in IN_PAGE:
        reason = textwrap.wrap(table[name].reason, 90)
        doc = [f"/** {reason[0]} */"] if len(reason) == 1 else [
            "/**", *(f" * {line}" for line in reason), " */"
        ]  # fmt: skip
        lines += ["", *doc, f"export const {name} = {table[name].value};"]
    return "\n".join([*lines, ""])


def main() -> None:
    """Write both files."""
    table = read_table()
    HEADER.write_text(header_text(table), "utf-8")
    PAGE.write_text(page_text(table), "utf-8")


if __name__ == "__main__":
    main()
