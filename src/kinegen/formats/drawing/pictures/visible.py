"""Which pieces of a picture can be seen at all: the others are left out of the file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kinegen.formats.drawing.pictures.camera import Camera
from kinegen.formats.drawing.pictures.order import Piece
from kinegen.formats.drawing.pictures.solid import Solid

__all__ = ["without_covered", "without_inside"]

Array = NDArray[np.float64]

NEAR = 1e-4
"""Distance [px] by which a piece may stick out of a solid and still count as inside."""
SAMPLES = 2
"""Samples per pixel and direction when looking for covered pieces."""
EDGE = 1e-9
"""Area [px²] between a sample and an edge below which the sample counts as inside."""


def without_inside(
    batches: Sequence[Sequence[Piece]], solids: Sequence[Solid]
) -> list[list[Piece]]:
    """The pieces that do not lie wholly inside another solid.

    Args:
        batches: In view coordinates [px].
        solids: All solids in view coordinates, by the number the pieces have.
    """
    pieces = [piece for batch in batches for piece in batch]
    if not pieces:
        return []
    inside = np.zeros(len(pieces), dtype=bool)
    corners = np.concatenate([piece.corners for piece in pieces])
    starts = np.cumsum([0] + [len(piece.corners) for piece in pieces[:-1]])
    low, high = np.minimum.reduceat(corners, starts), np.maximum.reduceat(corners, starts)
    owner = np.array([piece.solid for piece in pieces])
    for index, solid in enumerate(solids):
        lowest, highest = solid.vertices.min(axis=0), solid.vertices.max(axis=0)
        around = (low >= lowest - NEAR) & (high <= highest + NEAR)
        offsets = solid.offsets + NEAR
        for i in np.flatnonzero(around.all(axis=1) & (owner != index) & ~inside):
            inside[i] = bool((pieces[i].corners @ solid.normals.T <= offsets).all())
    return _kept(batches, ~inside)


def without_covered(
    batches: Sequence[Sequence[Piece]], camera: Camera, size: tuple[int, int]
) -> list[list[Piece]]:
    """The pieces of which something is left when all batches are painted one over the other.

    Args:
        batches: From back to front, in view coordinates [px].
        camera: From view to page.
        size: Of the page [px].
    """
    canvas = np.zeros((SAMPLES * size[1], SAMPLES * size[0]), dtype=np.int32)
    pieces = [piece for batch in batches for piece in batch]
    if not pieces:
        return []
    seen = np.zeros(len(pieces) + 1, dtype=bool)
    places = SAMPLES * camera.to_page(np.concatenate([piece.corners for piece in pieces]))
    ends = np.cumsum([len(piece.corners) for piece in pieces])
    for number, (piece, end) in enumerate(zip(pieces, ends, strict=True), start=1):
        corners = places[end - len(piece.corners) : end]
        # What is smaller than the samples cannot be judged, and stays.
        seen[number] = piece.normal is None or not _fill(canvas, corners, number)
    seen |= np.bincount(canvas.ravel(), minlength=len(seen)) > 0
    return _kept(batches, seen[1:])


def _kept(batches: Sequence[Sequence[Piece]], keep: NDArray[np.bool_]) -> list[list[Piece]]:
    """The batches without the pieces that are not kept."""
    flags = iter(keep.tolist())
    result = [[piece for piece in batch if next(flags)] for batch in batches]
    return [batch for batch in result if batch]


def _fill(canvas: NDArray[np.int32], corners: Array, number: int) -> bool:
    """Write a number over all samples inside a convex polygon; False if there were none."""
    low = np.maximum(np.floor(corners.min(axis=0)), 0).astype(int)
    high = np.minimum(np.ceil(corners.max(axis=0)).astype(int) + 1, canvas.shape[::-1])
    if (high <= low).any():
        return False
    x = np.arange(low[0], high[0]) + 0.5
    y = np.arange(low[1], high[1]) + 0.5
    # The page's y points down, so that the corners run clockwise on it. Each edge bounds x in every
    # row of samples, from the left or from the right.
    starts = corners[:, :, None]
    dx, dy = np.roll(corners, -1, axis=0).T[:, :, None] - corners.T[:, :, None]
    reach = dx * (y - starts[:, 1]) - EDGE
    steep = np.where(dy == 0, 1.0, dy)
    bounds = starts[:, 0] + reach / steep
    left = np.where(dy > 0, bounds, -np.inf).max(axis=0)
    right = np.where(dy < 0, bounds, np.inf).min(axis=0)
    right[((dy == 0) & (reach > 0)).any(axis=0)] = -np.inf
    inside = (x >= left[:, None]) & (x <= right[:, None])
    if not inside.any():
        return False
    canvas[low[1] : high[1], low[0] : high[0]][inside] = number
    return True
