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
        normal, heights = _best_plane(group)
        front, level, back = _divide(group, heights)
        near, far = (front, back) if normal[2] > 0 else (back, front)
        todo += [(False, near), (True, level), (False, far)]
    return ordered


def _best_plane(group: list[Piece]) -> tuple[Array, Array]:
    """The plane that cuts few pieces and leaves two sides of about the same size.

    Returns:
        Its normal, and the heights of all corners above it [px], piece after piece.
    """
    corners = np.concatenate([piece.corners for piece in group])
    starts = _starts(group)
    normals, offsets = _gaps(group, corners, starts)
    flat = [(piece.normal, piece) for piece in group if piece.normal is not None]
    for normal, piece in flat[:: max(1, len(flat) // CANDIDATES)]:
        normals.append(normal)
        offsets.append(float(normal @ piece.corners[0]))
    heights = np.array(normals) @ corners.T - np.array(offsets)[:, None]
    highest = np.maximum.reduceat(heights, starts, axis=1) > NEAR
    lowest = np.minimum.reduceat(heights, starts, axis=1) < -NEAR
    cuts = np.count_nonzero(highest & lowest, axis=1)
    # pieces that are cut are on both sides, and so cancel
    imbalance = np.abs(np.count_nonzero(highest, axis=1) - np.count_nonzero(lowest, axis=1))
    best = int(np.argmin(CUT_COST * cuts + imbalance))
    return normals[best], heights[best]


def _starts(group: list[Piece]) -> NDArray[np.intp]:
    """Where each piece begins among the corners of all."""
    return np.cumsum([0] + [len(piece.corners) for piece in group[:-1]])


def _gaps(
    group: list[Piece], corners: Array, starts: NDArray[np.intp]
) -> tuple[list[Array], list[float]]:
    """Planes across x, y or z that pass between solids without touching any."""
    solids = np.array([piece.solid for piece in group])
    by_solid = np.argsort(solids, kind="stable")
    firsts = np.flatnonzero(np.diff(solids[by_solid], prepend=-1))
    low = np.minimum.reduceat(corners, starts, axis=0)
    high = np.maximum.reduceat(corners, starts, axis=0)
    lows = np.minimum.reduceat(low[by_solid], firsts, axis=0)
    highs = np.maximum.reduceat(high[by_solid], firsts, axis=0)
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


def _divide(group: list[Piece], heights: Array) -> tuple[list[Piece], list[Piece], list[Piece]]:
    """Pieces in front of a plane, in it, and behind it; those across it are cut."""
    front: list[Piece] = []
    level: list[Piece] = []
    back: list[Piece] = []
    starts = _starts(group)
    above = (np.maximum.reduceat(heights, starts) > NEAR).tolist()
    below = (np.minimum.reduceat(heights, starts) < -NEAR).tolist()
    for piece, start, is_above, is_below in zip(group, starts.tolist(), above, below, strict=True):
        if is_above and is_below:
            own = heights[start : start + len(piece.corners)].tolist()
            for side, part in (
                (front, _part(piece, own)),
                (back, _part(piece, [-height for height in own])),
            ):
                if part is not None:
                    side.append(part)
        elif is_above:
            front.append(piece)
        elif is_below:
            back.append(piece)
        else:
            level.append(piece)
    return front, level, back


def _part(piece: Piece, heights: list[float]) -> Piece | None:
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
