"""Branches by signs: they name shoulder, elbow, wrist and legs, and change where they should."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.kinematics.handles import Handle
from kinegen.kinematics.mobility.scaled_motion import ScaledMotion
from kinegen.kinematics.singular.branch_signs import BranchSigns, branch_signature
from kinegen.kinematics.singular.singularity import singularities
from kinegen.kinematics.solving.assembling.assembly import assemble, assembly_modes, close
from kinegen.kinematics.solving.inverse import solve_all
from tests.support.mechanisms.linkages import ARM, five_bar_q


@pytest.fixture
def five_bar() -> kg.Model:
    return kg.load("five-bar").compile()


def test_an_arm_changes_sign_with_its_elbow() -> None:
    arm = kg.load(ARM).compile()
    up, down = (branch_signature(arm, {"A": 0.3, "B": bend}, "tip") for bend in (0.4, -0.4))
    assert len(up) == 1 and up[0] == -down[0] != 0
    assert branch_signature(arm, {"A": -1.2, "B": 2.0}, "tip") == up
    assert branch_signature(arm, {"B": 0.0}, "tip") == (0,)


@pytest.mark.parametrize("wrist", [1, -1])
@pytest.mark.parametrize("elbow", [1, -1])
@pytest.mark.parametrize("shoulder", [1, -1])
def test_a_puma_has_a_sign_for_each_of_its_branches(shoulder: int, elbow: int, wrist: int) -> None:
    """By the three factors of its determinant: in-plane reach, sine of the elbow, of joint 5."""
    puma = kg.load("puma560").compile()
    signs = BranchSigns(puma, "tool")
    assert signs.names == ("waist", "shoulder+elbow", "wrist_1")
    reference = kg.configuration(puma, {"shoulder": 0.2, "elbow": -0.6, "wrist_2": 0.5})
    here = kg.configuration(
        puma,
        {"shoulder": 0.2 if shoulder > 0 else 2.9, "elbow": -0.6 if elbow > 0 else -2.4,
         "wrist_2": 0.5 * wrist},
    )  # fmt: skip
    reach = kg.pose(puma, here, "wrist_centre").translation[0]
    expected = (shoulder if abs(reach) > 0.05 else 0, elbow, wrist)
    assert np.sign(reach) == shoulder
    relative = tuple(a * b for a, b in zip(signs.signs(here), signs.signs(reference), strict=True))
    assert relative == expected


def test_the_eight_answers_of_a_puma_have_eight_signatures() -> None:
    puma = kg.load("puma560").compile()
    target = kg.pose(puma, {"waist": 0.3, "shoulder": 0.6, "elbow": -2.6, "wrist_2": 0.6}, "tool")
    answers = solve_all(puma, Handle.pose("tool", target), limits=False, attempts=2000)
    turned = {tuple(np.round(np.cos(answer.q), 4)) + tuple(np.round(np.sin(answer.q), 4))
              for answer in answers}  # fmt: skip
    signs = BranchSigns(puma, "tool")
    assert len(turned) == 8
    assert len({signs.signs(answer.q) for answer in answers}) == 8


def test_the_legs_and_the_assembly_of_a_five_bar(five_bar: kg.Model) -> None:
    signs = BranchSigns(five_bar, "handle")
    assert signs.names == ("A", "E", "held: B")
    found = {}
    for left in (1, -1):
        for right in (1, -1):
            q = five_bar_q(five_bar, (0.12, 0.33), left, right)
            found[left, right] = signs.signs(q)
    assert found[1, 1][0] == -found[-1, 1][0] != 0
    assert found[1, 1][1] == -found[1, -1][1] != 0
    assert found[1, 1][0] == found[1, -1][0] and found[1, 1][1] == found[-1, 1][1]
    # motors held, the two assembly modes differ in the last sign
    modes = assembly_modes(five_bar, five_bar_q(five_bar, (0.12, 0.33), -1, 1))
    assert {signs.signs(mode.q)[2] for mode in modes} == {-1, 1}


def test_every_leg_of_a_3_rrr_has_its_sign() -> None:
    model = kg.load("3-rrr").compile()
    signs = BranchSigns(model, "handle")
    assert signs.names == ("A1", "A2+B2", "A3+B3", "held: B1+platform+B2+B3")
    q = assemble(model).q
    for leg in (1, 2, 3):
        # the other knee: mirror the leg on the line through its ends
        bent = q.copy()
        crank, knee, tip = (model.joint(n.format(leg)).q.start for n in ("A{}", "B{}", "C{}")
                            ) if leg > 1 else (0, 1, 2)  # fmt: skip
        bent[crank] += q[knee]  # equal bars: the crank leans over by the knee's angle
        bent[knee] = -q[knee]
        bent[tip] += q[knee]
        assert kg.kinematics.loop_gap(model, bent).largest < 1e-9
        before, after = signs.signs(q), signs.signs(bent)
        changed = [a != b for a, b in zip(before[:3], after[:3], strict=True)]
        assert changed == [leg == 1, leg == 2, leg == 3]


def test_a_four_bar_changes_with_its_assembly_only() -> None:
    model = kg.load("four-bar").compile()
    signs = BranchSigns(model, "handle")
    assert signs.names == ("held: coupler",)
    here = [signs.signs(close(model, {"crank": t}, locked=["crank"])[0]) for t in (1.2, 1.6, 2.2)]
    assert len(set(here)) == 1
    modes = assembly_modes(model)
    assert {signs.signs(mode.q) for mode in modes} == {(-1,), (1,)}


@pytest.mark.parametrize("name", ["serial-5", "rhino-xr3", "teachmover", "lynx6", "a255"])
def test_arms_of_five_joints_have_an_elbow(name: str) -> None:
    model = kg.load(name).compile()
    signs = BranchSigns(model, "tool")
    assert len(signs.names) == 1
    bent = kg.configuration(model, {"elbow": 0.7}), kg.configuration(model, {"elbow": -0.7})
    assert signs.signs(bent[0])[0] == -signs.signs(bent[1])[0] != 0
    assert singularities(model, {"elbow": 0.0}, "tool").kind == "task"


def test_redundant_arms_have_no_branches() -> None:
    assert branch_signature(kg.load("franka").compile(), None, "tool") == ()


def test_a_signature_is_zero_where_the_pose_is_singular(five_bar: kg.Model) -> None:
    tilt = math.radians(70)
    q = five_bar_q(five_bar, (0.4 * math.cos(tilt), 0.4 * math.sin(tilt)))
    signature = branch_signature(five_bar, q, "handle")
    assert signature[0] == 0 and signature[1] != 0 != signature[2]


def test_values_vanish_with_the_distance(five_bar: kg.Model) -> None:
    """Smooth through zero: nearly linear in the leg's bend."""
    signs = BranchSigns(five_bar, "handle")
    values = []
    for bend in (-0.02, -0.01, 0.01, 0.02):
        q, gap = close(five_bar, {"B": bend, "A": 1.2}, locked=["A", "B"])
        assert gap < 1e-10
        values.append(signs.values(q)[0])
    assert values[1] / values[0] == pytest.approx(0.5, rel=1e-3)
    assert values[2] == pytest.approx(-values[1], rel=1e-2)
    assert values[3] == pytest.approx(-values[0], rel=1e-2)


