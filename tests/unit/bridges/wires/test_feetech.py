"""What is particular about Feetech's servos."""

from __future__ import annotations

import pytest

import kinegen as kg
from kinegen.bridges.lerobot import calibration
from kinegen.bridges.servos.bus import WRITE
from tests.support.bridged import advance, arm, client


def test_what_lerobot_writes_at_connect_is_taken() -> None:
    one = client("feetech", "so101")
    assert [one.read(i, "model") for i in range(1, 7)] == [777] * 6
    assert len({one.read(i, "firmware_minor") for i in range(1, 7)}) == 1
    for i in range(1, 7):
        for name, value in [
            ("torque", 0), ("lock", 0), ("return_delay", 0), ("acceleration_limit", 254),
            ("acceleration", 254), ("mode", 0), ("p", 16), ("i", 0), ("d", 32),
        ]:  # fmt: skip
            assert one.write(i, name, value) == 0
            assert one.read(i, name) == value
    for name, value in [("greatest_torque", 500), ("protection_current", 250),
                        ("overload_torque", 25)]:  # fmt: skip
        assert one.write(6, name, value) == 0


def test_a_homing_offset_shifts_positions_and_goals() -> None:
    one = client("feetech", "so101")
    before = one.read(1, "present_position")
    one.write(1, "homing_offset", -100)
    assert one.read(1, "homing_offset") == -100
    assert one.read(1, "present_position") == before + 100
    one.write(1, "goal_position", before + 100)
    assert one.robot.servos[0].goal == pytest.approx(one.robot.servos[0].position, abs=1e-3)
    one.write(1, "homing_offset", 0)
    one.write(1, "torque", 128)  # here is the middle
    assert one.read(1, "present_position") == 2048


def test_a_goal_switches_the_torque_on() -> None:
    one = client("feetech", "so101")
    assert one.read(2, "torque") == 0
    one.write(2, "goal_position", 2000)
    assert one.read(2, "torque") == 1


def test_acceleration_goal_and_speed_in_one_packet() -> None:
    """As WritePosEx of Feetech's own library does."""
    one = client("feetech", arm())
    data = bytes([41, 50]) + (1800).to_bytes(2, "little") + bytes(2) + (300).to_bytes(2, "little")
    assert one.ask(1, WRITE, data)[0][1] == 0
    servo = one.robot.servos[0]
    assert servo.speed == pytest.approx(300 * 2 * 3.14159265 / 4096)
    assert servo.acceleration == pytest.approx(5000 * 2 * 3.14159265 / 4096)
    advance(one, 0.3)
    assert one.read(1, "present_speed") == pytest.approx(-300, abs=30)  # it goes down to 1800
    assert one.read(1, "moving") == 1


def test_velocity_and_open_loop_modes() -> None:
    one = client("feetech", arm())
    one.write(1, "mode", 1)
    one.write(1, "goal_speed", -400)
    advance(one, 0.5)
    assert one.read(1, "present_speed") == pytest.approx(-400, abs=15)  # against the weight
    one.write(1, "mode", 2)
    one.write(1, "goal_time", 900)
    advance(one, 0.002)
    assert one.read(1, "present_load") == pytest.approx(900, abs=2)


def test_goals_keep_to_the_limits() -> None:
    one = client("feetech", "so101")
    one.write(2, "greatest_position", 2100)
    one.write(2, "goal_position", 4000)
    assert one.read(2, "goal_position") == 2100


def test_response_level_zero_answers_only_questions() -> None:
    one = client("feetech", "so101")
    one.ask(1, WRITE, bytes([8, 0]))
    assert one.ask(1, WRITE, bytes([40, 1])) == []
    assert one.read(1, "torque") == 1


def test_the_calibration_for_lerobot_is_that_of_the_registers() -> None:
    one = client("feetech")
    rows = calibration(kg.load("so101"))
    assert list(rows) == [servo.name for servo in one.robot.servos]
    for row in rows.values():
        assert row["range_min"] == one.read(row["id"], "least_position")
        assert row["range_max"] == one.read(row["id"], "greatest_position")
        assert row["homing_offset"] == one.read(row["id"], "homing_offset")
