"""Objects of the scene as meshes."""

from __future__ import annotations

import math
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import KinegenError
from kinegen.motion.curves import TriangleMesh
from kinegen.studio.jobs.solids import object_mesh
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.project import Project
from kinegen.studio.session.structure import set_entry


def scene(shape: Any, folder: Path, **at: Any) -> CompiledText:
    mechanism = kg.load("five-bar")
    set_entry(mechanism, "objects", {"name": "thing", "shape": shape, "at": at})
    return CompiledText.read(mechanism.to_raff(), Project(folder))


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
def test_bodies_are_whole_and_of_their_size(shape: Any, expected: float, tmp_path: Path) -> None:
    piece = scene(shape, tmp_path, xyz=[0.3, 0.1, 0.2], rpy=[0.3, 0.2, 0.1])
    mesh = object_mesh(piece, "thing")
    assert volume(mesh) == pytest.approx(expected, rel=0.01)
    # every edge belongs to two faces, once each way round
    edges: dict[tuple[int, int], int] = {}
    for face in np.unique(np.round(mesh.vertices, 9), axis=0, return_inverse=True)[1][
        mesh.faces
    ].tolist():
        for a, b in zip(face, face[1:] + face[:1], strict=True):
            edges[a, b] = edges.get((a, b), 0) + 1
    assert all(edges.get((b, a)) == count for (a, b), count in edges.items())


def test_an_object_is_where_the_page_says(tmp_path: Path) -> None:
    piece = scene({"sphere": 0.1}, tmp_path, xyz=[0.3, 0, 0])
    assert object_mesh(piece, "thing").vertices.mean(axis=0) == pytest.approx([0.3, 0, 0])
    moved = object_mesh(piece, "thing", [1, 0, 0, 0, 0, 0, 0.5])
    assert moved.vertices.mean(axis=0) == pytest.approx([0, 0, 0.5])


def test_meshes_are_read_from_the_project(tmp_path: Path) -> None:
    corners = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 0, 0], [0, 1, 0], [0, 0, 1]]])
    rows = b"".join(struct.pack("<12fH", 0, 0, 0, *face.ravel(), 0) for face in corners)
    (tmp_path / "part.stl").write_bytes(bytes(80) + struct.pack("<I", 2) + rows)
    piece = scene({"mesh": "part.stl", "scale": 0.1}, tmp_path)
    mesh = object_mesh(piece, "thing")
    assert len(mesh.faces) == 2 and mesh.vertices.max() == pytest.approx(0.1)


@pytest.mark.parametrize(
    "shape", [{"mesh": "../secret.stl"}, {"mesh": "none.stl"}, {"mesh": "part.glb"}, "none"]
)
def test_what_cannot_be_cut_is_refused(shape: Any, tmp_path: Path) -> None:
    (tmp_path.parent / "secret.stl").write_text("solid x\nendsolid x\n")
    with pytest.raises(KinegenError):
        object_mesh(scene(shape, tmp_path), "thing")
