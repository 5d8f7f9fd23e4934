"""Polyhedra of primitives: closed, convex, outward, of about the right size."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from kinegen.formats.drawing.pictures.solid import tessellate
from kinegen.mechanism.shapes.shapes import (
    Box,
    Capsule,
    Cylinder,
    MeshRef,
    Plate,
    Primitive,
    Sphere,
)
from kinegen.mechanism.shapes.solid import rounded_outline

SHAPES = [
    (Box(size=(1, 2, 3)), 6.0),
    (Cylinder(radius=0.5, length=2), math.pi * 0.25 * 2),
    (Sphere(radius=1), 4 / 3 * math.pi),
    (Capsule(radius=0.5, length=2), math.pi * 0.25 * 2 + 4 / 3 * math.pi * 0.125),
    (Plate(outline=((0, 0), (2, 0), (2, 1), (0, 1)), thickness=0.5), 1.0),
    (Plate(outline=rounded_outline([(0, 0), (3, 0)], 0.5, 20), thickness=2), 2 * (3 + 0.785398)),
]


@pytest.mark.parametrize(("shape", "volume"), SHAPES)
def test_polyhedra_are_closed_convex_and_of_the_right_volume(
    shape: Primitive, volume: float
) -> None:
    solid = tessellate(shape, 40)
    assert solid is not None
    edges = Counter(
        (face[i], face[(i + 1) % len(face)]) for face in solid.faces for i in range(len(face))
    )
    assert set(edges.values()) == {1}
    assert all((b, a) in edges for a, b in edges), "every edge has a face on both sides"
    below = solid.vertices @ solid.normals.T <= solid.offsets + 1e-9
    assert below.all(), "all vertices are behind all faces"
    total = 0.0
    for face, normal in zip(solid.faces, solid.normals, strict=True):
        corners = solid.vertices[list(face)]
        area = 0.5 * float(np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0) @ normal)
        total += area * float(normal @ corners[0]) / 3
    assert total == pytest.approx(volume, rel=0.03)


def test_more_sides_come_nearer_to_the_circle() -> None:
    few, many = (tessellate(Cylinder(radius=1, length=1), n) for n in (6, 30))
    assert few is not None and many is not None
    assert len(many.faces) - len(few.faces) == 24


def test_meshes_are_not_drawn() -> None:
    assert tessellate(MeshRef(file="arm.stl"), 8) is None
