"""Rotations of the reference kernels against scipy-free, textbook facts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kinegen.kernels.reference.base import rotation as maths

RNG = np.random.default_rng(7)
VECTORS = [
    *(scale * RNG.normal(size=3) for scale in (1e-12, 1e-8, 1e-5, 1e-4, 1e-3, 0.1, 1, 1.5)),
    np.zeros(3),
    np.array([math.pi, 0, 0]),
    np.array([0, 0, -math.pi / 2]),
    np.array([0, math.pi - 1e-9, 0]),
]


def rodrigues(w: np.ndarray) -> np.ndarray:
    """The matrix exponential of [w]× by its series, term by term."""
    total, term = np.eye(3), np.eye(3)
    for n in range(1, 60):
        term = term @ maths.cross_matrix(w) / n
        total = total + term
    return total


@pytest.mark.parametrize("w", VECTORS, ids=str)
def test_quaternion_and_matrix_of_a_rotation_vector_agree(w: np.ndarray) -> None:
    quat = maths.quat_exp(w)
    assert np.linalg.norm(quat) == pytest.approx(1, abs=1e-15)
    R = maths.quat_to_matrix(quat)
    np.testing.assert_allclose(R, rodrigues(w), atol=1e-14)
    back = maths.matrix_to_quat(R)
    np.testing.assert_allclose(back * np.sign(back @ quat), quat, atol=1e-14)


@pytest.mark.parametrize("w", VECTORS, ids=str)
def test_log_undoes_exp(w: np.ndarray) -> None:
    # a half turn has two rotation vectors
    wanted = (
        w if np.linalg.norm(w) < math.pi else w * np.sign(w @ maths.quat_log(maths.quat_exp(w)))
    )
    np.testing.assert_allclose(maths.quat_log(maths.quat_exp(w)), wanted, atol=1e-14)
    np.testing.assert_allclose(maths.quat_log(-maths.quat_exp(w)), wanted, atol=1e-14)


@pytest.mark.parametrize("w", VECTORS, ids=str)
def test_left_jacobian_is_the_mean_of_the_rotations_on_the_way(w: np.ndarray) -> None:
    """V(w) = ∫ exp(s w) ds over 0…1, here by Gauss's rule of 30 points."""
    nodes, weights = np.polynomial.legendre.leggauss(30)
    mean = sum(c / 2 * rodrigues((x + 1) / 2 * w) for x, c in zip(nodes, weights, strict=True))
    # below 1e-4 rad the series leaves out terms of |w|³/24 < 1e-13
    np.testing.assert_allclose(maths.left_jacobian(w), mean, atol=1e-12)
    np.testing.assert_allclose(
        maths.right_jacobian_inverse(w) @ maths.left_jacobian(-w), np.eye(3), atol=1e-12
    )


def test_products_of_quaternions_are_products_of_matrices() -> None:
    a, b = maths.quat_exp(VECTORS[5]), maths.quat_exp(VECTORS[7])
    np.testing.assert_allclose(
        maths.quat_to_matrix(maths.quat_multiply(a, b)),
        maths.quat_to_matrix(a) @ maths.quat_to_matrix(b),
        atol=1e-15,
    )


def test_lengths_of_quaternions_do_not_matter_but_zero_is_the_identity() -> None:
    quat = maths.quat_exp(VECTORS[7])
    for scale in (1e-3, 7.0, 1e5):
        np.testing.assert_allclose(
            maths.quat_to_matrix(scale * quat), maths.quat_to_matrix(quat), atol=1e-15
        )
    np.testing.assert_array_equal(maths.quat_to_matrix(np.zeros(4)), np.eye(3))
