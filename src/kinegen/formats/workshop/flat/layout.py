"""Layout: where flat parts lie on a drawing, assembled or side by side on sheets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from kinegen.errors import FormatError, UsageError
from kinegen.formats.workshop.flat.assembly import FlatAssembly
from kinegen.formats.workshop.flat.part import FlatPart, Placed
from kinegen.formats.workshop.sizes import millimetres, parse_length

__all__ = ["LAYOUTS", "SPACING", "Layout", "arrange", "parse_sheet"]

LAYOUTS = ("nested", "assembled")
SPACING = 0.004
"""Between parts, and around them on a sheet [m]."""
_BETWEEN = 0.020
"""Between sheets [m]."""

Size = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Layout:
    """Parts on a drawing."""

    places: tuple[tuple[FlatPart, Placed], ...]
    sheets: tuple[tuple[float, float, float, float], ...] = ()
    """Least x, least y, largest x, largest y of every sheet [m]."""


def arrange(
    assembly: FlatAssembly,
    *,
    layout: str = "nested",
    ground: bool = False,
    sheet: Size | None = None,
    spacing: float = SPACING,
) -> Layout:
    """Where every part lies.

    Args:
        assembly: The parts.
        layout: 'assembled' as in the pose, or 'nested' side by side for cutting.
        ground: Whether the ground is a part.
        sheet: Length and width of the material [m]; default: one sheet that is large enough.
        spacing: Between parts, and from the edges of a sheet [m].

    Raises:
        FormatError: A part does not fit the sheet.
    """
    if layout not in LAYOUTS:
        raise UsageError(f"layout={layout}: use one of {', '.join(LAYOUTS)}")
    if not (math.isfinite(spacing) and spacing >= 0):
        raise UsageError(f"spacing must be at least 0, not {millimetres(spacing)}")
    parts = assembly.made(ground=ground)
    if layout == "assembled":
        return Layout(tuple((part, part.at) for part in parts))
    if sheet is not None and not all(math.isfinite(side) and side > 0 for side in sheet):
        raise UsageError("the sides of a sheet must be greater than 0")
    return _nested(assembly, parts, sheet, spacing)


def parse_sheet(text: str) -> Size:
    """Length and width of a sheet [m]: ``600x400mm``, ``0.6x0.4``, ``60 cm x 40 cm``."""
    first, cross, second = text.replace("×", "x").replace("X", "x").partition("x")
    if not cross:
        raise UsageError(f"sheet={text}: specify length and width, such as 600x400mm")
    unit = second.strip().lstrip("0123456789.+-*/() ")
    if unit and first.strip().replace(".", "", 1).isdigit():
        first = f"{first.strip()} {unit}"
    size = parse_length("sheet", first.strip()), parse_length("sheet", second.strip())
    if min(size) <= 0:
        raise UsageError(f"sheet={text}: its sides must be greater than 0")
    return size


def _nested(
    assembly: FlatAssembly, parts: Sequence[FlatPart], sheet: Size | None, spacing: float
) -> Layout:
    """Rows of parts, the widest first; sheets lie beside each other."""
    boxes = {part.name: part.outline(assembly.sizes).bounds for part in parts}
    turned = {part.name: _turn(part, boxes[part.name], sheet, spacing) for part in parts}
    sizes = {
        name: (y1 - y0, x1 - x0) if turned[name] else (x1 - x0, y1 - y0)
        for name, (x0, y0, x1, y1) in boxes.items()
    }
    if sheet is None:
        area = sum((w + spacing) * (h + spacing) for w, h in sizes.values())
        longest = max((w for w, _ in sizes.values()), default=0.0)
        room = (max(longest, 1.4 * math.sqrt(area)) + 2 * spacing, math.inf)
    else:
        room = sheet
    places: list[tuple[FlatPart, Placed]] = []
    sheets = 1
    x = y = spacing
    row = 0.0
    for part in sorted(parts, key=lambda one: (-sizes[one.name][1], -sizes[one.name][0])):
        width, height = sizes[part.name]
        if x > spacing and x + width + spacing > room[0] + 1e-12:
            x, y, row = spacing, y + row + spacing, 0.0
        if y + height + spacing > room[1] + 1e-12:
            sheets, x, y, row = sheets + 1, spacing, spacing, 0.0
        origin = (sheets - 1) * (room[0] + _BETWEEN) + x
        x0, y0, _, y1 = boxes[part.name]
        if turned[part.name]:
            places.append((part, Placed(origin + y1, y - x0, math.pi / 2)))
        else:
            places.append((part, Placed(origin - x0, y - y0, 0.0)))
        x, row = x + width + spacing, max(row, height)
    if sheet is None:
        return Layout(tuple(places))
    edges = [k * (sheet[0] + _BETWEEN) for k in range(sheets)]
    return Layout(tuple(places), tuple((e, 0.0, e + sheet[0], sheet[1]) for e in edges))


def _turn(
    part: FlatPart, box: tuple[float, float, float, float], sheet: Size | None, spacing: float
) -> bool:
    """Whether a part lies across the sheet; FormatError when it fits in neither way."""
    length, width = box[2] - box[0], box[3] - box[1]
    if sheet is None:
        return False
    for turned, (x, y) in ((False, (length, width)), (True, (width, length))):
        if x + 2 * spacing <= sheet[0] + 1e-12 and y + 2 * spacing <= sheet[1] + 1e-12:
            return turned
    raise FormatError(
        f"part '{part.name}' measures {_size(length, width)} and does not fit a sheet of "
        f"{_size(*sheet)} with {millimetres(spacing)} at its edges"
    )


def _size(length: float, width: float) -> str:
    return f"{millimetres(length).removesuffix(' mm')} × {millimetres(width)}"
