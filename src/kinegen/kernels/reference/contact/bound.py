"""Contacts, rays and distances of shapes; see the protocol."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.protocols.contact import FoundContacts, ShapeArrays
from kinegen.kernels.reference.contact.distances import nearest_shape
from kinegen.kernels.reference.contact.find import find_contacts
from kinegen.kernels.reference.contact.rays import cast_ray
from kinegen.kernels.reference.contact.shapes import Shapes

__all__ = ["BoundShapes"]


class BoundShapes:
    """Shapes on the links of a model."""

    def __init__(
        self, ints: Ints, reals: Floats, surfaces: Floats, corners: Floats, planes: Floats,
        facet_first: Ints, facet_corners: Ints, heights: Floats, meets: Ints, link_count: int, /,
    ) -> None:  # fmt: skip
        self._shapes = Shapes(
            ShapeArrays(
                np.asarray(ints), np.asarray(reals), surfaces, corners, planes, facet_first,
                facet_corners, heights, meets, link_count,
            )
        )  # fmt: skip

    def place(self, transforms: Floats, /) -> None:
        self._shapes.place(np.asarray(transforms).reshape(-1, 12))

    def find(self, margin: float, /) -> FoundContacts:
        return find_contacts(self._shapes, margin)

    def cast_rays(
        self, origins: Floats, directions: Floats, most: float, seen: Ints, /
    ) -> tuple[Floats, Ints, Floats]:
        rays = zip(np.reshape(origins, (-1, 3)), np.reshape(directions, (-1, 3)), strict=True)
        found = [cast_ray(self._shapes, o, d, most, seen) for o, d in rays]
        return (
            np.array([row[0] for row in found], dtype=np.float64),
            np.array([row[1] for row in found], dtype=np.int32),
            np.array([row[2] for row in found]).reshape(-1, 3),
        )

    def nearest(self, point: Floats, /) -> tuple[float, int, Floats]:
        return nearest_shape(self._shapes, np.asarray(point))
