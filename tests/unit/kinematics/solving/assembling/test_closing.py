"""Poses that are closed again: next to where they were, motors where they stay."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.kinematics.solving.assembling.closing import carried_pose, close_pose, close_start
from kinegen.kinematics.tolerances import relative_gap
from kinegen.mechanism.model import Model

CRANK = """raff: 1
parameters: {crank: 0.1, coupler: 0.3}
joints:
  - {name: A, parent: base, start: 30 deg, motor: true}
  - {name: B, parent: A, d: crank, start: -20 deg}
  - {name: D, parent: base, d: 0.3, start: 60 deg}
  - {name: C, parent: B, d: coupler, closes: {onto: D, d: 0.2}}
"""


def crank(*change: str) -> Model:
    return kg.load(CRANK.replace(*change) if change else CRANK).compile()


@pytest.mark.parametrize(
    "change",
    [("coupler: 0.3", "coupler: 0.28"), ("crank: 0.1", "crank: 0.13"), ("d: 0.2}", "d: 0.24}")],
)
def test_motors_keep_their_value_when_a_length_changes(change: tuple[str, str]) -> None:
    old, new = crank(), crank(*change)
    pose = close_pose(old, np.array([np.radians(30), *close_start(old).q[1:]])).q
    assert pose[0] == pytest.approx(np.radians(30), abs=1e-12)
    found = close_pose(new, carried_pose(new, new.start(), old, pose))
    assert found.complaint is None and relative_gap(new, found.q) < 1e-9
    assert found.q[0] == pose[0]


def test_motors_give_way_where_the_loops_cannot_close_otherwise() -> None:
    old = crank()
    pose = close_pose(old, np.array([np.pi, *close_start(old).q[1:]])).q
    assert pose[0] == np.pi
    # at 180 deg the way from B to D is 0.4 m long: two bars of 0.35 m do not reach
    new = crank("coupler: 0.3", "coupler: 0.15")
    found = close_pose(new, carried_pose(new, new.start(), old, pose))
    assert found.complaint is None and relative_gap(new, found.q) < 1e-9 and found.q[0] != pose[0]


def test_a_pose_whose_loops_are_only_twisted_is_open() -> None:
    model = crank()
    pose = close_start(model).q.copy()
    pose[model.joint("C").q] += 0.5
    assert relative_gap(model, pose) == pytest.approx(0.5)
    found = close_pose(model, pose)
    assert found.complaint is None and relative_gap(model, found.q) < 1e-9


def test_what_cannot_be_closed_is_as_closed_as_it_gets_and_says_why() -> None:
    model = crank("name: B,", "name: B, r: 2 mm,")
    for found in (close_start(model), close_pose(model, model.start())):
        assert found.complaint is not None
        assert "most likely 'B' is placed wrongly" in found.complaint
    assert kg.kinematics.loop_gap(model, close_start(model).q).distance == pytest.approx(2e-3)


def test_joints_are_carried_by_name_and_type() -> None:
    old = kg.load("raff: 1\njoints: [{name: A, parent: base}, {name: B, parent: A}]\n").compile()
    new = kg.load(
        "raff: 1\njoints:\n  - {name: B, parent: base, start: 9 deg}\n"
        "  - {name: A, type: prismatic, parent: B}\n"
    ).compile()
    assert carried_pose(new, new.start(), old, np.array([0.5, 0.7])).tolist() == [0.7, 0.0]
