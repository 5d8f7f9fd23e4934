"""Placement numbers: six numbers that give back the placement, near those of the file."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.kinematics.solving.placement_numbers import (
    kleinfinger_numbers,
    number_changes,
    pose_numbers,
)
from kinegen.mechanism.write import write


def placed(numbers: np.ndarray) -> kg.SE3:
    """``Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r)``."""
    gamma, b, alpha, d, theta, r = numbers
    X = kg.SE3(kg.SO3.exp([0, 0, gamma]), [0, 0, b])
    X = X @ kg.SE3(kg.SO3.exp([alpha, 0, 0])) @ kg.SE3(kg.SO3.identity(), [d, 0, 0])
    return X @ kg.SE3(kg.SO3.exp([0, 0, theta]), [0, 0, r])


@pytest.mark.parametrize("seed", range(20))
def test_the_numbers_give_back_the_placement(seed: int) -> None:
    rng = np.random.default_rng(seed)
    given = rng.uniform(-1.5, 1.5, 6)
    X = placed(given)
    found = kleinfinger_numbers(X.rotation, X.translation, given)
    np.testing.assert_allclose(found, given, atol=1e-9)
    elsewhere = kleinfinger_numbers(X.rotation, X.translation, rng.uniform(-1, 1, 6))
    assert placed(elsewhere).is_close(X)


@pytest.mark.parametrize("alpha", [0.0, math.pi])
@pytest.mark.parametrize("d", [0.0, 0.3, -0.3])
def test_parallel_axes_keep_b_and_the_file_s_direction(alpha: float, d: float) -> None:
    given = np.array([0.7, 0.2, alpha, d, -0.4, 0.5])
    X = placed(given)
    found = kleinfinger_numbers(X.rotation, X.translation, given)
    np.testing.assert_allclose(found, given, atol=1e-9)


def test_angles_stay_within_half_a_turn_of_the_file_s() -> None:
    given = np.array([math.tau + 0.1, 0, 0.5, 0.2, -math.tau, 0])
    X = placed(given)
    np.testing.assert_allclose(
        kleinfinger_numbers(X.rotation, X.translation, given), given, atol=1e-9
    )


def test_xyz_and_rpy() -> None:
    X = kg.SE3(kg.SO3.from_rpy(0.1, -0.2, 0.3), [1, 2, 3])
    near = np.array([0, 0, 0, 0, 0, math.tau])
    found = pose_numbers(X.rotation, X.translation, near)
    np.testing.assert_allclose(found, [1, 2, 3, 0.1, -0.2, 0.3 + math.tau], atol=1e-12)


def test_changes_are_listed_by_owner_and_key() -> None:
    model = kg.load("four-bar").compile()
    wanted = kg.load("four-bar").compile()
    wanted.parameters["rocker"] = 0.3
    (change,) = number_changes(model, wanted.transforms)
    assert (change.owner, change.key, change.is_angle) == ("pin", "closes.d", False)
    assert (change.old, change.new) == (pytest.approx(0.25), pytest.approx(0.3))
    assert not change.is_tidy
    assert number_changes(model, model.transforms) == ()


@pytest.mark.parametrize(
    ("key", "value", "tidy"),
    [
        ("alpha", math.radians(60), True),  # round
        ("alpha", math.radians(62), False),
        ("alpha", 0.0, True),
        ("r", 0.0, True),
        ("r", 0.1, False),
        ("d", 0.524, True),  # as in the five other rows
    ],
)
def test_tidy_numbers_are_those_that_look_meant(key: str, value: float, tidy: bool) -> None:
    # written without repeated rows: one leg can be changed alone
    text = write(kg.load("delta"))
    model, wanted = kg.load(text), kg.load(text)
    model.set_number("left1", key, 0.51 if key == "d" else 0.3)
    wanted.set_number("left1", key, value)
    (change,) = number_changes(model.compile(), wanted.compile().transforms)
    assert (change.owner, change.key) == ("left1", key)
    assert change.is_tidy is tidy
