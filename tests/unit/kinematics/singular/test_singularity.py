"""Singular poses: the two kinds, their distances and their words."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import NameNotFoundError, UsageError
from kinegen.kinematics.handles import Handle
from kinegen.kinematics.singular.singularity import (
    augmented_svd,
    singular_values,
    singularities,
)
from kinegen.kinematics.solving.assembling.assembly import assemble, close
from kinegen.kinematics.solving.inverse import solve
from tests.support.mechanisms.linkages import ARM, five_bar_q, four_bar, rocker_at_dead_point

ELBOW = -math.pi / 2 + math.atan(0.0203 / 0.4318)
"""The puma's elbow where shoulder, elbow and wrist centre are in a line."""


@pytest.fixture
def five_bar() -> kg.Model:
    return kg.load("five-bar").compile()


@pytest.fixture
def puma() -> kg.Model:
    return kg.load("puma560").compile()


# The frame cannot move somewhere


@pytest.mark.parametrize("bend", [0.8, 0.1, 1e-3])
def test_an_arm_has_the_singular_values_of_its_two_bars(bend: float) -> None:
    """|det J| = l1 l2 |sin B| is the product of both values, here in sizes of the mechanism."""
    arm = kg.load(ARM).compile()
    found = singularities(arm, {"B": bend}, "tip")
    assert found.kind == "none"
    product = 0.3 * 0.25 * math.sin(bend) / arm.size**2
    assert np.prod(found.task_values) == pytest.approx(product, rel=1e-9)
    assert found.task_distance == pytest.approx(found.task_values.min(), rel=1e-9)
    assert found.task_condition == pytest.approx(found.task_values[1] / found.task_values[0])
    assert found.gain_distance == math.inf and len(found.passive_values) == 0


@pytest.mark.parametrize(("bend", "word"), [(0.0, "outward"), (math.pi, "inward")])
def test_a_stretched_or_folded_arm_cannot_go_further(bend: float, word: str) -> None:
    arm = kg.load(ARM).compile()
    found = singularities(arm, {"A": 0.4, "B": bend}, "tip")
    assert found.kind == "task"
    state = "stretched in a line" if bend == 0 else "folded onto each other"
    assert found.text == f"joints 'A' and 'B' are {state}: 'tip' cannot move further {word}"
    # along the bars; out of its plane it never can, and that is not counted
    np.testing.assert_allclose(
        np.abs(found.lost[:, 0]), [math.cos(0.4), math.sin(0.4), 0], atol=1e-9
    )
    assert found.lost.shape == (3, 1) and found.rows == ("tip x", "tip y", "tip z")
    # the motion that leaves the tip standing: the bars turn about it
    J = kg.jacobian(arm, {"A": 0.4, "B": bend}, "tip")[:3]
    np.testing.assert_allclose(J @ found.standing[:, 0], 0, atol=1e-12)
    assert np.abs(found.standing).max() == 1


def test_a_wrist_with_two_axes_in_line(puma: kg.Model) -> None:
    found = singularities(puma, {"elbow": -2.0, "wrist_1": 0.3, "wrist_2": 0.0}, "tool")
    assert found.kind == "task" and found.task_distance < 1e-12
    assert found.text.startswith("the axes of 'wrist_1' and 'wrist_3' are in line: 'tool' cannot")
    np.testing.assert_allclose(np.abs(found.standing[:, 0]), [0, 0, 0, 1, 0, 1], atol=1e-9)
    assert found.standing[3, 0] == pytest.approx(-found.standing[5, 0])


def test_a_stretched_elbow_with_an_offset(puma: kg.Model) -> None:
    q = {"elbow": ELBOW, "wrist_1": 0.3, "wrist_2": 0.6}
    found = singularities(puma, q, "tool")
    assert found.kind == "task" and found.task_distance < 1e-12
    assert "'shoulder' and 'elbow' are stretched in a line" in found.text
    # no joint can give the tool a velocity in the lost direction
    J = kg.jacobian(puma, q, "tool")
    J[:3] /= puma.size
    np.testing.assert_allclose(found.lost[:, 0] @ J, 0, atol=1e-9)


