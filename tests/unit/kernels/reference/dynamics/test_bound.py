"""The NumPy dynamics on a case that is known by hand: two point masses on a plane arm."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.kernels.protocols.dynamics import DynamicsTask
from kinegen.kernels.reference.dynamics.batch import batch_dynamics
from kinegen.kernels.reference.dynamics.bound import BoundDynamics

L1, L2, M1, M2, G = 0.7, 0.4, 2.0, 1.5, 9.81
TEXT = f"""
raff: 1
name: two
gravity: [0, -{G}, 0]
joints:
  - {{name: A, parent: base, mass: {M1}, centre: [{L1}, 0, 0], inertia: [0, 0, 0]}}
  - {{name: B, parent: A, d: {L1}, mass: {M2}, centre: [{L2}, 0, 0], inertia: [0, 0, 0]}}
"""


def test_the_double_pendulum_of_textbooks() -> None:
    model = kg.load(TEXT).compile()
    bound = BoundDynamics(model.ints, model.reals)
    q, v = np.array([0.3, 0.8]), np.array([1.1, -0.6])
    c2, s2 = math.cos(q[1]), math.sin(q[1])
    h12 = M2 * (L2**2 + L1 * L2 * c2)
    H = [[(M1 + M2) * L1**2 + M2 * (L2**2 + 2 * L1 * L2 * c2), h12], [h12, M2 * L2**2]]
    weight = M2 * G * L2 * math.cos(q.sum())
    gravity = [(M1 + M2) * G * L1 * math.cos(q[0]) + weight, weight]
    turning = M2 * L1 * L2 * s2
    bias = [
        gravity[0] - turning * (2 * v[0] * v[1] + v[1] ** 2),
        gravity[1] + turning * v[0] ** 2,
    ]
    np.testing.assert_allclose(bound.mass(q), H)
    np.testing.assert_allclose(bound.gravity(q, None), gravity)
    np.testing.assert_allclose(bound.bias(q, v, None), bias)
    rest = np.linalg.solve(H, -np.array(bias))
    np.testing.assert_allclose(bound.forward(q, v, np.zeros(2), None), rest)


def test_batches_refuse_other_shapes() -> None:
    model = kg.load(TEXT).compile()
    with pytest.raises(UsageError, match="shape"):
        batch_dynamics(
            DynamicsTask.BIAS, model.ints, model.reals, np.zeros((3, 2)), np.zeros((2, 2)), None,
            None, np.zeros((3, 2)), 1,
        )  # fmt: skip
