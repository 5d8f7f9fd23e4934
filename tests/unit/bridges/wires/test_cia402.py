"""Drives on a CAN bus with canopen and python-can, unmodified, over both ways to a bus."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kinegen as kg
from tests.support.bridged import ARM
from tests.support.waiting import wait_for

canopen = pytest.importorskip("canopen", reason="canopen is not installed")
p402 = pytest.importorskip("canopen.profiles.p402")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo terminals")
STEPS = 65536 / (2 * math.pi)
HAND = 2


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library waits for longer than 0.4 s: the machine may be busy with other tests."""
    for word in ("SWITCH_OP_MODE", "SWITCH_STATE_FINAL", "SWITCH_STATE_SINGLE", "CHECK_TPDO"):
        monkeypatch.setattr(p402.BaseNode402, f"TIMEOUT_{word}", 30)


@pytest.fixture(scope="module")
def bridge() -> Iterator[kg.bridges.Bridge]:
    arm = ARM.replace("MASS", "0.1")
    kinds = ["cia402", "cia402:0"]
    with kg.bridges.Bridge(arm, kinds, step=2e-3, gravity=[0, 0, 0]) as made:
        yield made


@pytest.fixture(params=["slcan", "socketcand"])
def node(
    bridge: kg.bridges.Bridge, request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[Any]:
    """A drive as the profile class of canopen sees it, with the EDS file that Kinegen writes."""
    wire = next(one for one in bridge.wires if one.get("interface") == request.param)
    kg.export(kg.load(ARM.replace("MASS", "0.1")), tmp_path / "arm.eds")
    network = canopen.Network()
    if request.param == "slcan":
        channel, bitrate = wire["endpoint"], wire["bitrate"]
        network.connect(
            interface="slcan", channel=channel, bitrate=bitrate, sleep_after_open=0
        )  # fmt: skip
    else:
        host, port = wire["endpoint"].split(":")
        network.connect(interface="socketcand", host=host, port=int(port), channel="can0")
    made = p402.BaseNode402(HAND, str(tmp_path / "arm.eds"))
    made.sdo.RESPONSE_TIMEOUT = 30
    network.add_node(made)
    made.nmt.send_command(0x80)
    made.nmt.wait_for_heartbeat(30)
    yield made
    made.sdo[0x6040].raw = 0
    made.nmt.send_command(0x81)
    network.disconnect()


def test_profile_position_velocity_homing_and_limits(bridge: kg.bridges.Bridge, node: Any) -> None:
    assert node.sdo["Manufacturer device name"].raw == "Kinegen servo drive"
    assert node.sdo[0x607D][2].raw == pytest.approx(math.pi / 2 * STEPS, abs=1)
    node.setup_402_state_machine()
    node.nmt.state = "OPERATIONAL"
    node.op_mode = "PROFILED POSITION"
    node.state = "OPERATION ENABLED"
    assert node.op_mode == "PROFILED POSITION"
    assert bridge.state.servos["hand"].on
    start = node.sdo[0x6064].raw
    node.sdo[0x6081].raw = 20_000
    node.sdo[0x607A].raw = start + 3000
    node.controlword = 0x1F
    wait_for(lambda: node.sdo[0x6041].raw & 0x1000 != 0)
    node.controlword = 0x0F
    wait_for(lambda: node.sdo[0x6041].raw & 0x1400 == 0x0400)
    assert node.sdo[0x6064].raw - start == pytest.approx(3000, abs=250)

    node.op_mode = "PROFILED VELOCITY"
    node.sdo[0x60FF].raw = -3000
    wait_for(lambda: abs(node.sdo[0x606C].raw + 3000) < 500)
    node.sdo[0x60FF].raw = 0
    wait_for(lambda: node.sdo[0x6041].raw & 0x1000 != 0)

    node.sdo[0x6098].raw = 37
    assert node.homing(timeout=30)
    assert node.sdo[0x6064].raw == pytest.approx(0, abs=100)
    with pytest.raises(canopen.SdoAbortedError, match="0x06090030"):
        node.sdo[0x6060].raw = 7
    node.state = "SWITCH ON DISABLED"
    assert not bridge.state.servos["hand"].on


def test_cyclic_positions_by_pdo_and_sync(bridge: kg.bridges.Bridge, node: Any) -> None:
    node.tpdo.read()
    node.rpdo.read()
    node.rpdo[1].clear()
    node.rpdo[1].add_variable(0x6040)
    node.rpdo[1].add_variable(0x607A)
    node.rpdo[1].trans_type = 1
    node.rpdo[1].enabled = True
    node.rpdo[1].save()
    node.sdo[0x6060].raw = 8
    node.nmt.state = "OPERATIONAL"
    start = node.sdo[0x6064].raw
    for word in (6, 7, 15):
        node.sdo[0x6040].raw = word
    seen: list[int] = []
    node.tpdo[2].add_callback(lambda pdo: seen.append(pdo[0x6064].raw))
    for k in range(40):
        node.rpdo[1][0x6040].raw = 0x0F
        node.rpdo[1][0x607A].raw = start + 50 * (k + 1)
        node.rpdo[1].transmit()
        node.network.sync.transmit()
        time.sleep(0.01)
    wait_for(lambda: len(seen) >= 40)
    wait_for(lambda: node.sdo[0x6064].raw == pytest.approx(start + 2000, abs=150))
    # the same robot on another wire: what was commanded here is seen there
    goal = bridge.state.servos["hand"].goal
    assert goal * STEPS - node.sdo[0x6062].raw == pytest.approx(
        bridge.state.servos["hand"].position * STEPS - node.sdo[0x6064].raw, abs=60
    )


def test_a_wrong_bit_rate_gets_silence(bridge: kg.bridges.Bridge) -> None:
    import can

    wire = next(one for one in bridge.wires if one.get("interface") == "slcan")
    request = can.Message(
        arbitration_id=0x602, data=bytes.fromhex("4000100000000000"), is_extended_id=False
    )
    for bitrate, answers in ((125_000, False), (500_000, True)):
        options = {"channel": wire["endpoint"], "bitrate": bitrate, "sleep_after_open": 0}
        with can.Bus(interface="slcan", **options) as bus:
            bus.send(request)
            end, found = time.monotonic() + (30 if answers else 0.4), False
            while not found and time.monotonic() < end:
                message = bus.recv(0.1)
                found = message is not None and message.arbitration_id == 0x582
            assert found is answers


def test_lock_step_by_sync_is_identical() -> None:
    import socket

    def run() -> tuple[list[bytes], float]:
        with kg.bridges.Bridge("so101", ["cia402:0"], clock="client", period=0.01) as made:
            host, port = made.endpoints["cia402"].split(":")
            with socket.create_connection((host, int(port)), 30) as bus:
                bus.sendall(b"< open can0 >< rawmode >< send 0 2 1 0 >")
                data = b""
                for _ in range(5):
                    bus.sendall(b"< send 80 0 >")
                while data.count(b"frame 286") < 5:
                    data += bus.recv(4096)
            frames = [one for one in data.split(b">") if b"frame 28" in one]
            return frames, made.state.time

    first = run()
    assert first == run() and first[1] == pytest.approx(0.05)
    assert len({one.split()[-1] for one in first[0]}) > 5  # the arm sinks
