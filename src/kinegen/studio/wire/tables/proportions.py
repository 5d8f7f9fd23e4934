"""Proportions of automatic shapes for the page."""

from __future__ import annotations

from kinegen.mechanism.shapes import proportions
from kinegen.studio.wire.tables.constants import read_constants
from kinegen.studio.wire.tables.text import doc, head

__all__ = ["typescript"]


def typescript() -> str:
    """The module of the page."""
    lines = [
        head("mechanism/shapes/proportions.py").rstrip(),
        "// Proportions of automatic shapes: in radii of the bars, unless a unit is given.",
    ]
    for name, (value, reason) in read_constants(proportions).items():
        # written as prettier writes them: 7, not 7.0
        number = value.removesuffix(".0")
        lines += ["", *doc(reason), f"export const {name} = {number};"]
    return "\n".join([*lines, ""])
