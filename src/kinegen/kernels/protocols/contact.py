"""What every set of kernels offers for contacts: what shapes on links touch, what rays see."""

from __future__ import annotations

import enum
from typing import NamedTuple, Protocol

import numpy as np

from kinegen.kernels.layout import Floats, Ints

__all__ = [
    "SHAPE_INTS",
    "SHAPE_REALS",
    "SURFACE_SIZE",
    "BoundClearance",
    "BoundShapes",
    "FoundClearances",
    "FoundContacts",
    "ShapeArrays",
    "ShapeKind",
]

SHAPE_INTS = 6
"""Integers of a shape: see ``ShapeArrays.ints``."""
SHAPE_REALS = 15
"""Numbers of a shape: X_LS, half sizes (3); of a height field half sizes in x and y, and depth."""
SURFACE_SIZE = 5
"""Numbers of a surface: friction, restitution, torsional and rolling friction [m], 1 if given."""


class ShapeKind(enum.IntEnum):
    """Kinds of shapes, numbered as MuJoCo does."""

    PLANE = 0
    """Everything below its xy plane."""
    HEIGHTS = 1
    """A grid of heights over its xy plane, solid below."""
    BALL = 2
    CAPSULE = 3
    CYLINDER = 5
    BOX = 6
    HULL = 7


class ShapeArrays(NamedTuple):
    """Shapes as the kernels take them, n of them."""

    ints: Ints
    """(n, 6): kind, link; of a hull its first corner, how many, its first facet, how many; of a
    height field its first height, columns along x, 0, rows along y."""
    reals: Floats
    """(n, 15): X_LS, and half sizes: radius; radius and half length; half edges; of a height field
    half sizes in x and y, and how deep it is solid [m]."""
    surfaces: Floats
    """(n, 5): friction, restitution, torsional and rolling friction [m], 1 if the file gives
    them."""
    corners: Floats
    """Of all hulls, in their shapes' axes, (m, 3)."""
    planes: Floats
    """Of all facets: outward normal and distance from the origin, (f, 4)."""
    facet_first: Ints
    """(f + 1,)"""
    facet_corners: Ints
    """Corners of each facet in order, counter-clockwise from outside."""
    heights: Floats
    """Of all height fields, row by row [m]."""
    meets: Ints
    """Which shapes touch each other, (n, n), symmetric."""
    link_count: int


FoundContacts = tuple[Ints, Floats, Floats, Floats]
"""Pairs of shapes (n, 2), points midway between the surfaces (n, 3), normals from the first shape
to the second (n, 3), distances (n,): world axes [m]."""


class BoundShapes(Protocol):
    """Shapes on the links of a model."""

    def place(self, transforms: Floats, /) -> None:
        """Bring them to links X_WL, (link_count, 12)."""
        ...

    def find(self, margin: float, /) -> FoundContacts:
        """All contacts with a distance below a margin [m]."""
        ...

    def cast_rays(
        self, origins: Floats, directions: Floats, most: float, seen: Ints, /
    ) -> tuple[Floats, Ints, Floats]:
        """Distances (inf: nothing within `most`), shapes (-1) and normals of what rays meet first.

        From inside a shape, the way out; planes are seen from above. ``seen`` (n,): which shapes
        count.
        """
        ...

    def nearest(self, point: Floats, /) -> tuple[float, int, Floats]:
        """Signed distance of a point to the nearest shape, which (-1: none), the way out."""
        ...


FoundClearances = tuple[Ints, Ints, Floats, Floats]
"""Row of the configuration (n,), shapes (n, 2); distance, normal from the first shape to the second
and nearest points on both (n, 10), world axes [m]; gradients (n, nv) or none."""


class BoundClearance(Protocol):
    """Distances between the bodies of a model, each of one or more shapes."""

    def measure(self, qs: Floats, margin: float, gradients: bool, threads: int) -> FoundClearances:
        """Bodies nearer than a margin [m] at configurations (n, nq), one row for each two.

        Shapes that overlap have the negative of the least way that separates them.
        """
        ...


NO_FACETS = np.zeros(1, dtype=np.int32)
"""``facet_first`` without facets."""
