"""Loop groups: which loops hang together, and what kind they are."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.kinematics.loop_groups import (
    LoopKind,
    joint_frames,
    loop_groups,
    loop_kind,
    loop_path,
    placed_links,
    placed_points,
)


def names(model: kg.Model, joints: object) -> list[str]:
    return [model.joints[i].name for i in joints]  # type: ignore[attr-defined]


def test_a_path_states_which_end_each_joint_moves() -> None:
    model = kg.load("four-bar").compile()
    path = loop_path(model, model.loops[0])
    sides = {model.joints[i].name: side for i, side in path.items()}
    assert sides == {"coupler": 1, "crank": 1, "rocker": -1, "pin": 1}
    assert next(reversed(sides)) == "pin"


def test_joints_that_carry_a_whole_loop_are_not_part_of_it() -> None:
    model = kg.load("hybrid-9").compile()
    path = names(model, loop_path(model, model.loops[0]))
    assert sorted(path) == ["axis2", "axis3", "forearm", "pin", "rod"]


@pytest.mark.parametrize(
    ("name", "sizes"),
    [("eight-bar-b", [4, 4]), ("peaucellier", [10]), ("stewart", [18]), ("puma560", [])],
)
def test_loops_that_share_a_joint_are_one_group(name: str, sizes: list[int]) -> None:
    groups = loop_groups(kg.load(name).compile())
    assert [len(group.joints) for group in groups] == sizes
    joints = [joint for group in groups for joint in group.joints]
    assert len(joints) == len(set(joints))


def test_a_late_loop_joins_earlier_groups() -> None:
    """Loops 1 and 2 have nothing in common until loop 3 runs through both."""
    model = kg.load("""raff: 1
joints:
  - {name: A, parent: base}
  - {name: B, parent: A, d: 1}
  - {name: C, parent: base, d: 3}
  - {name: D, parent: C, d: 1}
  - {name: E, parent: B, d: 1, closes: {onto: base, d: 1}}
  - {name: F, parent: D, d: 1, closes: {onto: base, d: 2}}
  - {name: G, parent: B, d: 2, closes: {onto: D, d: 2}}
""").compile()
    (group,) = loop_groups(model)
    assert group.loops == (0, 1, 2)
    assert len(group.joints) == 7


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("four-bar", LoopKind.PLANAR),
        ("slider-crank", LoopKind.PLANAR),
        ("hybrid-9", LoopKind.PLANAR),
        ("bricard", LoopKind.SPATIAL),
        ("delta", LoopKind.SPATIAL),
        ("parallel-18", LoopKind.SPATIAL),
    ],
)
def test_kinds(name: str, kind: LoopKind) -> None:
    model = kg.load(name).compile()
    (group,) = loop_groups(model)
    assert loop_kind(model, model.start(), group, 1.0) is kind
    assert kind.dimension == (6 if kind is LoopKind.SPATIAL else 3)


def test_a_slide_out_of_the_plane_makes_a_loop_spatial() -> None:
    model = kg.load("slider-crank").compile()
    model.set_number("piston", "alpha", 1.5)
    (group,) = loop_groups(model)
    assert loop_kind(model, model.start(), group, 1.0) is LoopKind.SPATIAL


def test_axes_through_one_point_make_a_loop_spherical() -> None:
    text = """raff: 1
joints:
  - {name: A, parent: base, b: 2, start: 0.3}
  - {name: B, parent: A, alpha: 40 deg, start: 0.4}
  - {name: D, type: universal, parent: base, b: 2, alpha: 60 deg}
  - {name: C, parent: B, alpha: 70 deg, closes: {onto: D, alpha: 50 deg}}
"""
    model = kg.load(text).compile()
    (group,) = loop_groups(model)
    assert loop_kind(model, model.start(), group, 1.0) is LoopKind.SPHERICAL
    model.set_number("B", "d", 0.01)
    assert loop_kind(model, model.start(), group, 1.0) is LoopKind.SPATIAL


def test_placed_points_are_where_the_placements_are() -> None:
    model = kg.load("delta").compile()
    q = model.start()
    points = placed_points(model, q)
    assert len(points) == len(placed_links(model)) == model.counts.placement
    ends = kg.kinematics.loop_poses(model, q)
    landings = points[len(model.joints) : len(model.joints) + len(model.loops)]
    np.testing.assert_allclose(landings, ends[:, 1, 4:], atol=1e-12)
    np.testing.assert_allclose(points[-1], kg.pose(model, q, "tool").translation, atol=1e-12)


def test_joint_frames_point_along_the_axes() -> None:
    model = kg.load("slider-crank").compile()
    R_WF, p_WF = joint_frames(model, model.start())
    np.testing.assert_allclose(R_WF[model.joint_index("piston"), :, 2], [1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(p_WF[model.joint_index("rod")], [0, 0.05, 0], atol=1e-12)
