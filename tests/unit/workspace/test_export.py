from __future__ import annotations

import json
import struct

import numpy as np
import pytest

import kinegen as kg
from kinegen.curves.stl import stl_mesh
from kinegen.errors import FormatError, UsageError
from kinegen.workspace.export import mesh_file, points_ply

XYZ = np.array([[0.0, 1, 2], [3, 4, 5]])
COLOURS = np.array([[1, 2, 3], [4, 5, 6]], dtype=np.uint8)
TRIANGLES = np.array([[0, 1, 2]])
CORNERS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 2, 3]])


def test_ply_points_are_packed_as_the_header_says() -> None:
    head, _, body = points_ply(XYZ, COLOURS, {"value": np.array([0.5, 0.25])}).partition(
        b"end_header\n"
    )
    assert b"element vertex 2\n" in head and b"property float value\n" in head
    assert struct.unpack("<4f3B", body[:19]) == (0, 1, 2, 0.5, 1, 2, 3)
    assert len(body) == 2 * 19


def test_meshes_as_ply_and_glb() -> None:
    head, _, body = mesh_file("m.ply", CORNERS, TRIANGLES).partition(b"end_header\n")
    assert b"element face 1\n" in head and body[36:] == struct.pack("<B3i", 3, 0, 1, 2)
    data = mesh_file("m.glb", CORNERS, TRIANGLES)
    magic, version, size, text = struct.unpack("<4sIII", data[:16])
    assert (magic, version, size) == (b"glTF", 2, len(data))
    scene = json.loads(data[20 : 20 + text])
    assert scene["accessors"][0]["count"] == 3 and scene["accessors"][1]["count"] == 3
    start = 20 + text + 8
    points = np.frombuffer(data[start : start + 36], dtype="<f4").reshape(3, 3)
    np.testing.assert_array_equal(points[2], [0, 3, -2])  # y is up in that format


def test_stl_is_read_back() -> None:
    mesh = stl_mesh(mesh_file("m.stl", CORNERS, TRIANGLES), "m.stl")
    np.testing.assert_array_equal(mesh.triangles, CORNERS[TRIANGLES])
    again = stl_mesh(mesh.to_bytes("m.stl"), "m.stl")
    np.testing.assert_array_equal(again.triangles, mesh.triangles)


def test_surfaces_of_results() -> None:
    made = kg.cloud(kg.load("lynx6"), frames=["tool"], count=2_000)
    body = kg.workspace.boundary(made)
    assert made.to_bytes("a.glb") == body.to_bytes("a.glb")
    assert stl_mesh(body.to_bytes("a.stl"), "a.stl").faces.shape == body.triangles.shape
    flat = kg.workspace.boundary(kg.zone(kg.load("five-bar"), step=0.3))
    with pytest.raises(UsageError, match="no surface"):
        flat.to_bytes("a.ply")


def test_unknown_suffixes_are_refused() -> None:
    with pytest.raises(FormatError, match=r"as .ply, .glb, .stl"):
        mesh_file("m.obj", CORNERS, TRIANGLES)