def test_inputs_and_tasks_can_be_chosen() -> None:
    model = kg.load("four-bar").compile()
    assert BranchSigns(model, inputs=["rocker"]).names != BranchSigns(model).names
    assert BranchSigns(model).names == ("held: coupler",)
    assert branch_signature(model, None) == branch_signature(model, None, inputs=["crank"])


def test_a_file_that_is_not_closed_at_its_start_has_signs_too() -> None:
    text = kg.load("five-bar").to_raff().replace("start: acos(0.4) - 90 deg", "start: 1")
    model = kg.load(text).compile()
    q = five_bar_q(model, (0.12, 0.33), -1, 1)
    assert 0 not in branch_signature(model, q, "handle")


@pytest.mark.parametrize(
    ("name", "frame"),
    [("five-bar", "handle"), ("3-rrr", "handle"), ("puma560", "tool"), ("slider-crank", "handle")],
)
def test_signs_change_only_where_a_pose_between_is_singular(name: str, frame: str) -> None:
    """On long random ways: by bisection between two poses with different signs."""
    model = kg.load(name).compile()
    signs = BranchSigns(model, frame)
    motion, rng = ScaledMotion(model), np.random.default_rng(4)
    q = assemble(model).q
    direction = rng.normal(size=model.nv)
    changes = 0
    for i in range(400):
        if i % 60 == 0:
            direction = rng.normal(size=model.nv)
        free = motion.free(q)
        x = free @ (free.T @ direction)
        there, _ = close(model, motion.move(q, 0.03 * x / np.abs(x).max()))
        before, after = signs.signs(q), signs.signs(there)
        if before != after:
            changes += 1
            low, high = q, there
            for _ in range(40):
                middle, _ = close(model, motion.move(low, motion.between(low, high) / 2))
                low, high = (middle, high) if signs.signs(middle) == before else (low, middle)
            found = singularities(model, low, frame)
            assert found.kind != "none" or min(found.task_distance, found.gain_distance) < 1e-5
        q = there
    assert changes >= 2
