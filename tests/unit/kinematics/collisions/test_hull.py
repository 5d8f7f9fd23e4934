"""Convex hulls against bodies whose facets are known."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from kinegen.errors import UsageError
from kinegen.kinematics.collisions.hull import convex_hull


def test_a_cube_has_six_facets_of_four_corners() -> None:
    corners = np.array([*itertools.product((-1.0, 1.0), repeat=3)])
    inside = np.random.default_rng(0).uniform(-1, 1, (50, 3))
    hull = convex_hull(np.concatenate([corners, inside, corners]))
    assert hull.corners.shape == (8, 3)
    assert [len(ring) for ring in hull.facets] == [4] * 6
    np.testing.assert_allclose(hull.planes[:, 3], 1.0)
    for ring, plane in zip(hull.facets, hull.planes, strict=True):
        a, b, c = hull.corners[ring[:3]]
        assert np.cross(b - a, c - b) @ plane[:3] > 0  # counter-clockwise from outside


def test_all_points_are_within_the_hull_and_its_corners_are_points() -> None:
    points = np.random.default_rng(1).normal(size=(300, 3))
    hull = convex_hull(points, most=1000)
    assert (points @ hull.planes[:, :3].T - hull.planes[:, 3]).max() < 1e-8
    assert all((np.abs(points - corner).max(axis=1) < 1e-15).any() for corner in hull.corners)
    # Euler: corners - edges + facets = 2
    edges = sum(len(ring) for ring in hull.facets) / 2
    assert len(hull.corners) - edges + len(hull.facets) == 2


@pytest.mark.slow
def test_a_ball_of_points_is_approached_by_few_corners() -> None:
    points = np.random.default_rng(2).normal(size=(3000, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    hull = convex_hull(points)
    assert len(hull.corners) <= 128
    assert hull.planes[:, 3].min() > 0.93


@pytest.mark.parametrize("points", [[[0, 0, 0]] * 5, [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]])
def test_what_is_flat_has_no_hull(points: list[list[float]]) -> None:
    with pytest.raises(UsageError, match="plane"):
        convex_hull(np.array(points, dtype=float))
