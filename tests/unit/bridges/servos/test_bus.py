"""Physics shows through every servo bus; groups, silence, lock-step."""

from __future__ import annotations

import math

import pytest

import kinegen as kg
from kinegen.bridges.servos.bus import (
    ACTION,
    BULK_READ,
    FAST_SYNC_READ,
    PING,
    REBOOT,
    REG_WRITE,
    SYNC_READ,
    SYNC_WRITE,
)
from tests.support.bridged import ARM, Client, advance, arm, client, until, wire

BUSES = ["feetech", "dynamixel", "dynamixel1"]
SPEED = {"feetech": "goal_speed", "dynamixel": "profile_velocity", "dynamixel1": "goal_speed"}


@pytest.mark.parametrize("kind", BUSES)
def test_torque_off_lets_the_arm_sink(kind: str) -> None:
    one = client(kind, arm())
    one.write(1, "torque", 1)
    start = one.read(1, "present_position")
    advance(one, 0.5)
    held = one.read(1, "present_position")
    one.write(1, "torque", 0)
    advance(one, 0.5)
    sunk = one.read(1, "present_position")
    assert abs(held - start) < 0.05 * (sunk - start)
    assert one.read(1, "torque") == 0


@pytest.mark.parametrize("kind", BUSES)
def test_a_heavier_load_sags_more_and_reads_higher(kind: str) -> None:
    found = []
    for mass in (0.1, 0.3):
        one = client(kind, arm(mass))
        start = one.read(1, "present_position")
        for i in (1, 2):
            one.write(i, "torque", 1)
        advance(one, 2.0)
        found.append((one.read(1, "present_position") - start, one.read(1, "present_load")))
    (sag, load), (more_sag, more_load) = found
    assert 0 < sag < more_sag  # positive turns the arm down
    assert more_load < load < 0  # and the motor pushes up
    # m g r / 3 N m, in thousandths: 9.81 (0.1 0.2 + m 0.42) / 3
    assert load == pytest.approx(-1000 * 9.81 * (0.02 + 0.042) / 3, rel=0.05)
    assert more_load == pytest.approx(-1000 * 9.81 * (0.02 + 0.126) / 3, rel=0.05)


