"""Shapes that touch: where they are, how far they reach, and their outermost points."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.protocols.contact import ShapeArrays, ShapeKind

__all__ = ["Shape", "Shapes", "join_surfaces"]

CELL = ((0, 1, 2), (1, 3, 2))
"""Triangles of a height field's cell by its grid points."""


@dataclass(slots=True, eq=False)
class Shape:
    """One shape where it is: R and p are its axes and origin in the world."""

    index: int
    kind: ShapeKind
    link: int
    size: Floats
    X_LS: Floats
    corners: Floats
    """Of a hull, in the shape's axes."""
    planes: Floats
    facets: list[Ints]
    """Corners of each facet."""
    heights: Floats
    """(rows, columns)"""
    reach: float
    """Radius of a ball around its origin."""
    R: Floats = field(default_factory=lambda: np.eye(3))
    p: Floats = field(default_factory=lambda: np.zeros(3))

    @property
    def radius(self) -> float:
        """What balls and capsules have around their point or segment."""
        is_round = self.kind in (ShapeKind.BALL, ShapeKind.CAPSULE)
        return float(self.size[0]) if is_round else 0.0

    def local(self, point: Floats) -> Floats:
        """A point of the world in the shape's axes."""
        return (point - self.p) @ self.R

    def world(self, points: Floats) -> Floats:
        """Points of the shape in the world."""
        return points @ self.R.T + self.p

    def support(self, along: Floats) -> Floats:
        """The outermost point along a direction, without the radius; world axes."""
        d = along @ self.R
        at = np.zeros(3)
        sides = np.where(d < 0, -1.0, 1.0)
        match self.kind:
            case ShapeKind.CAPSULE:
                at[2] = sides[2] * self.size[1]
            case ShapeKind.CYLINDER:
                flat = np.hypot(d[0], d[1])
                if flat > 1e-300:
                    at[:2] = self.size[0] * d[:2] / flat
                at[2] = sides[2] * self.size[1]
            case ShapeKind.BOX:
                at = sides * self.size
            case ShapeKind.HULL:
                at = self.corners[int(np.argmax(self.corners @ d))]
        return self.world(at)

    def triangles(self, rows: range, columns: range) -> list[Floats]:
        """Triangles of a height field's cells, (3, 3) each, in its axes."""
        found = []
        count_y, count_x = self.heights.shape
        for row in rows:
            for column in columns:
                points = np.array(
                    [
                        [
                            self.size[0] * (2.0 * x / (count_x - 1) - 1),
                            self.size[1] * (2.0 * y / (count_y - 1) - 1),
                            self.heights[y, x],
                        ]
                        for y in (row, row + 1)
                        for x in (column, column + 1)
                    ]
                )
                found += [points[list(corners)] for corners in CELL]
        return found


def _reach(kind: ShapeKind, size: Floats, corners: Floats, heights: Floats) -> float:
    match kind:
        case ShapeKind.PLANE:
            return float(np.inf)
        case ShapeKind.BALL:
            return float(size[0])
        case ShapeKind.CAPSULE:
            return float(size[0] + size[1])
        case ShapeKind.CYLINDER:
            return float(np.hypot(size[0], size[1]))
        case ShapeKind.BOX:
            return float(np.linalg.norm(size))
        case ShapeKind.HULL:
            return float(np.linalg.norm(corners, axis=1).max())
    far = max(float(size[2]), float(np.abs(heights).max()))
    return float(np.linalg.norm([size[0], size[1], far]))


class Shapes:
    """All shapes of a model."""

    def __init__(self, arrays: ShapeArrays) -> None:
        self.all: list[Shape] = []
        self.meets = np.asarray(arrays.meets).reshape(len(arrays.ints), -1)
        self.link_count = arrays.link_count
        for index, (ints, reals) in enumerate(zip(arrays.ints, arrays.reals, strict=True)):
            kind, link, first, count, facet, many = (int(x) for x in ints)
            hull = kind == ShapeKind.HULL
            corners = arrays.corners[first : first + count] if hull else np.zeros((0, 3))
            facets = [
                arrays.facet_corners[arrays.facet_first[f] : arrays.facet_first[f + 1]] - first
                for f in (range(facet, facet + many) if hull else ())
            ]
            grid = np.zeros((0, 0))
            if kind == ShapeKind.HEIGHTS:
                grid = arrays.heights[first : first + count * many].reshape(many, count)
            self.all.append(
                Shape(
                    index,
                    ShapeKind(kind),
                    link,
                    reals[12:],
                    reals[:12],
                    corners,
                    arrays.planes[facet : facet + many] if hull else np.zeros((0, 4)),
                    facets,
                    grid,
                    _reach(ShapeKind(kind), reals[12:], corners, grid),
                )
            )

    def place(self, transforms: Floats) -> None:
        """Bring all shapes to links X_WL, (link_count, 12)."""
        for shape in self.all:
            X = transforms[shape.link]
            R = X[:9].reshape(3, 3)
            shape.R = R @ shape.X_LS[:9].reshape(3, 3)
            shape.p = R @ shape.X_LS[9:] + X[9:]


def join_surfaces(a: Floats, b: Floats) -> Floats:
    """Surfaces of a pair: those that the file gives count, the larger of two."""
    if (a[4] > 0) == (b[4] > 0):
        return np.maximum(a[:4], b[:4])
    return a[:4] if a[4] > 0 else b[:4]
