"""BodyMesh: the surface of a person as cameras saw it, in place of a body made of capsules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from kinegen.curves.mesh_seam import TriangleMesh
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3

__all__ = ["BodyMesh", "ColouredSurface", "body_mesh"]

MOST_TRIANGLES = 100_000
"""Of a body: cameras draw it, and rays are cast at it, many times a second."""
FARTHEST = 1e6
"""[m]"""
SKULL, TOP = 0.2, 0.11
"""Height of a skull, and of its top above the eyes [m of the person]."""


class ColouredSurface(Protocol):
    """What a :class:`kinegen.hull.Hull` has."""

    vertices: Any
    triangles: Any
    colours: Any


@dataclass(frozen=True, slots=True, eq=False)
class BodyMesh:
    """A closed mesh in the world, stored compactly: people send several a second."""

    vertices: npt.NDArray[np.float32]
    """[m], (n, 3)"""
    triangles: npt.NDArray[np.uint16] | npt.NDArray[np.int32]
    """Three vertices each, counter-clockwise seen from outside, (m, 3)."""
    colors: npt.NDArray[np.uint8] | None
    """RGB of each vertex, (n, 3); None: the person's color."""

    @property
    def nbytes(self) -> int:
        """Memory that it needs [bytes]."""
        colors = 0 if self.colors is None else self.colors.nbytes
        return self.vertices.nbytes + self.triangles.nbytes + colors

    @property
    def corners(self) -> Floats:
        """Of each triangle [m], (m, 3, 3)."""
        return np.asarray(self.vertices[self.triangles], dtype=np.float64)

    def head(self, up: Floats, size: float) -> SE3:
        """X_WP of the eyes, as far as a mesh shows them: below its top, which way is not known.

        Args:
            up: Away from gravity, a unit vector.
            size: Of the person, 1 for one of the usual height.
        """
        places = np.asarray(self.vertices, dtype=np.float64)
        heights = places @ up
        top = float(heights.max())
        skull = places[heights >= top - SKULL * size].mean(axis=0)
        # z up, and x as near to the x axis of the world as can be
        side = np.cross(up, [1.0, 0.0, 0.0])
        side = side if np.linalg.norm(side) > 1e-6 else np.cross(up, [0.0, 1.0, 0.0])
        y = side / np.linalg.norm(side)
        turn = SO3.from_matrix(np.column_stack([np.cross(y, up), y, up]))
        return SE3(turn, skull + (top - TOP * size - skull @ up) * up)


def body_mesh(given: Any, whose: str) -> BodyMesh:
    """The mesh of a person; UsageError for what is none.

    Args:
        given: A mesh, with or without colours.
        whose: For the message, such as "person 'Ada'".
    """
    if isinstance(given, BodyMesh):
        return given
    faces, colors = (
        (given.faces, None)
        if isinstance(given, TriangleMesh)
        else (getattr(given, "triangles", None), getattr(given, "colours", None))
    )
    vertices = getattr(given, "vertices", None)
    if vertices is None or faces is None:
        raise UsageError(
            f"the mesh of {whose} must be a kinegen.hull.Hull or a TriangleMesh, got "
            f"{type(given).__name__}"
        )
    places, corners = np.asarray(vertices, dtype=np.float32), np.asarray(faces)
    if not len(corners):
        raise UsageError(f"the mesh of {whose} has no triangles")
    if len(corners) > MOST_TRIANGLES:
        raise UsageError(
            f"the mesh of {whose} has {len(corners):,} triangles: use at most {MOST_TRIANGLES:,}, "
            "for example by carving with fewer voxels"
        )
    if corners.min() < 0 or corners.max() >= len(places):
        raise UsageError(
            f"triangles of the mesh of {whose} must refer to vertices 0 to {len(places) - 1}, got "
            f"{corners.min()} to {corners.max()}"
        )
    if not np.isfinite(places).all() or np.abs(places).max() > FARTHEST:
        raise UsageError(f"the mesh of {whose} must be within {FARTHEST:g} m of the origin")
    kind: Any = np.uint16 if len(places) <= 1 << 16 else np.int32
    shades = None if colors is None else np.asarray(colors, dtype=np.uint8)
    if shades is not None and shades.shape != places.shape:
        raise UsageError(
            f"the mesh of {whose} has {len(shades)} colours for {len(places)} vertices: specify "
            "one each, red, green and blue"
        )
    return BodyMesh(places, corners.astype(kind), shades)
