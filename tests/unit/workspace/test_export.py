from __future__ import annotations

import csv
import json
import struct
from pathlib import Path

import numpy as np
import pytest

from kinegen.errors import UsageError
from kinegen.workspace.export import write_mesh, write_points

XYZ = np.array([[0.0, 1, 2], [3, 4, 5]])
COLOURS = np.array([[1, 2, 3], [4, 5, 6]], dtype=np.uint8)
COLUMNS = {"frame": np.array(["a", "b"]), "value": np.array([0.5, 0.25])}
TRIANGLES = np.array([[0, 1, 2]])
CORNERS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 2, 3]])


def test_csv_has_a_row_per_point(tmp_path: Path) -> None:
    write_points(tmp_path / "p.csv", XYZ, columns=COLUMNS)
    lines = (tmp_path / "p.csv").read_text(encoding="utf-8").splitlines()
    rows = list(csv.DictReader(lines))
    assert rows[1] == {"frame": "b", "value": "0.25", "x": "3.0", "y": "4.0", "z": "5.0"}


def test_npz_keeps_everything(tmp_path: Path) -> None:
    write_points(tmp_path / "p.npz", XYZ, colours=COLOURS, columns=COLUMNS)
    with np.load(tmp_path / "p.npz") as kept:
        assert set(kept) == {"xyz", "colours", "frame", "value"}
        np.testing.assert_array_equal(kept["xyz"], XYZ)


def test_ply_points_are_packed_as_the_header_says(tmp_path: Path) -> None:
    write_points(tmp_path / "p.ply", XYZ, colours=COLOURS, columns=COLUMNS)
    head, _, body = (tmp_path / "p.ply").read_bytes().partition(b"end_header\n")
    assert b"element vertex 2\n" in head and b"property float value\n" in head
    assert b"frame" not in head  # words have no place in it
    assert struct.unpack("<4f3B", body[:19]) == (0, 1, 2, 0.5, 1, 2, 3)
    assert len(body) == 2 * 19


def test_meshes_as_ply_and_glb(tmp_path: Path) -> None:
    write_mesh(tmp_path / "m.ply", CORNERS, TRIANGLES)
    head, _, body = (tmp_path / "m.ply").read_bytes().partition(b"end_header\n")
    assert b"element face 1\n" in head and body[36:] == struct.pack("<B3i", 3, 0, 1, 2)
    write_mesh(tmp_path / "m.glb", CORNERS, TRIANGLES)
    data = (tmp_path / "m.glb").read_bytes()
    magic, version, size, text = struct.unpack("<4sIII", data[:16])
    assert (magic, version, size) == (b"glTF", 2, len(data))
    scene = json.loads(data[20 : 20 + text])
    assert scene["accessors"][0]["count"] == 3 and scene["accessors"][1]["count"] == 3
    start = 20 + text + 8
    points = np.frombuffer(data[start : start + 36], dtype="<f4").reshape(3, 3)
    np.testing.assert_array_equal(points[2], [0, 3, -2])  # y is up in that format


def test_unknown_suffixes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"as .csv, .npz, .ply, not '.xyz'"):
        write_points(tmp_path / "p.xyz", XYZ)
    with pytest.raises(UsageError, match=r"as .ply, .glb, not '.obj'"):
        write_mesh(tmp_path / "m.obj", CORNERS, TRIANGLES)
