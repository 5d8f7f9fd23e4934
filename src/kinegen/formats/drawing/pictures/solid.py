"""Primitives as convex polyhedra, for the built-in plotter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinegen.mechanism.shapes.shapes import Box, Capsule, Cylinder, Plate, Primitive, Sphere
from kinegen.mechanism.shapes.solid import drawn_outline

__all__ = ["Solid", "corners_of", "tessellate"]

Array = NDArray[np.float64]


@dataclass(slots=True)
class Solid:
    """A convex polyhedron."""

    vertices: Array
    """Shape (vertex_count, 3)."""
    faces: list[tuple[int, ...]]
    """Vertex indices of each face, counter-clockwise seen from outside."""
    normals: Array
    """Outward unit normals, shape (face_count, 3)."""
    fill: str = ""
    """Colour before any light."""

    @property
    def offsets(self) -> Array:
        """Distance of each face's plane from the origin, shape (face_count,)."""
        corners, starts, counts = corners_of(self.faces)
        middles = np.add.reduceat(self.vertices[corners], starts) / counts[:, None]
        return np.asarray((self.normals * middles).sum(axis=1))


def corners_of(
    faces: Sequence[tuple[int, ...]],
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """All corners, face after face; where each face begins among them; how many it has."""
    counts = np.array([len(face) for face in faces], dtype=np.intp)
    corners = np.array([corner for face in faces for corner in face], dtype=np.intp)
    return corners, np.cumsum(counts) - counts, counts


def tessellate(shape: Primitive, sides: int) -> Solid | None:
    """A polyhedron for a primitive, in its own frame; None for what cannot be drawn (meshes).

    Args:
        shape: The primitive.
        sides: Of round things; at least 6.
    """
    if isinstance(shape, Box):
        x, y, z = (edge / 2 for edge in shape.size)
        return _prism([(x, -y), (x, y), (-x, y), (-x, -y)], z)
    if isinstance(shape, Cylinder):
        return _prism(_circle(shape.radius, sides), shape.length / 2)
    if isinstance(shape, Plate):
        return _prism(list(drawn_outline(shape, max(5, sides // 4))), shape.thickness / 2)
    if isinstance(shape, Capsule):
        half = shape.length / 2
        return _lathe(_capsule_profile(shape.radius, half, sides), half + shape.radius, sides)
    if isinstance(shape, Sphere):
        return _lathe(_capsule_profile(shape.radius, 0.0, sides), shape.radius, sides)
    return None


def _circle(radius: float, sides: int) -> list[tuple[float, float]]:
    angles = [math.tau * i / sides for i in range(sides)]
    return [(radius * math.cos(a), radius * math.sin(a)) for a in angles]


def _capsule_profile(radius: float, half: float, sides: int) -> list[tuple[float, float]]:
    """(distance from the axis, height) of the rings from bottom to top, poles left out."""
    quarter = 1 if sides < 8 else max(2, sides // 5)
    rings = [
        (radius * math.cos(a), radius * math.sin(a))
        for a in (math.pi / 2 * i / quarter for i in range(quarter))
    ]
    upper = [(r, half + z) for r, z in rings]
    lower = [(r, -z) for r, z in reversed(upper)]
    return lower + (upper if half > 0 else upper[1:])


def _prism(outline: list[tuple[float, float]], half: float) -> Solid:
    n = len(outline)
    vertices = np.array([(x, y, -half) for x, y in outline] + [(x, y, half) for x, y in outline])
    faces: list[tuple[int, ...]] = [tuple(range(n - 1, -1, -1)), tuple(range(n, 2 * n))]
    faces += [(i, (i + 1) % n, n + (i + 1) % n, n + i) for i in range(n)]
    return _solid(vertices, faces)


def _lathe(profile: list[tuple[float, float]], pole: float, sides: int) -> Solid:
    """A body of revolution about z with a pole at each end."""
    rings = len(profile)
    rows = [
        (r * math.cos(math.tau * i / sides), r * math.sin(math.tau * i / sides), z)
        for r, z in profile
        for i in range(sides)
    ]
    vertices = np.array([*rows, (0.0, 0.0, -pole), (0.0, 0.0, pole)])
    south, north = len(rows), len(rows) + 1
    faces: list[tuple[int, ...]] = []
    for i in range(sides):
        j = (i + 1) % sides
        faces.append((south, j, i))
        for ring in range(rings - 1):
            low, high = ring * sides, (ring + 1) * sides
            faces.append((low + i, low + j, high + j, high + i))
        last = (rings - 1) * sides
        faces.append((last + i, last + j, north))
    return _solid(vertices, faces)


def _solid(vertices: Array, faces: list[tuple[int, ...]]) -> Solid:
    corners, starts, counts = corners_of(faces)
    following = np.arange(1, len(corners) + 1)
    following[starts + counts - 1] = starts
    points = vertices[corners]
    # Newell's sum: right for any flat polygon, also where neighbouring corners are close.
    normals = np.add.reduceat(np.cross(points, points[following]), starts)
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    flat = np.divide(normals, lengths, out=np.tile([0.0, 0.0, 1.0], (len(faces), 1)),
                     where=lengths > 0)  # fmt: skip
    return Solid(vertices, faces, flat)
