"""SO3: what it is made from, what it refuses, what it gives."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kinegen import SO3
from kinegen.errors import UsageError

QUARTER = math.pi / 2


def test_the_identity_turns_nothing() -> None:
    identity = SO3.identity()
    np.testing.assert_array_equal(identity.quat, [1, 0, 0, 0])
    np.testing.assert_array_equal(identity.matrix, np.eye(3))
    np.testing.assert_array_equal(identity.log(), np.zeros(3))


def test_a_quaternion_of_any_length_becomes_a_unit_one() -> None:
    np.testing.assert_allclose(SO3([0, 3, 0, 4]).quat, [0, 0.6, 0, 0.8])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("roll", "pitch", "yaw", "wanted"),
    [
        (QUARTER, 0, 0, [[1, 0, 0], [0, 0, -1], [0, 1, 0]]),
        (0, QUARTER, 0, [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]),
        (0, 0, QUARTER, [[0, -1, 0], [1, 0, 0], [0, 0, 1]]),
        # z last: x goes to -z by pitch and stays there, y goes to z by roll and to x by pitch
        (QUARTER, QUARTER, 0, [[0, 1, 0], [0, 0, -1], [-1, 0, 0]]),
    ],
)
def test_roll_pitch_yaw_by_hand(
    roll: float, pitch: float, yaw: float, wanted: list[list[float]]
) -> None:
    np.testing.assert_allclose(SO3.from_rpy(roll, pitch, yaw).matrix, wanted, atol=1e-15)


@pytest.mark.parametrize("rpy", [(0.1, -0.2, 0.3), (3.0, 1.5, -3.0), (0, 0, math.pi), (0, 0, 0)])
def test_roll_pitch_yaw_are_found_again(rpy: tuple[float, float, float]) -> None:
    np.testing.assert_allclose(SO3.from_rpy(*rpy).rpy, rpy, atol=1e-14)


@pytest.mark.parametrize("pitch", [QUARTER, -QUARTER])
def test_upright_pitch_gives_roll_zero_and_the_same_rotation(pitch: float) -> None:
    R = SO3.from_rpy(0.3, pitch, 0.5)
    roll, found, _ = R.rpy
    assert roll == 0
    assert found == pytest.approx(pitch)
    assert SO3.from_rpy(*R.rpy).is_close(R)


def test_composition_reads_like_frames() -> None:
    R_AB, R_BC = SO3.from_rpy(0, 0, QUARTER), SO3.from_rpy(QUARTER, 0, 0)
    v_C = [0, 1, 0]
    np.testing.assert_allclose((R_AB @ R_BC).apply(v_C), R_AB.apply(R_BC.apply(v_C)), atol=1e-15)
    np.testing.assert_allclose((R_AB @ R_BC).apply(v_C), [0, 0, 1], atol=1e-15)
    assert (R_AB @ R_AB.inverse()).is_close(SO3.identity())


def test_plus_turns_about_its_own_axes_and_minus_undoes_it() -> None:
    R, w = SO3.from_rpy(0, 0, QUARTER), np.array([0.2, 0, 0])
    assert R.plus(w).is_close(R @ SO3.exp(w))
    np.testing.assert_allclose(R.plus(w).minus(R), w, atol=1e-15)


def test_log_goes_the_short_way_round() -> None:
    np.testing.assert_allclose(SO3.exp([0, 0, 1.5 * math.pi]).log(), [0, 0, -QUARTER], atol=1e-15)


def test_opposite_quaternions_are_one_rotation() -> None:
    R = SO3.from_rpy(0.1, 0.2, 0.3)
    assert SO3(-R.quat).is_close(R)
    assert not R.is_close(SO3.from_rpy(0.1, 0.2, 0.3001), tolerance=1e-5)


@pytest.mark.parametrize(
    ("quat", "message"),
    [
        ([0, 0, 0, 0], "length 0 is not a rotation; the identity is 1 0 0 0"),
        ([1, 0, 0], "a quaternion takes 4 finite numbers"),
        ([1, 0, 0, math.nan], "a quaternion takes 4 finite numbers"),
        ([[1, 0, 0, 0]], "a quaternion takes 4 finite numbers"),
        ("wxyz", "a quaternion takes 4 numbers, got 'wxyz'"),
        (None, "a quaternion takes 4 finite numbers"),
    ],
)
def test_what_is_no_quaternion_is_refused(quat: object, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        SO3(quat)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (2 * np.eye(3), "orthonormal"),
        (np.eye(4), r"shape \(3, 3\)"),
        (np.diag([1.0, 1, -1]), "reflection"),
        (np.full((3, 3), math.nan), "orthonormal"),
        (np.diag([1, 1, math.inf]), "orthonormal"),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_what_is_no_rotation_matrix_is_refused(matrix: np.ndarray, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        SO3.from_matrix(matrix)


def test_values_are_frozen_and_do_not_share_memory() -> None:
    quat = np.array([1.0, 0, 0, 0])
    R = SO3(quat)
    quat[0] = 5
    assert R.quat[0] == 1
    with pytest.raises(ValueError, match=r"read-only"):
        R.quat[0] = 2
    with pytest.raises(AttributeError):
        R.quat = quat  # type: ignore[misc]


def test_a_rotation_times_something_else_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        SO3.identity() @ np.eye(3)  # type: ignore[operator]
