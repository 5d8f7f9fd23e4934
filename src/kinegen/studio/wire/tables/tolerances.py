"""Tolerances for the kernels and the page."""

from __future__ import annotations

import textwrap

from kinegen.kernels import tolerances
from kinegen.studio.wire.tables.constants import Constant, read_constants
from kinegen.studio.wire.tables.text import doc, head

__all__ = ["IN_KERNELS", "cpp", "read_table", "typescript"]

HEAD = head("kernels/tolerances.py")
IN_KERNELS = (
    "SHUT", "OPEN", "RANK", "LOOP_RANK", "BRANCH_RANK", "SINGULAR", "UNSEEN", "MASSLESS",
    "LIMIT_SLACK", "UPRIGHT", "STANDSTILL", "QUIET",
)  # fmt: skip
"""Those that kernels decide by; others are given to them."""
IN_PAGE = ("CLOSED", "SHUT", "SHOWN_CLOSED", "MET", "RANK")
"""Those that the page gives to kernels, or decides by."""


def read_table() -> dict[str, Constant]:
    """All tolerances by name."""
    return read_constants(tolerances)


def cpp() -> str:
    """The header of the kernels."""
    table = read_table()
    lines = [
        HEAD.rstrip(),
        "// Tolerances that several rooms share; lengths in sizes of the mechanism, angles in rad.",
        "#pragma once",
        "",
        "namespace kinegen::tolerance {",
    ]
    for name in IN_KERNELS:
        lines += ["", *textwrap.wrap(table[name].reason, 97, initial_indent="// ",
                                     subsequent_indent="// ")]  # fmt: skip
        lines.append(f"constexpr double {name} = {table[name].value};")
    return "\n".join([*lines, "", "}  // namespace kinegen::tolerance", ""])


def typescript() -> str:
    """The module of the page."""
    table = read_table()
    lines = [
        HEAD.rstrip(),
        "// Tolerances as shares of the mechanism's size; angles count in radians beside them.",
    ]
    for name in IN_PAGE:
        lines += ["", *doc(table[name].reason), f"export const {name} = {table[name].value};"]
    return "\n".join([*lines, ""])
