"""Clouds of coupled mechanisms: what is swept, and limits of what follows."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.workspace.clouds.cloud import plan_cloud
from kinegen.workspace.clouds.layers import position_jacobians

ARM = """raff: 1
name: geared-arm
joints:
  - {name: A, parent: base, limits: [-90 deg, 90 deg], motor: true}
  - {name: B, parent: A, d: 0.5, follows: {joint: A, ratio: -0.5}, limits: [-20 deg, 60 deg]}
frames: [{name: tool, parent: B, d: 0.2}]
"""
WRIST = """raff: 1
name: wrist
joints:
  - {name: L, parent: base, limits: [-90 deg, 90 deg], motor: true}
  - {name: R, parent: base, limits: [-90 deg, 90 deg], motor: true}
  - {name: pitch, parent: base, axis: y, xyz: [0, 0, 0], limits: [-60 deg, 60 deg]}
  - {name: roll, parent: pitch, axis: x, xyz: [0, 0, 0], limits: [-45 deg, 45 deg]}
couplings:
  - {name: sum, relation: {pitch: 2, L: -1, R: -1}}
  - {name: difference, relation: {roll: 2, L: -1, R: 1}}
frames: [{name: tool, parent: roll, xyz: [0.1, 0, 0.1]}]
"""


def test_the_leader_is_cut_so_that_its_follower_keeps_its_limits() -> None:
    made = kg.cloud(kg.load(ARM), frames=["tool"])
    (one,) = made.sweep.ranges
    assert (one.name, one.lower) == ("A", -math.pi / 2)
    assert one.upper == pytest.approx(math.radians(40), rel=1e-15)
    a = one.values
    places = 0.5 * np.exp(1j * a) + 0.2 * np.exp(0.5j * a)
    np.testing.assert_allclose(made.points[:, 0, 0], places.real, atol=1e-15)
    np.testing.assert_allclose(made.points[:, 0, 1], places.imag, atol=1e-15)


def test_a_given_follower_leads() -> None:
    made = kg.cloud(kg.load(ARM), frames=["tool"], ranges={"B": (0.0, 0.2)}, factor=1)
    (one,) = made.sweep.ranges
    assert (one.name, one.lower, one.upper) == ("B", 0.0, 0.2)
    qs = made.sweep.chunk(0, made.pose_count)
    np.testing.assert_allclose(qs[0], -2 * qs[1], atol=1e-15)


@pytest.mark.parametrize("count", [None, 500])
@pytest.mark.parametrize("ranges", [None, {"L": (-2.0, 2.0), "R": (-2.0, 2.0)}])
def test_poses_beyond_limits_of_several_leaders_are_left_out(
    count: int | None, ranges: dict[str, tuple[float, float]] | None
) -> None:
    model = kg.load(WRIST).compile()
    plan = plan_cloud(model, ranges=ranges, count=count, frame="tool")
    sweep = plan.sweep
    qs = sweep.chunk(0, sweep.count)
    given = ranges or {}
    for joint in model.joints:
        low, high = given.get(joint.name, (model.lower[joint.v][0], model.upper[joint.v][0]))
        assert low - 1e-9 <= qs[joint.q].min() <= qs[joint.q].max() <= high + 1e-9
    assert max(kg.kinematics.loop_gap(model, q).largest for q in np.ascontiguousarray(qs.T)) < 1e-14
    # the parts of a sweep are the same poses, in any order
    np.testing.assert_array_equal(sweep.chunk(10, 7), qs[:, 10:17])
    index, again = sweep.even(3, 5)
    np.testing.assert_array_equal(again, qs[:, index])
    if count is None:
        # all combinations of the grid that keep the limits, and no others
        grids = [one.values for one in sweep.ranges]
        a, b = (each.ravel() for each in np.meshgrid(*grids, indexing="ij"))
        if ranges is None:  # pitch and roll move the tool, so they lead
            inside = (np.abs(a + b) <= math.pi / 2) & (np.abs(a - b) <= math.pi / 2)
        else:
            inside = (np.abs(a + b) / 2 <= math.pi / 3) & (np.abs(a - b) / 2 <= math.pi / 4)
        assert sweep.count == inside.sum() < len(inside)


def test_unlimited_leaders_take_their_followers_all_the_way_round() -> None:
    text = """raff: 1
