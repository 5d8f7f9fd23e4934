"""Joints as steps: each motion against its definition, each subspace against differences."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kinegen.kernels.reference.base import steps
from kinegen.kernels.reference.base.rotation import inverse

KINDS = range(9)
PITCH = 0.02


def motion(kind: int, q: np.ndarray) -> np.ndarray:
    X = np.eye(4)
    for step in steps.joint_steps(kind, q, PITCH):
        X = X @ step.transform
    return X


def z_turn(a: float) -> np.ndarray:
    return np.array([[math.cos(a), -math.sin(a), 0], [math.sin(a), math.cos(a), 0], [0, 0, 1]])


def x_turn(a: float) -> np.ndarray:
    return np.array([[1, 0, 0], [0, math.cos(a), -math.sin(a)], [0, math.sin(a), math.cos(a)]])


@pytest.mark.parametrize(
    ("kind", "q", "R", "p"),
    [
        (steps.REVOLUTE, [0.3], z_turn(0.3), [0, 0, 0]),
        (steps.PRISMATIC, [0.3], np.eye(3), [0, 0, 0.3]),
        (steps.SCREW, [math.pi], z_turn(math.pi), [0, 0, PITCH / 2]),
        (steps.CYLINDRICAL, [0.3, 0.4], z_turn(0.3), [0, 0, 0.4]),
        (steps.UNIVERSAL, [0.3, 0.4], z_turn(0.3) @ x_turn(0.4), [0, 0, 0]),
        (steps.SPHERICAL, [math.cos(0.2), math.sin(0.2), 0, 0], x_turn(0.4), [0, 0, 0]),
        (steps.PLANAR, [0.1, 0.2, 0.3], z_turn(0.3), [0.1, 0.2, 0]),
        (steps.FREE, [math.cos(0.2), 0, 0, math.sin(0.2), 1, 2, 3], z_turn(0.4), [1, 2, 3]),
        (steps.FIXED, [], np.eye(3), [0, 0, 0]),
    ],
)
def test_motions_are_those_of_the_format(
    kind: int, q: list[float], R: np.ndarray, p: list[float]
) -> None:
    X = motion(kind, np.array(q))
    np.testing.assert_allclose(X[:3, :3], R, atol=1e-15)
    np.testing.assert_allclose(X[:3, 3], p, atol=1e-15)


@pytest.mark.parametrize("kind", [k for k in KINDS if steps.NQ[k] == steps.NV[k] > 0])
def test_subspaces_are_the_derivatives_of_the_motions(kind: int) -> None:
    q, h = np.random.default_rng(kind).normal(size=steps.NQ[kind]), 1e-6
    column = 0
    after = np.eye(4)
    columns = np.zeros((6, steps.NV[kind]))
    for step in reversed(steps.joint_steps(kind, q, PITCH)):
        R, p = after[:3, :3].T, after[:3, 3]
        for twist in step.subspace.T[::-1]:
            column -= 1
            w = twist[3:]
            columns[:, column] = np.concatenate([R @ (twist[:3] + np.cross(w, p)), R @ w])
        after = step.transform @ after
    for k in range(steps.NV[kind]):
        d = np.eye(steps.NV[kind])[k] * h
        rate = (motion(kind, q + d) - motion(kind, q - d)) / (2 * h)
        body = inverse(motion(kind, q)) @ rate  # [w]× and v in the moving frame
        w = np.array([body[2, 1], body[0, 2], body[1, 0]])
        np.testing.assert_allclose(columns[:, k], np.concatenate([body[:3, 3], w]), atol=1e-9)


def test_kleinfinger_placement_is_its_six_moves_in_order() -> None:
    gamma, b, alpha, d, theta, r = 0.2, 0.3, -0.4, 0.5, 0.6, 0.7
    X = steps.place(steps.KLEINFINGER, np.array([gamma, b, alpha, d, theta, r]))
    R1 = z_turn(gamma) @ x_turn(alpha)
    np.testing.assert_allclose(X[:3, :3], R1 @ z_turn(theta), atol=1e-15)
    np.testing.assert_allclose(X[:3, 3], [0, 0, b] + R1 @ [d, 0, r], atol=1e-15)


def test_pose_placement_turns_about_fixed_x_then_y_then_z() -> None:
    roll, pitch, yaw = 0.2, -0.3, 0.4
    X = steps.place(1, np.array([1, 2, 3, roll, pitch, yaw]))
    y_turn = np.array(
        [
            [math.cos(pitch), 0, math.sin(pitch)],
            [0, 1, 0],
            [-math.sin(pitch), 0, math.cos(pitch)],
        ]
    )
    np.testing.assert_allclose(X[:3, :3], z_turn(yaw) @ y_turn @ x_turn(roll), atol=1e-15)
    np.testing.assert_array_equal(X[:3, 3], [1, 2, 3])
