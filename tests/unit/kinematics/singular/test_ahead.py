"""The singular pose ahead: where it is by hand calculation, on headings of frames and of joints."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.kinematics.handles import Handle
from kinegen.kinematics.singular.ahead import Ahead, singular_ahead
from kinegen.kinematics.singular.headings import Heading
from kinegen.kinematics.solving.assembling.assembly import assemble, close
from tests.support.mechanisms.linkages import ARM, five_bar_q, four_bar


def check_path(model: kg.Model, found: Ahead) -> None:
    """The way there is closed and has no jumps."""
    for q in found.path:
        assert kg.kinematics.loop_gap(model, q).largest < 1e-9
    for before, after in zip(found.path, found.path[1:], strict=False):
        assert np.abs(kg.kinematics.difference(model, before, after)).max() < 0.05 * max(
            1, model.size
        )


@pytest.fixture
def five_bar() -> kg.Model:
    return kg.load("five-bar").compile()


@pytest.mark.parametrize("heading", [0.0, 0.7, 1.5, -0.6])
def test_an_arm_on_a_straight_line_meets_the_end_of_its_reach(heading: float) -> None:
    arm = kg.load(ARM).compile()
    p = kg.pose(arm, None, "tip").translation[:2]
    d = np.array([math.cos(heading), math.sin(heading)])
    # |p + s d| = 0.55
    expected = -p @ d + math.sqrt((p @ d) ** 2 + 0.55**2 - p @ p)
    found = singular_ahead(arm, None, heading=Heading("tip", (*d, 0)))
    assert found.found and found.exact and found.unit == "m"
    assert found.distance == pytest.approx(expected, abs=1e-9)
    assert found.q is not None and found.singular is not None
    assert found.q[1] == pytest.approx(0, abs=1e-6)
    assert found.singular.kind == "task"
    assert found.text.startswith(
        f"after {expected * 1000:.4g} mm: joints 'A' and 'B' are stretched"
    )
    check_path(arm, found)


def test_only_the_direction_counts() -> None:
    arm = kg.load(ARM).compile()
    slow, fast = (singular_ahead(arm, None, heading=Heading("tip", (v, v, 0))) for v in (0.01, 100))
    assert slow.distance == pytest.approx(fast.distance, abs=1e-12)


def test_of_a_heading_only_what_the_frame_can_ever_do_counts(five_bar: kg.Model) -> None:
    flat, tilted = (
        singular_ahead(five_bar, None, heading=Heading("handle", (-1, 0, z))) for z in (0, 0.4)
    )
    assert tilted.found and tilted.distance == pytest.approx(flat.distance, abs=1e-12)
    with pytest.raises(UsageError, match="leads nowhere"):
        singular_ahead(five_bar, None, heading=Heading("handle", (0, 0, 1)))


def test_a_handle_is_looked_after_as_far_as_its_target() -> None:
    arm = kg.load(ARM).compile()
    p = kg.pose(arm, None, "tip").translation
    near = singular_ahead(arm, None, heading=Handle("tip", p + [0.01, 0.01, 0]))
    assert not near.found and near.q is None and near.singular is None
    assert near.distance == pytest.approx(0.01 * math.sqrt(2), rel=0.7)
    assert near.text.startswith("no singular pose within")
    far = singular_ahead(arm, None, heading=Handle("tip", p + [0.3, 0.3, 0]))
    assert far.found and far.singular is not None and far.singular.kind == "task"


def test_both_kinds_of_a_five_bar(five_bar: kg.Model) -> None:
    # to the left from the start: the right leg stretches when |handle - E| = 0.4
    x, y = kg.pose(five_bar, None, "handle").translation[:2]
    task = singular_ahead(five_bar, None, heading=Heading("handle", (-1, 0, 0)))
    assert task.singular is not None and task.singular.kind == "task"
    assert task.distance == pytest.approx(x - (0.2 - math.sqrt(0.4**2 - y**2)), abs=1e-9)
    check_path(five_bar, task)
    # short couplers, motors turned apart: in line when the crank pins are 0.36 m apart
    five_bar.parameters["coupler"] = 0.18
    q = five_bar_q(five_bar, (0.1, 0.3), -1, 1)
    gain = singular_ahead(five_bar, q, heading={"A": 1.0, "E": -1.0})
    assert gain.singular is not None and gain.singular.kind == "gain" and gain.unit == "rad"
    assert gain.q is not None
    apart = math.acos(-0.08 / 0.15)
    assert gain.q[0] == pytest.approx(apart, abs=1e-9)
    assert gain.distance == pytest.approx(math.sqrt(2) * (apart - q[0]), abs=1e-9)
    check_path(five_bar, gain)


def test_motors_that_are_not_named_hold(five_bar: kg.Model) -> None:
    found = singular_ahead(five_bar, None, heading={"A": -1.0}, limits=False)
    E = five_bar.joint("E").q.start
    assert {round(float(q[E]), 9) for q in found.path} == {round(float(five_bar.start()[E]), 9)}


def test_a_puma_meets_its_wrist_and_then_its_elbow() -> None:
    puma = kg.load("puma560").compile()
    wrist = singular_ahead(puma, None, heading={"wrist_2": -1.0})
    assert wrist.exact and wrist.distance == pytest.approx(math.radians(45), abs=1e-9)
    assert "'wrist_1' and 'wrist_3' are in line" in wrist.text
    elbow = singular_ahead(puma, None, heading={"elbow": 1.0})
    stretched = -math.pi / 2 + math.atan(0.0203 / 0.4318)
    assert elbow.distance == pytest.approx(stretched + math.pi, abs=1e-9)


def test_a_near_miss_of_the_wrist_is_reported() -> None:
    """A tool that is turned past the wrist's singular line comes near it but never on it."""
    puma = kg.load("puma560").compile()
    q = kg.configuration(puma, {"elbow": -2.3, "wrist_1": 0.0, "wrist_2": 0.4})
    side = kg.pose(puma, q, "wrist_2").rotation[:, 2]
    q[3] = 0.08  # the turn would pass wrist_2 = 0 if this were 0
    heading = Heading("tool", (0, 0, 0, *(-side)))
    found = singular_ahead(puma, q, heading=heading, within=0.8, near=0.05)
    assert found.found and not found.exact and found.unit == "rad"
    assert found.q is not None and abs(found.q[4]) < 0.05
    assert "the motion passes close to a singular pose (frame 0.0" in found.text
    exact = singular_ahead(puma, q, heading=heading, within=0.8, near=0.0, limits=False)
    assert not exact.found and exact.distance == pytest.approx(0.8, abs=0.05)
    assert exact.text.startswith("no singular pose within 4")


