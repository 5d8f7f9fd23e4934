"""Height fields as bodies: closed surfaces, and the same in a file that MuJoCo reads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.formats.export import export
from kinegen.mechanism.shapes.heights import height_body
from kinegen.mechanism.shapes.shapes import Heights

ROWS = ((0.0, 0.1, -0.05), (0.2, 0.3, 0.1), (0.0, 0.0, 0.05), (0.1, 0.2, 0.0))
FIELD = Heights(rows=ROWS, size=(2.0, 3.0), depth=0.2)


def test_a_field_is_a_closed_body_with_the_volume_above_its_bottom() -> None:
    corners, faces = height_body(FIELD)
    edges = [(a, b) for f in faces.tolist() for a, b in zip(f, f[1:] + f[:1], strict=True)]
    assert sorted(edges) == sorted((b, a) for a, b in edges)  # every edge has its neighbour
    a, b, c = (corners[faces[:, k]] for k in range(3))
    volume = float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6
    heights = np.array(ROWS) + 0.25  # above the bottom, which is 0.2 below the lowest
    cells = 0.0
    for j in range(3):
        for i in range(2):
            one, two = heights[j, i + 1], heights[j + 1, i]
            cells += (heights[j, i] + one + two + one + two + heights[j + 1, i + 1]) / 3 / 2
    assert volume == pytest.approx(cells * 1.0 * 1.0)  # cells of 1 m by 1 m


def test_mujoco_reads_the_field_that_is_written(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")
    text = f"""
raff: 1
name: field
joints:
  - {{name: a, parent: base, xyz: [0, 0, 5], mass: 1, shape: {{sphere: 0.1}}}}
objects:
  - {{name: hill, fixed: true, at: {{xyz: [0.1, 0, 0.3]}},
     shape: {{heights: {[list(row) for row in ROWS]}, size: [2, 3], depth: 20 cm}}}}
"""
    mechanism = kg.load(text)
    export(mechanism, tmp_path / "field.xml", format="mjcf")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "field.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    bodies = kg.dynamics.Collisions(kg.dynamics.System.of(mechanism, objects=True))
    # on grid points, where both divide cells alike
    starts = [[0.1 + x, y, 2.0] for x in (-0.99, 0.0, 0.99) for y in (-1.49, -0.5, 0.5, 1.49)]
    ours = bodies.cast_rays(mechanism.compile().start(), starts, [[0, 0, -1]] * len(starts))
    for start, distance in zip(starts, ours.distances, strict=True):
        hit = np.zeros(1, np.int32)
        theirs = mujoco.mj_ray(
            model, data, np.array(start), np.array([0.0, 0, -1]), None, 1, -1, hit
        )
        assert theirs == pytest.approx(distance, abs=5e-3)
