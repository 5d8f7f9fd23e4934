"""The reduced engine against MuJoCo, whose stiff loops close with the step."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.engines.reduced.engine import ReducedEngine
from kinegen.dynamics.simulation.system import System

pytest.importorskip("mujoco")


@pytest.mark.parametrize("name", ["five-bar", "four-bar", "3-rrr", "stewart", "bricard"])
def test_falls_agree(name: str) -> None:
    from kinegen.dynamics.engines.mujoco.engine import MujocoEngine

    ends = []
    for maker in (ReducedEngine, MujocoEngine):
        system = System.of(kg.load(name), gravity=(1.0, -9.0, -2.0))
        engine = maker(system, 2e-4)
        engine.advance(None, 750)
        ends.append(kg.forward(system.model, engine.q)[:, 4:])
    moved = np.abs(ends[0] - kg.forward(system.model, kg.assemble(system.model).q)[:, 4:]).max()
    assert moved > 0.01
    # MuJoCo's gap over 0.15 s, from its soft equations
    assert np.abs(ends[0] - ends[1]).max() < 2e-4 * moved
