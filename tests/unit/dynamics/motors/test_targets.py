"""Targets of servos."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.motors.motor import Mode
from kinegen.dynamics.motors.targets import targets_of


def test_a_number_means_what_the_mode_is_about() -> None:
    model = kg.load("arm-6").compile()
    still = kg.dynamics.Targets.at(model, model.start())
    for mode, part in ((Mode.POSITION, "q"), (Mode.VELOCITY, "v"), (Mode.TORQUE, "effort")):
        made = targets_of(model, {"elbow": 0.7}, [mode] * model.nv, still)
        changed = getattr(made, part) - getattr(still, part)
        assert changed[2] == pytest.approx(0.7 - (model.start()[2] if part == "q" else 0))
        assert np.count_nonzero(changed) == 1


def test_joints_that_do_not_move_take_no_target() -> None:
    text = "raff: 1\nname: x\njoints:\n  - {name: A, parent: base, type: fixed}\n"
    model = kg.load(text).compile()
    with pytest.raises(kg.errors.KinegenError, match="joint 'A' does not move"):
        targets_of(model, {"A": 1.0}, [], kg.dynamics.Targets.at(model, model.start()))


def test_motors_of_one_joint_may_have_different_targets() -> None:
    text = """
raff: 1
name: slide
joints:
  - {name: c, type: cylindrical, parent: base, mass: 1, inertia: [1, 1, 1],
     motor: [{mode: velocity}, {mode: position}]}
"""
    run = kg.simulate(kg.load(text), time=1.0, targets={"c": [2.0, 0.3]}, gravity=(0, 0, 0))
    assert run.v[-1, 0] == pytest.approx(2, abs=1e-3)  # turns at this speed
    assert run.q[-1, 1] == pytest.approx(0.3, abs=1e-3) and abs(run.v[-1, 1]) < 1e-3  # stays there
    with pytest.raises(kg.errors.KinegenError, match="takes 2 numbers"):
        kg.simulate(kg.load(text), time=1.0, targets={"c": [2.0]})
