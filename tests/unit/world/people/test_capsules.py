"""Capsules: distances against many points of their surfaces."""

from __future__ import annotations

import numpy as np
import pytest

from kinegen.world.people.capsules import Capsules


def test_rays_end_where_the_surface_begins() -> None:
    random = np.random.default_rng(4)
    capsules = Capsules(
        random.normal(size=(6, 3)), random.normal(size=(6, 3)), random.uniform(0.1, 0.4, 6)
    )
    origin = np.array([4.0, -3.0, 2.0])
    directions = random.normal(size=(4000, 3)) - 1.2 * origin / np.linalg.norm(origin)
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    found = capsules.cast(origin, directions)
    hits = np.isfinite(found)
    assert 100 < hits.sum() < 4000
    for direction, distance in zip(directions[hits][:200], found[hits][:200], strict=True):
        # the end lies on a surface, and nothing is nearer on the way
        assert capsules.nearest(origin + distance * direction)[1].min() == pytest.approx(
            0, abs=1e-9
        )
        for share in np.linspace(0, 0.999, 40):
            assert capsules.nearest(origin + share * distance * direction)[1].min() > 0
    for direction in directions[~hits][:100]:
        steps = origin + np.linspace(0, 12, 200)[:, None] * direction
        assert min(capsules.nearest(step)[1].min() for step in steps) > 0


def test_a_sphere_is_a_capsule_whose_ends_are_one() -> None:
    ball = Capsules(np.zeros((1, 3)), np.zeros((1, 3)), np.array([0.5]))
    points, far = ball.nearest(np.array([2.0, 0, 0]))
    assert points[0] == pytest.approx([0.5, 0, 0]) and far[0] == pytest.approx(1.5)
    ahead = np.array([[-1.0, 0, 0], [1.0, 0, 0], [0, 1.0, 0]])
    assert ball.cast(np.array([2.0, 0, 0]), ahead).tolist() == [1.5, np.inf, np.inf]
    assert ball.cast(np.array([0.1, 0, 0]), ahead).tolist() == [0, 0, 0]  # inside
