from __future__ import annotations

import math

import pytest

import kinegen as kg
from kinegen.dynamics.motors.laws import CONTROLLERS
from kinegen.errors import KinegenError, RaffError

ARM = """raff: 1
name: arm
joints:
  - {{name: a, parent: base, alpha: 90 deg, mass: 1, centre: [0.2, 0, 0],
     inertia: [0.01, 0.01, 0.01, 0, 0, 0], motor: {{torque: 20, {motor}}}}}
"""


def simulated(motor: str, target: float = 0.5, time: float = 3.0) -> kg.Simulation:
    text = kg.load(ARM.format(motor=motor))
    simulation = kg.Simulation(text, targets={"a": target}, record=0)
    simulation.advance(time)
    assert not simulation.reason
    return simulation


def test_an_integral_part_lifts_a_weight_all_the_way() -> None:
    gains = "kp: 60, kd: 6"
    sags = simulated(f"controller: pid, controller_options: {{{gains}}}")
    # without it the joint rests where kp e is the weight's moment
    moment = 9.81 * 0.2 * math.cos(float(sags.last.q[0]))
    assert 60 * (0.5 - sags.last.q[0]) == pytest.approx(moment, rel=1e-3)
    lifts = simulated(f"controller: pid, controller_options: {{{gains}, ki: 150}}")
    assert lifts.last.q[0] == pytest.approx(0.5, abs=1e-3)
    assert lifts.efforts[0] == pytest.approx(9.81 * 0.2 * math.cos(0.5), rel=1e-2)


def test_a_lag_is_one_of_first_order() -> None:
    text = kg.load(ARM.format(motor="mode: torque, actuator: lag, actuator_options: {time: 0.1}"))
    simulation = kg.Simulation(text, targets={"a": 3.0}, record=0, gravity=(0, 0, 0))
    simulation.advance(0.1)
    assert simulation.efforts[0] == pytest.approx(3 * (1 - math.exp(-1)), rel=1e-9)
    simulation.reset()
    simulation.advance(0.001)
    assert simulation.efforts[0] == pytest.approx(3 * (1 - math.exp(-0.01)), rel=1e-9)


def test_limits_of_the_motor_still_hold() -> None:
    motor = "controller: pid, controller_options: {kp: 1e5}"
    assert abs(simulated(motor, time=0.001).efforts[0]) == pytest.approx(20)


@pytest.mark.parametrize(
    ("motor", "words"),
    [
        ("controller: pdi", "pid"),
        ("actuator: leg", "lag"),
        ("controller: pid", "kp"),
        ("controller: pid, controller_options: {kq: 3}", "kq"),
        ("actuator: lag, actuator_options: {time: 0}", "positive time"),
        ("controller_options: {kp: 3}", "without 'controller'"),
    ],
)
def test_bad_rows_are_named(motor: str, words: str) -> None:
    with pytest.raises((RaffError, KinegenError)) as raised:
        simulated(motor)
    assert words in str(raised.value)


def test_a_law_that_fails_stops_the_simulation(monkeypatch: pytest.MonkeyPatch) -> None:
    pid = CONTROLLERS.named("pid")
    for answer, words in ((float("nan"), "gave nan"), ("much", "failed")):
        monkeypatch.setattr(pid, "effort", lambda *_, answer=answer: answer)
        text = kg.load(ARM.format(motor="controller: pid, controller_options: {kp: 3}"))
        simulation = kg.Simulation(text, targets={"a": 0.5}, record=0)
        try:
            simulation.advance(0.01)
            reason = simulation.reason
        except KinegenError as error:
            reason = str(error)
        assert words in reason and "joint 'a' (Pid)" in reason