def test_a_shoulder_with_the_wrist_above_it(puma: kg.Model) -> None:
    """Where the wrist centre is as far from the waist's axis as the arm's plane, and no farther."""

    def reach(shoulder: float) -> float:
        X = kg.pose(puma, {"shoulder": shoulder, "elbow": -2.0}, "wrist_centre")
        return float(X.translation[0])

    low, high = 0.5, 2.5
    assert reach(low) * reach(high) < 0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if reach(low) * reach(middle) > 0 else (low, middle)
    found = singularities(puma, {"shoulder": low, "elbow": -2.0, "wrist_2": 0.7}, "tool")
    assert found.kind == "task" and found.task_distance < 1e-12
    assert abs(found.standing[0, 0]) > 0.1


@pytest.mark.parametrize(("leg", "joints"), [("left", "'A' and 'B'"), ("right", "'E' and 'D'")])
def test_a_stretched_leg_of_a_five_bar(five_bar: kg.Model, leg: str, joints: str) -> None:
    tilt = math.radians(70 if leg == "left" else 110)
    foot = 0.0 if leg == "left" else 0.2
    q = five_bar_q(five_bar, (foot + 0.4 * math.cos(tilt), 0.4 * math.sin(tilt)))
    assert kg.kinematics.loop_gap(five_bar, q).largest < 1e-12
    found = singularities(five_bar, q, "handle")
    assert found.kind == "task" and found.gain_distance > 0.1
    assert found.text.startswith(f"joints {joints} are stretched in a line: 'handle' cannot")
    np.testing.assert_allclose(
        np.abs(found.lost[:, 0]), np.abs([math.cos(tilt), math.sin(tilt), 0]), atol=1e-7
    )


def test_both_legs_stretched_leave_nothing(five_bar: kg.Model) -> None:
    top = math.sqrt(0.4**2 - 0.1**2)
    found = singularities(five_bar, five_bar_q(five_bar, (0.1, top)), "handle")
    assert found.kind == "task" and found.lost.shape[1] == 2
    assert found.text.startswith("'handle' cannot move at all; ")


@pytest.mark.parametrize(("angle", "piston", "word"), [(0, 0.18, "out"), (math.pi, 0.08, "in")])
def test_dead_centres_of_a_slider_crank(angle: float, piston: float, word: str) -> None:
    model = kg.load("slider-crank").compile()
    q = {"crank": angle, "rod": -angle, "piston": piston, "pin": 0.0}
    driven_by_crank = singularities(model, q, "handle")
    assert driven_by_crank.kind == "task" and driven_by_crank.gain_distance > 0.1
    assert f"'handle' cannot move further {word}ward" in driven_by_crank.text
    # a piston cannot start an engine there: then its motor loses control as well
    driven_by_piston = singularities(model, q, "handle", inputs=["piston"])
    assert driven_by_piston.kind == "both"
    assert "input 'piston' loses control: joints" in driven_by_piston.text
    assert "'crank'" in driven_by_piston.text.split("loses control")[1]


def test_a_stretched_leg_of_a_3_rrr() -> None:
    model = kg.load("3-rrr").compile()
    stretched, gap = close(model, {"A1": math.pi, "B1": 0.0, "platform": 0.0},
                           locked=["A1", "B1", "platform"])  # fmt: skip
    assert gap < 1e-10
    found = singularities(model, stretched, "handle")
    assert found.kind == "task"
    assert "'A1' and 'B1' are stretched in a line" in found.text


# The inputs lose control


def test_couplers_in_line_let_the_handle_go(five_bar: kg.Model) -> None:
    five_bar.parameters["coupler"] = 0.18
    height = math.sqrt(0.15**2 - 0.08**2)  # couplers level: their pins 0.36 m apart
    q = five_bar_q(five_bar, (0.1, height), left=-1)
    assert kg.kinematics.loop_gap(five_bar, q).largest < 1e-12
    found = singularities(five_bar, q, "handle")
    assert found.kind == "gain" and found.task_distance > 0.1 and not found.branch_point
    assert found.text.startswith("motors 'A' and 'E' lose control: joints 'C'")
    assert found.inputs == ("A", "E")
    motion = found.gained[:, 0]
    np.testing.assert_allclose(kg.kinematics.loop_jacobian(five_bar, q) @ motion, 0, atol=1e-12)
    assert motion[0] == motion[2] == 0 and abs(motion[4]) == 1
    # straight up or down, across the couplers
    moved = kg.jacobian(five_bar, q, "handle")[:3] @ motion
    np.testing.assert_allclose(moved / np.linalg.norm(moved), [0, np.sign(moved[1]), 0], atol=1e-9)


