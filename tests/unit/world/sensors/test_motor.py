from __future__ import annotations

import pytest

from kinegen.errors import UsageError
from tests.support.worlds import ARM, world

HOT = """raff: 1
gravity: [0, 0, 0]
joints:
  - {name: A, parent: base, mass: 1, shape: {box: [1, 0.1, 0.1]}, limits: [0, 1 deg],
     motor: {torque: 10, gear: 10, mode: torque, thermal: {torque_constant: 0.1, resistance: 2,
       thermal_resistance: 4, heat_capacity: 0.5}}}
sensors:
  - {name: amps, type: current, parent: A}
  - {name: warmth, type: temperature, parent: A, resolution: 0.5}
"""


def test_current_and_temperature_are_measured_and_are_signals() -> None:
    with world(HOT) as one:
        one.command({"A": 2.0})
        one.run(1.0)
        assert one.signals["amps"].value == pytest.approx(2.0)  # 2 N m over 0.1 N m/A times 10
        true = one.signals["A.temperature"].value
        # 4 A² times 2 ohm into 0.5 J/K for half a time constant: 32 K (1 - exp(-1/2)), and more
        # because the winding's resistance grows
        assert 12.5 < true - 25 < 15
        assert one.signals["warmth"].value == pytest.approx(true, abs=0.3)
        assert one.signals["warmth"].value % 0.5 == 0


def test_a_motor_without_thermal_data_is_refused() -> None:
    with pytest.raises(UsageError, match="the motor of joint 'A' has no thermal data"):
        world(ARM, "sensors: [{name: t, type: temperature, parent: A}]\n")
