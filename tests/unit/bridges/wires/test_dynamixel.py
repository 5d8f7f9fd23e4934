"""What is particular about Dynamixel's X series."""

from __future__ import annotations

import pytest

from kinegen.bridges.servos.bus import PING, READ, WRITE
from tests.support.bridged import advance, arm, client


def test_errors_are_those_of_the_maker() -> None:
    one = client("dynamixel", "so101")
    assert one.ask(1, PING)[0][2] == (1060).to_bytes(2, "little") + bytes([46])
    assert one.write(1, "model", 5) == 7  # read only
    assert one.write(1, "mode", 9) == 4
    assert one.write(1, "torque", 1) == 0
    assert one.write(1, "mode", 4) == 7  # lasting memory is locked
    assert one.write(1, "goal_position", 4090) == 6
    assert one.write(1, "goal_position", 2100) == 0
    assert one.ask(1, READ, bytes([0, 3, 4, 0]))[0][1] == 4
    assert one.ask(1, 0x44)[0][1] == 2


def test_operating_modes() -> None:
    one = client("dynamixel", arm())
    one.write(1, "mode", 1)
    one.write(1, "torque", 1)
    one.write(1, "goal_velocity", -30)
    advance(one, 0.5)
    assert one.read(1, "present_velocity") == pytest.approx(-30, abs=2)
    one.write(1, "torque", 0)
    one.write(1, "mode", 16)
    one.write(1, "torque", 1)
    one.write(1, "goal_pwm", 800)
    advance(one, 0.002)
    assert one.read(1, "present_pwm") == pytest.approx(800, abs=2)
    one.write(1, "torque", 0)
    assert one.write(1, "mode", 4) == 0
    one.write(1, "torque", 1)
    assert one.write(1, "goal_position", -5000) == 0  # several turns


def test_drive_mode_reverses_and_profiles_by_time() -> None:
    one = client("dynamixel", "so101")
    before = one.read(1, "present_position")
    one.write(1, "drive_mode", 5)
    assert one.read(1, "present_position") == 4096 - before
    one.write(1, "torque", 1)
    one.write(1, "profile_velocity", 1000)  # ms
    goal = 4096 - before + 400
    one.write(1, "goal_position", goal)
    advance(one, 0.5)
    assert one.read(1, "present_position") == pytest.approx(goal - 200, abs=20)
    advance(one, 0.7)
    assert one.read(1, "present_position") == pytest.approx(goal, abs=5)


def test_indirect_addresses() -> None:
    one = client("dynamixel", "so101")
    for i in range(4):
        one.ask(1, WRITE, bytes([168 + 2 * i, 0, 132 + i, 0]))  # present position
        one.ask(1, WRITE, bytes([176 + 2 * i, 0, 116 + i, 0]))  # goal position
    ((_, _, data),) = one.ask(1, READ, bytes([224, 0, 4, 0]))
    assert int.from_bytes(data, "little") == one.read(1, "present_position")
    one.write(1, "torque", 1)
    ((_, error, _),) = one.ask(1, WRITE, bytes([228, 0]) + (2222).to_bytes(4, "little"))
    assert error == 0
    assert one.read(1, "goal_position") == 2222


def test_bytes_that_look_like_a_header_are_stuffed() -> None:
    one = client("dynamixel", "so101")
    data = bytes.fromhex("fffffd00")
    place = bytes([634 & 255, 634 >> 8])
    assert one.ask(1, WRITE, place + data)[0][1] == 0
    assert one.ask(1, READ, place + bytes([4, 0]))[0][2] == data
