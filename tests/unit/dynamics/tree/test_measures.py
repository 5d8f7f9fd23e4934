"""Centre, momentum and energy by hand."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import NumberError

SLED = """
raff: 1
name: sled
joints:
  - {name: S, type: prismatic, parent: base, mass: 3, centre: [0, 0, 0.1], inertia: [1, 1, 1],
     spring: {stiffness: 8, rest: 0.5}, motor: {inertia: 2, gear: 3}}
  - {name: H, parent: S, mass: 1, centre: [1, 0, 0], inertia: [0, 0.5, 0.5]}
"""


def test_energy_and_momentum() -> None:
    model = kg.load(SLED).compile()
    q, v = [0.7, 0.0], [2.0, 4.0]
    energy = kg.dynamics.energy(model, q, v)
    # the arm's centre moves with 4 along y and 2 along z
    kinetic = 0.5 * 3 * 4 + 0.5 * 1 * (16 + 4) + 0.5 * 0.5 * 16 + 0.5 * 2 * 9 * 4
    assert energy.kinetic == pytest.approx(kinetic)
    assert energy.gravity == pytest.approx(9.81 * (3 * 0.8 + 0.7))
    assert energy.springs == pytest.approx(0.5 * 8 * 0.2**2)
    assert energy.potential == energy.gravity + energy.springs
    assert energy.total == energy.kinetic + energy.potential
    assert kg.dynamics.energy(model, q).kinetic == 0
    np.testing.assert_allclose(kg.dynamics.centre_of_mass(model, q), [0.25, 0, (2.4 + 0.7) / 4])
    momentum = kg.dynamics.momentum(model, q, v)
    np.testing.assert_allclose(momentum.linear, [0, 4, 8])
    # reduced mass 3/4 at distance (1, 0, -0.1), relative velocity (0, 4, 0), and the arm's own turn
    np.testing.assert_allclose(
        momentum.angular, 0.75 * np.cross([1, 0, -0.1], [0, 4, 0]) + [0, 0, 2]
    )


def test_nothing_has_no_centre() -> None:
    model = kg.load("raff: 1\nname: bare\njoints:\n  - {name: J, parent: base, shape: none}\n")
    with pytest.raises(NumberError, match="'bare' has no mass"):
        kg.dynamics.centre_of_mass(model.compile())
    assert not kg.dynamics.momentum(model.compile(), [0.0], [1.0]).linear.any()
