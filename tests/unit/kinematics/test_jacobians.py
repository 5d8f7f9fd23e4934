"""Jacobians: points, axes, the evaluator's contract."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import NameNotFoundError, UsageError

TEXT = """raff: 1
name: two
joints:
  - {name: A, parent: base}
  - {name: B, parent: A, d: 2, alpha: 90 deg}
  - {name: side, parent: base, r: 1}
frames:
  - {name: tip, parent: B, d: 3}
  - {name: mark, parent: side, xyz: [0, 1, 0], rpy: [0, 0, 30 deg]}
"""


@pytest.fixture
def model() -> kg.Model:
    return kg.load(TEXT).compile()


def test_columns_by_hand(model: kg.Model) -> None:
    """Stretched along x: A turns the tip about z, B about -y."""
    J = kg.jacobian(model, [0, 0, 0], "tip")
    np.testing.assert_allclose(J[:, 0], [0, 5, 0, 0, 0, 1], atol=1e-15)
    np.testing.assert_allclose(J[:, 1], [0, 0, 3, 0, -1, 0], atol=1e-15)
    np.testing.assert_array_equal(J[:, 2], np.zeros(6))


def test_a_point_moves_with_the_frame_it_is_given_in(model: kg.Model) -> None:
    q = [0.4, -0.6, 0.2]
    np.testing.assert_allclose(
        kg.jacobian(model, q, "B", point=(3, 0, 0)), kg.jacobian(model, q, "tip"), atol=1e-15
    )
    linear = kg.jacobian(model, q, "tip", point=[0, 0, 1])[:3]
    X = kg.pose(model, q, "tip")
    for k in range(3):
        step = np.eye(3)[k] * 1e-6
        ahead, behind = (
            kg.pose(model, np.add(q, s * step), "tip").apply([0, 0, 1]) for s in (1, -1)
        )
        np.testing.assert_allclose(linear[:, k], (ahead - behind) / 2e-6, atol=1e-9)
    assert not np.allclose(X.translation, X.apply([0, 0, 1]))


def test_axes_of_any_frame_even_of_another_branch(model: kg.Model) -> None:
    q = [0.4, -0.6, 0.2]
    world = kg.jacobian(model, q, "tip")
    for axes in ("mark", "side", "B", "tip", "base"):
        R = kg.pose(model, q, axes).rotation
        turned = kg.jacobian(model, q, "tip", axes=axes)
        np.testing.assert_allclose(turned, np.kron(np.eye(2), R.T) @ world, atol=1e-15)
    np.testing.assert_array_equal(kg.jacobian(model, q, "tip", axes=kg.kinematics.WORLD), world)


def test_links_are_frames_too(model: kg.Model) -> None:
    np.testing.assert_array_equal(kg.jacobian(model, None, "base"), np.zeros((6, 3)))
    J = kg.jacobian(model, [0, 0, 0], "B")
    np.testing.assert_allclose(J[:, 0], [0, 2, 0, 0, 0, 1], atol=1e-15)


def test_a_spinning_arm_pulls_inward(model: kg.Model) -> None:
    """At constant speed about A the tip's acceleration is the centripetal 5 · w²."""
    v = np.array([2.0, 0, 0])
    J_dot = kg.kinematics.jacobian_dot(model, [0, 0, 0], "tip", v)
    np.testing.assert_allclose((J_dot @ v)[:3], [-5 * 4, 0, 0], atol=1e-14)
    # seen in its own axes the velocity of the tip stays what it is
    np.testing.assert_allclose(
        kg.kinematics.jacobian_dot(model, [0, 0, 0], "tip", v, axes="tip") @ v,
        np.zeros(6),
        atol=1e-14,
    )
    by_name = kg.kinematics.jacobian_dot(model, {"B": 0.0}, "tip", {"A": 2.0})
    np.testing.assert_array_equal(by_name, J_dot)


def test_twists_of_all_links(model: kg.Model) -> None:
    twists = kg.kinematics.link_twists(model, [0, 0, 0], [1, 0, 2])
    assert twists.shape == (4, 6)
    np.testing.assert_array_equal(twists[0], np.zeros(6))
    np.testing.assert_allclose(twists[2], [0, 2, 0, 0, 0, 1], atol=1e-15)
    np.testing.assert_allclose(twists[3], [0, 0, 0, 0, 0, 2], atol=1e-15)


