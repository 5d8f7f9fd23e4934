from __future__ import annotations

import math

import pytest

import kinegen as kg
from kinegen.dynamics.motors.heat import COPPER
from kinegen.errors import KinegenError

ARM = """raff: 1
gravity: [0, 0, 0]
joints:
  - {{name: A, parent: base, mass: 1, shape: {{box: [1, 0.1, 0.1]}}, limits: [0, 1 deg],
     motor: {{torque: 10, gear: 10, mode: torque, thermal: {{torque_constant: 0.1, resistance: 2,
       thermal_resistance: 4, heat_capacity: 0.1{more}}}}}}}
"""


def pushed(torque: float, time: float, more: str = "") -> kg.Simulation:
    """A motor that pushes its joint against a stop."""
    simulation = kg.Simulation(kg.load(ARM.format(more=more)), targets={"A": torque})
    simulation.advance(time)
    return simulation


def test_the_current_is_the_torque_over_constant_and_gear() -> None:
    servos = pushed(2.0, 0.01).servos
    assert servos is not None
    assert servos.heat.current[0] == pytest.approx(2.0 / (10 * 0.1))


def test_a_winding_warms_to_where_losses_and_cooling_balance() -> None:
    servos = pushed(1.0, 6.0).servos  # 15 time constants of 4 K/W times 0.1 J/K
    assert servos is not None
    # 1 A through R (1 + c (T - 25)), over 4 K/W: T - 25 = 8 / (1 - 8 c)
    assert servos.heat.temperature[0] == pytest.approx(25 + 8 / (1 - 8 * COPPER), abs=1e-3)


def test_it_warms_with_its_time_constant() -> None:
    servos = pushed(0.1, 0.4).servos  # so little that the resistance stays the same
    assert servos is not None
    rise = servos.heat.temperature[0] - 25
    assert rise == pytest.approx(0.08 * (1 - math.exp(-1)), rel=1e-3)


def test_a_hot_motor_has_less_torque_and_none_at_its_limit() -> None:
    simulation = pushed(10.0, 4.0, ", derate: 60, limit: 100")
    assert simulation.servos is not None
    heat, report = simulation.servos.heat, simulation.servos.report
    assert report is not None
    # it settles where the torque that is left gives just that temperature
    assert 60 < heat.temperature[0] < 100
    left = (100 - heat.temperature[0]) / 40
    assert report.efforts[0] == pytest.approx(10 * left, rel=1e-2)
    assert report.saturated[0]


def test_a_reset_cools() -> None:
    simulation = pushed(5.0, 0.2)
    assert simulation.servos is not None and simulation.servos.heat.temperature[0] > 26
    simulation.reset()
    assert simulation.servos.heat.temperature[0] == 25


@pytest.mark.parametrize(
    ("motor", "message"),
    [
        ("{thermal: {resistance: 2}}", "needs 'torque_constant'|torque_constant"),
        ("{thermal: {torque_constant: 1, resistance: 2, thermal_resistance: 1, heat_capacity: 1,"
         " limit: 100}}", "a limit needs the motor's 'torque'"),
        ("{torque: 1, profile: trapezoidal}", "needs 'speed' and 'acceleration'"),
        ("{torque: 1, jerk: 5}", "'jerk' is for 'profile: jerk-limited'"),
    ],
)  # fmt: skip
def test_incomplete_data_are_refused(motor: str, message: str) -> None:
    with pytest.raises(KinegenError, match=message):
        kg.load(f"raff: 1\njoints: [{{name: A, parent: base, motor: {motor}}}]\n")
