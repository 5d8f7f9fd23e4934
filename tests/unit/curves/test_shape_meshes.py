"""Bodies made of triangles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from kinegen.curves import TriangleMesh, shape_mesh
from kinegen.errors import UsageError
from kinegen.mechanism.shapes.shapes import shapes_from_spec
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3


def volume(mesh: TriangleMesh) -> float:
    """By the divergence theorem: right, and positive, only when all faces point out."""
    a, b, c = mesh.triangles.transpose(1, 0, 2)
    return float(np.sum(a * np.cross(b, c)) / 6)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ({"box": [0.2, 0.1, 0.3]}, 0.2 * 0.1 * 0.3),
        ({"cylinder": [0.1, 0.4]}, math.pi * 0.01 * 0.4),
        ({"sphere": 0.1}, 4 / 3 * math.pi * 0.001),
        ({"capsule": [0.1, 0.3]}, math.pi * 0.01 * 0.3 + 4 / 3 * math.pi * 0.001),
        ([{"sphere": 0.1}, {"box": [0.1, 0.1, 0.1], "xyz": [1, 0, 0]}],
         4 / 3 * math.pi * 0.001 + 0.001),
    ],
)  # fmt: skip
def test_bodies_are_whole_and_of_their_size(shape: Any, expected: float) -> None:
    X_WO = SE3(SO3.from_rpy(0.3, 0.2, 0.1), [0.3, 0.1, 0.2])
    mesh = shape_mesh(shapes_from_spec(shape, ()), X_WO)
    assert volume(mesh) == pytest.approx(expected, rel=0.01)
    # every edge belongs to two faces, once each way round
    edges: dict[tuple[int, int], int] = {}
    for face in np.unique(np.round(mesh.vertices, 9), axis=0, return_inverse=True)[1][
        mesh.faces
    ].tolist():
        for a, b in zip(face, face[1:] + face[:1], strict=True):
            edges[a, b] = edges.get((a, b), 0) + 1
    assert all(edges.get((b, a)) == count for (a, b), count in edges.items())


def test_meshes_of_files_are_read_by_whoever_can() -> None:
    cube = shape_mesh(shapes_from_spec({"box": [1, 1, 1]}, ()))
    named = shapes_from_spec({"mesh": "part.stl", "scale": 0.1, "xyz": [1, 0, 0]}, ())
    read: list[str] = []

    def mesh_of(file: str) -> TriangleMesh:
        read.append(file)
        return cube

    mesh = shape_mesh(named, read_mesh=mesh_of)
    assert read == ["part.stl"]
    assert mesh.vertices.min(axis=0) == pytest.approx([0.95, -0.05, -0.05])
    with pytest.raises(UsageError, match="meshref is a shape that cannot be intersected"):
        shape_mesh(named)


def test_nothing_cannot_be_cut() -> None:
    with pytest.raises(UsageError, match="no body"):
        shape_mesh(())
