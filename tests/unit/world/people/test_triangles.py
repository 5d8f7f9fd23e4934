"""Distances to closed meshes: compared with every triangle, and with a ball in closed form."""

from __future__ import annotations

import numpy as np
import pytest

from kinegen.kernels import Floats
from kinegen.world.people.triangles import Triangles
from tests.unit.world.people.support import figure

MESH = figure()
TREE = Triangles(MESH.vertices, MESH.triangles)
CORNERS = np.asarray(MESH.vertices[MESH.triangles], dtype=np.float64)


def ways(count: int, seed: int) -> Floats:
    found = np.random.default_rng(seed).normal(size=(count, 3))
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True))


def plane_hits(origin: Floats, way: Floats) -> float:
    """The nearest triangle along a ray, each tested in its own plane."""
    best = np.inf
    for a, b, c in CORNERS:
        normal = np.cross(b - a, c - a)
        slope = float(normal @ way)
        if slope == 0:
            continue
        length = float(normal @ (a - origin)) / slope
        place = origin + length * way
        sides = [normal @ np.cross(e - s, place - s) for s, e in ((a, b), (b, c), (c, a))]
        if length >= 0 and min(sides) >= 0:
            best = min(best, length)
    return best


def test_rays_hit_the_nearest_of_all_triangles() -> None:
    origin = np.array([-1.5, 0.3, 0.9])
    target = np.random.default_rng(1).uniform(CORNERS.min((0, 1)), CORNERS.max((0, 1)), (40, 3))
    directions = target - origin
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    found = TREE.cast(origin, directions)
    expected = [plane_hits(origin, one) for one in directions]
    assert found == pytest.approx(expected, rel=1e-9)
    assert 5 < np.isfinite(found).sum() < 40
    assert np.isinf(TREE.cast(origin, -directions)).all()


def test_rays_along_the_axes_meet_faces_edges_and_corners() -> None:
    low, high = CORNERS.min((0, 1)), CORNERS.max((0, 1))
    top = MESH.vertices[np.argmax(MESH.vertices[:, 2])].astype(float)
    down = np.array([[0.0, 0.0, -1.0]])
    assert TREE.cast(top + [0, 0, 1], down)[0] == pytest.approx(1.0, abs=1e-9)
    assert np.isinf(TREE.cast(np.array([high[0] + 0.1, 0.0, 2.0]), down)[0])
    # many rays at once are as many alone
    many = ways(9000, 2)
    origin = (low + high) / 2 + [2.0, 0, 0]
    assert TREE.cast(origin, many)[::1000] == pytest.approx(
        [TREE.cast(origin, one[None])[0] for one in many[::1000]]
    )


def test_the_nearest_point_is_on_the_surface_and_no_other_is_nearer() -> None:
    shares = np.random.default_rng(3).dirichlet((1, 1, 1), size=40)
    cloud = np.einsum("kj,mji->mki", shares, CORNERS).reshape(-1, 3)
    for way in ways(30, 4):
        point = np.array([0.0, 0.0, 0.9]) + 1.5 * way
        places, far = TREE.nearest(point)
        assert far[0] == pytest.approx(np.linalg.norm(places[0] - point))
        densest = np.linalg.norm(cloud - point, axis=1).min()
        assert densest - 0.02 < far[0] <= densest + 1e-12
        assert far[1:] == pytest.approx(np.linalg.norm(MESH.vertices - point, axis=1), abs=1e-6)
        assert (far[0] <= far[1:] + 1e-9).all()


def test_inside_every_distance_is_zero() -> None:
    inside = np.array([0.0, 0.0, 1.0])  # of the trunk
    between = np.array([0.0, 0.0, 0.3])  # of the legs: outside, though its box contains it
    assert TREE.contains(inside) and not TREE.contains(between)
    assert TREE.nearest(inside)[1][0] == 0 and TREE.nearest(between)[1][0] > 0.02
    assert (TREE.cast(inside, ways(5, 5)) == 0).all()
    assert TREE.cast(between, np.array([[0.0, 1.0, 0.0]]))[0] == pytest.approx(
        plane_hits(between, np.array([0.0, 1.0, 0.0]))
    )
    turned = Triangles(MESH.vertices, MESH.triangles[:, ::-1])  # inside out
    assert turned.contains(inside) and not turned.contains(between)


def test_one_triangle_is_enough() -> None:
    one = Triangles(np.eye(3), np.array([[0, 1, 2]]))
    way = np.full((1, 3), 3**-0.5)
    assert one.cast(np.zeros(3), way)[0] == pytest.approx(3**-0.5)
    assert one.nearest(np.zeros(3))[0][0] == pytest.approx(np.full(3, 1 / 3))
    assert one.nearest(np.array([2.0, -1, 0]))[0][0] == pytest.approx([1, 0, 0])
