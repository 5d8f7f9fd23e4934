"""SE3: poses made, composed, refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kinegen import SE3, SO3
from kinegen.errors import UsageError

X_AB = SE3(SO3.from_rpy(0, 0, math.pi / 2), np.array([1.0, 2, 3]))


def test_the_default_pose_is_the_identity() -> None:
    np.testing.assert_array_equal(SE3().matrix, np.eye(4))
    np.testing.assert_array_equal(SE3.identity().pose, [1, 0, 0, 0, 0, 0, 0])


def test_seven_numbers_and_a_matrix_make_the_same_pose() -> None:
    assert SE3.from_pose(X_AB.pose).is_close(X_AB)
    assert SE3.from_matrix(X_AB.matrix).is_close(X_AB)
    np.testing.assert_allclose(
        X_AB.matrix, [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]], atol=1e-15
    )


def test_points_and_poses_are_carried_along() -> None:
    np.testing.assert_allclose(X_AB.apply([1, 0, 0]), [1, 3, 3], atol=1e-15)
    X_BC = SE3(translation=np.array([1.0, 0, 0]))
    np.testing.assert_allclose((X_AB @ X_BC).translation, [1, 3, 3], atol=1e-15)
    assert (X_AB @ X_AB.inverse()).is_close(SE3.identity())
    assert (X_AB.inverse() @ X_AB).is_close(SE3.identity())


def test_exp_of_a_pure_slide_and_of_a_screw() -> None:
    np.testing.assert_allclose(SE3.exp([1, 2, 3, 0, 0, 0]).translation, [1, 2, 3])
    # a quarter turn about z at unit speed along the turning x: an arc of radius 2/π
    X = SE3.exp([1, 0, 0, 0, 0, math.pi / 2])
    np.testing.assert_allclose(X.translation, [2 / math.pi, 2 / math.pi, 0], atol=1e-15)


@pytest.mark.parametrize(
    "xi",
    [
        [0.1, -0.2, 0.3, 0.4, 0.5, -0.6],
        [1, 2, 3, 0, 0, 0],
        [1, 2, 3, 1e-7, 0, 0],
        [1, 2, 3, 0, 3.1, 0],
    ],
)
def test_log_undoes_exp_and_minus_undoes_plus(xi: list[float]) -> None:
    np.testing.assert_allclose(SE3.exp(xi).log(), xi, atol=1e-12)
    np.testing.assert_allclose(X_AB.plus(xi).minus(X_AB), xi, atol=1e-12)


def test_adjoint_is_the_change_of_point_and_axes() -> None:
    v, w = np.array([1.0, 0, 0]), np.array([0, 0, 1.0])
    moved = X_AB.adjoint() @ [*v, *w]
    np.testing.assert_allclose(moved[3:], X_AB.so3.apply(w), atol=1e-15)
    np.testing.assert_allclose(
        moved[:3], X_AB.so3.apply(v) + np.cross([1, 2, 3], X_AB.so3.apply(w)), atol=1e-15
    )


def test_closeness_counts_metres_and_radians() -> None:
    near = X_AB.plus([1e-7, 0, 0, 0, 0, 0])
    turned = X_AB.plus([0, 0, 0, 0, 0, 1e-7])
    for other in (near, turned):
        assert X_AB.is_close(other, tolerance=2e-7)
        assert not X_AB.is_close(other, tolerance=0.5e-7)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SE3(SO3.identity(), np.zeros(2)), "a translation takes 3 finite numbers"),
        (lambda: SE3(SO3.identity(), np.array([0, 0, math.nan])), "a translation takes 3 finite"),
        (lambda: SE3(np.eye(3)), "the rotation of a pose must be an SO3"),
        (lambda: SE3.from_pose([1, 0, 0, 0]), "a pose takes 7 finite numbers"),
        (lambda: SE3.from_matrix(np.eye(3)), r"shape \(4, 4\)"),
        (lambda: SE3.from_matrix(np.full((4, 4), math.nan)), "last row 0 0 0 1"),
        (lambda: SE3.from_matrix(2 * np.eye(4)), "last row 0 0 0 1"),
        (lambda: SE3.exp([0, 0, 0]), "a twist takes 6 finite numbers"),
    ],
)
def test_what_is_no_pose_is_refused(make: object, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make()  # type: ignore[operator]


def test_poses_are_frozen() -> None:
    with pytest.raises(ValueError, match=r"read-only"):
        X_AB.translation[0] = 9
    with pytest.raises(TypeError):
        X_AB @ np.eye(4)  # type: ignore[operator]
