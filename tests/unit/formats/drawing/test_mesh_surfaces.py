"""Mesh files inside glTF, X3D and USD files: what is shown, and what is left out by name."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import kinegen as kg
from kinegen.curves.mesh_seam import TriangleMesh
from kinegen.formats.drawing import mesh_surfaces

SUFFIXES = (".gltf", ".glb", ".x3d", ".usda")
CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], dtype=float)
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
OBJ = "".join(f"v {x} {y} {z}\n" for x, y, z in CORNERS) + "".join(
    f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in FACES
)
ROBOT = """raff: 1
name: meshes
joints:
  - {name: A, parent: base, d: 1, shape: {mesh: part.stl, xyz: [0, 0, 1]}}
  - {name: B, parent: A, d: 1, shape: {mesh: part.obj, scale: [-2, 1, 1]}}
  - {name: C, parent: B, d: 1, shape: {mesh: part.dae}}
  - {name: D, parent: C, d: 1, shape: {mesh: gone.stl}}
"""


@pytest.fixture
def robot(tmp_path: Path) -> kg.Mechanism:
    solid = TriangleMesh(CORNERS, FACES)
    (tmp_path / "part.stl").write_bytes(solid.to_bytes("a.stl"))
    (tmp_path / "part.obj").write_text(OBJ, encoding="utf-8")
    (tmp_path / "part.dae").write_text("<COLLADA/>", encoding="utf-8")
    (tmp_path / "robot.raff").write_text(ROBOT, encoding="utf-8")
    return kg.load(tmp_path / "robot.raff")


def _triangles(file: Path, node: str) -> np.ndarray:
    """Corners of a link's triangles in a .glb file, (m, 3, 3)."""
    data = file.read_bytes()
    (length,) = struct.unpack("<I", data[12:16])
    scene, binary = json.loads(data[20 : 20 + length]), data[28 + length :]
    mesh = next(one["mesh"] for one in scene["nodes"] if one["name"] == node)
    (piece,) = scene["meshes"][mesh]["primitives"]

    def array(number: int, kind: str) -> np.ndarray:
        entry = scene["accessors"][number]
        view = scene["bufferViews"][entry["bufferView"]]
        part = binary[view["byteOffset"] : view["byteOffset"] + view["byteLength"]]
        return np.frombuffer(part, kind)

    points = array(piece["attributes"]["POSITION"], "<f4").reshape(-1, 3)
    return points[array(piece["indices"], "<u4")].reshape(-1, 3, 3)


def _volume(triangles: np.ndarray) -> float:
    a, b, c = np.moveaxis(triangles.astype(float), 1, 0)
    return float(np.sum(a * np.cross(b, c)) / 6)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_meshes_are_inside_or_listed(robot: kg.Mechanism, suffix: str, tmp_path: Path) -> None:
    done = kg.export(robot, tmp_path / f"out{suffix}")
    assert len(done.files) == 1
    left_out = [note for note in done.notes if note.startswith("mesh ")]
    assert len(left_out) == 2
    assert "mesh 'part.dae' of link 'C' is left out: this format can contain only" in left_out[0]
    assert "mesh 'gone.stl' of link 'D' is left out" in left_out[1]


def test_surfaces_are_placed_scaled_and_face_outwards(robot: kg.Mechanism, tmp_path: Path) -> None:
    kg.export(robot, tmp_path / "out.glb")
    stl, obj = (_triangles(tmp_path / "out.glb", name) for name in "AB")
    assert len(stl) == len(obj) == 4
    assert _volume(stl) == pytest.approx(1.0, rel=1e-6)  # 1 × 2 × 3 / 6
    assert _volume(obj) == pytest.approx(2.0, rel=1e-6)  # mirrored, and still its outside
    assert stl[..., 2].min() == pytest.approx(1.0)
    assert obj[..., 0].min() == pytest.approx(-2.0)
    kg.export(robot, tmp_path / "out.x3d")
    sets = list(ElementTree.parse(tmp_path / "out.x3d").getroot().iter("IndexedFaceSet"))
    assert sorted(len(one.get("coordIndex", "").split()) for one in sets)[:2] == [16, 16]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_limits_are_those_of_the_page(
    robot: kg.Mechanism, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mesh_surfaces, "LARGEST_SHOWN", 100)
    done = kg.export(robot, tmp_path / f"a{suffix}")
    assert any("mesh 'part.stl' of link 'A' is left out" in note for note in done.notes)
    monkeypatch.undo()
    stl = (tmp_path / "part.stl").stat().st_size
    monkeypatch.setattr(mesh_surfaces, "TOTAL_SHOWN", stl + 1)
    done = kg.export(robot, tmp_path / f"b{suffix}")
    assert not any("part.stl" in note for note in done.notes)
    assert any("mesh 'part.obj' of link 'B'" in one and "in total" in one for one in done.notes)
