"""Signed distances to simple bodies."""

from __future__ import annotations

import numpy as np
import pytest

from kinegen.dynamics.contact.signed_distances import (
    BOX,
    CAPSULE,
    CYLINDER,
    PLANE,
    SPHERE,
    signed_distance,
)

SIZES = {
    PLANE: (0, 0, 1),
    SPHERE: (0.5, 0, 0),
    CAPSULE: (0.2, 0.5, 0),
    CYLINDER: (0.3, 0.5, 0),
    BOX: (0.2, 0.3, 0.4),
}


def measure(kind: int, point: tuple[float, float, float]) -> tuple[float, np.ndarray]:
    distance, normal = signed_distance(kind, SIZES[kind], point)
    return distance, np.array(normal)


@pytest.mark.parametrize(
    ("kind", "point", "distance", "normal"),
    [
        (PLANE, (1, 2, -0.3), -0.3, (0, 0, 1)),
        (SPHERE, (1, 0, 0), 0.5, (1, 0, 0)),
        (SPHERE, (0, 0, 0), -0.5, (0, 0, 1)),
        (CAPSULE, (0.5, 0, 0.4), 0.3, (1, 0, 0)),
        (CAPSULE, (0, 0, 1), 0.3, (0, 0, 1)),
        (CYLINDER, (0, 0.6, 0), 0.3, (0, 1, 0)),
        (CYLINDER, (0, 0.1, 0.45), -0.05, (0, 0, 1)),
        (CYLINDER, (0.6, 0, 0.9), 0.5, (0.6, 0, 0.8)),
        (BOX, (0.1, 0, 0), -0.1, (1, 0, 0)),
        (BOX, (-0.5, -0.7, 0), 0.5, (-0.6, -0.8, 0)),
    ],
)
def test_distances_and_directions(
    kind: int,
    point: tuple[float, float, float],
    distance: float,
    normal: tuple[float, float, float],
) -> None:
    found, out = measure(kind, point)
    assert found == pytest.approx(distance)
    np.testing.assert_allclose(out, normal, atol=1e-12)


@pytest.mark.parametrize("kind", sorted(SIZES))
def test_directions_are_the_slope_of_the_distance(kind: int) -> None:
    random = np.random.default_rng(5)
    for point in random.uniform(-1, 1, (40, 3)):
        _, out = measure(kind, tuple(point))
        slope = [
            (measure(kind, tuple(point + e))[0] - measure(kind, tuple(point - e))[0]) / 2e-6
            for e in 1e-6 * np.eye(3)
        ]
        np.testing.assert_allclose(out, slope, atol=1e-5)


def test_other_bodies_are_infinitely_far() -> None:
    assert signed_distance(7, (1, 1, 1), (0, 0, 0))[0] == np.inf