def test_dead_points_of_a_four_bar_driven_by_its_rocker() -> None:
    model = kg.load("four-bar").compile()
    # crank and coupler folded: 0.15 from the crank's foot, 0.2 ground, 0.25 rocker
    found = singular_ahead(model, None, heading={"rocker": 1.0}, inputs=["rocker"])
    swing = math.pi - math.acos((0.2**2 + 0.25**2 - 0.15**2) / (2 * 0.2 * 0.25))
    assert found.singular is not None and found.singular.kind == "gain"
    assert found.q is not None and found.q[2] == pytest.approx(swing, abs=1e-9)
    assert found.distance == pytest.approx(swing - model.start()[2], abs=1e-9)


def test_a_crank_that_turns_all_round_meets_nothing() -> None:
    model = kg.load("four-bar").compile()
    found = singular_ahead(model, None, heading={"crank": 1.0}, within=2 * math.pi)
    assert not found.found
    assert found.distance == pytest.approx(2 * math.pi, abs=0.05)
    assert found.text.startswith("no singular pose within 36")
    check_path(model, found)


def test_the_change_point_of_a_parallelogram() -> None:
    model = four_bar(0.25, 0.1, 0.25, 0.1)
    q = kg.configuration(model, {"crank": 1.0, "coupler": -1.0, "rocker": 1.0, "pin": 1.0})
    found = singular_ahead(model, q, heading={"crank": -1.0})
    assert found.singular is not None and found.singular.branch_point
    assert found.distance == pytest.approx(1.0, abs=1e-7)
    onward = singular_ahead(model, q, heading={"crank": 1.0})
    assert onward.distance == pytest.approx(math.pi - 1.0, abs=1e-7)


