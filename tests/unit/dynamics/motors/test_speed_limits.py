"""Speed limits of motors: reached, not passed, and no bar to their full effort."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg

FINGER = """
raff: 1
name: finger
joints:
  - {name: A, type: prismatic, parent: base, rpy: [0, 90 deg, 0], mass: 0.015, limits: [-1, STOP],
     motor: {force: 60, speed: 0.1, MOTOR}}
"""
STEP = 1e-3
POSITION, TORQUE = ("kp: 6000, kd: 20", 0.5), ("mode: torque", 60.0)


def efforts_and_speeds(run: kg.Simulation, time: float) -> tuple[np.ndarray, np.ndarray]:
    assert run.servos is not None
    efforts, speeds = [], []
    for _ in range(round(time / STEP)):
        run.advance(STEP)
        assert run.servos.report is not None
        efforts.append(float(run.servos.report.efforts[0]))
        speeds.append(float(run.engine.v[0]))
    return np.array(efforts), np.array(speeds)


@pytest.mark.parametrize(("motor", "target"), [POSITION, TORQUE], ids=["position", "torque"])
def test_a_light_finger_grips_with_all_its_force(motor: str, target: float) -> None:
    """15 g at 0.1 m/s need next to no force; against a stop the motor gives all it has."""
    text = FINGER.replace("MOTOR", motor)
    free = kg.simulate(kg.load(text.replace("STOP", "0.9")), time=0.3, targets={"A": target})
    assert free.v.max() == pytest.approx(0.1, rel=1e-3)
    held = kg.Simulation(kg.load(text.replace("STOP", "0.01")), targets={"A": target})
    efforts, _ = efforts_and_speeds(held, 0.4)
    assert efforts[-1] == pytest.approx(60, rel=1e-6)
    # and what held it does not throw it when it turns back
    assert held.servos is not None
    held.servos.set_targets({"A": -target})
    _, speeds = efforts_and_speeds(held, 0.04)
    assert np.abs(speeds).max() < 0.11


@pytest.mark.parametrize("engine", ["reduced", "impulse", "mujoco"])
def test_a_hoist_reaches_its_speed_with_its_load(engine: str) -> None:
    """2 kg on a light carriage: the motor carries their weight and moves them at its limit."""
    if engine == "mujoco":
        pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")
    text = """
raff: 1
name: hoist
joints:
  - {name: A, type: prismatic, parent: base, mass: 2, motor: {force: 30, speed: 0.5}}
"""
    run = kg.Simulation(kg.load(text), engine=engine, targets={"A": 10.0})
    efforts, speeds = efforts_and_speeds(run, 0.5)
    assert speeds[-1] == pytest.approx(0.5, rel=1e-6)
    assert speeds.max() < 0.5 * (1 + 1e-6)
    assert efforts[-1] == pytest.approx(2 * 9.80665, rel=1e-3)


@pytest.mark.parametrize("share", [1, 4, 20])
def test_a_limit_holds_while_the_inertia_changes(share: float) -> None:
    """A mass is drawn in: what the motor turns falls to a fraction of what it was."""
    text = f"""
raff: 1
name: fold
joints:
  - {{name: A, parent: base, mass: 0.1, centre: [0, 0, 0], inertia: [0.01, 0.01, 0.01],
     motor: {{torque: 50, speed: 2}}}}
  - {{name: B, type: prismatic, parent: A, rpy: [0, 90 deg, 0], mass: 1, centre: [0, 0, 0],
     inertia: [1e-4, 1e-4, 1e-4], start: {math.sqrt(0.01 * (share - 1))}, motor: {{force: 500}}}}
"""
    run = kg.Simulation(kg.load(text), targets={"A": 100.0, "B": 0.0})
    _, speeds = efforts_and_speeds(run, 0.6)
    # drawing in speeds it up faster than a motor sees it, by less than a twentieth
    assert speeds.max() < 2 * 1.05
    assert speeds[-100:] == pytest.approx(np.full(100, 2.0), rel=1e-4)


def test_motors_that_move_each_other_reach_their_limits_together() -> None:
    """Three light links in a row, all at their limits: without rotors, each moves the others."""
    link = "mass: 0.1, centre: [0.1, 0, 0], inertia: [1e-5, 1e-5, 1e-5]"
    motor = "motor: {torque: 5, speed: 1}"
    text = f"""
raff: 1
name: chain
gravity: [0, 0, 0]
joints:
  - {{name: A, parent: base, {link}, {motor}}}
  - {{name: B, parent: A, d: 0.1, {link}, {motor}}}
  - {{name: C, parent: B, d: 0.1, {link}, {motor}}}
"""
    run = kg.Simulation(kg.load(text), targets={"A": 9.0, "B": -9.0, "C": 9.0})
    run.advance(0.3)
    speeds = []
    for _ in range(200):
        run.advance(STEP)
        speeds.append(run.engine.v.copy())
    assert np.array(speeds) == pytest.approx(np.tile([1.0, -1.0, 1.0], (200, 1)), abs=1e-2)
