"""Drives on a CAN bus, frame by frame, without a wire; time is advanced."""

from __future__ import annotations

import math
from typing import Any

import pytest

import kinegen as kg
from kinegen.bridges.can.bus import CanBus
from kinegen.bridges.can.node import Frame
from kinegen.bridges.can.text_frames import Slcan, socketcand_read
from kinegen.bridges.process.physics import local_robot
from kinegen.bridges.wires.cia402 import Cia402Wire
from kinegen.errors import UsageError
from tests.support.bridged import arm

STEPS = 65536 / (2 * math.pi)
LIFT, HAND = 1, 2


class Master:
    """A client that speaks to one node by plain frames."""

    def __init__(self, node: int = HAND, **options: Any) -> None:
        self.robot = local_robot(arm(), step=2e-3, **options)
        self.bus = CanBus(self.robot, Cia402Wire.MAKER)
        self.node = node
        self.heard: list[Frame] = []
        self.robot.controllers.append(lambda: self.heard.extend(self.bus.tick()))
        self.robot.clock = "wall"

    def send(self, number: int, data: bytes) -> list[Frame]:
        found = self.bus.receive(Frame(number, data))
        self.robot.send()
        self.heard += found
        return found

    def advance(self, seconds: float) -> None:
        self.robot.clock = "client"
        self.robot.advance(seconds)
        self.robot.clock = "wall"

    def sdo(self, *data: int) -> bytes:
        request = bytes(data).ljust(8, b"\0")
        (answer,) = [f for f in self.send(0x600 + self.node, request) if f.id == 0x580 + self.node]
        return answer.data

    def read(self, index: int, sub: int = 0, *, signed: bool = False) -> int:
        answer = self.sdo(0x40, index & 0xFF, index >> 8, sub)
        assert answer[0] & 0xE3 == 0x43, answer.hex()
        size = 4 - (answer[0] >> 2 & 3)
        return int.from_bytes(answer[4 : 4 + size], "little", signed=signed)

    def write(self, index: int, value: int, size: int, sub: int = 0) -> int:
        """The abort code, 0 when all is well."""
        data = value.to_bytes(size, "little", signed=value < 0)
        answer = self.sdo(0x23 | (4 - size) << 2, index & 0xFF, index >> 8, sub, *data)
        return int.from_bytes(answer[4:], "little") if answer[0] == 0x80 else 0

    @property
    def status(self) -> int:
        return self.read(0x6041)

    @property
    def position(self) -> int:
        return self.read(0x6064, signed=True)

    def enable(self, mode: int) -> None:
        assert self.write(0x6060, mode, 1) == 0
        for word in (0x06, 0x07, 0x0F):
            self.write(0x6040, word, 2)
        assert self.status & 0x6F == 0x27


@pytest.fixture
def master() -> Master:
    return Master(gravity=[0, 0, 0])


def test_the_state_machine_follows_the_controlword(master: Master) -> None:
    ways = [
        (0x0F, 0x40), (0x06, 0x21), (0x07, 0x23), (0x0F, 0x27), (0x07, 0x23), (0x0F, 0x27),
        (0x06, 0x21), (0x0F, 0x27), (0x00, 0x40), (0x06, 0x21), (0x02, 0x40),
    ]  # fmt: skip
    for word, state in ways:
        master.write(0x6040, word, 2)
        mask = 0x4F if state == 0x40 else 0x6F
        assert master.status & mask == state, f"{word:#x}"
        assert master.robot.servos[1].on is (state == 0x27)


def test_a_quick_stop_ends_in_switch_on_disabled_or_stays(master: Master) -> None:
    for option, end in ((2, 0x40), (6, 0x07)):
        assert master.write(0x605A, option, 2) == 0
        master.enable(3)
        master.write(0x60FF, 20_000, 4)
        master.advance(0.4)
        assert master.read(0x606C, signed=True) > 10_000
        master.write(0x6040, 0x02, 2)
        assert master.status & 0x6F == 0x07
        master.advance(0.5)
        assert abs(master.read(0x606C, signed=True)) < 300
        assert master.status & 0x4F == end
        master.write(0x6040, 0x00, 2)
        assert master.status & 0x4F == 0x40


def test_set_points_shake_hands_and_wait_for_their_turn(master: Master) -> None:
    master.enable(1)
    start = master.position
    master.write(0x6081, 8000, 4)
    master.write(0x607A, start + 4000, 4)
    master.write(0x6040, 0x1F, 2)
    assert master.status & 0x1400 == 0x1000  # acknowledged, not reached
    master.write(0x6040, 0x0F, 2)
    assert master.status & 0x1000 == 0
    # a second one waits
    master.write(0x607A, start + 6000, 4)
    master.write(0x6040, 0x1F, 2)
    master.write(0x6040, 0x0F, 2)
    assert master.status & 0x1000
    master.advance(0.45)
    assert 2500 < master.position - start < 4500
    master.advance(1.0)
    assert master.status & 0x1400 == 0x0400
    assert master.position - start == pytest.approx(6000, abs=300)
    # relative, at once
    master.write(0x607A, -1000, 4)
    master.write(0x6040, 0x7F, 2)
    master.advance(0.6)
    assert master.position - start == pytest.approx(5000, abs=300)


