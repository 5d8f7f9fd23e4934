"""STL files: one per part, in millimetres, read again with trimesh."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import kinegen as kg
from kinegen.formats.workshop.solid.assembly import solid_assembly
from kinegen.formats.workshop.stl import stl_files

pytest.importorskip("manifold3d", reason="solids need manifold3d: pip install 'kinegen[workshop]'")
trimesh = pytest.importorskip("trimesh", reason="trimesh reads the meshes: pip install trimesh")


def test_every_part_is_a_file_of_millimetres() -> None:
    files, messages = stl_files(solid_assembly(kg.load("four-bar")))
    assert messages == []
    assert {"base.stl", "crank.stl", "pin-crank.stl", "cap-crank.stl"} <= set(files)
    for name, data in files.items():
        mesh = trimesh.load(io.BytesIO(data), file_type="stl")
        assert mesh.is_watertight, name
    crank = trimesh.load(io.BytesIO(files["crank.stl"]), file_type="stl")
    assert crank.extents == pytest.approx([120, 20, 6], abs=1e-4)


def test_export_writes_a_folder_or_a_zip(tmp_path: Path) -> None:
    made = kg.export(kg.load("four-bar"), tmp_path / "parts.stl", options={"pins": "no"})
    assert sorted(Path(file).name for file in made.files) == [
        "base.stl", "coupler.stl", "crank.stl", "rocker.stl",
    ]  # fmt: skip
    packed = kg.export(kg.load("four-bar"), tmp_path / "parts.stl.zip")
    assert packed.files == (str(tmp_path / "parts.stl.zip"),)
