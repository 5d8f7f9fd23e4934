"""Mesh files in an exported page: those that links and objects name, and what they bring in."""

from __future__ import annotations

from pathlib import Path

import pytest

import kinegen as kg
from kinegen.studio.jobs.page_file import meshes as module
from kinegen.studio.jobs.page_file.meshes import carried_meshes

TEXT = """raff: 1
name: arm
base: {shape: box.stl}
joints:
  - {name: A, parent: base, shape: [{mesh: parts/bar.obj}, {mesh: box.stl, scale: 2}]}
  - {name: B, parent: A, d: 1, shape: {mesh: gone.stl}}
objects:
  - {name: ball, shape: {mesh: large.stl}}
"""


@pytest.fixture
def arm(tmp_path: Path) -> kg.Mechanism:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/bar.obj").write_bytes(b"mtllib bar.mtl\nv 0 0 0\n")
    (tmp_path / "parts/bar.mtl").write_bytes(b"newmtl m\nmap_Kd bar.png\n")
    (tmp_path / "parts/bar.png").write_bytes(b"picture")
    (tmp_path / "box.stl").write_bytes(b"solid\nendsolid\n")
    (tmp_path / "large.stl").write_bytes(bytes(2000))
    (tmp_path / "arm.raff").write_text(TEXT)
    return kg.load(tmp_path / "arm.raff")


def test_each_file_once_and_what_it_brings_in(arm: kg.Mechanism) -> None:
    found = carried_meshes(arm)
    assert sorted(found.files) == [
        "box.stl", "large.stl", "parts/bar.mtl", "parts/bar.obj", "parts/bar.png",
    ]  # fmt: skip
    assert found.files["parts/bar.png"] == b"picture"
    assert found.notes == ("mesh 'gone.stl' is left out: there is no such file",)


def test_sizes_are_limited(arm: kg.Mechanism, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST", 1000)
    assert "mesh 'large.stl' is left out: it is too large: at most 1000 bytes are read" in (
        carried_meshes(arm).notes
    )
    monkeypatch.setattr(module, "LARGEST", 10_000)
    monkeypatch.setattr(module, "TOTAL_SHOWN", 1000)
    found = carried_meshes(arm)
    assert "large.stl" in found.left_out and found.size < 1000


def test_a_library_mechanism_has_none() -> None:
    assert carried_meshes(kg.load("five-bar")).files == {}
