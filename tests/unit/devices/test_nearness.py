"""Near a singular pose a hand feels a stiffer part."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.devices import HapticLink
from kinegen.devices.link import UdpTransport
from kinegen.devices.nearness import FIRM, NEAR, SingularFeel, firmness
from kinegen.errors import UsageError


def test_the_factor_grows_smoothly_from_one() -> None:
    distances = np.linspace(2 * NEAR, 0, 50)
    factors = [firmness(one) for one in distances]
    assert factors[0] == 1 and factors[-1] == FIRM
    assert (np.diff(factors) >= 0).all() and np.diff(factors).max() < 0.3  # no edge
    assert firmness(NEAR) == 1 and firmness(float("inf")) == 1 and firmness(0, most=1) == 1


def test_the_stiffness_of_a_pull_grows_towards_the_stretched_arm() -> None:
    arm = kg.load(
        "raff: 1\njoints:\n"
        "  - {name: A, parent: base, motor: true, mass: 1, start: 0}\n"
        "  - {name: B, parent: A, d: 0.3, motor: true, mass: 1, start: 90 deg}\n"
        "frames:\n  - {name: tip, parent: B, d: 0.3}\n"
    )
    found = []
    for elbow in (90, 10, 4, 1):
        sim = kg.Simulation(arm, gravity=(0, 0, 0), record=0)
        sim.reset(np.radians([0, elbow]))
        pull = sim.pull("tip", stiffness=100, damping=2)
        port = UdpTransport("127.0.0.1:0")
        link = HapticLink(sim, pull, port, singular=FIRM)
        link.exchange()
        port.close()
        assert pull.stiffness[0, 0] == pytest.approx(100 * link.firm)
        assert pull.damping[0, 0] == pytest.approx(2 * np.sqrt(link.firm))
        found.append(link.firm)
    assert found[0] == 1.0 and found == sorted(found) and found[-1] > 2


def test_what_cannot_be_watched_is_not_felt() -> None:
    arm = kg.load("arm-6").compile()
    feel = SingularFeel(arm, arm.start(), "no-such-frame")
    assert feel.refused and feel.factor(arm.start()) == 1.0
    sim = kg.Simulation(kg.load("arm-6"), record=0)
    port = UdpTransport("127.0.0.1:0")
    with pytest.raises(UsageError, match="from 1 to 20"):
        HapticLink(sim, sim.pull("tool"), port, singular=0.5)
    port.close()
