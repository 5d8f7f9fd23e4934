"""The stack of flat parts: a level for each, so that none collide while they move."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import permutations

import numpy as np
import numpy.typing as npt

from kinegen.formats.workshop.flat.outline import circle
from kinegen.formats.workshop.flat.part import FlatPart, Pin, Placed
from kinegen.formats.workshop.sizes import Sizes
from kinegen.kernels import Floats, Ints

__all__ = ["stack_levels"]

ORDERS = 500
"""Orders of the parts that are tried: all of up to five parts."""

Touching = list[tuple[str, str]]
"""Parts, each with the name of a pin."""


def stack_levels(
    parts: Sequence[FlatPart],
    pins: Sequence[Pin],
    placed: Sequence[Sequence[Placed]],
    sizes: Sizes,
) -> tuple[list[int], Touching]:
    """Levels of all parts, and the pins that some part touches which lies between their ends.

    Two parts have different levels when they share a pin or overlap in any pose. The ground lies
    at the bottom, alone. Of many orders of the parts the one is taken whose pins run free, with the
    fewest levels and the shortest pins.

    Args:
        parts: The ground first.
        pins: What holds them together.
        placed: Where every part is, for all poses.
        sizes: Of bars and holes.
    """
    swept = [_swept(part.outline(sizes).polygon(2, outside=True), own)
             for part, own in zip(parts, placed, strict=True)]  # fmt: skip
    index = {part.name: k for k, part in enumerate(parts)}
    apart = _conflicts(parts, pins, swept, index)
    crossing = _crossings(pins, swept, placed, index, sizes)
    spans = [[index[name] for name, _ in pin.parts] for pin in pins]
    best: tuple[tuple[int, int, int], list[int]] | None = None
    for order in _orders(len(parts)):
        levels = _levels(order, apart)
        touched = _touched(levels, spans, crossing)
        lengths = sum(max(levels[k] for k in own) - min(levels[k] for k in own) for own in spans)
        cost = (len(touched), max(levels, default=0), lengths)
        if best is None or cost < best[0]:
            best = (cost, levels)
    assert best is not None
    levels = best[1]
    return levels, [
        (parts[part].name, pins[pin].name) for part, pin in _touched(levels, spans, crossing)
    ]


def _swept(polygon: Floats, own: Sequence[Placed]) -> Floats:
    """The polygon in all poses, (poses, corners, 2)."""
    angles = np.array([one.angle for one in own])
    c, s = np.cos(angles)[:, None], np.sin(angles)[:, None]
    x, y = polygon[:, 0], polygon[:, 1]
    shift = np.array([(one.x, one.y) for one in own])
    return np.stack([c * x - s * y + shift[:, :1], s * x + c * y + shift[:, 1:]], axis=2)


def _conflicts(
    parts: Sequence[FlatPart], pins: Sequence[Pin], swept: Sequence[Floats], index: dict[str, int]
) -> list[set[int]]:
    """For every part, those that need another level."""
    apart: list[set[int]] = [set() for _ in parts]
    for pin in pins:
        met = {index[name] for name, _ in pin.parts}
        for one in met:
            apart[one] |= met - {one}
    for one in range(1, len(parts)):
        for other in range(1, one):
            if other not in apart[one] and _overlap(swept[one], swept[other]):
                apart[one].add(other)
                apart[other].add(one)
    return apart


def _crossings(
    pins: Sequence[Pin],
    swept: Sequence[Floats],
    placed: Sequence[Sequence[Placed]],
    index: dict[str, int],
    sizes: Sizes,
) -> list[set[int]]:
    """For every pin, the parts that it does not belong to and that sweep over its place."""
    found = []
    for pin in pins:
        met = {index[name] for name, _ in pin.parts}
        name, at = pin.parts[0]
        rod = _swept(circle(at, sizes.hole).polygon(1, outside=True), placed[index[name]])
        others = (k for k in range(1, len(swept)) if k not in met)
        found.append({k for k in others if _overlap(swept[k], rod)})
    return found


def _overlap(one: Floats, other: Floats) -> bool:
    """Whether two convex polygons overlap in any pose."""
    near = _near(one, other)
    # Most that overlap do so in many poses: a few are tried first.
    for poses in (near[::8], near):
        if len(poses) and _overlaps(one[poses], other[poses]).any():
            return True
    return False


def _near(one: Floats, other: Floats) -> Ints:
    """Poses in which the circles around two polygons meet."""
    centres = [swept.mean(axis=1) for swept in (one, other)]
    radii = [float(np.hypot(*(swept[0] - c[0]).T).max())
             for swept, c in zip((one, other), centres, strict=True)]  # fmt: skip
    apart = np.hypot(*(centres[0] - centres[1]).T)
    return np.flatnonzero(apart <= sum(radii)).astype(np.int32)


def _overlaps(one: Floats, other: Floats) -> npt.NDArray[np.bool_]:
    """Whether two convex polygons overlap, pose by pose: no side separates them."""
    away = np.zeros(len(one), dtype=bool)
    for a, b in ((one, other), (other, one)):
        edges = np.roll(a, -1, axis=1) - a
        normals = np.stack([edges[..., 1], -edges[..., 0]], axis=2)
        reach = (normals * a).sum(axis=2)
        nearest = (normals @ b.transpose(0, 2, 1)).min(axis=2)
        away |= (nearest > reach).any(axis=1)
    return ~away


def _orders(count: int) -> Iterable[Sequence[int]]:
    """Orders of the parts but the ground; the file's own first."""
    others = list(range(1, count))
    if math.factorial(len(others)) <= ORDERS:
        yield from permutations(others)
        return
    yield others
    random = np.random.default_rng(0)
    for _ in range(ORDERS):
        yield [others[k] for k in random.permutation(len(others))]


def _levels(order: Sequence[int], apart: Sequence[set[int]]) -> list[int]:
    """The lowest level that is free for each part, in this order."""
    levels = [0] * len(apart)
    for part in order:
        taken = {levels[other] for other in apart[part]}
        levels[part] = next(level for level in range(1, len(apart) + 1) if level not in taken)
    return levels


def _touched(
    levels: Sequence[int], spans: Sequence[Sequence[int]], crossing: Sequence[set[int]]
) -> list[tuple[int, int]]:
    """Parts between the ends of a pin that sweep over it, each with the pin."""
    found = []
    for pin, own in enumerate(spans):
        low, high = min(levels[k] for k in own), max(levels[k] for k in own)
        found += [(part, pin) for part in sorted(crossing[pin]) if low < levels[part] < high]
    return found
