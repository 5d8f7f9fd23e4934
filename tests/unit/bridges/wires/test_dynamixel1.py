"""What is particular about Dynamixel's AX series."""

from __future__ import annotations

import pytest

from kinegen.bridges.servos.bus import PING
from tests.support.bridged import advance, arm, client


def test_errors_are_those_of_the_maker() -> None:
    one = client("dynamixel1", "so101")
    assert one.ask(1, PING) == [(1, 0, b"")]
    assert one.read(1, "model") == 12
    assert one.write(1, "goal_position", 1022) == 0x02
    assert one.write(1, "goal_position", 520) == 0
    assert one.read(1, "torque") == 1  # a goal switches it on
    assert one.write(1, "led", 7) == 0x08
    assert one.ask(1, 0x44)[0][1] == 0x40


def test_a_wheel_turns_on_and_on() -> None:
    one = client("dynamixel1", arm())
    one.write(1, "least_position", 0)
    one.write(1, "greatest_position", 0)
    one.write(1, "goal_speed", -60)
    advance(one, 0.5)
    assert one.read(1, "present_speed") == pytest.approx(-60, abs=3)