def test_a_rocker_cannot_drive_its_crank_at_the_dead_point() -> None:
    model = kg.load("four-bar").compile()
    q = rocker_at_dead_point(model)
    assert kg.kinematics.loop_gap(model, q).largest < 1e-12
    found = singularities(model, q, inputs=["rocker"])
    assert found.kind == "gain" and not found.branch_point
    assert found.text.startswith("input 'rocker' loses control: joints")
    # with the motor at the crank it is the rocker that stands
    by_crank = singularities(model, q, "rocker")
    assert by_crank.kind == "task" and by_crank.rows[-1] == "rocker turn z"


@pytest.mark.parametrize(
    "lengths",
    [(0.25, 0.1, 0.25, 0.1), (0.1, 0.1, 0.25, 0.25), (0.3, 0.1, 0.25, 0.15), (0.2, 0.2, 0.2, 0.2)],
    ids=["parallelogram", "kite", "general", "rhombus"],
)
def test_a_folded_four_bar_is_a_branch_point(lengths: tuple[float, ...]) -> None:
    """Bars with l1 + l2 = l3 + l4 can all lie in one line: the change point."""
    model = four_bar(*lengths)
    for signs in np.ndindex(2, 2, 2):
        crank, coupler, rocker = (math.pi * sign for sign in signs)
        q = kg.configuration(model, {"crank": crank, "coupler": coupler - crank, "rocker": rocker,
                                     "pin": rocker - coupler})  # fmt: skip
        if kg.kinematics.loop_gap(model, q).largest < 1e-12:
            break
    else:
        pytest.fail("no folded pose")
    found = singularities(model, q)
    assert found.kind in {"gain", "both"} and found.branch_point
    assert "several branches meet here" in found.text


def test_a_stewart_platform_turned_by_90_degrees() -> None:
    """E. F. Fichter, "A Stewart platform-based manipulator", 1986: singular at ±90° of yaw."""
    model = kg.load("stewart").compile()
    q = assemble(model).q
    X = kg.pose(model, q, "handle")
    target = kg.SE3(kg.SO3.exp([0, 0, math.pi / 2]) @ X.so3, X.translation)
    turned = solve(model, Handle.pose("handle", target), limits=False)
    assert turned.reached
    found = singularities(model, turned.q, "handle")
    assert found.kind == "gain" and found.gain_distance < 1e-6
    assert "motors 'leg1', 'leg2', 'leg3', 'leg4', 'leg5' and 'leg6' lose control" in found.text


# What is asked


def test_distances_do_not_depend_on_the_unit_of_length() -> None:
    metres = four_bar(0.2, 0.1, 0.25, 0.22)
    inches = four_bar(*(length / 0.0254 for length in (0.2, 0.1, 0.25, 0.22)))
    start = {"crank": 1.0, "coupler": -0.5, "rocker": 1.5}
    found = [singularities(m, close(m, start, locked=["crank"])[0]) for m in (metres, inches)]
    assert found[0].task_distance == pytest.approx(found[1].task_distance, rel=1e-6)
    assert found[0].gain_distance == pytest.approx(found[1].gain_distance, rel=1e-6)


def test_a_named_frame_is_watched_by_its_point_if_that_says_everything(puma: kg.Model) -> None:
    assert len(singularities(kg.load("delta").compile(), None).rows) == 3
    assert len(singularities(puma, None, "tool").rows) == 6
    handle = Handle("tool", (0.5, 0, 0.5), direction=(0, 0, -1))
    assert singularities(puma, None, handle).rows[-1] == "tool tilt 2"
    both = singularities(
        puma, None, ["elbow", kg.kinematics.FrameTask("tool", kg.kinematics.TaskKind.POINT)]
    )
    assert both.rows[:1] == ("elbow x",) and both.rows[-1] == "tool z"


