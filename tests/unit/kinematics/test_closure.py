"""Loop closure: residuals that mean metres and radians, tasks that stack."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import NameNotFoundError, UsageError

# Three unit bars of a square: the cut joint at the end of C is one bar away from the end of B.
SQUARE = """raff: 1
name: square
joints:
  - {name: A, parent: base}
  - {name: B, parent: A, d: 1, theta: 90 deg}
  - {name: C, parent: base, theta: 90 deg}
  - {name: D, parent: C, d: 1, theta: -90 deg,
     closes: {onto: B, d: 1, theta: -90 deg}}
"""


@pytest.fixture
def square() -> kg.Model:
    return kg.load(SQUARE).compile()


def test_a_closed_loop_has_no_residual() -> None:
    closed = kg.load("five-bar").compile()
    np.testing.assert_allclose(kg.kinematics.loop_residual(closed), np.zeros(6), atol=1e-15)
    assert kg.kinematics.loop_gap(closed).largest < 1e-15


def test_the_residual_is_the_offset_seen_from_where_it_must_land(square: kg.Model) -> None:
    """M at (0, 1), K at (1, 1), both level with the world: M - K = (-1, 0)."""
    np.testing.assert_allclose(kg.kinematics.loop_residual(square), [-1, 0, 0, 0, 0, 0], atol=1e-15)
    # the cut joint's own variable turns M alone
    np.testing.assert_allclose(
        kg.kinematics.loop_residual(square, {"D": 0.3}), [-1, 0, 0, 0, 0, 0.3], atol=1e-15
    )
    # when B turns by 90°, K goes to (0, 0) and looks along y: M is 1 ahead, turned back by 90°
    np.testing.assert_allclose(
        kg.kinematics.loop_residual(square, {"B": math.pi / 2}),
        [1, 0, 0, 0, 0, -math.pi / 2],
        atol=1e-15,
    )


def test_both_ends_are_shown(square: kg.Model) -> None:
    ends = kg.kinematics.loop_poses(square)
    assert ends.shape == (1, 2, 7)
    np.testing.assert_allclose(ends[0, 0], [1, 0, 0, 0, 0, 1, 0], atol=1e-15)
    np.testing.assert_allclose(ends[0, 1], [1, 0, 0, 0, 1, 1, 0], atol=1e-15)


def test_the_gap_is_the_widest_of_all_loops() -> None:
    model = kg.load("3-rrr").compile()
    assert kg.kinematics.loop_gap(model).largest < 1e-8
    q = model.start() + np.random.default_rng(0).normal(size=model.nq)
    phi = kg.kinematics.loop_residual(model, q).reshape(-1, 2, 3)
    norms = np.linalg.norm(phi, axis=2)
    gap = kg.kinematics.loop_gap(model, q)
    assert (gap.distance, gap.angle) == pytest.approx((norms[:, 0].max(), norms[:, 1].max()))
    assert len(set(norms[:, 0])) == len(model.loops) > 1


def test_joints_below_both_ends_do_not_change_the_loop() -> None:
    carried = kg.load("""raff: 1
joints:
  - {name: turn, parent: base}
  - {name: A, parent: turn}
  - {name: B, parent: turn, d: 1}
  - {name: C, parent: A, d: 1, closes: {onto: B, r: 1}}
""").compile()
    J = kg.kinematics.loop_jacobian(carried)
    np.testing.assert_array_equal(J[:, 0], np.zeros(6))
    assert np.abs(J[:, 1:]).max() == pytest.approx(1)
    # by hand: A turns M by +1 about z at distance 1, B turns K: -1, the cut joint turns M alone
    np.testing.assert_allclose(J[5], [0, 1, -1, 1], atol=1e-15)
    np.testing.assert_allclose(J[1], [0, 1, 0, 0], atol=1e-15)


def test_without_loops_there_is_nothing_to_close() -> None:
    model = kg.load("puma560").compile()
    assert kg.kinematics.loop_residual(model).shape == (0,)
    assert kg.kinematics.loop_jacobian(model).shape == (0, 6)
    assert kg.kinematics.loop_poses(model).shape == (0, 2, 7)
    assert kg.kinematics.loop_gap(model).largest == 0.0
    J = kg.kinematics.augmented_jacobian(model, None, [kg.kinematics.FrameTask("tool")])
    np.testing.assert_array_equal(J, kg.jacobian(model, None, "tool"))


def test_no_task_leaves_the_loops(square: kg.Model) -> None:
    np.testing.assert_array_equal(
        kg.kinematics.augmented_jacobian(square, None, []),
        kg.kinematics.loop_jacobian(square, None),
    )


def test_tasks_stack_in_the_order_given(square: kg.Model) -> None:
    tasks = (
        task
        for task in (
            kg.kinematics.FrameTask("B", kg.kinematics.TaskKind.ROTATION),
            kg.kinematics.FrameTask("B", kg.kinematics.TaskKind.POINT),
        )
    )  # any iterable will do
    J = kg.kinematics.augmented_jacobian(square, None, tasks)
    assert J.shape == (3 + 3 + 6, 4)
    whole = kg.jacobian(square, None, "B")
    np.testing.assert_array_equal(J[:3], whole[3:])
    np.testing.assert_array_equal(J[3:6], whole[:3])


def test_a_task_is_a_pose_unless_said_otherwise() -> None:
    assert kg.kinematics.FrameTask("tool").kind is kg.kinematics.TaskKind.POSE
    assert kg.kinematics.FrameTask("tool", 1).kind is kg.kinematics.TaskKind.POINT  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["point", 3, -1, None])
def test_an_unknown_kind_of_task_lists_the_kinds(kind: object) -> None:
    with pytest.raises(UsageError, match=r"TaskKind.POSE, TaskKind.POINT, TaskKind.ROTATION, got"):
        kg.kinematics.FrameTask("tool", kind)  # type: ignore[arg-type]


def test_a_task_on_an_unknown_frame_gets_a_suggestion() -> None:
    model = kg.load("four-bar").compile()
    with pytest.raises(NameNotFoundError, match=r"did you mean 'handle'"):
        kg.kinematics.augmented_jacobian(model, None, [kg.kinematics.FrameTask("handel")])
