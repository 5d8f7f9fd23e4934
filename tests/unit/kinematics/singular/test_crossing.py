"""Crossing singular poses: every branch is reached, in small steps, with loops closed."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.kinematics.handles import Handle
from kinegen.kinematics.singular.branch_signs import BranchSigns
from kinegen.kinematics.singular.crossing import Crossing, branches_beyond, cross
from kinegen.kinematics.singular.headings import Heading
from kinegen.kinematics.singular.singularity import singularities
from kinegen.kinematics.solving.assembling.assembly import assemble
from tests.support.mechanisms.linkages import ARM, five_bar_q, four_bar

STEP = 0.01


def walk(model: kg.Model, q: np.ndarray, found: Crossing) -> list[list[np.ndarray]]:
    """The ways to all branches, checked: closed, bounded, from q through the singular pose."""
    ways = []
    for branch in found.branches:
        way = cross(model, q, branch=branch, max_step=STEP).q
        np.testing.assert_allclose(way[0], q, atol=1e-12)
        np.testing.assert_allclose(way[-1], branch.q, atol=1e-12)
        steps = [np.abs(kg.kinematics.difference(model, a, b)).max() for a, b in pairwise(way)]
        assert 0 < max(steps) <= STEP
        assert max(kg.kinematics.loop_gap(model, each).largest for each in way) <= 1e-9
        passed = min(
            np.abs(kg.kinematics.difference(model, each, found.singular.q)).max() for each in way
        )
        assert passed < 1e-9
        assert singularities(model, branch.q).text  # a pose like any other
        ways.append(way)
    return ways


@pytest.fixture
def five_bar() -> kg.Model:
    return kg.load("five-bar").compile()


@pytest.fixture
def puma() -> kg.Model:
    return kg.load("puma560").compile()


def kite_q(model: kg.Model, crank: float) -> np.ndarray:
    """A kite: the tip of coupler and rocker is on the bisector of crank and ground."""
    pin, foot = 0.1 * np.array([math.cos(crank), math.sin(crank)]), np.array([0.1, 0.0])
    middle, half = (pin + foot) / 2, float(np.linalg.norm(pin - foot)) / 2
    tip = middle + middle / np.linalg.norm(middle) * math.sqrt(0.25**2 - half**2)
    coupler, rocker = (math.atan2(*(tip - end)[::-1]) for end in (pin, foot))
    return kg.configuration(
        model,
        {"crank": crank, "coupler": coupler - crank, "rocker": rocker, "pin": rocker - coupler},
    )


# Ends of reach


def test_an_elbow_on_a_heading_comes_back_bent_the_other_way() -> None:
    arm = kg.load(ARM).compile()
    q = arm.start()
    found = branches_beyond(arm, q, "tip", heading=Heading("tip", (0.3, 0.4, 0)))
    assert found.singular.kind == "task"
    assert [branch.name for branch in found.branches] == [
        "'B' bends the other way (-)",
        "'B' bends back (+)",
    ]
    assert [branch.crosses for branch in found.branches] == [True, False]
    walk(arm, q, found)
    other, back = found.branches
    # the mirrored elbow reaches the same place; the way back ends where it began
    assert other.q[1] == pytest.approx(-q[1], abs=1e-9)
    tips = [kg.pose(arm, pose, "tip").translation for pose in (q, other.q)]
    np.testing.assert_allclose(tips[0], tips[1], atol=1e-9)
    np.testing.assert_allclose(back.q, q, atol=1e-9)


def test_without_a_heading_both_branches_have_the_frame_in_one_place() -> None:
    arm = kg.load(ARM).compile()
    q = kg.configuration(arm, {"B": -0.3})
    found = branches_beyond(arm, q)
    walk(arm, q, found)
    assert found.singular.q[1] == pytest.approx(0, abs=1e-9)
    assert found.singular.q[0] == pytest.approx(q[0], abs=1e-6)  # the nearest: only B moves
    tips = [kg.pose(arm, branch.q, "tip").translation for branch in found.branches]
    np.testing.assert_allclose(tips[0], tips[1], atol=1e-9)
    assert found.branches[0].q[1] > 0 > found.branches[1].q[1]
    assert found.branches[0].name == "'B' bends the other way (+)"


def test_from_the_singular_pose_itself_both_ways_are_open() -> None:
    arm = kg.load(ARM).compile()
    found = branches_beyond(arm, {"B": 0.0})
    assert {branch.name for branch in found.branches} == {"'B' bends (+)", "'B' bends (-)"}
    assert all(branch.crosses for branch in found.branches)
    for branch in found.branches:
        assert branch.sign == np.sign(branch.q[1])


def test_an_elbow_of_a_six_axis_arm(puma: kg.Model) -> None:
    q = puma.start()
    found = branches_beyond(puma, q, "tool", heading={"elbow": 1.0})
    assert "'shoulder' and 'elbow' are stretched" in found.singular.text
    walk(puma, q, found)
    signs = BranchSigns(puma, "tool")
    across, back = found.branches
    assert across.name == "'elbow' bends the other way (+)"
    assert signs.signs(back.q) == signs.signs(q)
    changed = [a != b for a, b in zip(signs.signs(across.q), signs.signs(q), strict=True)]
    assert changed == [False, True, False]  # the elbow and nothing else
    poses = [kg.pose(puma, branch.q, "tool") for branch in found.branches]
    assert poses[0].is_close(poses[1], tolerance=1e-7)


def test_a_wrist_goes_through_or_turns_in_place(puma: kg.Model) -> None:
    q = kg.configuration(puma, {"wrist_2": 0.3})
    found = branches_beyond(puma, q, "tool")
    assert "'wrist_1' and 'wrist_3' are in line" in found.singular.text
    ways = walk(puma, q, found)
    names = [branch.name for branch in found.branches]
    assert names[0] == "'wrist_2' bends the other way (-)"
    assert names[3] == "'wrist_2' bends back (+)"
    assert {name[-3:] for name in names[1:3]} == {"(+)", "(-)"}
    assert all("turn in place" in name for name in names[1:3])
    assert [branch.crosses for branch in found.branches] == [True, False, False, False]
    assert found.branches[0].q[4] < -0.3 < 0 < found.branches[3].q[4]
    # turning in place, joints 4 and 6 go 90° against each other and the tool stands still
    here = kg.pose(puma, found.singular.q, "tool")
    for branch, way in zip(found.branches[1:3], ways[1:3], strict=True):
        turned = branch.q - found.singular.q
        assert abs(turned[3]) == pytest.approx(math.pi / 2, abs=0.05)
        assert turned[5] == pytest.approx(-turned[3], abs=1e-6)
        far = [np.abs(each - found.singular.q).max() for each in way]
        behind = way[int(np.argmin(far)) :]
        assert len(behind) > 100
        assert all(kg.pose(puma, each, "tool").is_close(here, tolerance=1e-7) for each in behind)


def test_a_wrist_on_a_straight_heading_goes_on_along_it(puma: kg.Model) -> None:
    q = puma.start()
    found = branches_beyond(puma, q, heading=Heading("tool", (1, 0, 0)))
    walk(puma, q, found)
    through = found.branch("other way")
    assert through.crosses and through.name.startswith("'wrist_2'")
    start, end = (kg.pose(puma, pose, "tool") for pose in (q, through.q))
    assert start.so3.is_close(end.so3, tolerance=1e-8)
    way = end.translation - start.translation
    np.testing.assert_allclose(way[1:], 0, atol=1e-9)


def test_a_stretched_leg_of_a_five_bar(five_bar: kg.Model) -> None:
    q = five_bar.start()
    found = branches_beyond(five_bar, q, heading=Heading("handle", (-1, 0, 0)))
    assert found.singular.kind == "task"
    walk(five_bar, q, found)
    other = found.branch("'D' bends the other way")
    place = tuple(kg.pose(five_bar, q, "handle").translation[:2])
    np.testing.assert_allclose(other.q, five_bar_q(five_bar, place, -1, -1), atol=1e-8)


def test_a_stretched_leg_of_a_3_rrr() -> None:
    model = kg.load("3-rrr").compile()
    q = assemble(model).q
    found = branches_beyond(model, q, heading=Heading("handle", (-1, 0.2, 0)))
    walk(model, q, found)
    other = found.branch("'B1' bends the other way")
    assert other.q[1] == pytest.approx(-q[1], abs=1e-7)
    assert kg.pose(model, other.q, "handle").is_close(kg.pose(model, q, "handle"), tolerance=1e-7)


def test_a_dead_centre_of_a_slider_crank() -> None:
    model = kg.load("slider-crank").compile()
    q = model.start()
    for inputs, heading in ((["crank"], {"crank": -1.0}), (["piston"], {"piston": 1.0})):
        found = branches_beyond(model, q, heading=heading, inputs=inputs)
        walk(model, q, found)
        across, back = found.branches
        assert across.crosses and not back.crosses
        assert across.q[0] < 0 < back.q[0]  # the crank on the other side of the cylinder's axis
        assert across.q[2] == pytest.approx(back.q[2], abs=1e-9)  # one place of the piston
    assert across.q[2] == pytest.approx(q[2], abs=1e-9)  # pushed back to where it was


# Motors that lose control


@pytest.mark.parametrize("heading", [Heading("handle", (0, -1, 0)), {"A": 1.0, "E": -1.0}, None])
def test_couplers_in_line_are_passed_to_either_side(
    five_bar: kg.Model, heading: Heading | dict[str, float] | None
) -> None:
    five_bar.parameters["coupler"] = 0.18
    q = five_bar_q(five_bar, (0.1, 0.27), -1, 1)
    found = branches_beyond(five_bar, q, "handle", heading=heading, kind="gain")
    assert found.singular.kind == "gain"
    walk(five_bar, q, found)
    across, back = found.branches
    assert across.crosses and not back.crosses
    assert across.name.startswith("'C' bends the other way")
    # one place of the motors, two assembly modes: C on either side of the line B-D
    for motor in ("A", "E"):
        i = five_bar.joint(motor).q.start
        assert across.q[i] == pytest.approx(back.q[i], abs=1e-8)
    heights = []
    for pose in (across.q, back.q):
        poses = kg.poses(five_bar, pose)
        B, D, C = (poses[name].translation for name in ("B", "D", "handle"))
        heights.append(float(np.cross(D - B, C - B)[2]))
    assert heights[0] < -1e-4 < 1e-4 < heights[1]
    if isinstance(heading, dict):
        assert back.q[0] == pytest.approx(q[0], abs=1e-8)


def test_a_3_rrr_that_has_lost_hold_turns_either_way() -> None:
    model = kg.load("3-rrr").compile()
    q = assemble(model).q
    found = branches_beyond(model, q, heading=Heading("handle", (0, 0, 0, 0, 0, 1)))
    assert found.singular.kind == "gain"
    walk(model, q, found)
    across, back = found.branches
    turns = [kg.pose(model, branch.q, "handle").so3.log()[2] for branch in (across, back)]
    middle = kg.pose(model, found.singular.q, "handle").so3.log()[2]
    assert turns[0] > middle + 0.1 > middle - 0.1 > turns[1]
    for motor in ("A1", "A2", "A3"):
        i = model.joint(motor).q.start
        assert across.q[i] == pytest.approx(back.q[i], abs=1e-8)


def test_a_four_bar_is_pushed_over_its_dead_point() -> None:
    model = kg.load("four-bar").compile()
    q = model.start()
    found = branches_beyond(model, q, heading={"rocker": 1.0}, inputs=["rocker"])
    walk(model, q, found)
    across, back = found.branches
    assert across.crosses and not back.crosses
    # the rocker is back where it was and the crank is on its other side
    assert across.q[2] == pytest.approx(q[2], abs=1e-9)
    assert not np.allclose(np.cos(across.q[0]), np.cos(q[0]), atol=0.1)


@pytest.mark.parametrize("kind", ["parallelogram", "kite"])
def test_all_ways_that_meet_at_a_change_point(kind: str) -> None:
    if kind == "parallelogram":
        model = four_bar(0.25, 0.1, 0.25, 0.1)
        q = kg.configuration(model, {"crank": 0.8, "coupler": -0.8, "rocker": 0.8, "pin": 0.8})
    else:
        model = four_bar(0.1, 0.1, 0.25, 0.25)
        q = kite_q(model, 0.8)
    assert kg.kinematics.loop_gap(model, q).largest < 1e-12
    found = branches_beyond(model, q, heading={"crank": -1.0})
    assert found.singular.branch_point
    walk(model, q, found)
    names = [branch.name for branch in found.branches]
    assert len(names) == 4
    assert "all joints continue as before (-)" in names and "all joints turn back (+)" in names
    on, back = found.branch("as before"), found.branch("turn back")
    np.testing.assert_allclose(on.q - found.singular.q, found.singular.q - back.q, atol=1e-6)
    # four different ways out
    for i, one in enumerate(found.branches):
        for other in found.branches[i + 1 :]:
            assert np.abs(kg.kinematics.difference(model, one.q, other.q)).max() > 0.2


def test_an_antiparallelogram_leaves_the_parallelogram() -> None:
    """Both satisfy the loop; of the antiparallelogram crank and rocker turn against each other."""
    model = four_bar(0.25, 0.1, 0.25, 0.1)
    q = kg.configuration(model, {"crank": 0.8, "coupler": -0.8, "rocker": 0.8, "pin": 0.8})
    found = branches_beyond(model, q, heading={"crank": -1.0})
    anti = found.branch("'rocker' turns the other way while 'crank' continues")
    assert anti.q[0] < 0 < anti.q[2]
    both = found.branch("as before")
    assert both.q[0] == pytest.approx(both.q[2], abs=1e-9)


# Cases of use


@pytest.mark.parametrize("name", ["amtec-7", "delta", "eight-bar", "franka", "hybrid-9", "irb2400",
                                  "pa10", "serial-5", "stewart", "tricept", "ur5e"])  # fmt: skip
def test_other_library_mechanisms_find_their_branches(name: str) -> None:
    model = kg.load(name).compile()
    q = assemble(model).q
    found = branches_beyond(model, q)
    assert found.singular.kind != "none" and len(found.branches) >= 2
    assert any(branch.crosses for branch in found.branches)
    for branch in found.branches:
        way = cross(model, q, branch=branch, max_step=0.1).q
        assert max(kg.kinematics.loop_gap(model, each).largest for each in way) <= 1e-9
        steps = [np.abs(kg.kinematics.difference(model, a, b)).max() for a, b in pairwise(way)]
        assert max(steps) <= 0.1


def test_a_branch_is_chosen_by_index_or_name() -> None:
    arm = kg.load(ARM).compile()
    by_index = cross(arm, None, "tip", branch=1, max_step=0.05)
    by_name = cross(arm, None, "tip", branch="bends back", max_step=0.05)
    np.testing.assert_array_equal(by_index.q, by_name.q)
    with pytest.raises(UsageError, match=r"no branch 'left'; branches: 0: 'B' bends the other way"):
        cross(arm, None, "tip", branch="left", max_step=0.05)
    with pytest.raises(UsageError, match="no branch 7"):
        cross(arm, None, "tip", branch=7, max_step=0.05)


def test_motors_keep_their_speeds(five_bar: kg.Model) -> None:
    dt = 1e-3
    way = cross(five_bar, None, heading=Heading("handle", (-1, 0, 0)), max_step=0.05, dt=dt).q
    moved = [np.abs(kg.kinematics.difference(five_bar, a, b)) for a, b in pairwise(way)]
    for motor in ("A", "E"):
        fastest = max(step[five_bar.joint(motor).v].max() for step in moved)
        assert 0 < fastest <= 6 * dt + 1e-12


def test_limits_on_the_way_are_named(puma: kg.Model) -> None:
    found = branches_beyond(puma, puma.start(), heading={"elbow": 1.0})
    assert all(branch.beyond == () for branch in found.branches)
    franka = kg.load("franka").compile()
    straight = branches_beyond(franka, None)
    assert straight.branch("other way").beyond == ("joint4",)  # it bends one way only


def test_a_handle_that_is_pulled_away_is_a_heading() -> None:
    arm = kg.load(ARM).compile()
    tip = kg.pose(arm, None, "tip").translation
    found = branches_beyond(arm, None, heading=Handle("tip", tip + [0.5, 0.1, 0]))
    assert found.branch("other way").q[1] < 0


def test_what_cannot_be_crossed_is_reported(five_bar: kg.Model) -> None:
    with pytest.raises(UsageError, match="nothing to cross: no singular pose within"):
        branches_beyond(five_bar, None, heading=Heading("handle", (0, -1, 0)))
    with pytest.raises(UsageError, match="not of kind 'gain'"):
        branches_beyond(five_bar, None, heading=Heading("handle", (-1, 0, 0)), kind="gain")
    with pytest.raises(UsageError, match="kind 'task' or 'gain', got 'both'"):
        branches_beyond(five_bar, None, kind="both")
    four = kg.load("four-bar").compile()
    with pytest.raises(UsageError, match="'four-bar' has no singular pose of kind 'gain' near"):
        branches_beyond(four, None, kind="gain")
    branch = branches_beyond(five_bar, None).branches[0]
    with pytest.raises(UsageError, match="found from another pose"):
        cross(five_bar, five_bar_q(five_bar, (0.1, 0.3)), branch=branch, max_step=0.1)
    for bad in (0.0, -1.0, math.nan):
        with pytest.raises(UsageError, match="max_step is"):
            cross(five_bar, None, branch=branch, max_step=bad)
        with pytest.raises(UsageError, match="dt is"):
            cross(five_bar, None, branch=branch, max_step=0.1, dt=bad)
