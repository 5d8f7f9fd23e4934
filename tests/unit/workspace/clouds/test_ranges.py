from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.workspace.clouds.ranges import (
    JointRange,
    by_factor,
    by_step,
    joint_ranges,
    moving_variables,
)

LYNX = kg.load("lynx6").compile()


def test_the_lynx_file_has_the_ranges_of_the_paper() -> None:
    degrees = [math.degrees(one.width) for one in joint_ranges(LYNX)[:4]]
    assert degrees == pytest.approx([180, 90, 90, 180])


def test_the_factor_gives_the_numbers_of_equation_17() -> None:
    four = joint_ranges(LYNX, joints=["waist", "shoulder", "elbow", "wrist"])
    assert [one.count for one in by_factor(four, 15, LYNX.size)] == [12, 6, 6, 12]
    assert [one.count for one in by_factor(four, 90, LYNX.size)] == [2, 1, 1, 2]


def test_values_reach_both_ends_but_a_turn_has_its_end_once() -> None:
    half = JointRange("a", 0, "angle", 0, math.pi, 3)
    assert half.values == pytest.approx([0, math.pi / 2, math.pi])
    turn = JointRange("a", 0, "angle", -math.pi, math.pi, 4)
    assert turn.values == pytest.approx([-math.pi, -math.pi / 2, 0, math.pi / 2])
    assert JointRange("a", 0, "angle", 0, 2, 1).values == pytest.approx([1])


def test_a_slide_counts_a_radian_as_the_size() -> None:
    slide = [JointRange("s", 0, "length", 0, 1.0)]
    assert by_step(slide, 0.1, size=0.5)[0].count == 20


def test_joints_without_limits_turn_once_around_or_slide_by_the_size() -> None:
    text = """
raff: 1
joints:
  - {name: a, parent: base}
  - {name: s, type: prismatic, parent: a, d: 2}
  - {name: c, type: cylindrical, parent: s, d: 2}
  - {name: b, type: spherical, parent: c}
"""
    model = kg.load(text).compile()
    found = {one.name: (one.lower, one.upper) for one in joint_ranges(model)}
    assert list(found) == ["a", "s", "c.theta", "c.r"]
    assert found["a"] == (-math.pi, math.pi)
    assert found["s"] == (-model.size, model.size)
    with pytest.raises(UsageError, match=r"joint 'c' has several variables: specify c.theta, c.r"):
        joint_ranges(model, {"c": (0, 1)})
    with pytest.raises(UsageError, match=r"'b' .spherical. has no range"):
        joint_ranges(model, {"b": (0, 1)})


@pytest.mark.parametrize(
    ("ends", "message"),
    [
        ((math.nan, 1.0), "two finite numbers"),
        ((0.0, math.inf), "two finite numbers"),
        ((1.0, 0.0), r"reversed: the lower end comes first \(0 … 1\)"),
    ],
)
def test_bad_ranges_are_refused(ends: tuple[float, float], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        joint_ranges(LYNX, {"elbow": ends})
    with pytest.raises(kg.errors.KinegenError, match="'elbo' is not in mechanism 'lynx6'"):
        joint_ranges(LYNX, {"elbo": (0, 1)})


@pytest.mark.parametrize("wrong", [0, -1, math.nan, math.inf])
def test_bad_factors_are_refused(wrong: float) -> None:
    with pytest.raises(UsageError, match="use a positive"):
        by_factor(joint_ranges(LYNX), wrong, LYNX.size)


def test_only_what_moves_a_frame_is_kept() -> None:
    names = [one.name for one in moving_variables(LYNX, joint_ranges(LYNX), ["tool"])]
    assert names == ["waist", "shoulder", "elbow", "wrist"]  # not the roll, not the jaw
    jaw = moving_variables(LYNX, joint_ranges(LYNX), ["gripper"])
    assert [one.name for one in jaw][-1] == "gripper"
    assert np.isfinite([one.width for one in jaw]).all()
