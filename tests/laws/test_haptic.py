"""Whatever the network does: neither hand nor mechanism gets energy from nowhere."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kinegen as kg
from kinegen.kernels import HapticSettings
from tests.support.haptic_network import World

pytestmark = pytest.mark.slow

RESERVE = HapticSettings().reserve
ROUNDING = 1.05
"""The ledger looks one tick ahead with the lightest hand: what it errs by."""


@settings(max_examples=12, deadline=None)
@given(
    name=st.sampled_from(["arm-6", "five-bar", "humanoid-30"]),
    stiffness=st.floats(50, 5000),
    damping=st.floats(0, 20),
    mass=st.floats(0.1, 2.0),
    delay=st.floats(0, 0.05),
    jitter=st.floats(0, 0.05),
    loss=st.floats(0, 0.9),
    double=st.floats(0, 0.5),
    seed=st.integers(0, 1000),
    turns=st.booleans(),
)
def test_no_network_makes_energy(
    name: str,
    stiffness: float,
    damping: float,
    mass: float,
    seed: int,
    turns: bool,
    **trouble: float,
) -> None:
    simulation = kg.Simulation(kg.load(name), gravity=(0, 0, 0), record=0)
    link = simulation.model.link_names[-1]
    at = kg.pose(simulation.model, simulation.engine.q, link)
    pull = simulation.pull(link, target=at if turns else None, stiffness=stiffness, damping=damping)
    made = World(simulation, pull, hand=(mass, 100.0, 0.5), seed=seed, turns=turns, **trouble)
    made.run(0.2, np.array([0.03, 0.01, 0.0]), np.array([0.0, 0.3, 0.2]))
    made.run(0.3, np.zeros(3))
    assert simulation.is_running, simulation.reason
    assert max(made.energies) <= RESERVE * ROUNDING
    assert pull.energy <= max(0.0, -min(made.energies)) + RESERVE * ROUNDING
