"""Transforms as tuples: against the poses of the spatial room."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.formats.robots.transform import (
    Transform,
    align_z,
    apply,
    compose,
    from_quat,
    from_rpy,
    inverse,
    is_identity,
    rotate_inertia,
    to_rpy,
)

RNG = np.random.default_rng(1)


def matrix(X: Transform) -> np.ndarray:
    out = np.eye(4)
    out[:3, :3] = np.reshape(X[:9], (3, 3))
    out[:3, 3] = X[9:]
    return out


def random_pose() -> tuple[Transform, np.ndarray]:
    xyz, rpy = RNG.normal(size=3), RNG.uniform(-3, 3, 3)
    return from_rpy(xyz.tolist(), rpy.tolist()), kg.SE3(kg.SO3.from_rpy(*rpy), xyz).matrix


def test_products_inverses_and_points() -> None:
    (A, a), (B, b) = random_pose(), random_pose()
    np.testing.assert_allclose(matrix(A), a, atol=1e-15)
    np.testing.assert_allclose(matrix(compose(A, B)), a @ b, atol=1e-14)
    np.testing.assert_allclose(matrix(inverse(A)), np.linalg.inv(a), atol=1e-14)
    point = RNG.normal(size=3)
    np.testing.assert_allclose(apply(A, point.tolist()), (a @ [*point, 1])[:3], atol=1e-14)
    assert is_identity(compose(A, inverse(A)))


@pytest.mark.parametrize("pitch", [0.3, math.pi / 2, -math.pi / 2, math.pi / 2 - 1e-7])
def test_angles_give_the_rotation_back(pitch: float) -> None:
    X = from_rpy((1.0, 2.0, 3.0), (0.4, pitch, -1.1))
    # beside ±90° roll and yaw are known to the square root of rounding, their sum is exact
    np.testing.assert_allclose(from_rpy(*to_rpy(X)), X, atol=1e-14)


def test_quaternions_of_any_length() -> None:
    quat = RNG.normal(size=4)
    X = from_quat((0.0, 0.0, 0.0), (3 * quat).tolist())
    np.testing.assert_allclose(matrix(X)[:3, :3], kg.SO3(quat).matrix, atol=1e-15)


@pytest.mark.parametrize(
    "axis",
    [
        (0, 0, 1),
        (1, 0, 0),
        (0, -1, 0),
        (0, 0, -1),
        (0.6, 0, -0.8),
        (1e-6, 0, -1),
        (0.48, 0.6, 0.64),
    ],
)
def test_z_becomes_the_axis(axis: tuple[float, float, float]) -> None:
    unit = np.array(axis) / np.linalg.norm(axis)
    R = matrix(align_z(tuple(unit.tolist())))[:3, :3]
    np.testing.assert_allclose(R @ [0, 0, 1], unit, atol=1e-14)
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(R) == pytest.approx(1)


def test_inertias_turn() -> None:
    X, X_matrix = random_pose()
    xx, yy, zz, xy, xz, yz = RNG.normal(size=6).tolist()
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    R = X_matrix[:3, :3]
    turned = R @ inertia @ R.T
    np.testing.assert_allclose(
        rotate_inertia(X, (xx, yy, zz, xy, xz, yz)),
        [turned[0, 0], turned[1, 1], turned[2, 2], turned[0, 1], turned[0, 2], turned[1, 2]],
        atol=1e-14,
    )
