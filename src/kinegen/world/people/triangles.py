"""Triangles: exact distances from points, and along rays, to a closed mesh."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from kinegen.kernels import Floats

__all__ = ["Triangles"]

_Numbers = npt.NDArray[np.int64]

_LEAF = 8
"""Triangles that are tested together."""
_CHUNK = 4096
"""Rays that are cast at once: some tens of megabytes."""
_FLAT = 1e-30
"""A ray's component below this is replaced by it, so that dividing by it gives finite numbers."""
_CELLS = 1024
"""Cells along each axis for the order of triangles in space."""


class Triangles:
    """Triangles in a tree of boxes.

    They are sorted along a curve that fills space, so that neighbours in the list are neighbours in
    space. Every eight are a leaf; a box of a level contains two of the next one.
    """

    def __init__(
        self, vertices: npt.NDArray[np.floating], triangles: npt.NDArray[np.integer]
    ) -> None:
        """Sort them.

        Args:
            vertices: (n, 3) [m]
            triangles: Three vertices each, (m, 3), at least one.
        """
        self.vertices: Floats = np.asarray(vertices, dtype=np.float64)
        corners = self.vertices[triangles]
        self._corners: Floats = corners[np.argsort(_places(corners.mean(axis=1)))]
        count = len(corners)
        leaves = 1 << max(0, math.ceil(math.log2(count / _LEAF)))
        first = np.arange(leaves) * count // leaves
        # the last leaf may repeat a triangle, and leaves may overlap: neither changes a result
        self._leaves: _Numbers = np.minimum(first[:, None] + np.arange(_LEAF), count - 1)
        low = self._corners.min(axis=1)[self._leaves].min(axis=1)
        high = self._corners.max(axis=1)[self._leaves].max(axis=1)
        self._levels = [(low, high)]
        """Lower and upper corners of the boxes, from the whole mesh to the leaves."""
        while len(low) > 1:
            low = np.minimum(low[::2], low[1::2])
            high = np.maximum(high[::2], high[1::2])
            self._levels.insert(0, (low, high))

    def contains(self, point: Floats) -> bool:
        """Whether a point is inside, by the solid angle that the triangles fill around it.

        After A. Van Oosterom, J. Strackee, "The Solid Angle of a Plane Triangle" (1983).
        """
        low, high = self._levels[0]
        if (point < low[0]).any() or (point > high[0]).any():
            return False
        a, b, c = np.moveaxis(self._corners - point, 1, 0)
        la, lb, lc = (np.linalg.norm(one, axis=1) for one in (a, b, c))
        volume = np.einsum("ij,ij->i", a, np.cross(b, c))
        ab, bc, ca = (np.einsum("ij,ij->i", p, q) for p, q in ((a, b), (b, c), (c, a)))
        angles = 2 * np.arctan2(volume, la * lb * lc + ab * lc + bc * la + ca * lb)
        return bool(abs(angles.sum()) > 2 * math.pi)

    def nearest(self, point: Floats) -> tuple[Floats, Floats]:
        """Points of the surface, (1 + n, 3), and how far they are from a point [m].

        The first is the nearest point of all, and the point itself, at distance 0, where that is
        inside. The others are the vertices, for sensors that do not see the nearest one.
        """
        far = np.linalg.norm(self.vertices - point, axis=1)
        place = point if self.contains(point) else self._nearest(point, float(far.min()))
        places = np.concatenate([place[None], self.vertices])
        return places, np.concatenate([[np.linalg.norm(place - point)], far])

    def _nearest(self, point: Floats, most: float) -> Floats:
        nodes: _Numbers = np.zeros(1, dtype=np.int64)
        for level, (low, high) in enumerate(self._levels):
            nodes = nodes if level == 0 else _halves(nodes)
            away = np.maximum(np.maximum(low[nodes] - point, point - high[nodes]), 0.0)
            nodes = nodes[np.einsum("ij,ij->i", away, away) <= most**2 * (1 + 1e-12)]
        corners = self._corners[np.unique(self._leaves[nodes])]
        places = _nearest_on(corners, point)
        away = places - point
        return np.asarray(places[np.argmin(np.einsum("ij,ij->i", away, away))])

    def cast(self, origin: Floats, directions: Floats) -> Floats:
        """Distances [m] from a point along unit directions (n, 3); inf where nothing is hit."""
        if self.contains(origin):
            return np.zeros(len(directions))
        found = np.full(len(directions), np.inf)
        for start in range(0, len(directions), _CHUNK):
            part = slice(start, start + _CHUNK)
            self._cast(origin, directions[part], found[part])
        return found

    def _cast(self, origin: Floats, directions: Floats, found: Floats) -> None:
        flat = np.abs(directions) < _FLAT
        inverse = 1 / np.where(flat, _FLAT, directions)
        rays: _Numbers = np.arange(len(directions))
        nodes = np.zeros_like(rays)
        for level, (low, high) in enumerate(self._levels):
            if level > 0:
                rays, nodes = np.repeat(rays, 2), _halves(nodes)
            one = (low[nodes] - origin) * inverse[rays]
            two = (high[nodes] - origin) * inverse[rays]
            near = np.minimum(one, two).max(axis=1)
            last = np.maximum(one, two).min(axis=1)
            # a little more than the box, for rays along its faces
            meets = (near <= last * (1 + 1e-12)) & (last >= 0)
            rays, nodes = rays[meets], nodes[meets]
        if not len(rays):
            return
        corners = self._corners[self._leaves[nodes]]
        lengths = _hits(origin, directions[rays][:, None], corners).min(axis=1)
        np.minimum.at(found, rays, lengths)


