"""Objects of the scene as meshes in the world: what seams are cut from."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kinegen.errors import FormatError, UsageError, unknown_name
from kinegen.formats.mechanisms.stl import stl_mesh
from kinegen.kernels import Floats
from kinegen.mechanism.shapes.shapes import (
    Box,
    Capsule,
    Cylinder,
    MeshRef,
    Sphere,
    shapes_from_spec,
)
from kinegen.motion.curves import TriangleMesh
from kinegen.spatial import SE3
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.project import LARGEST_MESH
from kinegen.studio.wire.scene_data import object_data

__all__ = ["object_mesh"]

_ROUND = 72
"""Sides of a circle: a pipe of 10 cm is then round to a tenth of a millimetre."""


def object_mesh(piece: CompiledText, name: str, pose: Any = None) -> TriangleMesh:
    """An object of the scene, at a pose (wxyz xyz) or where the file puts it.

    Raises:
        UsageError: there is no such object, or it is a mesh that cannot be read here.
    """
    objects = {one.name: one for one in object_data(piece.mechanism, piece.model, piece.start)}
    if name not in objects:
        raise unknown_name("object", name, "the scene", objects)
    given = objects[name].pose if pose is None else pose
    try:
        X_WO = SE3.from_pose(np.asarray(given, dtype=float))
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"the pose of an object must be 7 numbers, wxyz and xyz: {error}"
        ) from None
    parts = [_part(piece, name, shape) for shape in shapes_from_spec(objects[name].shape, ())]
    if not parts:
        raise UsageError(f"object '{name}' has no body to intersect")
    vertices, faces, first = [], [], 0
    for mesh in parts:
        vertices.append(mesh.vertices)
        faces.append(mesh.faces + first)
        first += len(mesh.vertices)
    world = np.concatenate(vertices) @ X_WO.rotation.T + X_WO.translation
    return TriangleMesh(world, np.concatenate(faces).astype(np.int32))


def _part(piece: CompiledText, name: str, shape: Any) -> TriangleMesh:
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
        case MeshRef(file=file, scale=scale):
            made = _file(piece, name, file, np.asarray(scale, dtype=float))
        case _:
            raise UsageError(f"object '{name}' has a shape that cannot be intersected")
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


def _file(piece: CompiledText, name: str, file: str, scale: Floats) -> TriangleMesh:
    if not file.lower().endswith(".stl"):
        raise UsageError(f"object '{name}': only STL meshes can be intersected, not '{file}'")
    document = piece.mechanism.document
    if document is None or document.opener is None:
        raise UsageError(f"object '{name}': the project folder of its mesh is unknown")
    try:
        data = document.opener.content(file, largest=LARGEST_MESH)
        mesh = stl_mesh(data, file)
    except (UsageError, FormatError) as error:
        raise UsageError(f"object '{name}': {error}") from None
    return TriangleMesh(mesh.vertices * scale, mesh.faces)
