"""Scaled motion: units, free motions, null spaces, limits."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.kinematics.limits import outside_limits
from kinegen.kinematics.mobility.scaled_motion import (
    ScaledMotion,
    closed_configuration,
    null_basis,
)
from kinegen.kinematics.solving.assembling.assembly import assemble


def test_lengths_are_scaled_and_angles_not() -> None:
    model = kg.load("stewart").compile()
    motion = ScaledMotion(model)
    assert motion.scale[model.joint("leg3").v] == model.size == motion.size
    assert (motion.scale[model.joint("U1").v] == 1).all()
    q = assemble(model).q
    x = np.random.default_rng(0).normal(size=model.nv) * 0.1
    np.testing.assert_allclose(motion.between(q, motion.move(q, x)), x, atol=1e-12)


def test_free_steps_keep_the_loops() -> None:
    model = kg.load("delta").compile()
    motion = ScaledMotion(model)
    free = motion.free(model.start())
    assert free.shape == (33, 3)
    np.testing.assert_allclose(free.T @ free, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(
        kg.kinematics.loop_jacobian(model) @ (motion.scale[:, None] * free), 0, atol=1e-9
    )


def test_null_spaces() -> None:
    J = np.array([[1.0, 0, 0], [0, 1e-9, 0]])
    assert null_basis(J).shape == (3, 2)
    assert null_basis(J, 1).shape == (3, 2)
    assert null_basis(np.array([[1.0, 0, 0], [0, 1e-3, 0]]), 1).shape == (3, 2)
    np.testing.assert_array_equal(null_basis(np.zeros((0, 2))), np.eye(2))


def test_limits_and_open_loops_are_reported() -> None:
    model = kg.load("five-bar").compile()
    assert outside_limits(model, model.start()) == []
    assert outside_limits(model, kg.configuration(model, {"A": 3.0})) == ["A"]
    with pytest.raises(UsageError, match="'five-bar' are open by"):
        closed_configuration(model, {"A": 3.0})
    np.testing.assert_array_equal(closed_configuration(model, None), model.start())
