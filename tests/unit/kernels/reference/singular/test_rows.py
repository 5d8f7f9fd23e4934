"""Rows of frames and joints: derivatives by differences, and lines."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.kernels import HandleKind
from kinegen.kernels.reference.loops.scaled_motion import ScaledMotion
from kinegen.kernels.reference.singular.rows import FrameRows, JointRows, Line, read_aim, two_across
from kinegen.kinematics.solving.assembling.assembly import assemble
from tests.support.mechanisms.reference_motion import reference_motion

NUMBERS = np.array([0.1, 0.2, -0.1, 1.0, 2.0, 0.5])
"""A point and an axis of the tool."""


def puma_rows(kind: HandleKind) -> tuple[FrameRows, ScaledMotion, np.ndarray, np.ndarray]:
    model = kg.load("puma560").compile()
    q0 = model.start()
    q = q0 + np.array([0.3, -0.2, 0.4, 0.5, -0.6, 0.3])
    motion = reference_motion(model)
    return FrameRows(motion, [read_aim(model.site("tool"), kind, NUMBERS)]), motion, q0, q


@pytest.mark.parametrize("kind", HandleKind)
def test_offsets_change_as_their_derivative_says(kind: HandleKind) -> None:
    rows, motion, q0, q = puma_rows(kind)
    _, J = rows.offset(q0, q)
    h = 1e-6
    for i, x in enumerate(np.eye(6)):
        ahead, behind = (rows.offset(q0, motion.move(q, s * x))[0] for s in (h, -h))
        np.testing.assert_allclose(J[:, i], (ahead - behind) / (2 * h), atol=1e-8)


@pytest.mark.parametrize("kind", HandleKind)
def test_at_the_anchor_offsets_are_zero_and_the_rows_the_jacobian(kind: HandleKind) -> None:
    rows, _, q0, _ = puma_rows(kind)
    value, J = rows.offset(q0, q0)
    np.testing.assert_allclose(value, 0, atol=1e-14)
    np.testing.assert_allclose(J, rows.jacobian(q0), atol=1e-12)
    assert rows.count == len(value)


def test_rows_of_a_pose_are_the_jacobian_by_the_size() -> None:
    rows, motion, _, q = puma_rows(HandleKind.POSE)
    model = kg.load("puma560").compile()
    J = kg.jacobian(model, q, "tool", point=NUMBERS[:3])
    J[:3] /= motion.size
    np.testing.assert_allclose(rows.jacobian(q), J, atol=1e-14)


def test_joint_rows_pick_their_variables() -> None:
    model = kg.load("stewart").compile()
    motion = reference_motion(model)
    leg, joint = model.joint("leg2").v, model.joint("U1").v
    variables = np.array([leg.start, joint.start, joint.start + 1], dtype=np.int32)
    rows = JointRows(motion, variables)
    q0 = assemble(model).q
    x = np.zeros(model.nv)
    x[leg], x[joint] = 0.01, [0.02, -0.03]
    value, J = rows.offset(q0, motion.move(q0, x))
    np.testing.assert_allclose(value, [0.01, 0.02, -0.03], atol=1e-12)
    np.testing.assert_allclose(J @ x, value, atol=1e-12)


def test_a_line_distinguishes_along_from_across() -> None:
    rows, motion, q0, _ = puma_rows(HandleKind.POINT)
    line = Line(rows, q0, np.array([0.0, 3.0, 4.0]))
    q = motion.move(q0, np.array([0.1, 0.05, -0.1, 0, 0, 0]))
    model = kg.load("puma560").compile()
    ends = [kg.pose(model, at, "tool").apply(NUMBERS[:3]) for at in (q0, q)]
    moved = (ends[1] - ends[0]) / motion.size
    along = moved @ [0, 0.6, 0.8]
    assert line.along(q) == pytest.approx(along)
    assert np.linalg.norm(line.error(q)) == pytest.approx(
        np.linalg.norm(moved - along * np.array([0, 0.6, 0.8]))
    )
    assert line.error(q).shape == (2,) and line.jacobian(q).shape == (2, 6)
    np.testing.assert_allclose(line.ahead(q), np.array([0, 0.6, 0.8]) @ rows.jacobian(q))


@pytest.mark.parametrize("a", [(0, 0, 1.0), (1.0, 0, 0), (0.6, 0, -0.8), (0.48, 0.6, 0.64)])
def test_two_vectors_across(a: tuple[float, float, float]) -> None:
    frame = np.vstack([a, two_across(np.array(a))])
    np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(frame) == pytest.approx(1)
