"""Objects of the scene as meshes."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import KinegenError
from kinegen.formats.mechanisms.object_mesh import object_mesh
from kinegen.mechanism.graph import Mechanism
from kinegen.spatial.pose import SE3


def scene(shape: str, folder: Path, place: str = "") -> Mechanism:
    """A mechanism in a folder with one object."""
    text = kg.load("five-bar").to_raff()
    text += f"\nobjects:\n  - {{name: thing, shape: {shape}{place}}}\n"
    (folder / "scene.raff").write_text(text)
    return kg.load(folder / "scene.raff")


def test_an_object_is_where_the_file_or_the_caller_says(tmp_path: Path) -> None:
    mechanism = scene("{sphere: 0.1}", tmp_path, ", at: {xyz: [0.3, 0, 0]}")
    model = mechanism.compile()
    there = object_mesh(mechanism, model, "thing")
    assert there.vertices.mean(axis=0) == pytest.approx([0.3, 0, 0])
    moved = object_mesh(mechanism, model, "thing", X_WO=SE3.from_pose([1, 0, 0, 0, 0, 0, 0.5]))
    assert moved.vertices.mean(axis=0) == pytest.approx([0, 0, 0.5])


def test_meshes_are_read_from_the_project(tmp_path: Path) -> None:
    corners = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 0, 0], [0, 1, 0], [0, 0, 1]]])
    rows = b"".join(struct.pack("<12fH", 0, 0, 0, *face.ravel(), 0) for face in corners)
    (tmp_path / "part.stl").write_bytes(bytes(80) + struct.pack("<I", 2) + rows)
    mechanism = scene("{mesh: part.stl, scale: 0.1}", tmp_path)
    mesh = object_mesh(mechanism, mechanism.compile(), "thing")
    assert len(mesh.faces) == 2 and mesh.vertices.max() == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ("{mesh: ../secret.stl}", "thing"),
        ("{mesh: none.stl}", "no such file"),
        ("{mesh: part.glb}", "only STL"),
        ("none", "no body"),
    ],
)
def test_what_cannot_be_cut_is_refused(shape: str, words: str, tmp_path: Path) -> None:
    (tmp_path.parent / "secret.stl").write_text("solid x\nendsolid x\n")
    mechanism = scene(shape, tmp_path)
    with pytest.raises(KinegenError, match=words):
        object_mesh(mechanism, mechanism.compile(), "thing")
