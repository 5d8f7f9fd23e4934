"""Rows of frames and joints: derivatives by differences, lines, and what a name alone means."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.kernels import HandleKind
from kinegen.kinematics.assembly import assemble
from kinegen.kinematics.handles import Handle
from kinegen.kinematics.scaled_motion import ScaledMotion
from kinegen.kinematics.task_rows import FrameRows, JointRows, Line, frame_rows

HANDLES = {
    "point": Handle("tool", (0, 0, 0), point=(0.1, 0.2, -0.1)),
    "pose": Handle("tool", (0, 0, 0), kg.SO3.identity(), point=(0.1, 0.2, -0.1)),
    "direction": Handle("tool", (0, 0, 0), direction=(0, 0, 1), axis=(1, 2, 0.5)),
    "rotation": Handle("tool", rotation=kg.SO3.identity()),
}


def puma_motion() -> tuple[ScaledMotion, np.ndarray, np.ndarray]:
    model = kg.load("puma560").compile()
    q0 = model.start()
    q = q0 + np.array([0.3, -0.2, 0.4, 0.5, -0.6, 0.3])
    return ScaledMotion(model), q0, q


@pytest.mark.parametrize("kind", HANDLES)
def test_offsets_change_as_their_derivative_says(kind: str) -> None:
    motion, q0, q = puma_motion()
    rows = frame_rows(motion, q, HANDLES[kind])
    _, J = rows.offset(q0, q)
    h = 1e-6
    for i, x in enumerate(np.eye(6)):
        ahead, behind = (rows.offset(q0, motion.move(q, s * x))[0] for s in (h, -h))
        np.testing.assert_allclose(J[:, i], (ahead - behind) / (2 * h), atol=1e-8)


@pytest.mark.parametrize("kind", HANDLES)
def test_at_the_anchor_offsets_are_zero_and_the_rows_the_jacobian(kind: str) -> None:
    motion, q0, _ = puma_motion()
    rows = frame_rows(motion, q0, HANDLES[kind])
    value, J = rows.offset(q0, q0)
    np.testing.assert_allclose(value, 0, atol=1e-14)
    np.testing.assert_allclose(J, rows.jacobian(q0), atol=1e-12)
    assert len(rows.labels) == len(value)


def test_rows_of_a_pose_are_the_jacobian_by_the_size() -> None:
    motion, _, q = puma_motion()
    J = kg.jacobian(motion.model, q, "tool")
    J[:3] /= motion.size
    rows = frame_rows(motion, q, kg.Task("tool"))
    np.testing.assert_allclose(rows.jacobian(q), J, atol=1e-14)
    point = frame_rows(motion, q, kg.Task("tool", kg.TaskKind.POINT))
    np.testing.assert_allclose(point.jacobian(q), J[:3], atol=1e-14)


def test_joint_rows_pick_their_variables() -> None:
    model = kg.load("stewart").compile()
    motion = ScaledMotion(model)
    rows = JointRows(motion, ["leg2", "U1"])
    q0 = assemble(model).q
    x = np.zeros(model.nv)
    leg, joint = model.joint("leg2").v, model.joint("U1").v
    x[leg], x[joint] = 0.01, [0.02, -0.03]
    value, J = rows.offset(q0, motion.move(q0, x))
    np.testing.assert_allclose(value, [0.01, 0.02, -0.03], atol=1e-12)
    np.testing.assert_allclose(J @ x, value, atol=1e-12)
    assert rows.labels == ("leg2", "U1", "U1")


def test_a_line_tells_along_from_across() -> None:
    motion, q0, _ = puma_motion()
    rows = frame_rows(motion, q0, kg.Task("tool", kg.TaskKind.POINT))
    line = Line(rows, q0, np.array([0.0, 3.0, 4.0]))
    q = motion.move(q0, np.array([0.1, 0.05, -0.1, 0, 0, 0]))
    moved = (kg.pose(motion.model, q, "tool").translation
             - kg.pose(motion.model, q0, "tool").translation) / motion.size  # fmt: skip
    along = moved @ [0, 0.6, 0.8]
    assert line.along(q) == pytest.approx(along)
    assert np.linalg.norm(line.error(q)) == pytest.approx(
        np.linalg.norm(moved - along * np.array([0, 0.6, 0.8]))
    )
    assert line.error(q).shape == (2,) and line.jacobian(q).shape == (2, 6)
    np.testing.assert_allclose(line.ahead(q), np.array([0, 0.6, 0.8]) @ rows.jacobian(q))


@pytest.mark.parametrize(
    ("name", "frame", "kind"),
    [("five-bar", "handle", HandleKind.POINT), ("3-rrr", "handle", HandleKind.POSE),
     ("puma560", "tool", HandleKind.POSE), ("delta", "tool", HandleKind.POINT),
     ("four-bar", "rocker", HandleKind.POSE), ("bionic-3", "tool", HandleKind.POINT)],
)  # fmt: skip
def test_what_a_name_alone_means(name: str, frame: str, kind: HandleKind) -> None:
    model = kg.load(name).compile()
    motion = ScaledMotion(model)
    rows: FrameRows = frame_rows(motion, assemble(model).q, frame)
    assert [aim.kind for aim in rows.aims] == [kind]
