"""Names of mesh files follow their text to another folder."""

from __future__ import annotations

from pathlib import Path

import kinegen as kg
from kinegen.mechanism.mesh_names import mesh_names, move_meshes

TEXT = """raff: 1
base: {shape: parts/foot.stl}
joints:
  - {name: A, parent: base, shape: [{mesh: parts/arm.obj, scale: 0.001}, {box: [1, 1, 1]}]}
  - {name: B, parent: A}
objects:
  - {name: cup, shape: {mesh: cup.glb}}
"""


def test_names_are_listed_and_moved(tmp_path: Path) -> None:
    mechanism = kg.load(TEXT, folder=tmp_path)
    assert list(mesh_names(mechanism)) == ["parts/foot.stl", "parts/arm.obj", "cup.glb"]
    move_meshes(mechanism, tmp_path, tmp_path / "elsewhere" / "deep")
    assert list(mesh_names(mechanism)) == [
        "../../parts/foot.stl",
        "../../parts/arm.obj",
        "../../cup.glb",
    ]
    assert mechanism.joints["B"].link.shape == "auto"
