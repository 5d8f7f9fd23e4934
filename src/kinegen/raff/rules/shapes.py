"""Shapes: keys of a mapping that belong together, and tables of heights."""

from __future__ import annotations

from collections.abc import Iterator

from kinegen.raff.nodes import Node
from kinegen.raff.records import Row
from kinegen.raff.sections.parts import HEIGHT_FILES

__all__ = ["shape_faults"]

BODIES = ("mesh", "box", "cylinder", "sphere", "capsule", "heights")


def shape_faults(row: Row) -> Iterator[tuple[Node, str]]:
    """What is wrong with a shape's mapping, each with its place."""
    given = [body for body in BODIES if body in row.node.table]
    if len(given) != 1:
        found = f"not {' and '.join(given)}" if given else "and has none"
        yield row.node, f"a shape needs one of {' '.join(BODIES)}, {found}"
    elif "scale" in row.values and given != ["mesh"]:
        yield row.place("scale"), "only a mesh has 'scale'"
    elif given == ["heights"]:
        yield from _height_faults(row)
    for key in ("size", "height", "depth"):
        if key in row.node.table and given != ["heights"]:
            yield row.place(key), f"only a shape with 'heights' has '{key}'"


def _height_faults(row: Row) -> Iterator[tuple[Node, str]]:
    """A height field has a size, and its table is a rectangle."""
    table = row.values.get("heights")
    if "size" not in row.node.table:
        yield row.node, "heights need 'size: [x, y]', the field's full lengths"
    if isinstance(table, str):
        if not table.lower().endswith(HEIGHT_FILES):
            kinds = ", ".join(HEIGHT_FILES)
            yield row.place("heights"), f"heights are read from {kinds}, not '{table}'"
        elif table.lower().endswith(".png") and "height" not in row.node.table:
            yield row.node, "heights in a picture need 'height', the height that white means"
    elif isinstance(table, list):
        sizes = [len(line) for line in table if isinstance(line, list)]
        if len(sizes) < 2 or min(sizes) < 2:
            yield row.place("heights"), "heights need two rows of two numbers or more"
        elif len(set(sizes)) > 1:
            odd = next(n for n, size in enumerate(sizes) if size != sizes[0])
            found = f"has {sizes[odd]} numbers; the first has {sizes[0]}"
            yield row.place("heights"), f"row {odd + 1} of the heights {found}"
