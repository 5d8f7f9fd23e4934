"""Numbers to propose."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.kinematics.neat import neat_number, pose_extent


@pytest.mark.parametrize(
    ("x", "neat"), [(1.0, 1.0), (1.99, 1.0), (0.35, 0.2), (20.05, 20.0), (99.0, 50.0), (5e-4, 5e-4)]
)
def test_neat_numbers_are_not_above(x: float, neat: float) -> None:
    assert neat_number(x) == pytest.approx(neat)


def test_other_digits_may_be_chosen_from() -> None:
    assert neat_number(0.09, (1, 2, 3, 5, 8)) == pytest.approx(0.08)


def test_the_extent_is_that_of_the_pose() -> None:
    model = kg.load("puma560").compile()
    places = np.array([X.translation for X in kg.poses(model).values()])
    assert pose_extent(model) == pytest.approx(np.linalg.norm(np.ptp(places, axis=0)))
