"""Motor torques for motions, against the engines' own equations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.engines.engine import Loads
from kinegen.dynamics.engines.reduced.engine import ReducedEngine
from kinegen.dynamics.motors.motor import Motors
from kinegen.dynamics.tree.motion_torques import MotionTorques


@pytest.mark.parametrize("name", ["arm-6", "five-bar", "stewart"])
def test_the_engine_accelerates_as_was_wanted(name: str) -> None:
    system = kg.dynamics.System.of(kg.load(name), gravity=(1, -2, -9))
    engine = ReducedEngine(system, 1e-3)
    rng = np.random.default_rng(2)
    engine.reset(None, 0.3 * rng.normal(size=system.model.nv))
    q, v = engine.q, engine.v
    motors = Motors.of(system, q)
    vdot = rng.normal(size=system.model.nv)
    torques = MotionTorques(system)
    efforts = torques.for_motion(q, v, vdot, motors.driven, np.zeros(system.model.nv))
    assert not efforts[~motors.driven].any()
    found = engine.accelerations(Loads.of(system.model, efforts=efforts))
    np.testing.assert_allclose(found[motors.driven], vdot[motors.driven], atol=1e-7)
    again = torques.motion_for(q, v, efforts, np.zeros(system.model.nv))
    np.testing.assert_allclose(again[motors.driven], vdot[motors.driven], atol=1e-7)


SPRUNG = """
raff: 1
name: sprung
joints:
  - {name: A, parent: base, motor: true, BAR}
  - {name: B, parent: A, d: 1, start: 60 deg, BAR}
  - {name: C, parent: base, d: 1.5, start: 80 deg, BAR}
  - {name: D, parent: C, d: 1, start: 40 deg, BAR}
  - {name: E, parent: D, d: 1, motor: true, closes: {onto: B, d: 1}}
springs:
  - {name: S, from: {link: A, xyz: [0.5, 0, 0]}, to: {link: C, xyz: [0.7, 0.2, 0]}, stiffness: 300,
     damping: 20, rest: 0.4}
""".replace("BAR", "mass: 1, centre: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]")


def test_springs_between_points_are_overcome(tmp_path: Path) -> None:
    file = tmp_path / "sprung.raff"
    file.write_text(SPRUNG)
    system = kg.dynamics.System.of(kg.load(str(file)), gravity=(1, -9, 0))
    model = system.model
    wanted, faster = {"A": 2.0, "C": -1.0}, {"A": 3.0, "C": 5.0}
    engine = ReducedEngine(system, 1e-3)
    engine.reset(None, wanted)
    found = kg.dynamics.motor_efforts(system, engine.q, wanted, faster, motors=["A", "C"])
    rate = engine.accelerations(Loads.of(model, efforts=found.efforts))
    for name, value in faster.items():
        assert rate[model.joint(name).v] == pytest.approx(value, abs=1e-8)
    bare = kg.load(str(file))
    bare.scene["springs"] = []
    free = kg.dynamics.System.of(bare, gravity=(1, -9, 0))
    without = kg.dynamics.motor_efforts(free, engine.q, wanted, faster, motors=["A", "C"])
    assert np.abs(found.efforts - without.efforts).max() > 1
    # servos that compute their torques know them as well
    motors = Motors.of(system, engine.q)
    torques = MotionTorques(system)
    push = torques.for_motion(engine.q, engine.v, found.vdot, motors.driven, np.zeros(model.nv))
    rate = engine.accelerations(Loads.of(model, efforts=push))
    full = torques.motion_for(engine.q, engine.v, push, np.zeros(model.nv))
    np.testing.assert_allclose(full, found.vdot, atol=1e-7)
    np.testing.assert_allclose(rate[system.tree], found.vdot[system.tree], atol=1e-7)
