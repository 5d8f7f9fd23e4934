"""Hands that suit a mechanism, light or heavy."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.touch.hand_spring import HandSpring, suitable_force
from kinegen.dynamics.touch.touch import FORCE_MOST

BLOCK = (
    "raff: 1\njoints: [{{name: A, parent: base, type: free, mass: {mass}, shape: {{sphere: 0.1}}}}]"
)


@pytest.mark.parametrize("mass", [1e-3, 1.0, 5.0, 1000.0])
def test_a_hand_lifts_what_it_holds_and_does_not_break_what_is_small(mass: float) -> None:
    force = suitable_force(kg.load(BLOCK.format(mass=mass)))
    assert force >= 2 * 9.8 * mass
    assert force <= max(10 * 9.82 * mass, FORCE_MOST)
    assert force <= 2 * 9.82 * mass or force <= FORCE_MOST


def test_a_spring_is_scaled_in_all_six_directions_and_draws_out_at_its_greatest_force() -> None:
    simulation = kg.Simulation(kg.load("arm-6"), gravity=(0, 0, 0), record=0)
    hand = simulation.pull("tool", target=kg.pose(simulation.model, None, "tool"), force_most=1.0)
    spring = HandSpring(hand, simulation.model.size)
    spring.tune()
    before = hand.impedance
    assert before.stiffness[0, 0] * 0.05 * simulation.model.size <= 1.0 + 1e-9
    spring.tune(firmness=4.0, damping=0.5)
    assert np.allclose(hand.impedance.stiffness, 4 * before.stiffness)
    assert np.allclose(hand.impedance.damping, before.damping)
    tip = simulation.push("tool", tip=[0, 0, 0], normal=[0, 0, 1])
    usual = tip.stiffness
    pressed = HandSpring(tip, simulation.model.size)
    pressed.tune(2.0)
    assert tip.stiffness <= 2 * usual
