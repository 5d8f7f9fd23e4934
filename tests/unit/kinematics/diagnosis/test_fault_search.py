"""Fault search: a fault that was put in is found with its amount, and none where there is none."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.kernels.tolerances import SHUT
from kinegen.kinematics.diagnosis.fault_search import find_repairs
from kinegen.kinematics.diagnosis.faults import Change, Fault, FaultEffects, Place, apply_fault
from kinegen.kinematics.loop_groups import loop_groups
from kinegen.kinematics.loop_system import LoopSystem
from kinegen.kinematics.mobility.free_motion import free_motion


def faulty(name: str, joint: str, amounts: list[float]) -> tuple[LoopSystem, np.ndarray, Fault]:
    """A mechanism with an axis tilted between its links [rad]."""
    model = kg.load(name).compile()
    q = model.start()
    system = LoopSystem(model, loop_groups(model)[0], q)
    fault = Fault(model.joint_index(joint), Place.AXIS, Change.TILT, (3, 4))
    effects = FaultEffects(model, q)
    wrong = system.variant()
    apply_fault(wrong, model.transforms, fault, np.array(amounts), effects.Xs_FM[fault.joint])
    return wrong, q, fault


@pytest.mark.parametrize("joint", ["A", "B", "C", "D", "E"])
def test_the_amount_of_a_fault_is_found(joint: str) -> None:
    system, q, fault = faulty("five-bar", joint, [0.03, -0.05])
    motion = free_motion(system, q)
    assert motion.count == 1
    wanted = np.hstack([motion.forbidden[:, -1:], motion.basis])
    repairs = find_repairs(system, q, wanted)
    assert repairs[0].faults == (fault,)
    # turning back about the tilted axes is minus the same turn
    np.testing.assert_allclose(repairs[0].amounts, [-0.03, 0.05], atol=1e-9)
    assert repairs[0].misfit < SHUT
    assert repairs[0].size == pytest.approx(np.hypot(0.03, 0.05))
    assert free_motion(repairs[0].system, repairs[0].q).count == 2


def test_where_nothing_is_missing_nothing_is_found() -> None:
    model = kg.load("five-bar").compile()
    system = LoopSystem(model, loop_groups(model)[0], model.start())
    motion = free_motion(system, model.start())
    assert find_repairs(system, model.start(), motion.basis) == []


def test_no_single_change_gives_a_five_bar_another_degree_of_freedom() -> None:
    model = kg.load("five-bar").compile()
    system = LoopSystem(model, loop_groups(model)[0], model.start())
    motion = free_motion(system, model.start())
    wanted = np.hstack([motion.forbidden[:, -1:], motion.basis])
    assert find_repairs(system, model.start(), wanted) == []


def test_changes_beyond_reason_are_not_proposed() -> None:
    system, q, _ = faulty("five-bar", "B", [0.8, 0.5])
    motion = free_motion(system, q)
    wanted = np.hstack([motion.forbidden[:, -1:], motion.basis])
    assert all(repair.size < 0.8 for repair in find_repairs(system, q, wanted))
