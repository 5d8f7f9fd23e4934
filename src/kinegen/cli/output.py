"""Tables for people: numbers with their units, in columns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kinegen.cli.terminal import as_shown

if TYPE_CHECKING:
    from kinegen.kinematics.closure import LoopGap

__all__ = [
    "angle",
    "count",
    "duration",
    "gap",
    "length",
    "number",
    "print_table",
]


def print_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], *, right: Iterable[int] = ()
) -> None:
    """Print columns that line up; ``right`` lists the columns that align to the right."""
    lines = [[as_shown(cell) for cell in line] for line in (header, *rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    to_right = set(right)
    for n, line in enumerate(lines):
        cells = [
            cell.rjust(width) if i in to_right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())
        if n == 0:
            print("  ".join(as_shown("─") * width for width in widths).rstrip())


def count(number: int, what: str, many: str | None = None) -> str:
    """``"1 joint"``, ``"2 joints"``, ``"2 branches"``."""
    return f"{number} {what if number == 1 else many or f'{what}s'}"


def number(value: float, digits: int = 4) -> str:
    """A number with a fixed count of decimals and no minus before zero."""
    text = f"{value:.{digits}f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text


def length(value: float) -> str:
    """A length in millimetres with its unit."""
    return _endless(value) or f"{number(value * 1000, 2)} mm"


def angle(value: float) -> str:
    """An angle in degrees with its unit."""
    return _endless(value) or f"{number(math.degrees(value), 2)}°"


def duration(seconds: float) -> str:
    """A time in the unit that suits it."""
    for size, unit in ((86400.0, "days"), (3600.0, "h"), (60.0, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


def _endless(value: float) -> str:
    return "" if math.isfinite(value) else "∞" if value > 0 else "-∞"


def gap(gap: LoopGap, size: float) -> str:
    """How far loops of a mechanism of that size [m] are open, in words."""
    from kinegen.kernels.tolerances import SHOWN_CLOSED

    if max(gap.distance / size, gap.angle) < SHOWN_CLOSED:
        return "closed"
    return f"open by up to {gap.distance * 1000:.4g} mm and {math.degrees(gap.angle):.4g}°"