@pytest.mark.parametrize("kind", BUSES)
def test_half_the_speed_takes_twice_the_time(kind: str) -> None:
    times = []
    steps = 1 if kind == "dynamixel1" else 4  # encoders differ
    slow = {"feetech": 400, "dynamixel": 40, "dynamixel1": 80}[kind]
    for speed in (slow, slow // 2):
        one = client(kind, arm())
        for i in (1, 2):
            one.write(i, "torque", 1)
        advance(one, 0.5)
        start = one.read(1, "present_position")
        one.write(1, SPEED[kind], speed)
        one.write(1, "goal_position", start - 100 * steps)
        times.append(until(one, 1, start - 90 * steps))
    assert times[1] == pytest.approx(2 * times[0], rel=0.1)


@pytest.mark.parametrize("kind", BUSES)
def test_a_stop_holds_it_short(kind: str) -> None:
    """The joint's own stop, with the limits of the servo opened."""
    one = client(kind, arm())
    one.write(1, "greatest_position", 1023 if kind == "dynamixel1" else 4095)
    far = {"feetech": 4000, "dynamixel": 4000, "dynamixel1": 1020}[kind]
    assert one.write(1, "torque", 1) == 0
    assert one.write(1, "goal_position", far) == 0
    advance(one, 1.0)
    assert one.read(1, "present_position") < far - 50
    assert one.read(1, "present_load") > 950
    assert one.read(1, "present_voltage") < (73 if kind == "feetech" else 110)  # 7.4 and 11.1 V


def test_an_obstacle_stops_the_arm_short() -> None:
    """The hand, a ball of 3 cm on an arm of 40 cm, touches a block 25 cm below the shoulder."""
    text = ARM.replace("mass: MASS", "mass: 0.1, shape: {sphere: 0.03}")
    block = "{name: block, shape: {box: [0.4, 0.4, 0.1]}, fixed: true, at: {xyz: [0.3, 0, -0.3]}}"
    free = client("feetech", kg.load(text))
    stopped = client("feetech", kg.load(f"{text}\nobjects: [{block}]"))
    for one in (free, stopped):
        one.write(1, "goal_position", 3000)
        advance(one, 1.0)
    assert free.read(1, "present_position") == pytest.approx(3000, abs=20)
    there = 2048 + math.asin((0.25 - 0.03) / 0.4) / (2 * math.pi) * 4096
    assert stopped.read(1, "present_position") == pytest.approx(there, abs=4)
    assert stopped.read(1, "present_load") > 950 > 10 * abs(free.read(1, "present_load"))


@pytest.mark.parametrize("kind", BUSES)
def test_groups_and_prepared_writes(kind: str) -> None:
    one = client(kind, "so101")
    width = one.width
    place = next(r for r in one.bus.MEMORY.TABLE if r.name == "goal_position")
    at = place.address.to_bytes(width, "little")
    size = place.size.to_bytes(width, "little")
    for i in range(1, 7):
        one.write(i, "torque", 1)
    here = {i: one.read(i, "present_position") for i in (1, 3)}
    rows = b"".join(bytes([i]) + place.encode(here[i] + 20) for i in (1, 3))
    assert one.ask(254, SYNC_WRITE, at + size + rows) == []
    assert [one.read(i, "goal_position") - here[i] for i in (1, 3)] == [20, 20]
    # answers in the order that was asked for; an absent one is silent
    found = one.ask(254, SYNC_READ, at + size + bytes([3, 9, 1]))
    assert [(i, place.decode(data)) for i, _, data in found] == [
        (i, one.read(i, "goal_position")) for i in (3, 1)
    ]
    assert [i for i, _, _ in one.ask(254, PING)] == [1, 2, 3, 4, 5, 6]
    one.ask(1, REG_WRITE, at + place.encode(here[1]))
    assert one.read(1, "registered") == 1
    assert one.read(1, "goal_position") == here[1] + 20
    one.ask(254, ACTION)
    assert one.read(1, "goal_position") == here[1]
    bulk = bytes([0, place.size, 1, place.address]) if width == 1 else bytes([1]) + at + size
    assert place.decode(one.ask(254, BULK_READ, bulk)[0][2]) == here[1]
    one.ask(1, REBOOT)
    assert one.read(1, "torque") == 0


def test_fast_sync_read_is_one_packet_with_running_checksums() -> None:
    one = client("dynamixel", "so101")
    packet = one.framing.packet(254, FAST_SYNC_READ, bytes([132, 0, 4, 0, 1, 2]))
    answer = one.bus.answer(packet)
    assert answer[:5] == bytes.fromhex("fffffd00fe")
    assert int.from_bytes(answer[5:7], "little") == len(answer) - 7
    assert (answer[9], answer[17]) == (1, 2)
    assert int.from_bytes(answer[10:14], "little") == one.read(1, "present_position")


@pytest.mark.parametrize("kind", BUSES)
def test_silence(kind: str) -> None:
    one = client(kind, "so101")
    ping = one.framing.packet(1, PING)
    good = one.bus.servos[0].baud
    assert one.bus.answer(ping, good)
    assert one.bus.answer(ping, good + 1) == b""  # a wrong speed
    assert one.ask(99, PING) == []
    assert one.bus.answer(ping[:-1] + bytes([ping[-1] ^ 1])) == b""
    assert one.bus.answer(ping)


@pytest.mark.parametrize("kind", BUSES)
def test_an_id_and_a_speed_can_be_changed(kind: str) -> None:
    one = client(kind, "so101")
    assert one.write(2, "id", 42) == 0
    assert one.ask(2, PING) == []
    assert one.ask(42, PING)[0][0] == 42
    before = one.bus.servos[1].baud
    one.write(42, "baud", 3)
    assert one.bus.servos[1].baud != before


@pytest.mark.parametrize("kind", BUSES)
def test_lock_step_is_identical_bit_by_bit(kind: str) -> None:
    def run() -> list[bytes]:
        bus = wire(kind, "so101", period=0.01)
        one = Client(bus)  # type: ignore[arg-type]
        place = next(r for r in one.bus.MEMORY.TABLE if r.name == "present_position")
        asked = place.address.to_bytes(one.width, "little") + place.size.to_bytes(
            one.width, "little"
        )
        read = one.framing.packet(254, SYNC_READ, asked + bytes(range(1, 7)))
        one.write(2, "torque", 1)
        one.write(2, "goal_position", {"dynamixel1": 500}.get(kind, 2000))
        answers = [bus.answer(read) for _ in range(20)]
        assert bus.robot.time == pytest.approx(0.2)
        return answers

    first = run()
    assert first == run()
    assert len(set(first)) > 15


def test_servos_that_are_read_one_by_one_share_a_period() -> None:
    one = client("feetech", "so101")
    one.robot.clock = "client"
    for _ in range(5):
        for i in range(1, 7):
            one.read(i, "present_position")
            one.read(i, "present_temperature")
    assert one.robot.time == pytest.approx(5 * 0.02)


def test_words_for_people() -> None:
    one = client("feetech", "so101")
    one.write(2, "goal_position", 1800)
    words = [packet.words for packet in one.bus.traffic.last()]
    assert words == ["servo 2: write goal position = 1800", "servo 2 answers ok"]
    assert one.bus.traffic.received == 1
