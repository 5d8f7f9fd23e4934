"""Proposals for joint maps."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.kinematics.analytic.closed_form import solve_wrist_angle
from kinegen.workspace.maps.joint_map import joint_map
from kinegen.workspace.maps.proposal import propose_map


@pytest.mark.parametrize(
    ("name", "holds", "dof"),
    [("five-bar", ("free",), 2), ("puma560", ("rotation",), 3), ("bionic-3", ("free",), 3),
     ("3-rrr", ("rotation", "free"), 2), ("delta", ("rotation",), 3), ("four-bar", None, 1)],
)  # fmt: skip
def test_what_can_be_held(name: str, holds: tuple[str, ...] | None, dof: int) -> None:
    model = kg.load(name).compile()
    found = propose_map(model, kg.assemble(model).q)
    assert found.dof == dof
    assert holds is None or found.holds == holds


def test_the_hand_of_a_classroom_arm_has_an_angle() -> None:
    model = kg.load("lynx6").compile()
    found = propose_map(model)
    assert found.holds == ("wrist",) and found.text and found.wrist_angle is not None
    here = kg.pose(model).translation
    answers = solve_wrist_angle(model, "tool", here, found.wrist_angle, start=model.start())
    assert min(np.abs(one.q - model.start()).max() for one in answers) < 1e-5


def test_boxes_are_round_and_flat_where_the_mechanism_is() -> None:
    model = kg.load("five-bar").compile()
    box = propose_map(model, kg.assemble(model).q).box
    assert box["z"] == (0.0, 0.0, 1) and box["x"][2] == 21
    assert all(round(end, 4) == end for axis in box.values() for end in axis[:2])


def test_a_proposal_can_be_mapped_and_the_present_branch_is_known() -> None:
    model = kg.load("lynx6").compile()
    about = propose_map(model)
    found = joint_map(model, about.box, wrist_angle=about.wrist_angle)
    assert found.branches[found.present_branch()].name == "front, elbow up"


def test_arms_of_three_joints_need_no_rotation() -> None:
    model = kg.load("bionic-3").compile()
    found = joint_map(model, propose_map(model).box)
    assert any("elbow" in branch.name for branch in found.branches)
