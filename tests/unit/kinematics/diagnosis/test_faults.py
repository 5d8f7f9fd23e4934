"""Faults: their effect on the loops is exact, and askew axes leave the links where they are."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.joint_types import JointType
from kinegen.kinematics.diagnosis.faults import (
    Change,
    FaultEffects,
    Place,
    apply_fault,
    possible_faults,
)
from kinegen.kinematics.loop_groups import link_transforms, loop_groups
from kinegen.kinematics.loop_system import HeldRotation, LoopSystem

NAMES = ["slider-crank", "five-bar-spatial", "parallel-18", "delta", "tricept"]
SCREW = """raff: 1
name: screws
joints:
  - {name: A, type: screw, pitch: 0.2, parent: base, start: 0.3}
  - {name: B, type: cylindrical, parent: A, alpha: 50 deg, d: 1, start: [0.2, 0.1]}
  - {name: C, type: planar, parent: B, d: 1, start: [0.1, 0.2, 0.3]}
  - {name: weld, type: fixed, parent: C, d: 0.5}
  - {name: D, type: spherical, parent: weld, d: 1, closes: {onto: base, d: 2}}
"""


def system_of(source: str) -> tuple[LoopSystem, np.ndarray]:
    model = kg.load(source).compile()
    return LoopSystem(model, loop_groups(model)[0], model.start()), model.start()


@pytest.mark.parametrize("source", [*NAMES, SCREW])
def test_columns_are_derivatives_of_the_residual(source: str) -> None:
    system, q0 = system_of(source)
    rng = np.random.default_rng(2)
    q, gap = system.close(system.move(q0, rng.normal(0, 0.2, len(system.variables))))
    assert gap < 1e-12
    effects = FaultEffects(system.model, q0)
    faults = possible_faults(system.model, system.group)
    trial = system.variant()
    step = 1e-6
    for fault, columns in zip(faults, effects.columns(system, q, faults), strict=True):
        X_FM = effects.Xs_FM[fault.joint]
        for k, unit in enumerate(np.eye(len(fault.components))):
            sides = []
            for sign in (1, -1):
                apply_fault(trial, system.model.transforms, fault, sign * step * unit, X_FM)
                sides.append(trial.residual(q))
            difference = (sides[0] - sides[1]) / (2 * step)
            # central differences: rounding by the step, 1e-10, on a gap of up to 1e-12
            np.testing.assert_allclose(columns[:, k], difference, atol=2e-8)


def test_a_held_link_feels_the_faults_below_it() -> None:
    system, q = system_of("delta")
    link = system.model.site("platform")
    system.held = HeldRotation(link, link_transforms(system.model, q)[0][link])
    effects = FaultEffects(system.model, q)
    trial = system.variant()
    for fault in possible_faults(system.model, system.group):
        (columns,) = effects.columns(system, q, [fault])
        amounts = np.full(len(fault.components), 1e-6)
        apply_fault(trial, system.model.transforms, fault, amounts, effects.Xs_FM[fault.joint])
        # forward difference: error about the step
        np.testing.assert_allclose(columns @ amounts, trial.residual(q), atol=1e-11)


@pytest.mark.parametrize("source", NAMES)
def test_askew_axes_leave_the_links_in_place(source: str) -> None:
    system, q = system_of(source)
    effects = FaultEffects(system.model, q)
    trial = system.variant()
    before = [kg.pose(system.model, q, frame.name) for frame in system.model.frames]
    for fault in possible_faults(system.model, system.group):
        if fault.place is not Place.AXIS:
            continue
        amounts = np.full(len(fault.components), 0.1)
        apply_fault(trial, system.model.transforms, fault, amounts, effects.Xs_FM[fault.joint])
        assert np.abs(trial.model.transforms - system.model.transforms).max() > 1e-3
        np.testing.assert_allclose(trial.residual(q), 0, atol=1e-12)
        for frame, X in zip(system.model.frames, before, strict=True):
            assert kg.pose(trial.model, q, frame.name).is_close(X, tolerance=1e-12)


def test_a_placement_fault_changes_one_placement() -> None:
    system, q = system_of("delta")
    effects = FaultEffects(system.model, q)
    trial = system.variant()
    for fault in possible_faults(system.model, system.group):
        if fault.place is Place.AXIS:
            continue
        amounts = np.full(len(fault.components), 0.1)
        apply_fault(trial, system.model.transforms, fault, amounts, effects.Xs_FM[fault.joint])
        changed = np.abs(trial.model.transforms - system.model.transforms).max(axis=1) > 1e-12
        joint = system.model.joints[fault.joint]
        row = joint.placement
        if fault.place is Place.LANDING:
            row = next(x.placement for x in system.model.loops if x.joint == fault.joint)
        assert np.flatnonzero(changed).tolist() == [row]


def test_only_what_can_be_wrong_is_looked_at() -> None:
    model = kg.load("hybrid-9").compile()
    (group,) = loop_groups(model)
    accused = {model.joints[fault.joint].name for fault in possible_faults(model, group)}
    assert accused == {"axis2", "axis3", "rod", "forearm", "pin"}  # not the wrist
    model = kg.load("delta").compile()
    (group,) = loop_groups(model)
    for fault in possible_faults(model, group):
        joint = model.joints[fault.joint]
        assert joint.is_cut or fault.place is not Place.LANDING
        if joint.type is JointType.SPHERICAL:
            assert fault.change is Change.SHIFT  # a ball has no axis
        if joint.type is JointType.FIXED:
            assert fault.place is Place.PLACEMENT  # and no backlash between its links