joints:
  - {name: motor, parent: base, motor: true}
  - {name: arm, parent: motor, d: 0.1, follows: {joint: motor, ratio: 0.25}}
frames: [{name: tip, parent: arm, d: 0.2}]
"""
    (one,) = plan_cloud(kg.load(text)).sweep.ranges
    assert (one.name, one.lower, one.upper) == ("motor", -4 * math.pi, 4 * math.pi)


def test_a_screw_reaches_as_far_as_its_nut() -> None:
    text = """raff: 1
joints:
  - {name: spindle, parent: base, axis: x, xyz: [0, 0, 0], motor: true}
  - {name: nut, type: prismatic, parent: base, axis: x, xyz: [0, 0, 0], limits: [0, 100 mm]}
couplings: [{name: thread, screw: spindle, nut: nut, lead: 5 mm, offset: 0}]
"""
    plan = plan_cloud(kg.load(text), frames=["nut"])
    assert [(one.name, one.lower, one.upper) for one in plan.sweep.ranges] == [("nut", 0.0, 0.1)]
    # asked for by the motor
    plan = plan_cloud(kg.load(text), frames=["nut"], ranges={"spindle": (-10.0, 1000.0)})
    (one,) = plan.sweep.ranges
    assert (one.name, one.lower) == ("spindle", 0.0)
    assert one.upper == pytest.approx(20 * math.tau, rel=1e-14)


def test_a_cam_is_swept_by_its_shaft() -> None:
    made = kg.cloud(kg.load("cam-follower"), frames=["stem"], count=400)
    assert [one.name for one in made.sweep.ranges] == ["shaft"]
    heights = made.points[:, 0, 1]
    # the table's spline overshoots the lift of 15 mm by 0.02 mm
    assert np.ptp(heights) == pytest.approx(15e-3, abs=5e-5)
    qs = made.sweep.chunk(0, 400)
    model = made.model
    assert max(kg.kinematics.loop_gap(model, q).largest for q in np.ascontiguousarray(qs.T)) == 0


@pytest.mark.parametrize(
    "layer", ["manipulability", "singularity", "limits", "dexterity", "density"]
)
def test_layers_know_what_follows(layer: str) -> None:
    made = kg.cloud(kg.load(WRIST), frames=["tool"], layer=layer)
    assert np.isfinite(made.values).all()
    assert np.ptp(made.values) > 0


def test_jacobians_go_along_the_couplings() -> None:
    plan = plan_cloud(kg.load(ARM), frames=["tool"])
    qs = plan.sweep.chunk(0, plan.sweep.count)
    J = position_jacobians(plan.sweep, "tool", qs)
    exact = 0.5j * np.exp(1j * qs[0]) + 0.1j * np.exp(0.5j * qs[0])
    np.testing.assert_allclose(J[:, 0, 0], exact.real, atol=1e-9)
    np.testing.assert_allclose(J[:, 1, 0], exact.imag, atol=1e-9)
    assert plan_cloud(kg.load(ARM), layer="joint:B").sweep.following[0].name == "B"


def test_ranges_without_a_common_pose_are_refused() -> None:
    with pytest.raises(UsageError, match=r"range of 'A' and those of what follows it \('B'\)"):
        plan_cloud(kg.load(ARM), ranges={"A": (1.0, 1.5)})
    tight = WRIST.replace("limits: [-45 deg, 45 deg]", "limits: [0, 1e-7 deg]")
    assert tight != WRIST
    with pytest.raises(UsageError, match="hardly any values of L, R keep"):
        kg.cloud(kg.load(tight), frames=["tool"], ranges={"L": (0.1, 0.5), "R": (-0.5, 0.0)})
