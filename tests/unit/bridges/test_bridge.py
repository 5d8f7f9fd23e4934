"""Bridges as users start them, with the makers' own client libraries."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import kinegen as kg
from kinegen.errors import KinegenError, UsageError
from tests.support.waiting import wait_for

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo terminals")
scs = pytest.importorskip("scservo_sdk", reason="feetech-servo-sdk is not installed")
dxl = pytest.importorskip("dynamixel_sdk", reason="dynamixel-sdk is not installed")
serial = pytest.importorskip("serial", reason="pyserial is not installed")

KINDS = ["feetech", "dynamixel", "dynamixel1", "ssc32"]


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """The libraries wait for longer than 34 ms: the machine may be busy with other tests."""
    for library in (scs, dxl):
        monkeypatch.setattr(f"{library.__name__}.port_handler.LATENCY_TIMER", 10_000)


@pytest.fixture(scope="module")
def bridge() -> Iterator[kg.bridges.Bridge]:
    with kg.bridges.Bridge("so101", KINDS, hold=True) as made:
        yield made


def opened(library: Any, path: str, baud: int) -> Any:
    port = library.PortHandler(path)
    assert port.openPort() and port.setBaudRate(baud)
    return port


def at_rest(place: Callable[[], list[int]]) -> list[int]:
    """Places [steps] when the arm no longer sags: reads that follow each other then agree."""
    last = place()

    def is_still() -> bool:
        nonlocal last
        time.sleep(0.05)
        before, last = last, place()
        return before == last

    wait_for(is_still)
    return last


def test_feetech_servo_sdk(bridge: kg.bridges.Bridge) -> None:
    port, bus = opened(scs, bridge.endpoints["feetech"], 1_000_000), scs.PacketHandler(0)
    assert bus.ping(port, 1) == (777, scs.COMM_SUCCESS, 0)
    group = scs.GroupSyncRead(port, bus, 56, 2)
    for i in range(1, 7):
        group.addParam(i)
    alone = at_rest(lambda: [bus.read2ByteTxRx(port, i, 56)[0] for i in range(1, 7)])
    assert group.txRxPacket() == scs.COMM_SUCCESS
    assert [group.getData(i, 56, 2) for i in range(1, 7)] == pytest.approx(alone, abs=5)
    writes = scs.GroupSyncWrite(port, bus, 42, 2)
    for i in range(1, 7):
        writes.addParam(i, list(alone[i - 1].to_bytes(2, "little")))
    assert writes.txPacket() == scs.COMM_SUCCESS
    assert bus.read2ByteTxRx(port, 3, 42)[0] == alone[2]
    port.closePort()


def test_dynamixel_sdk(bridge: kg.bridges.Bridge) -> None:
    port, bus = opened(dxl, bridge.endpoints["dynamixel"], 57_600), dxl.PacketHandler(2.0)
    assert bus.ping(port, 1) == (1060, dxl.COMM_SUCCESS, 0)
    assert bus.write1ByteTxRx(port, 1, 64, 1) == (dxl.COMM_SUCCESS, 0)
    assert bus.write1ByteTxRx(port, 1, 11, 4) == (dxl.COMM_SUCCESS, 7)
    (here,) = at_rest(lambda: [bus.read4ByteTxRx(port, 1, 132)[0]])
    sync = dxl.GroupSyncRead(port, bus, 132, 4)
    bulk = dxl.GroupBulkRead(port, bus)
    for i in range(1, 7):
        sync.addParam(i)
        bulk.addParam(i, 132, 4)
    assert sync.txRxPacket() == dxl.COMM_SUCCESS
    assert bulk.txRxPacket() == dxl.COMM_SUCCESS
    assert sync.getData(1, 132, 4) == pytest.approx(here, abs=5)
    assert bulk.getData(1, 132, 4) == pytest.approx(here, abs=5)
    assert sync.fastSyncRead() == dxl.COMM_SUCCESS
    assert sync.getData(6, 132, 4) == pytest.approx(bulk.getData(6, 132, 4), abs=5)
    port.closePort()


def test_dynamixel_sdk_protocol_1(bridge: kg.bridges.Bridge) -> None:
    port, bus = opened(dxl, bridge.endpoints["dynamixel1"], 1_000_000), dxl.PacketHandler(1.0)
    assert bus.ping(port, 3) == (12, dxl.COMM_SUCCESS, 0)
    here = bus.read2ByteTxRx(port, 5, 36)[0]
    writes = dxl.GroupSyncWrite(port, bus, 30, 2)
    writes.addParam(5, list((here + 3).to_bytes(2, "little")))
    assert writes.txPacket() == dxl.COMM_SUCCESS
    assert bus.read2ByteTxRx(port, 5, 30)[0] == here + 3
    port.closePort()


def test_a_terminal_program(bridge: kg.bridges.Bridge) -> None:
    with serial.Serial(bridge.endpoints["ssc32"], 115_200, timeout=5) as board:
        board.write(b"VER\r")
        assert board.read_until(b"\r").startswith(b"SSC32")


def test_a_wrong_speed_gets_silence_even_an_odd_one(bridge: kg.bridges.Bridge) -> None:
    ping = bytes.fromhex("ffff010201fb")
    path = bridge.endpoints["feetech"]
    for baud, answers in [(1_000_000, 6), (500_000, 0), (123_456, 0), (1_000_000, 6)]:
        with serial.Serial(path, baud, timeout=0.2 if not answers else 5) as port:
            port.write(ping)
            assert len(port.read(6)) == answers


def test_all_wires_show_one_robot(bridge: kg.bridges.Bridge) -> None:
    port, bus = opened(dxl, bridge.endpoints["dynamixel"], 57_600), dxl.PacketHandler(2.0)
    bus.write1ByteTxRx(port, 4, 64, 1)
    goal = bus.read4ByteTxRx(port, 4, 132)[0] + 30
    bus.write4ByteTxRx(port, 4, 116, goal)
    other, feetech = opened(scs, bridge.endpoints["feetech"], 1_000_000), scs.PacketHandler(0)
    assert feetech.read2ByteTxRx(other, 4, 42)[0] == goal
    for one in (port, other):
        one.closePort()
    assert bridge.state.servos["wrist_flex"].on
    counts = bridge.traffic(5)[0]
    assert counts["bridge"] == "feetech" and counts["received"] > 0
    assert counts["last"][-1]["words"] == f"servo 4 answers {goal}"


def test_lock_step_over_the_makers_library() -> None:
    def run() -> list[int]:
        with kg.bridges.Bridge("so101", ["feetech"], clock="client", period=0.01) as made:
            port, bus = opened(scs, made.endpoints["feetech"], 1_000_000), scs.PacketHandler(0)
            found = [bus.read2ByteTxRx(port, 2, 56)[0] for _ in range(20)]
            port.closePort()
            assert made.state.time == pytest.approx(0.2)
            assert made.advance(0.05) == pytest.approx(0.25)
            return found

    first = run()
    assert first == run()
    assert first[-1] != first[0]


def test_errors_name_what_is_wrong() -> None:
    with pytest.raises(KinegenError, match="did you mean 'feetech'"):
        kg.bridges.Bridge("so101", ["feetch"])
    with pytest.raises(UsageError, match="no motors"):
        kg.bridges.Bridge("raff: 1\njoints: [{name: A, parent: base}]\n", ["feetech"])
    with pytest.raises(UsageError, match="clock"):
        kg.bridges.Bridge("so101", clock="sun")  # type: ignore[arg-type]


def test_a_closed_bridge_says_so_and_its_address_is_gone() -> None:
    with kg.bridges.Bridge("so101", ["feetech"], tcp=True, clock="client") as made:
        host, port = made.endpoints["feetech"].split(":")
        with serial.serial_for_url(f"socket://{host}:{port}", timeout=5) as client:
            client.write(bytes.fromhex("ffff010201fb"))
            assert len(client.read(6)) == 6
    with pytest.raises(KinegenError, match="closed"):
        made.advance(0.1)