def test_half_the_profile_velocity_takes_twice_the_time(master: Master) -> None:
    def seconds(speed: int, target: int) -> float:
        master.write(0x6081, speed, 4)
        master.write(0x607A, target, 4)
        master.write(0x6040, 0x0F, 2)
        master.write(0x6040, 0x3F, 2)
        begin = master.robot.time
        while not master.status & 0x400:
            master.advance(0.01)
        return master.robot.time - begin

    master.enable(1)
    fast, slow = seconds(8000, 8000), seconds(4000, 0)
    assert slow == pytest.approx(2 * fast, rel=0.15)


def test_targets_keep_to_the_limits_of_the_joint(master: Master) -> None:
    limit = master.read(0x607D, 2, signed=True)
    assert limit == pytest.approx(math.pi / 2 * STEPS, abs=1)
    master.enable(1)
    master.write(0x607A, 2 * limit, 4)
    master.write(0x6040, 0x3F, 2)
    assert master.status & 0x0800
    assert master.read(0x6062, signed=True) == pytest.approx(limit, abs=1)


def test_velocity_and_torque(master: Master) -> None:
    master.enable(3)
    master.write(0x60FF, 5000, 4)
    master.advance(0.5)
    assert master.read(0x606C, signed=True) == pytest.approx(5000, rel=0.1)
    assert master.status & 0x1400 == 0x0400
    master.write(0x6040, 0x10F, 2)  # halt
    master.advance(0.5)
    assert master.status & 0x1400 == 0x1400
    torque = Master(LIFT, gravity=[0, 0, 0])
    torque.enable(4)
    torque.write(0x6071, 50, 2)
    torque.advance(0.2)
    assert torque.read(0x6077, signed=True) == pytest.approx(50, abs=2)
    assert torque.position > 100


def test_homing_here_and_at_a_limit(master: Master) -> None:
    master.enable(6)
    assert master.write(0x6098, 11, 1) == 0x06090030
    master.write(0x607C, 500, 4)
    master.write(0x6098, 37, 1)
    assert master.status & 0x3400 == 0x0400  # not begun
    master.write(0x6040, 0x1F, 2)
    assert master.status & 0x3400 == 0x1400
    assert master.position == 500
    master.write(0x6040, 0x0F, 2)
    master.write(0x607C, 0, 4)
    master.write(0x6098, 17, 1)
    master.write(0x6099, 30_000, 4, 1)
    master.write(0x6040, 0x1F, 2)
    assert master.status & 0x3400 == 0
    for _ in range(100):
        master.advance(0.05)
        if master.status & 0x1000:
            break
    assert master.position == pytest.approx(0, abs=200)
    assert master.robot.servos[1].position == pytest.approx(-math.pi / 2, abs=0.02)


def test_sdo_aborts_say_what_is_wrong(master: Master) -> None:
    assert master.write(0x2000, 0, 1) == 0x06020000
    assert master.write(0x6099, 0, 4, 9) == 0x06090011
    assert master.write(0x6041, 0, 2) == 0x06010002
    assert master.write(0x6040, 0, 4) == 0x06070012
    assert master.write(0x607A, 0, 2) == 0x06070013
    assert master.write(0x6060, 2, 1) == 0x06090030
    assert master.sdo(0xA0)[4:] == (0x05040001).to_bytes(4, "little")  # block transfer
    assert master.sdo(0x60)[4:] == (0x05040001).to_bytes(4, "little")  # a segment of nothing
    assert master.write(0x1010, 1, 4, 1) == 0x08000020
    assert master.write(0x1010, int.from_bytes(b"save", "little"), 4, 1) == 0


def test_texts_come_in_segments_and_numbers_may(master: Master) -> None:
    head = master.sdo(0x40, 0x08, 0x10, 0)
    assert head[0] == 0x41 and int.from_bytes(head[4:], "little") == 19
    parts, toggle = b"", 0
    while True:
        answer = master.sdo(0x60 | toggle)
        parts += answer[1 : 8 - (answer[0] >> 1 & 7)]
        toggle ^= 0x10
        if answer[0] & 1:
            break
    assert parts == b"Kinegen servo drive"
    master.sdo(0x21, 0x7A, 0x60, 0, 4)
    assert master.sdo(0x07, 1, 2, 0, 0)[0] == 0x20
    assert master.read(0x607A) == 0x0201
    master.sdo(0x21, 0x7A, 0x60, 0, 4)
    assert master.sdo(0x17, 1, 2, 0, 0)[4:] == (0x05030000).to_bytes(4, "little")


