"""Play between a motor and its joint."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.backlash import Play
from kinegen.dynamics.motor import Motors
from tests.support.touching import turntable


def play() -> Play:
    system = kg.System.of(turntable("{gear: 10, inertia: 0.0002}", backlash=0.02))
    made = Play.of(Motors.of(system, system.model.start()), 1e-3)
    assert made is not None
    made.reset(np.zeros(1))
    return made


def test_nothing_reaches_the_joint_within_the_play() -> None:
    made = play()
    push, still = np.array([0.01]), np.zeros(1)
    while made.angle[0] < 0.0099:
        assert made.through(push, still, still)[0] == 0
    assert made.rotor[0] == pytest.approx(0.02)


def test_at_a_flank_all_of_it_reaches_the_joint() -> None:
    made = play()
    push, still = np.array([0.5]), np.zeros(1)
    for _ in range(2000):
        effort = made.through(push, still, still)[0]
        assert effort >= 0  # teeth never pull
    assert effort == pytest.approx(0.5, rel=1e-6)
    assert made.angle[0] == pytest.approx(0.01 + 0.5 / made.stiffness[0], rel=1e-9)


def test_without_backlash_there_is_no_play() -> None:
    system = kg.System.of(turntable())
    assert Play.of(Motors.of(system, system.model.start()), 1e-3) is None


def test_a_system_keeps_its_rotors_for_other_simulations() -> None:
    system = kg.System.of(turntable("{gear: 50, inertia: 2e-3}", backlash=0.02))
    held = kg.Simulation(system, hold=True)
    assert kg.mass_matrix(held.model)[0, 0] == pytest.approx(0.1)  # the rotor moves by itself
    assert kg.mass_matrix(system.model)[0, 0] == pytest.approx(0.1 + 2500 * 2e-3)
    free = kg.Simulation(system, v={"A": 1.0})
    assert free.system is system and free.report.kinetic == pytest.approx(0.5 * 5.1)
