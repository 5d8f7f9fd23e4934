"""Labels of flat parts: name and level, written where there is room."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from kinegen.formats.workshop.flat.outline import Point
from kinegen.formats.workshop.flat.part import FlatPart
from kinegen.formats.workshop.sizes import Sizes
from kinegen.kernels import Floats

__all__ = ["Label", "label_of"]

HEIGHT = 0.3
"""Of letters where there is room [widths of a bar]."""
_LETTER = 0.8
"""Width of a letter [heights]: that of wide fonts."""
_SHRINK = 0.8
"""From one size of letters to the next smaller one that is tried."""


@dataclass(frozen=True, slots=True)
class Label:
    """The name of a part, written on it."""

    at: Point
    """The middle of the text, in the part's plane [m]."""
    text: str
    height: float
    """Of its letters [m]."""


def label_of(part: FlatPart, sizes: Sizes) -> Label:
    """Name and level of a part, such as ``crank L1``: as large as fits beside its holes."""
    text = f"{part.name} L{part.level}"
    outline = part.outline(sizes).polygon(8)
    obstacles = _obstacles(part)
    spots = _spots(part, sizes)
    height = HEIGHT * sizes.width
    while height > 0.02 * sizes.width:
        half = (_LETTER * height * len(text) / 2, 0.65 * height)
        free = [at for at in spots if _fits(at, half, outline, obstacles, sizes.drilled / 2)]
        if free:
            return Label(max(free, key=lambda at: round(_inside(outline, at), 9)), text, height)
        height *= _SHRINK
    return Label(spots[0], text, height)


def _spots(part: FlatPart, sizes: Sizes) -> list[Point]:
    """Places to try: between holes, in the middle, above and below holes."""
    points = part.points
    middle = (sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points))
    known = [middle, *points]
    spots = [((a[0] + b[0]) / 2, (a[1] + b[1]) / 2) for a in known for b in known]
    aside = (sizes.width + sizes.drilled) / 4
    beside = [(x, y + side * aside) for x, y in spots for side in (-1, 1)]
    return list(dict.fromkeys(spots + beside))


def _obstacles(part: FlatPart) -> Floats:
    """Points that a text keeps away from: holes, marks and points along slots, (n, 2)."""
    found = [*(hole.at for hole in part.holes), *(mark.at for mark in part.marks)]
    for slot in part.slots:
        a, b = np.array(slot.start), np.array(slot.end)
        found += [tuple(a + k / 32 * (b - a)) for k in range(33)]
    return np.array(found).reshape(-1, 2)


def _fits(
    at: Point, half: tuple[float, float], outline: Floats, obstacles: Floats, radius: float
) -> bool:
    """Whether a rectangle around a point lies on the part, off its holes."""
    corners = [(at[0] + x * half[0], at[1] + y * half[1]) for x in (-1, 1) for y in (-1, 1)]
    if any(_inside(outline, corner) <= 0 for corner in corners):
        return False
    gaps = np.maximum(np.abs(obstacles - at) - half, 0.0)
    return not len(obstacles) or float(np.hypot(*gaps.T).min()) > radius


def _inside(outline: Floats, at: Point) -> float:
    """Distance of a point from the edges of a convex outline; negative outside [m]."""
    edges = np.roll(outline, -1, axis=0) - outline
    lengths = np.hypot(*edges.T)
    seen = lengths > 1e-12
    towards = np.array(at) - outline
    cross = edges[:, 0] * towards[:, 1] - edges[:, 1] * towards[:, 0]
    return float((cross[seen] / lengths[seen]).min()) if seen.any() else -math.inf