def test_a_piston_at_its_dead_centre() -> None:
    model = kg.load("slider-crank").compile()
    by_crank = singular_ahead(model, None, heading={"crank": -1.0})
    assert by_crank.distance == pytest.approx(math.pi / 2, abs=1e-9)
    by_piston = singular_ahead(model, None, heading={"piston": 1.0}, inputs=["piston"])
    assert by_piston.unit == "m" and by_piston.distance == pytest.approx(0.06, abs=1e-9)
    assert by_piston.singular is not None and by_piston.singular.kind == "both"


def test_a_3_rrr_that_is_turned_loses_hold_when_its_bars_meet_in_a_point() -> None:
    model = kg.load("3-rrr").compile()
    found = singular_ahead(model, None, heading=Heading("handle", (0, 0, 0, 0, 0, 1)))
    assert found.singular is not None and found.singular.kind == "gain" and found.unit == "rad"
    check_path(model, found)
    # the three couplers' lines meet in the centre, so that nothing holds the platform's turn
    assert found.q is not None
    poses = kg.poses(model, found.q)
    ends = [kg.kinematics.loop_poses(model, found.q)[i, 0, 4:] for i in (0, 1)]
    pins = [poses["platform"].translation, *ends]
    for name, pin in zip(("B1", "B2", "B3"), pins, strict=True):
        moment = np.cross(poses[name].translation, pin - poses[name].translation)
        assert np.abs(moment).max() < 1e-8


def test_a_stewart_platform_that_is_turned() -> None:
    model = kg.load("stewart").compile()
    q = assemble(model).q
    found = singular_ahead(model, q, heading=Heading("handle", (0, 0, 0, 0, 0, 1)), limits=False)
    assert found.singular is not None and found.singular.kind == "gain"
    assert found.distance == pytest.approx(math.pi / 2, abs=1e-6)
    check_path(model, found)
    stopped = singular_ahead(model, q, heading=Heading("handle", (0, 0, 0, 0, 0, 1)))
    assert not stopped.found and stopped.distance < math.pi / 2
    assert "reaches its limit" in stopped.text and "'leg" in stopped.text


def test_an_arm_with_spare_joints_meets_the_end_of_its_reach() -> None:
    model = kg.load("franka").compile()
    found = singular_ahead(model, None, heading=Heading("tool", (1, 0, 0)), limits=False)
    assert found.found and found.singular is not None
    assert found.distance > 0
    assert min(found.singular.task_distance, found.singular.gain_distance) < 0.02


def test_arms_of_five_joints_go_straight_by_their_point() -> None:
    model = kg.load("serial-5").compile()
    found = singular_ahead(model, None, heading=Heading("tool", (1, 0.2, 0.1)), limits=False)
    assert found.singular is not None and found.singular.kind == "task"
    assert "'shoulder' and 'elbow' are stretched" in found.text
    start, end = (kg.pose(model, q, "tool").translation for q in (model.start(), found.q))
    way = end - start
    np.testing.assert_allclose(np.cross(way, [1, 0.2, 0.1]), 0, atol=1e-9)
    assert found.distance == pytest.approx(np.linalg.norm(way), abs=1e-9)


def test_who_stands_in_a_singular_pose_need_not_go_far() -> None:
    arm = kg.load(ARM).compile()
    found = singular_ahead(arm, {"B": 0.0}, heading=Heading("tip", (1, 0, 0)))
    assert found.found and found.distance == 0


def test_headings_that_make_no_sense(five_bar: kg.Model) -> None:
    with pytest.raises(UsageError, match="leads nowhere"):
        singular_ahead(five_bar, None, heading=Heading("handle", (0, 0, 0)))
    with pytest.raises(UsageError, match="leads nowhere"):
        singular_ahead(five_bar, None, heading={"A": 0.0})
    with pytest.raises(UsageError, match="takes 3 or 6 finite numbers"):
        singular_ahead(five_bar, None, heading=Heading("handle", (0, 1)))
    with pytest.raises(UsageError, match="takes 3 or 6 finite numbers"):
        singular_ahead(five_bar, None, heading=Heading("handle", "up"))
    with pytest.raises(UsageError, match="needs a frame"):
        singular_ahead(five_bar, None, heading=Heading())
    with pytest.raises(UsageError, match="a heading must be a Heading"):
        singular_ahead(five_bar, None, heading="up")  # type: ignore[arg-type]
    opened = close(five_bar, None)[0] + 0.1
    with pytest.raises(UsageError, match="are open by"):
        singular_ahead(five_bar, opened, heading={"A": 1.0})
