"""Scaled motion: units, closing, free motions, neighbours."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.kernels.reference.loops.scaled_motion import fresh_part, null_basis, signed
from kinegen.kernels.reference.singular.rows import JointRows, Line
from kinegen.kinematics.solving.assembling.assembly import assemble
from tests.support.mechanisms.linkages import four_bar
from tests.support.mechanisms.reference_motion import reference_motion


def test_lengths_are_scaled_and_angles_not() -> None:
    model = kg.load("stewart").compile()
    motion = reference_motion(model)
    assert motion.scale[model.joint("leg3").v] == model.size == motion.size
    assert (motion.scale[model.joint("U1").v] == 1).all()
    q = assemble(model).q
    x = np.random.default_rng(0).normal(size=model.nv) * 0.1
    np.testing.assert_allclose(motion.between(q, motion.move(q, x)), x, atol=1e-12)


def test_free_steps_keep_the_loops() -> None:
    model = kg.load("delta").compile()
    motion = reference_motion(model)
    free = motion.free(model.start())
    assert free.shape == (33, 3)
    np.testing.assert_allclose(free.T @ free, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(
        kg.kinematics.loop_jacobian(model) @ (motion.scale[:, None] * free), 0, atol=1e-9
    )


def test_closing_finds_the_nearest_closed_pose() -> None:
    model = kg.load("five-bar").compile()
    open_q = model.start() + [0.1, -0.2, 0.1, 0.15, 0.3]
    q = reference_motion(model).close(open_q)
    assert q is not None and kg.kinematics.loop_gap(model, q).largest < 1e-12
    assert np.abs(q - open_q).max() < 0.4


def test_closing_keeps_a_condition() -> None:
    model = kg.load("five-bar").compile()
    motion = reference_motion(model)
    rows = JointRows(motion, np.array([0, 2], dtype=np.int32))
    line = Line(rows, model.start(), np.array([1.0, -1.0]))
    q = motion.close(model.start() + [0.3, 0, -0.2, 0, 0], keep=line)
    assert q is not None and kg.kinematics.loop_gap(model, q).largest < 1e-12
    moved = q - model.start()
    assert moved[0] == pytest.approx(-moved[2], abs=1e-10)
    assert 0.02 < moved[0] < 0.3


def test_what_cannot_be_closed_is_not() -> None:
    too_far_apart = four_bar(0.9, 0.1, 0.25, 0.25)
    assert reference_motion(too_far_apart).close(too_far_apart.start()) is None


def test_neighbours_are_closed_and_about_as_far_as_asked() -> None:
    model = kg.load("3-rrr").compile()
    motion = reference_motion(model)
    q = assemble(model).q
    near = motion.neighbours(q, 0.1, 4)
    assert len(near) == 4
    for each in near:
        assert kg.kinematics.loop_gap(model, each).largest < 1e-12
        assert 0.02 < np.abs(motion.between(q, each)).max() < 0.2
    # the same every time: ranks found with them do not depend on luck
    np.testing.assert_array_equal(near[0], motion.neighbours(q, 0.1, 4)[0])


def test_null_spaces() -> None:
    J = np.array([[1.0, 0, 0], [0, 1e-9, 0]])
    assert null_basis(J).shape == (3, 2)
    assert null_basis(J, 1).shape == (3, 2)
    np.testing.assert_array_equal(null_basis(np.zeros((0, 2))), np.eye(2))
    # a rank from outside leaves the weakest rows out, not the others
    weak = np.array([[0, 1e-3, 0], [1.0, 0, 0]])
    found = null_basis(weak, 1)
    assert found.shape == (3, 2)
    np.testing.assert_allclose(weak[1] @ found, 0, atol=1e-15)
    assert null_basis(weak, 0).shape == (3, 3)


def test_the_fresh_part_of_a_null_space() -> None:
    usual = np.eye(4)[:, :1]
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(2, 2)))[0]
    here = np.eye(4)[:, :2] @ turn  # the same plane, mixed
    np.testing.assert_allclose(np.abs(fresh_part(here, usual, 1)), np.eye(4)[:, 1:2], atol=1e-12)
    np.testing.assert_array_equal(fresh_part(usual, usual, 1), usual)


def test_the_first_of_the_largest_entries_is_positive() -> None:
    columns = np.array([[0.1, -0.5, 0.0], [-0.7, 0.5, 0.0]])
    np.testing.assert_array_equal(signed(columns), [[-0.1, 0.5, 0.0], [0.7, -0.5, 0.0]])
    assert signed(np.zeros((3, 0))).shape == (3, 0)
