"""Painter's order of polygons seen from one side: a binary space partition.

View coordinates [px]: x to the right, y up, z towards the eye, which is infinitely far away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinegen.formats.drawing.pictures.camera import snapped

__all__ = ["Piece", "back_to_front"]

Array = NDArray[np.float64]

NEAR = 0.02
"""Distance [px] below which a corner counts as lying in a plane: far finer than one can see."""
CANDIDATES = 40
"""Planes tried per partition: more gives fewer cuts, and takes longer."""
CUT_COST = 4
"""How many pieces of imbalance one cut is worth."""


@dataclass(slots=True)
class Piece:
    """A convex polygon, or a part of one; with two corners a line."""

    corners: Array
    """Shape (corner_count, 3) [px]."""
    outlined: tuple[bool, ...]
    """Whether the edge from each corner to the next is drawn."""
    solid: int
    """Of which solid; faces of one convex solid never hide each other."""
    look: str
    """Name of the style it is painted with."""
    normal: Array | None
    """Unit normal; None for a line."""


def back_to_front(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """The pieces in an order in which later ones may cover earlier ones, cut where necessary.

    Returns:
        Batches; within a batch, which is from one solid or one plane, the order is free.
    """
    ordered: list[list[Piece]] = []
    # Depth first by hand: a scene can need more levels than Python allows calls.
    todo: list[tuple[bool, list[Piece]]] = [(False, list(pieces))]
    while todo:
        done, group = todo.pop()
        if not group:
            continue
        only_lines = all(piece.normal is None for piece in group)
        if done or only_lines or len({piece.solid for piece in group}) == 1:
            ordered.append(group)
            continue
        normal, offset = _best_plane(group)
        front, level, back = _divide(group, normal, offset)
        near, far = (front, back) if normal[2] > 0 else (back, front)
        todo += [(False, near), (True, level), (False, far)]
    return ordered


def _best_plane(group: list[Piece]) -> tuple[Array, float]:
    """The plane that cuts few pieces and leaves two sides of about the same size."""
    corners = np.concatenate([piece.corners for piece in group])
    starts = np.cumsum([0] + [len(piece.corners) for piece in group[:-1]])
    normals, offsets = _gaps(group, corners, starts)
    flat = [(piece.normal, piece) for piece in group if piece.normal is not None]
    for normal, piece in flat[:: max(1, len(flat) // CANDIDATES)]:
        normals.append(normal)
        offsets.append(float(normal @ piece.corners[0]))
    heights = corners @ np.array(normals).T - np.array(offsets)
    highest = np.maximum.reduceat(heights, starts, axis=0) > NEAR
    lowest = np.minimum.reduceat(heights, starts, axis=0) < -NEAR
    front, back = highest & ~lowest, lowest & ~highest
    cuts = (highest & lowest).sum(axis=0)
    imbalance = np.abs(front.sum(axis=0) - back.sum(axis=0))
    cost = CUT_COST * cuts + imbalance
    best = int(np.argmin(cost))
    return normals[best], offsets[best]


def _gaps(
    group: list[Piece], corners: Array, starts: NDArray[np.intp]
) -> tuple[list[Array], list[float]]:
    """Planes across x, y or z that pass between solids without touching any."""
    solids = np.array([piece.solid for piece in group])
    low = np.minimum.reduceat(corners, starts, axis=0)
    high = np.maximum.reduceat(corners, starts, axis=0)
    names = np.unique(solids)
    lows = np.array([low[solids == name].min(axis=0) for name in names])
    highs = np.array([high[solids == name].max(axis=0) for name in names])
    normals: list[Array] = []
    offsets: list[float] = []
    for axis in range(3):
        by_low = np.argsort(lows[:, axis], kind="stable")
        reached = np.maximum.accumulate(highs[by_low, axis])[:-1]
        following = lows[by_low, axis][1:]
        for i in np.flatnonzero(following > reached + NEAR):
            normals.append(np.eye(3)[axis])
            offsets.append(float(reached[i] + following[i]) / 2)
    return normals, offsets


def _divide(
    group: list[Piece], normal: Array, offset: float
) -> tuple[list[Piece], list[Piece], list[Piece]]:
    """Pieces in front of a plane, in it, and behind it; those across it are cut."""
    front: list[Piece] = []
    level: list[Piece] = []
    back: list[Piece] = []
    for piece in group:
        heights = piece.corners @ normal - offset
        above, below = bool((heights > NEAR).any()), bool((heights < -NEAR).any())
        if above and below:
            for side, part in ((front, _part(piece, heights)), (back, _part(piece, -heights))):
                if part is not None:
                    side.append(part)
        elif above:
            front.append(piece)
        elif below:
            back.append(piece)
        else:
            level.append(piece)
    return front, level, back


def _part(piece: Piece, heights: Array) -> Piece | None:
    """The part of a piece where the heights of its corners are positive."""
    corners: list[Array] = []
    outlined: list[bool] = []
    count = len(piece.corners)
    for i in range(count if count > 2 else 1):
        j = (i + 1) % count
        here, there = heights[i] >= 0, heights[j] >= 0
        if here:
            corners.append(piece.corners[i])
            outlined.append(piece.outlined[i])
        if here != there:
            share = heights[i] / (heights[i] - heights[j])
            corners.append(piece.corners[i] + share * (piece.corners[j] - piece.corners[i]))
            # Leaving the kept side the next edge is the cut itself, which nobody should see.
            outlined.append(piece.outlined[i] if there else False)
    if count == 2 and heights[1] >= 0:
        corners.append(piece.corners[1])
        outlined.append(False)
    if len(corners) < min(count, 3):
        return None
    return Piece(snapped(np.array(corners)), tuple(outlined), piece.solid, piece.look, piece.normal)
