"""Twist and Wrench: one motion, one load, seen from elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from kinegen import SE3, SO3
from kinegen.errors import UsageError
from kinegen.spatial.twist import Twist, Wrench

RNG = np.random.default_rng(3)
X_AB = SE3(SO3.from_rpy(0.3, -0.4, 0.5), np.array([0.6, -0.7, 0.8]))


def test_a_turning_body_moves_at_a_distance() -> None:
    turning = Twist(np.zeros(3), np.array([0, 0, 2.0]))
    X = SE3(translation=np.array([3.0, 0, 0]))  # B sits 3 m along x of A
    moved = turning.transformed(X)
    np.testing.assert_array_equal(moved.linear, [0, -6, 0])  # at A's origin
    np.testing.assert_array_equal(moved.angular, [0, 0, 2])


def test_a_force_at_a_distance_is_a_torque() -> None:
    load = Wrench(np.array([0, 5.0, 0]), np.zeros(3))
    moved = load.transformed(SE3(translation=np.array([3.0, 0, 0])))
    np.testing.assert_array_equal(moved.vector, [0, 5, 0, 0, 0, 15])


def test_power_is_the_same_from_everywhere() -> None:
    twist, load = Twist(*RNG.normal(size=(2, 3))), Wrench(*RNG.normal(size=(2, 3)))
    assert load.transformed(X_AB).power(twist.transformed(X_AB)) == pytest.approx(load.power(twist))
    assert load.power(twist) == pytest.approx(
        load.force @ twist.linear + load.torque @ twist.angular
    )


def test_the_linear_part_comes_first() -> None:
    np.testing.assert_array_equal(Twist([1, 2, 3], [4, 5, 6]).vector, range(1, 7))  # type: ignore[arg-type]
    np.testing.assert_array_equal(Wrench([1, 2, 3], [4, 5, 6]).vector, range(1, 7))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Twist([1, 2], [0, 0, 0]), "a velocity takes 3"),
        (lambda: Twist([1, 2, 3], [0, 0, np.inf]), "an angular velocity takes 3 finite"),
        (lambda: Wrench("abc", [0, 0, 0]), "a force takes 3 numbers"),
        (lambda: Wrench([1, 2, 3], 0), "a torque takes 3"),
    ],
)
def test_other_than_three_finite_numbers_are_refused(make: object, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make()  # type: ignore[operator]