def _halves(nodes: _Numbers) -> _Numbers:
    """Both parts of each node, in the next level."""
    return np.asarray((2 * nodes[:, None] + np.arange(2)).ravel())


def _places(points: Floats) -> _Numbers:
    """Numbers along the Z-order curve: near ones belong to points near to each other."""
    low = points.min(axis=0)
    size = max(float(np.ptp(points, axis=0).max()), 1e-300)
    cells = ((points - low) * ((_CELLS - 1) / size)).astype(np.int64)
    code = np.zeros(len(points), dtype=np.int64)
    for bit in range(_CELLS.bit_length() - 1):
        for axis in range(3):
            code |= ((cells[:, axis] >> bit) & 1) << (3 * bit + axis)
    return code


def _hits(origin: Floats, directions: Floats, corners: Floats) -> Floats:
    """Where rays meet triangles of (…, 3, 3), from either side; inf where they do not.

    After T. Möller, B. Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection" (1997).
    """
    first = corners[..., 0, :]
    u_edge, v_edge = corners[..., 1, :] - first, corners[..., 2, :] - first
    across = np.cross(directions, v_edge)
    size = np.einsum("...i,...i->...", u_edge, across)
    scale = 1 / np.where(size == 0, np.inf, size)
    away = origin - first
    u = np.einsum("...i,...i->...", away, across) * scale
    turned = np.cross(away, u_edge)
    v = np.einsum("...i,...i->...", directions, turned) * scale
    length = np.einsum("...i,...i->...", v_edge, turned) * scale
    # rays along an edge must not pass between its two triangles
    meets = (size != 0) & (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1 + 1e-9) & (length >= 0)
    return np.where(meets, length, np.inf)


def _nearest_on(corners: Floats, point: Floats) -> Floats:
    """The nearest point of each triangle (n, 3, 3) to a point, (n, 3)."""
    a, b, c = np.moveaxis(corners, 1, 0)
    normal = np.cross(b - a, c - a)
    square = np.einsum("ij,ij->i", normal, normal)
    height = np.einsum("ij,ij->i", point - a, normal) / np.where(square > 0, square, 1.0)
    inner = point - height[:, None] * normal
    inside = square > 0
    best, least = inner, np.full(len(a), np.inf)
    for start, end in ((a, b), (b, c), (c, a)):
        along = end - start
        inside &= np.einsum("ij,ij->i", np.cross(along, inner - start), normal) >= 0
        length = np.einsum("ij,ij->i", along, along)
        share = np.einsum("ij,ij->i", point - start, along) / np.where(length > 0, length, 1.0)
        place = start + np.clip(share, 0.0, 1.0)[:, None] * along
        far = np.einsum("ij,ij->i", place - point, place - point)
        best = np.where((far < least)[:, None], place, best)
        least = np.minimum(far, least)
    return np.asarray(np.where(inside[:, None], inner, best))
