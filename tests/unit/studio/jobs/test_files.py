from __future__ import annotations

import numpy as np
import pytest

from kinegen.studio.jobs.files import mesh_file, points_file
from kinegen.studio.wire.questions.body import SurfaceFormat
from kinegen.studio.wire.questions.cloud import PointFormat

XYZ = np.array([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
COLOURS = np.array([[255, 0, 0], [0, 0, 255]], dtype=np.uint8)


@pytest.mark.parametrize(("kind", "start"), [("csv", b"mode,x"), ("npz", b"PK"), ("ply", b"ply")])
def test_points(kind: PointFormat, start: bytes) -> None:
    columns = {"mode": np.array(["home", "other"])}
    made = points_file("zone", kind, XYZ, COLOURS, columns)
    assert made.name == f"zone.{kind}" and made.data.startswith(start)


@pytest.mark.parametrize(("kind", "start"), [("glb", b"glTF"), ("ply", b"ply")])
def test_surfaces(kind: SurfaceFormat, start: bytes) -> None:
    corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    made = mesh_file("body", kind, corners, np.array([[0, 1, 2]]))
    assert made.name == f"body.{kind}" and made.data.startswith(start)
