"""Scaled motion: units, closing, free motions, neighbours."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import AssemblyError, UsageError
from kinegen.kinematics.assembly import assemble
from kinegen.kinematics.scaled_motion import (
    ScaledMotion,
    beyond_limits,
    closed_configuration,
    fresh_part,
    null_basis,
)
from kinegen.kinematics.task_rows import JointRows, Line
from tests.support.linkages import four_bar


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
        kg.loop_jacobian(model) @ (motion.scale[:, None] * free), 0, atol=1e-9
    )


def test_closing_finds_the_nearest_closed_pose() -> None:
    model = kg.load("five-bar").compile()
    motion = ScaledMotion(model)
    open_q = model.start() + [0.1, -0.2, 0.1, 0.15, 0.3]
    q = motion.close(open_q)
    assert max(kg.loop_gap(model, q)) < 1e-12
    assert np.abs(q - open_q).max() < 0.4


def test_closing_keeps_a_condition() -> None:
    model = kg.load("five-bar").compile()
    motion = ScaledMotion(model)
    rows = JointRows(motion, ["A", "E"])
    line = Line(rows, model.start(), np.array([1.0, -1.0]))
    q = motion.close(model.start() + [0.3, 0, -0.2, 0, 0], keep=line)
    assert max(kg.loop_gap(model, q)) < 1e-12
    moved = q - model.start()
    assert moved[0] == pytest.approx(-moved[2], abs=1e-10)
    assert 0.02 < moved[0] < 0.3


def test_what_cannot_be_closed_is_an_error() -> None:
    too_far_apart = four_bar(0.9, 0.1, 0.25, 0.25)
    with pytest.raises(AssemblyError, match="cannot be kept closed") as caught:
        ScaledMotion(too_far_apart).close(too_far_apart.start())
    assert caught.value.gap > 0.1


def test_neighbours_are_closed_and_about_as_far_as_asked() -> None:
    model = kg.load("3-rrr").compile()
    motion = ScaledMotion(model)
    q = assemble(model).q
    near = motion.neighbours(q, 0.1, 4)
    assert len(near) == 4
    for each in near:
        assert max(kg.loop_gap(model, each)) < 1e-12
        assert 0.02 < np.abs(motion.between(q, each)).max() < 0.2
    # the same every time: ranks found with them do not depend on luck
    np.testing.assert_array_equal(near[0], motion.neighbours(q, 0.1, 4)[0])


def test_a_gradient_is_within_the_free_motion() -> None:
    model = kg.load("five-bar").compile()
    motion = ScaledMotion(model)
    q = model.start()
    gradient = motion.gradient(q, lambda at: float(kg.pose(model, at, "handle").translation[0]), 3)
    free = motion.free(q)
    J = kg.jacobian(model, q, "handle")[0]
    np.testing.assert_allclose(gradient, free @ (free.T @ J), atol=1e-8)


def test_null_spaces() -> None:
    J = np.array([[1.0, 0, 0], [0, 1e-9, 0]])
    assert null_basis(J).shape == (3, 2)
    assert null_basis(J, 1).shape == (3, 2)
    assert null_basis(np.array([[1.0, 0, 0], [0, 1e-3, 0]]), 1).shape == (3, 2)
    np.testing.assert_array_equal(null_basis(np.zeros((0, 2))), np.eye(2))


def test_the_fresh_part_of_a_null_space() -> None:
    usual = np.eye(4)[:, :1]
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(2, 2)))[0]
    here = np.eye(4)[:, :2] @ turn  # the same plane, mixed
    np.testing.assert_allclose(np.abs(fresh_part(here, usual, 1)), np.eye(4)[:, 1:2], atol=1e-12)
    np.testing.assert_array_equal(fresh_part(usual, usual, 1), usual)


def test_limits_and_open_loops_are_told() -> None:
    model = kg.load("five-bar").compile()
    assert beyond_limits(model, model.start()) == []
    assert beyond_limits(model, kg.configuration(model, {"A": 3.0})) == ["A"]
    with pytest.raises(UsageError, match="'five-bar' are open by"):
        closed_configuration(model, {"A": 3.0})
    np.testing.assert_array_equal(closed_configuration(model, None), model.start())
