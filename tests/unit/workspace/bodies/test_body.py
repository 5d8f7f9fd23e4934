from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.workspace.bodies.body import boundary, dexterity, surface_nets
from kinegen.workspace.bodies.voxels import voxels_inside
from kinegen.workspace.clouds.cloud import cloud


def volume(vertices: np.ndarray, triangles: np.ndarray) -> float:
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    return float(np.sum(a * np.cross(b, c)) / 6)


def test_the_surface_is_closed_and_encloses_the_volume() -> None:
    body = voxels_inside(lambda p: np.linalg.norm(p, axis=1) < 1, [-1.2] * 3, [1.2] * 3, 0.06)
    found = boundary(body)
    edges = np.concatenate([found.triangles[:, [0, 1]], found.triangles[:, [1, 2]],
                            found.triangles[:, [2, 0]]])  # fmt: skip
    _, counts = np.unique(np.sort(edges, axis=1), axis=0, return_counts=True)
    assert (counts == 2).all()
    # outwards: the sign of the volume says so
    assert volume(found.vertices, found.triangles) == pytest.approx(4 / 3 * math.pi, rel=0.01)
    far = np.linalg.norm(found.vertices, axis=1)
    assert far.min() > 1 - 0.12 and far.max() < 1 + 0.12


def test_one_cell_has_a_surface_of_twelve_triangles() -> None:
    vertices, triangles = surface_nets(np.ones((1, 1, 1), dtype=bool))
    assert len(vertices) == 8 and len(triangles) == 12
    np.testing.assert_allclose(vertices.mean(axis=0), 0.5)
    assert volume(vertices, triangles) > 0


def test_an_outline_goes_around_with_the_filled_on_its_left() -> None:
    points = np.array([[0.5, 0.5], [1.5, 0.5], [0.5, 1.5]])
    found = boundary(points, 1.0)
    starts, stops = (found.vertices[found.triangles[:, k]] for k in (0, 1))
    area = 0.5 * np.sum(starts[:, 0] * stops[:, 1] - starts[:, 1] * stops[:, 0])
    assert len(found.triangles) == 8 and area == pytest.approx(3)


def test_the_body_of_a_cloud() -> None:
    text = """
raff: 1
joints:
  - {name: a, parent: base}
  - {name: s, type: prismatic, parent: a, d: 1, limits: [0, 0.5]}
  - {name: x, type: prismatic, parent: s, alpha: 90 deg, limits: [0, 0.4]}
"""
    model = kg.load(text).compile()
    made = cloud(model, count=60_000, frames=["x"])
    found = boundary(made.points[:, 0])
    # a pipe: from radius 1 to that of its end, half a metre high
    exact = math.pi * 0.4**2 * 0.5
    assert abs(found.measure.value - exact) < 2 * found.measure.error
    assert (found.pieces, found.voids, found.tunnels) == (1, 0, 1)


def test_dexterity_is_the_share_of_directions() -> None:
    rng = np.random.default_rng(0)
    quats = rng.normal(size=(4000, 4))
    quats /= np.linalg.norm(quats, axis=1)[:, None]
    poses = np.hstack([quats, np.full((4000, 3), 0.05)])
    poses[2000:, :4] = [1, 0, 0, 0]  # the second half looks one way, elsewhere
    poses[2000:, 4] = 5.05
    found = dexterity(poses, 0.1)
    np.testing.assert_allclose(found.centres[:, 0], [0.05, 5.05])
    assert found.shares[0] == 1 and found.shares[1] == pytest.approx(1 / 60)


def test_too_few_points_are_refused() -> None:
    with pytest.raises(UsageError, match="more points"):
        boundary(np.zeros((100, 3)))
    with pytest.raises(UsageError, match=r"poses .n, 7."):
        dexterity(np.zeros((3, 5)), 0.1)