@pytest.mark.parametrize("point", [(0, 0), (0, 0, math.nan), [[0, 0, 0]], "abc", None, 1.0])
def test_a_point_is_three_finite_numbers(model: kg.Model, point: object) -> None:
    with pytest.raises(UsageError, match=r"a point must be 3 finite numbers"):
        kg.jacobian(model, None, "tip", point=point)  # type: ignore[arg-type]


def test_unknown_frames_and_axes_get_a_suggestion(model: kg.Model) -> None:
    with pytest.raises(NameNotFoundError, match=r"did you mean 'tip'"):
        kg.jacobian(model, None, "tp")
    with pytest.raises(NameNotFoundError, match=r"did you mean 'mark'"):
        kg.jacobian(model, None, "tip", axes="marc")
    with pytest.raises(NameNotFoundError, match=r"did you mean 'mark'"):
        kg.kinematics.evaluator(model, "marc")


# The evaluator


def test_the_evaluator_is_pose_and_jacobian(model: kg.Model) -> None:
    q = np.array([0.4, -0.6, 0.2])
    at = kg.kinematics.evaluator(model, "tip")(q)
    np.testing.assert_allclose(at.pose, kg.pose(model, q, "tip").pose, atol=1e-15)
    np.testing.assert_allclose(at.J, kg.jacobian(model, q, "tip"), atol=1e-15)
    own = kg.kinematics.evaluator(model, "tip", axes="mark")(q)
    np.testing.assert_allclose(own.J, kg.jacobian(model, q, "tip", axes="mark"), atol=1e-15)


def test_the_evaluator_fills_the_same_arrays_again(model: kg.Model) -> None:
    evaluate = kg.kinematics.evaluator(model, "tip")
    pose, J = evaluate.pose, evaluate.J
    evaluate(np.zeros(3))
    kept = pose.copy(), J.copy()
    again = evaluate(np.ones(3))
    assert again.pose is pose
    assert again.J is J
    assert not np.array_equal(pose, kept[0])
    evaluate.fill(np.zeros(3))
    np.testing.assert_array_equal(pose, kept[0])
    np.testing.assert_array_equal(J, kept[1])


def test_two_evaluators_do_not_share_their_arrays(model: kg.Model) -> None:
    first, second = kg.kinematics.evaluator(model, "tip"), kg.kinematics.evaluator(model, "tip")
    pose = first(np.zeros(3)).pose
    kept = pose.copy()
    second(np.ones(3))
    np.testing.assert_array_equal(pose, kept)


def test_the_evaluator_sees_parameters_change() -> None:
    model = kg.load("four-bar").compile()
    evaluate = kg.kinematics.evaluator(model, "handle")
    x = float(evaluate(np.zeros(4)).pose[4])
    model.parameters["reach"] += 0.1
    assert evaluate(np.zeros(4)).pose[4] == pytest.approx(x + 0.1)


@pytest.mark.parametrize(
    "q",
    [
        np.zeros(2),
        np.zeros(4),
        np.zeros(3, dtype=np.float32),
        np.zeros(3, dtype=np.int64),
        np.zeros(6)[::2],
        [0.0, 0.0, 0.0],
        None,
    ],
    ids=["short", "long", "float32", "int64", "strided", "list", "none"],
)
def test_the_evaluator_refuses_what_it_cannot_read_directly(model: kg.Model, q: object) -> None:
    evaluate = kg.kinematics.evaluator(model, "tip")
    pose = evaluate(np.zeros(3)).pose
    kept = pose.copy()
    with pytest.raises((ValueError, TypeError, BufferError)):
        evaluate(q)  # type: ignore[arg-type]
    np.testing.assert_array_equal(pose, kept)


def test_a_mechanism_that_cannot_move_has_empty_jacobians() -> None:
    still = kg.load("raff: 1\nframes: [{name: table, parent: base, r: 1}]\n").compile()
    assert kg.jacobian(still, [], "table").shape == (6, 0)
    assert kg.kinematics.jacobian_dot(still, None, "table", []).shape == (6, 0)
    at = kg.kinematics.evaluator(still, "table")(np.zeros(0))
    np.testing.assert_array_equal(at.pose, [1, 0, 0, 0, 0, 0, 1])
    assert at.J.shape == (6, 0)
