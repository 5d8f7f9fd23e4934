"""Motor torques for motions, against the engines' own equations."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.engine import Loads
from kinegen.dynamics.motion_torques import MotionTorques
from kinegen.dynamics.motor import Motors
from kinegen.dynamics.reduced import ReducedEngine


@pytest.mark.parametrize("name", ["arm-6", "five-bar", "stewart"])
def test_the_engine_accelerates_as_was_wanted(name: str) -> None:
    system = kg.System.of(kg.load(name), gravity=(1, -2, -9))
    engine = ReducedEngine(system, 1e-3)
    rng = np.random.default_rng(2)
    engine.reset(None, 0.3 * rng.normal(size=system.model.nv))
    q, v = engine.q, engine.v
    motors = Motors.of(system, q)
    vdot = rng.normal(size=system.model.nv)
    torques = MotionTorques(system.model)
    efforts = torques.for_motion(q, v, vdot, motors.driven, np.zeros(system.model.nv))
    assert not efforts[~motors.driven].any()
    found = engine.accelerations(Loads.of(system.model, efforts))
    np.testing.assert_allclose(found[motors.driven], vdot[motors.driven], atol=1e-7)
    again = torques.motion_for(q, v, efforts, np.zeros(system.model.nv))
    np.testing.assert_allclose(again[motors.driven], vdot[motors.driven], atol=1e-7)
