"""Bodies as meshes: boxes, cylinders, balls and capsules made of triangles, to cut seams from."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from kinegen.curves.mesh_seam import TriangleMesh
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.mechanism.shapes.heights import height_body
from kinegen.mechanism.shapes.shapes import (
    Box,
    Capsule,
    Cylinder,
    Heights,
    MeshRef,
    Primitive,
    Sphere,
)
from kinegen.spatial.pose import SE3

__all__ = ["shape_mesh"]

_ROUND = 72
"""Sides of a circle: a pipe of 10 cm is then round to a tenth of a millimetre."""


def shape_mesh(
    shapes: Sequence[Primitive],
    X_WO: SE3 | None = None,
    *,
    read_mesh: Callable[[str], TriangleMesh] | None = None,
) -> TriangleMesh:
    """The surface of a body [m]; all faces are counter-clockwise as seen from outside.

    Args:
        shapes: What the body is made of, in its own frame.
        X_WO: Where the body is; default: its frame is the world's.
        read_mesh: Returns the mesh of a file that a shape names; without it such shapes are
            rejected.

    Raises:
        UsageError: There is no body, or a shape has no triangle surface.
    """
    parts = [_part(shape, read_mesh) for shape in shapes]
    if not parts:
        raise UsageError("there is no body to intersect")
    vertices, faces, first = [], [], 0
    for mesh in parts:
        vertices.append(mesh.vertices)
        faces.append(mesh.faces + first)
        first += len(mesh.vertices)
    corners = np.concatenate(vertices)
    if X_WO is not None:
        corners = corners @ X_WO.rotation.T + X_WO.translation
    return TriangleMesh(corners, np.concatenate(faces).astype(np.int32))


def _part(shape: Primitive, read_mesh: Callable[[str], TriangleMesh] | None) -> TriangleMesh:
    match shape:
        case Box(size=size):
            made = _box(np.asarray(size, dtype=float))
        case Cylinder(radius=radius, length=length):
            made = _turned([(0.0, -length / 2), (radius, -length / 2), (radius, length / 2),
                            (0.0, length / 2)])  # fmt: skip
        case Sphere(radius=radius):
            made = _turned(_arc(radius, -math.pi / 2, math.pi / 2, 0.0))
        case Capsule(radius=radius, length=length):
            made = _turned([*_arc(radius, -math.pi / 2, 0.0, -length / 2),
                            *_arc(radius, 0.0, math.pi / 2, length / 2)])  # fmt: skip
        case Heights():
            made = TriangleMesh(*height_body(shape))
        case MeshRef(file=file, scale=scale) if read_mesh is not None:
            read = read_mesh(file)
            made = TriangleMesh(read.vertices * np.asarray(scale, dtype=float), read.faces)
        case _:
            raise UsageError(
                f"a {type(shape).__name__.lower()} is a shape that cannot be intersected"
            )
    R, p = np.asarray(shape.rotation, dtype=float).reshape(3, 3), np.asarray(shape.translation)
    return TriangleMesh(made.vertices @ R.T + p, made.faces)


def _box(size: Floats) -> TriangleMesh:
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * size / 2
    faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
             [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]  # fmt: skip
    return TriangleMesh(corners, np.array(faces, dtype=np.int32))


def _arc(radius: float, low: float, high: float, z: float) -> list[tuple[float, float]]:
    """Radius and height along a quarter or half circle, from below."""
    angles = np.linspace(low, high, max(3, round(_ROUND * (high - low) / math.tau)))
    return [(max(0.0, radius * math.cos(a)), z + radius * math.sin(a)) for a in angles]


def _turned(profile: list[tuple[float, float]]) -> TriangleMesh:
    """A profile (radius, height), bottom to top, turned about z."""
    # half a step off the axes: edges that lie in each other's planes cut badly
    turn = (np.arange(_ROUND) + 0.37) * math.tau / _ROUND
    rings = [
        np.stack([r * np.cos(turn), r * np.sin(turn), np.full(_ROUND, z)], axis=1)
        for r, z in profile
    ]
    faces = []
    for k in range(len(rings) - 1):
        for i in range(_ROUND):
            j = (i + 1) % _ROUND
            a, b = k * _ROUND + i, k * _ROUND + j
            c, d = a + _ROUND, b + _ROUND
            if profile[k][0] > 1e-12:
                faces.append((a, b, d))
            if profile[k + 1][0] > 1e-12:
                faces.append((a, d, c))
    return TriangleMesh(np.concatenate(rings), np.array(faces, dtype=np.int32))
