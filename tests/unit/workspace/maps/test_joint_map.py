from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.workspace.maps.joint_map import joint_map

LYNX = kg.load("lynx6").compile()
BOX = {"x": (0.05, 0.45, 9), "y": (0.02, 0.1, 2), "z": (0.0, 0.3, 4)}


def test_branches_bring_the_tool_to_each_place() -> None:
    found = joint_map(LYNX, BOX, wrist_angle=-0.3)
    assert found.points.shape == (9 * 2 * 4, 3) and found.shape == (9, 2, 4)
    assert len(found.branches) == 4
    for branch in found.branches:
        for i in np.flatnonzero(branch.reached)[::9]:
            X = kg.pose(LYNX, branch.qs[i], "tool")
            np.testing.assert_allclose(X.translation, found.points[i], atol=1e-9)


def test_of_branches_that_reach_the_same_the_one_within_its_limits_is_first() -> None:
    found = joint_map(LYNX, {"x": (0.1, 0.32, 12)}, wrist_angle=0.0)
    same = [one for one in found.branches if one.reached.sum() == found.branches[0].reached.sum()]
    assert len(same) > 1
    assert found.branches[0].within.sum() == max(one.within.sum() for one in same) > 0


def test_lamps_light_where_a_joint_leaves_its_range() -> None:
    found = joint_map(LYNX, BOX, wrist_angle=0.0)
    best = found.branches[0]
    shoulder = best.qs[best.reached, 1]
    lit = best.lamps[best.reached, 1]
    np.testing.assert_array_equal(lit, (shoulder < -1e-9) | (shoulder > math.pi / 2 + 1e-9))
    assert lit.any() and found.lamps[1]
    assert 0 < best.within.sum() < best.reached.sum()


def test_the_length_test_of_the_paper() -> None:
    found = joint_map(LYNX, BOX, wrist_angle=0.0)
    # eq. 20: what is beyond the whole arm cannot be reached
    beyond = found.beyond > 0
    assert beyond.any() and not beyond.all()
    assert not any(branch.reached[beyond].any() for branch in found.branches)


def test_charts_go_along_an_axis() -> None:
    found = joint_map(LYNX, BOX, wrist_angle=0.0)
    chart = found.chart("x")
    np.testing.assert_allclose(chart.places, np.linspace(0.05, 0.45, 9))
    assert chart.values.shape == (9, LYNX.nq)
    with pytest.raises(UsageError, match="axes: x, y, z"):
        found.chart("xy")


def test_an_arm_with_a_wrist_and_a_closed_chain() -> None:
    puma = kg.load("puma560").compile()
    X = kg.pose(puma, {"shoulder": 0.5, "elbow": -2.0, "wrist_2": 0.4}, "tool")
    p = X.translation
    found = joint_map(puma, {"x": (p[0], p[0] + 0.05, 3)}, rotation=X.so3, start=None)
    assert len(found.branches) == 8
    five = kg.load("five-bar").compile()
    ways = joint_map(five, {"x": (0.05, 0.15, 3), "y": (0.3, 0.3, 1)})
    assert len(ways.branches) >= 2 and np.isnan(ways.beyond).all()
    q = ways.branches[0].qs[1]
    assert kg.kinematics.loop_gap(five, q).distance < 1e-9


@pytest.mark.parametrize(
    ("box", "message"),
    [
        ({}, "got none"),
        ({"w": (0, 1, 2)}, "got w"),
        ({"x": (1, 0, 2)}, "the lower first"),
        ({"x": (0, math.nan, 2)}, "finite"),
        ({"x": (0, 1, 0)}, "count of at least 1"),
    ],
)
def test_bad_boxes_are_refused(box: dict[str, tuple[float, float, int]], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        joint_map(LYNX, box, wrist_angle=0.0)


def test_a_box_out_of_reach_is_said_to_be() -> None:
    with pytest.raises(UsageError, match="reaches no place of the box"):
        joint_map(LYNX, {"x": (5, 6, 2)}, wrist_angle=0.0)


def test_too_many_places_are_refused_before_they_are_made() -> None:
    box = {axis: (0.0, 0.3, 100_000) for axis in "xyz"}
    with pytest.raises(UsageError, match=r"the joint map has 1e\+15 poses"):
        kg.workspace.joint_map(kg.load("lynx6").compile(), box)
    with pytest.raises(UsageError, match="axis x of the box has"):
        kg.workspace.joint_map(kg.load("lynx6").compile(), {"x": (0.0, 0.3, 10**13)})