def test_cyclic_positions_with_sync_and_a_mapping_of_ones_own(master: Master) -> None:
    node = master.node
    master.write(0x1600, 0, 1)
    assert master.write(0x1600, 0x60400010, 4, 1) == 0
    assert master.write(0x1600, 0x607A0020, 4, 2) == 0
    assert master.write(0x1600, 2, 1) == 0
    assert master.write(0x1600, 0x607A0020, 4, 1) == 0x06010003  # it is in use
    assert master.write(0x1400, 1, 1, 2) == 0  # on SYNC
    master.enable(8)
    master.send(0, bytes([1, 0]))
    start = master.position
    for k in range(50):
        target = start + 100 * k
        master.send(
            0x200 + node, (0x0F).to_bytes(2, "little") + target.to_bytes(4, "little", signed=True)
        )
        if k == 0:
            assert master.read(0x607A, signed=True) == 0  # not before the SYNC
        sent = {f.id: f.data for f in master.send(0x80, b"")}
        assert int.from_bytes(sent[0x280 + node][:4], "little", signed=True) == master.position
        master.advance(0.01)
    assert master.position == pytest.approx(target, abs=300)
    master.send(0x200 + node, b"\x0f")  # too short
    master.heard.clear()
    master.send(0x80, b"")
    assert [f.data[:2] for f in master.heard if f.id == 0x80 + node] == [b"\x10\x82"]


def test_mappings_that_cannot_be_are_refused(master: Master) -> None:
    master.write(0x1A00, 0, 1)
    for entry, size, code in [
        (0x60410008, 1, 0x06040041), (0x10080040, 1, 0x06040041), (0x20000010, 1, 0x06040041),
    ]:  # fmt: skip
        master.write(0x1A00, entry, 4, 1)
        assert master.write(0x1A00, size, 1) == code
    for sub in (1, 2, 3):
        master.write(0x1A00, 0x60640020, 4, sub)
    assert master.write(0x1A00, 3, 1) == 0x06040042
    assert master.write(0x1600, 0, 1) == 0
    master.write(0x1600, 0x60410010, 4, 1)  # read-only: not in a PDO that is received
    assert master.write(0x1600, 1, 1) == 0x06040041


def test_network_states_heartbeats_and_guarding(master: Master) -> None:
    node = master.node
    assert master.bus.tick()[0] == Frame(0x701, b"\0")  # boot-up
    master.write(0x1017, 100, 2)
    master.heard.clear()
    master.advance(1.0)
    beats = [f for f in master.heard if f.id == 0x700 + node]
    assert 9 <= len(beats) <= 11 and beats[0].data == b"\x7f"
    master.send(0, bytes([2, node]))
    assert master.send(0x600 + node, bytes.fromhex("4041600000000000")) == []
    master.send(0, bytes([1, node]))
    for toggle in (0x05, 0x85):
        found = master.bus.receive(Frame(0x700 + node, b"\0", True))
        assert Frame(0x700 + node, bytes([toggle])) in found
    master.enable(1)
    master.send(0, bytes([0x81, node]))
    assert master.read(0x1017) == 1000 and master.status & 0x4F == 0x40


def test_a_hot_motor_faults_and_is_reset_when_it_is_cool(master: Master) -> None:
    from kinegen.bridges.process.layout import Measured

    master.enable(1)
    master.robot.table[1, Measured.TEMPERATURE] = 150.0
    master.heard.clear()
    assert master.status & 0x4F == 0x08
    assert master.read(0x603F) == 0x4210 and master.read(0x1001) == 1
    assert any(f.id == 0x80 + master.node and f.data[:2] == b"\x10\x42" for f in master.heard)
    master.write(0x6040, 0x80, 2)
    assert master.status & 0x4F == 0x08  # still hot
    master.robot.table[1, Measured.TEMPERATURE] = 30.0
    master.write(0x6040, 0x00, 2)
    master.write(0x6040, 0x80, 2)
    assert master.status & 0x4F == 0x40


def test_adapters_read_torn_and_wrong_commands() -> None:
    one = Slcan()
    assert one.feed(b"t60") == []
    assert one.feed(b"1240\r") == [(b"\a", None)]  # closed
    assert [a for a, _ in one.feed(b"S6\rO\rV\rS9\rt60\r\r")] == [
        b"\r", b"\r", b"V1013\r", b"\a", b"\a", b"\r",
    ]  # fmt: skip
    assert one.feed(b"t60124060\r")[0] == (b"z\r", Frame(0x601, b"\x40\x60"))
    assert one.feed(b"t6019" + b"00" * 9 + b"\r")[0] == (b"\a", None)
    assert one.feed(b"x" * 10_000 + b"\r")[0] == (b"\a", None)
    assert socketcand_read(b"send 601 2 40 1") == Frame(0x601, b"\x40\x01")
    assert socketcand_read(b"send 601 3 40 1") is None


def test_ids_beyond_127_are_refused() -> None:
    text = "raff: 1\njoints: [{name: A, parent: base, motor: {torque: 1, id: 200}, mass: 1}]\n"
    with pytest.raises(UsageError, match="1 to 127"):
        CanBus(local_robot(kg.load(text)), Cia402Wire.MAKER)
