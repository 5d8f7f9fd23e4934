from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.motors.motor import Mode
from kinegen.dynamics.motors.profiles import Profiles
from kinegen.dynamics.motors.targets import Targets

ARM = """raff: 1
gravity: [0, 0, 0]
joints:
  - {{name: A, parent: base, mass: 1, shape: {{box: [1, 0.1, 0.1]}},
     motor: {{torque: 500, speed: 2, acceleration: 8, {more}}}}}
"""
H = 1e-3


def profile(more: str, mode: Mode = Mode.POSITION) -> tuple[Profiles, kg.Model]:
    model = kg.load(ARM.format(more=more)).compile()
    row = model.compiled_from.joints["A"].motors[0]
    made = Profiles(model, [row], [mode], np.array([2.0]), H)
    made.reset(np.zeros(1))
    return made, model


def followed(made: Profiles, model: kg.Model, target: float, seconds: float) -> np.ndarray:
    """Position, speed and acceleration at every step, (n, 3)."""
    rows = []
    for _ in range(round(seconds / H)):
        aim = Targets.at(model, np.array([target]))
        shaped = made.shaped(aim)
        rows.append((shaped.q[0], shaped.v[0], shaped.vdot[0]))
    return np.array(rows)


def test_a_trapezoid_keeps_its_limits_and_takes_the_least_time() -> None:
    made, model = profile("profile: trapezoidal")
    way = followed(made, model, 1.0, 1.0)
    assert way[:, 1].max() == pytest.approx(2.0, rel=1e-9)
    assert np.abs(way[:, 2]).max() <= 8 * (1 + 1e-9)
    # v/a + d/v = 0.25 + 0.5 s, but for the last steps of rounding
    arrived = H * (1 + int(np.flatnonzero(np.abs(way[:, 0] - 1) > 1e-4)[-1]))
    assert arrived == pytest.approx(0.75, abs=0.01)
    assert way[-1, 0] == pytest.approx(1.0, abs=1e-9) and way[:, 0].max() < 1 + 1e-9


def test_a_short_way_is_a_triangle() -> None:
    made, model = profile("profile: trapezoidal")
    way = followed(made, model, 0.125, 1.0)
    assert way[:, 1].max() == pytest.approx(np.sqrt(8 * 0.125), rel=0.01)
    assert way[-1, 0] == pytest.approx(0.125, abs=1e-9)


def test_a_jerk_limited_profile_keeps_its_jerk_too() -> None:
    made, model = profile("profile: jerk-limited, jerk: 80")
    way = followed(made, model, 1.0, 1.2)
    assert way[:, 1].max() <= 2 * (1 + 1e-9)
    assert np.abs(way[:, 2]).max() <= 8 * (1 + 1e-9)
    assert np.abs(np.diff(way[:, 2]) / H).max() == pytest.approx(80, rel=1e-6)
    assert way[-1, 0] == pytest.approx(1.0, abs=1e-9)


def test_a_target_may_change_on_the_way() -> None:
    made, model = profile("profile: trapezoidal")
    there = followed(made, model, 1.0, 0.4)
    back = followed(made, model, -0.2, 1.5)
    way = np.vstack([there, back])
    assert np.abs(np.diff(way[:, 1])).max() <= 8 * H * (1 + 1e-9)
    assert back[-1, 0] == pytest.approx(-0.2, abs=1e-9)


def test_a_speed_is_reached_with_the_acceleration() -> None:
    made, _ = profile("profile: trapezoidal", Mode.VELOCITY)
    aim = Targets(np.zeros(1), np.array([1.0]), np.zeros(1), np.zeros(1))
    speeds = [made.shaped(aim).v[0] for _ in range(200)]
    assert speeds[:3] == pytest.approx([0.008, 0.016, 0.024])
    assert speeds[-1] == 1.0


def test_the_joint_follows_its_profile() -> None:
    mechanism = kg.load(ARM.format(more="profile: trapezoidal"))
    run = kg.simulate(mechanism, targets={"A": 1.0}, time=1.2)
    assert np.abs(run.v).max() == pytest.approx(2.0, rel=0.05)
    assert run.q[-1, 0] == pytest.approx(1.0, abs=1e-3)
    without = kg.simulate(kg.load(ARM.format(more="profile: none")), targets={"A": 1.0}, time=1.2)
    rise = np.diff(without.v[:, 0]) / np.diff(without.times)
    assert rise.max() > 2 * (np.diff(run.v[:, 0]) / np.diff(run.times)).max()
