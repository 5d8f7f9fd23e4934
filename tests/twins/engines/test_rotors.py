"""Rotors of geared motors: closed forms on every engine, and engines that agree."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.engines.registry import make_engine

ENGINES = [
    "reduced",
    "impulse",
    pytest.param("mujoco", marks=pytest.mark.skipif("mujoco" not in kg.dynamics.engine_names(),
                 reason="MuJoCo has no wheel for this platform")),
]  # fmt: skip
ROTOR = 345**2 * 2.35e-7
"""Seen from the joint [kg m²]: far more than the light links have."""


def arm(joints: int, start: str = "0.02") -> kg.Mechanism:
    """Light links in a row, which hang and have rotors."""
    rows = "".join(
        f"  - {{name: J{k}, parent: {f'J{k - 1}' if k else 'base'}, d: {0.1 if k else 0}, "
        f"start: {start}, mass: 0.1, centre: [0.1, 0, 0], inertia: [1e-6, 1e-6, 1e-6], "
        "motor: {gear: 345, inertia: 2.35e-7}}\n"
        for k in range(joints)
    )
    return kg.load(f"raff: 1\nname: arm\njoints:\n{rows}")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_pendulum_with_a_rotor_has_the_period_of_both(engine: str) -> None:
    """Small swings: the pull of gravity over the inertia of link and rotor."""
    mechanism, g = arm(1), 9.81
    system = kg.dynamics.System.of(mechanism, gravity=(g, 0, 0))
    rate = np.sqrt(0.1 * g * 0.1 / (0.1 * 0.1**2 + 1e-6 + ROTOR))
    made = make_engine(system, engine, 1e-3)
    made.advance(None, 700)
    # 0.02 rad: the period grows by a²/16, 2.5e-5
    assert made.q[0] == pytest.approx(0.02 * np.cos(rate * 0.7), abs=2e-6)


@pytest.mark.parametrize("step", [1e-3, 2e-4])
def test_what_the_impulse_engine_misses_does_not_add_up(step: float) -> None:
    """A short step leaves a small gap in the look ahead: no momentum may be lost to it."""
    system = kg.dynamics.System.of(arm(3, "0.4"), gravity=(4, -6, 0))
    ends = []
    for engine in ("reduced", "impulse"):
        made = make_engine(system, engine, step)
        made.advance(None, round(0.5 / step))
        ends.append(made.q.copy())
    # of second order: 3.6e-6 at 1 ms
    assert ends[1] == pytest.approx(ends[0], abs=1e-5 * (step / 1e-3) ** 2 + 2e-7)