@pytest.mark.parametrize("name", kg.library_names())
def test_no_library_mechanism_starts_in_a_singular_pose(name: str) -> None:
    model = kg.load(name).compile()
    found = singularities(model, assemble(model).q)
    assert found.kind == "none", found.text
    assert found.task_distance > 0.05 and not found.branch_point
    assert found.text.startswith("not singular (")


def test_a_frame_that_never_moves_cannot_be_singular(puma: kg.Model) -> None:
    found = singularities(puma, None, "base")
    assert found.kind == "none" and found.task_distance == math.inf
    assert found.text == "this mechanism has no singular poses"


def test_wrong_input_is_refused(five_bar: kg.Model) -> None:
    with pytest.raises(NameNotFoundError, match="did you mean 'handle'"):
        singularities(five_bar, None, "handel")
    with pytest.raises(NameNotFoundError, match="joint 'X'"):
        singularities(five_bar, None, inputs=["X"])
    with pytest.raises(UsageError, match=r"are open by"):
        singularities(five_bar, {"A": 0.3})
    with pytest.raises(UsageError, match="finite"):
        singularities(five_bar, {"A": math.nan})
    with pytest.raises(UsageError, match="at least one frame"):
        singularities(five_bar, None, [])
    with pytest.raises(UsageError, match="names of frames, Tasks or Handles"):
        singularities(five_bar, None, 3)  # type: ignore[arg-type]


# The full augmented Jacobian


def test_the_full_svd_is_of_the_scaled_augmented_jacobian(five_bar: kg.Model) -> None:
    tasks = [kg.kinematics.FrameTask("handle", kg.kinematics.TaskKind.POINT)]
    svd = augmented_svd(five_bar, None, tasks)
    A = kg.kinematics.augmented_jacobian(five_bar, None, tasks)
    lengths = [row for row, label in enumerate(svd.rows) if "turn" not in label]
    A[lengths] /= five_bar.size
    rebuilt = svd.U[:, : len(svd.s)] * svd.s @ svd.V.T
    np.testing.assert_allclose(rebuilt, A, atol=1e-12)
    assert svd.rows[:4] == ("handle x", "handle y", "handle z", "loop C x")
    assert svd.rows[-1] == "loop C turn z" and len(svd.rows) == 9
    assert svd.variables == ("A theta", "B theta", "E theta", "D theta", "C theta")
    assert svd.rank == 5


def test_the_full_svd_shows_a_lost_rank(five_bar: kg.Model) -> None:
    tilt = math.radians(70)
    q = five_bar_q(five_bar, (0.4 * math.cos(tilt), 0.4 * math.sin(tilt)))
    svd = augmented_svd(
        five_bar, q, [kg.kinematics.FrameTask("handle", kg.kinematics.TaskKind.POINT)]
    )
    assert svd.rank == 4 and svd.s[-1] < 1e-12
    # the motion that is left: neither the handle moves nor a loop opens
    np.testing.assert_allclose(
        kg.kinematics.loop_jacobian(five_bar, q) @ svd.V[:, -1], 0, atol=1e-12
    )
    np.testing.assert_allclose(kg.jacobian(five_bar, q, "handle")[:3] @ svd.V[:, -1], 0, atol=1e-12)


def test_the_full_svd_of_lengths_and_no_tasks() -> None:
    model = kg.load("stewart").compile()
    q = assemble(model).q
    svd = augmented_svd(model, q, [])
    assert svd.rank == 30 and svd.U.shape == (30, 30) and svd.V.shape == (36, 36)
    assert "leg1 r" in svd.variables and "U1 x" in svd.variables
    free = svd.V[:, 30:].copy()
    free[[i for i, name in enumerate(svd.variables) if name.endswith(" r")]] *= model.size
    np.testing.assert_allclose(kg.kinematics.loop_jacobian(model, q) @ free, 0, atol=1e-9)


def test_values_are_sorted_and_none_of_an_empty_matrix() -> None:
    assert np.allclose(singular_values(np.diag([1.0, 3.0, 2.0])), [3, 2, 1])
    assert singular_values(np.zeros((0, 4))).shape == (0,)
