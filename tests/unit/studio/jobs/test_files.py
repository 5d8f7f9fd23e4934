from __future__ import annotations

import numpy as np
import pytest

from kinegen.errors import UsageError
from kinegen.studio.jobs.arguments import Asked
from kinegen.studio.jobs.files import mesh_file, points_file

XYZ = np.array([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
COLOURS = np.array([[255, 0, 0], [0, 0, 255]], dtype=np.uint8)


@pytest.mark.parametrize(("kind", "start"), [("csv", b"mode,x"), ("npz", b"PK"), ("ply", b"ply")])
def test_points(kind: str, start: bytes) -> None:
    columns = {"mode": np.array(["home", "other"])}
    made = points_file("zone", Asked({"file": kind}), XYZ, COLOURS, columns)
    assert made.name == f"zone.{kind}" and made.data.startswith(start)


@pytest.mark.parametrize(("kind", "start"), [("glb", b"glTF"), ("ply", b"ply")])
def test_surfaces(kind: str, start: bytes) -> None:
    corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    made = mesh_file("body", Asked({"file": kind}), corners, np.array([[0, 1, 2]]))
    assert made.name == f"body.{kind}" and made.data.startswith(start)


def test_other_kinds_are_refused() -> None:
    with pytest.raises(UsageError, match="one of csv, npz, ply"):
        points_file("zone", Asked({"file": "glb"}), XYZ, COLOURS, {})
    with pytest.raises(UsageError, match="one of glb, ply"):
        mesh_file("body", Asked({"file": "csv"}), XYZ, np.zeros((0, 3), np.int64))
