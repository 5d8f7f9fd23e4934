"""Joints as steps: each motion against its definition, each subspace against differences."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kinegen.kernels.reference.base import joint_types
from kinegen.kernels.reference.base.rotation import quat_exp, quat_to_matrix
from kinegen.kernels.reference.base.transform import (
    KLEINFINGER,
    adjoint,
    inverse,
    joint_steps,
    place,
    transform,
    turn,
    twist_bracket,
)

KINDS = range(9)
RNG = np.random.default_rng(7)
TURN = np.array([0.4, -0.8, 0.5])
PITCH = 0.02


def motion(kind: int, q: np.ndarray) -> np.ndarray:
    X = np.eye(4)
    for step in joint_steps(kind, q, PITCH):
        X = X @ step.transform
    return X


def z_turn(a: float) -> np.ndarray:
    return np.array([[math.cos(a), -math.sin(a), 0], [math.sin(a), math.cos(a), 0], [0, 0, 1]])


def x_turn(a: float) -> np.ndarray:
    return np.array([[1, 0, 0], [0, math.cos(a), -math.sin(a)], [0, math.sin(a), math.cos(a)]])


@pytest.mark.parametrize(
    ("kind", "q", "R", "p"),
    [
        (joint_types.REVOLUTE, [0.3], z_turn(0.3), [0, 0, 0]),
        (joint_types.PRISMATIC, [0.3], np.eye(3), [0, 0, 0.3]),
        (joint_types.SCREW, [math.pi], z_turn(math.pi), [0, 0, PITCH / 2]),
        (joint_types.CYLINDRICAL, [0.3, 0.4], z_turn(0.3), [0, 0, 0.4]),
        (joint_types.UNIVERSAL, [0.3, 0.4], z_turn(0.3) @ x_turn(0.4), [0, 0, 0]),
        (joint_types.SPHERICAL, [math.cos(0.2), math.sin(0.2), 0, 0], x_turn(0.4), [0, 0, 0]),
        (joint_types.PLANAR, [0.1, 0.2, 0.3], z_turn(0.3), [0.1, 0.2, 0]),
        (joint_types.FREE, [math.cos(0.2), 0, 0, math.sin(0.2), 1, 2, 3], z_turn(0.4), [1, 2, 3]),
        (joint_types.FIXED, [], np.eye(3), [0, 0, 0]),
    ],
)
def test_motions_are_those_of_the_format(
    kind: int, q: list[float], R: np.ndarray, p: list[float]
) -> None:
    X = motion(kind, np.array(q))
    np.testing.assert_allclose(X[:3, :3], R, atol=1e-15)
    np.testing.assert_allclose(X[:3, 3], p, atol=1e-15)


@pytest.mark.parametrize("kind", [k for k in KINDS if joint_types.NQ[k] == joint_types.NV[k] > 0])
def test_subspaces_are_the_derivatives_of_the_motions(kind: int) -> None:
    q, h = np.random.default_rng(kind).normal(size=joint_types.NQ[kind]), 1e-6
    column = 0
    after = np.eye(4)
    columns = np.zeros((6, joint_types.NV[kind]))
    for step in reversed(joint_steps(kind, q, PITCH)):
        R, p = after[:3, :3].T, after[:3, 3]
        for twist in step.subspace.T[::-1]:
            column -= 1
            w = twist[3:]
            columns[:, column] = np.concatenate([R @ (twist[:3] + np.cross(w, p)), R @ w])
        after = step.transform @ after
    for k in range(joint_types.NV[kind]):
        d = np.eye(joint_types.NV[kind])[k] * h
        rate = (motion(kind, q + d) - motion(kind, q - d)) / (2 * h)
        body = inverse(motion(kind, q)) @ rate  # [w]× and v in the moving frame
        w = np.array([body[2, 1], body[0, 2], body[1, 0]])
        np.testing.assert_allclose(columns[:, k], np.concatenate([body[:3, 3], w]), atol=1e-9)


def test_kleinfinger_placement_is_its_six_moves_in_order() -> None:
    gamma, b, alpha, d, theta, r = 0.2, 0.3, -0.4, 0.5, 0.6, 0.7
    X = place(KLEINFINGER, np.array([gamma, b, alpha, d, theta, r]))
    R1 = z_turn(gamma) @ x_turn(alpha)
    np.testing.assert_allclose(X[:3, :3], R1 @ z_turn(theta), atol=1e-15)
    np.testing.assert_allclose(X[:3, 3], [0, 0, b] + R1 @ [d, 0, r], atol=1e-15)


def test_pose_placement_turns_about_fixed_x_then_y_then_z() -> None:
    roll, pitch, yaw = 0.2, -0.3, 0.4
    X = place(1, np.array([1, 2, 3, roll, pitch, yaw]))
    y_turn = np.array(
        [
            [math.cos(pitch), 0, math.sin(pitch)],
            [0, 1, 0],
            [-math.sin(pitch), 0, math.cos(pitch)],
        ]
    )
    np.testing.assert_allclose(X[:3, :3], z_turn(yaw) @ y_turn @ x_turn(roll), atol=1e-15)
    np.testing.assert_array_equal(X[:3, 3], [1, 2, 3])


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.7, -math.pi / 2, math.pi, 100.0, 1e200])
def test_turns_about_an_axis_are_rotations_by_the_angle(axis: int, angle: float) -> None:
    X = turn(axis, angle)
    R = X[:3, :3]
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-15)
    np.testing.assert_array_equal(R[:, axis], np.eye(3)[axis])
    other = np.eye(3)[(axis + 1) % 3]
    np.testing.assert_allclose(other @ R @ other, math.cos(angle), atol=1e-15)
    np.testing.assert_allclose(np.cross(other, R @ other)[axis], math.sin(angle), atol=1e-15)


def test_adjoint_moves_a_twist_and_the_bracket_is_its_derivative() -> None:
    X = transform(quat_to_matrix(quat_exp(TURN)), [0.3, -0.2, 0.5])
    v, w = RNG.normal(size=3), RNG.normal(size=3)
    R, p = X[:3, :3], X[:3, 3]
    moved = adjoint(X) @ np.concatenate([v, w])
    np.testing.assert_allclose(moved[3:], R @ w, atol=1e-15)
    np.testing.assert_allclose(moved[:3], R @ v + np.cross(p, R @ w), atol=1e-15)
    np.testing.assert_allclose(inverse(X) @ X, np.eye(4), atol=1e-15)
    V, W, h = RNG.normal(size=6), RNG.normal(size=6), 1e-6
    ahead, behind = (
        adjoint(transform(quat_to_matrix(quat_exp(s * V[3:])), s * V[:3])) @ W for s in (h, -h)
    )
    np.testing.assert_allclose(twist_bracket(V) @ W, (ahead - behind) / (2 * h), atol=1e-9)
