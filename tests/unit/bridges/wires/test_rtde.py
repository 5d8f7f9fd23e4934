"""RTDE with ur-rtde's receive interface, unmodified; the arm is moved over another wire."""

from __future__ import annotations

import json
import os
import socket
import struct
import sys
from collections.abc import Iterator
from itertools import pairwise

import pytest

import kinegen as kg
from kinegen.errors import UsageError
from tests.support.waiting import wait_for

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux has many addresses of this machine"
)
rtde_receive = pytest.importorskip("rtde_receive", reason="ur-rtde is not installed")
websockets = pytest.importorskip("websockets.sync.client", reason="websockets is not installed")

# the client knows one port only: each process of the tests has an address of its own
HOST = f"127.{os.getpid() >> 16 & 0xFF}.{os.getpid() >> 8 & 0xFF}.{os.getpid() & 0x7F | 2}"


@pytest.fixture(scope="module")
def bridge() -> Iterator[kg.bridges.Bridge]:
    with kg.bridges.Bridge("ur5e", ["rtde", "rosbridge:0"], host=HOST, step=2e-3) as made:
        yield made


def test_the_receive_interface_follows_a_trajectory(bridge: kg.bridges.Bridge) -> None:
    assert bridge.endpoints["rtde"] == f"{HOST}:30004"
    arm = rtde_receive.RTDEReceiveInterface(HOST, 125.0)
    assert arm.getRobotMode() == 7 and arm.getSafetyMode() == 1 and arm.isConnected()
    names = list(bridge.state.servos)
    goal = [3.0, -1.8, 1.7, -1.4, -1.5, 0.2]
    with websockets.connect(f"ws://{bridge.endpoints['rosbridge']}") as ros:
        point = {"positions": goal, "time_from_start": {"sec": 0, "nanosec": 500_000_000}}
        ros.send(json.dumps({
            "op": "publish", "topic": "/joint_trajectory_controller/joint_trajectory",
            "msg": {"joint_names": names, "points": [point]},
        }))  # fmt: skip
        wait_for(lambda: arm.getActualQ() == pytest.approx(goal, abs=0.03))
    wait_for(lambda: max(abs(one) for one in arm.getActualQd()) < 0.01)
    assert arm.getTargetQ() == pytest.approx(goal)
    X = kg.pose(kg.load("ur5e"), arm.getActualQ(), "tool")
    assert arm.getActualTCPPose()[:3] == pytest.approx(X.translation, abs=2e-3)
    assert arm.getJointTemperatures()[1] > 25
    assert arm.getTimestamp() <= bridge.state.time
    arm.disconnect()


class Raw:
    """A client that speaks the protocol by hand."""

    def __init__(self, host: str = HOST) -> None:
        self.socket = socket.create_connection((host, 30004), 30)

    def __enter__(self) -> Raw:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def ask(self, code: bytes, body: bytes = b"") -> bytes:
        self.socket.sendall(struct.pack(">H", 3 + len(body)) + code + body)
        return self.next(code)

    def next(self, code: bytes) -> bytes:
        """The next package of a kind."""
        while True:
            size, got = struct.unpack(">Hc", self._exactly(3))
            found = self._exactly(size - 3)
            if got == code:
                return found

    def _exactly(self, count: int) -> bytes:
        found = b""
        while len(found) < count:
            part = self.socket.recv(count - len(found))
            assert part, "the robot has hung up"
            found += part
        return found


def test_versions_recipes_and_inputs(bridge: kg.bridges.Bridge) -> None:
    with Raw() as one:
        assert one.ask(b"V", b"\0\3") == b"\0"
        assert one.ask(b"S") == b"\0"  # nothing is set up
        # protocol 1 has no numbers of recipes
        assert one.ask(b"O", b"actual_q,timestamp") == b"VECTOR6D,DOUBLE"
        assert one.ask(b"V", b"\0\2") == b"\1"
        assert struct.unpack(">4I", one.ask(b"v"))[0] == 5
        rate = struct.pack(">d", 50.0)
        assert one.ask(b"O", rate + b"actual_q,actual_g") == b"\0VECTOR6D,NOT_FOUND"
        assert one.ask(b"S") == b"\0"
        assert one.ask(b"I", b"input_int_register_0") == b"\1INT32"
        assert one.ask(b"I", b"nonsense") == b"\0NOT_FOUND"
        names = b"timestamp,input_int_register_0"
        assert one.ask(b"O", rate + names) == b"\1DOUBLE,INT32"
        assert one.ask(b"S") == b"\1"
        one.socket.sendall(struct.pack(">HcBi", 8, b"U", 1, 77))
        value = 0
        while value != 77:
            number, _, value = struct.unpack(">Bdi", one.next(b"U"))
            assert number == 1
        assert one.ask(b"P") == b"\1"


def test_a_client_that_lies_is_disconnected_and_others_are_served(
    bridge: kg.bridges.Bridge,
) -> None:
    for noise in (b"\xff" * 10_000, b"\0\1V", b"\xff\xffU" + b"x" * 70_000, b"\0\7Uab"):
        with Raw() as lying, Raw() as other:
            lying.socket.sendall(noise)
            assert other.ask(b"V", b"\0\2") == b"\1"
    with Raw() as lazy, Raw() as other:  # one that never reads
        lazy.ask(b"V", b"\0\2")
        lazy.ask(b"O", struct.pack(">d", 500.0) + b"actual_q")
        lazy.socket.sendall(b"\0\3S" + b"\0\3v" * 20_000)
        assert other.ask(b"V", b"\0\2") == b"\1"


def test_packages_follow_the_clock_and_a_taken_port_is_named() -> None:
    host = HOST.replace("127.", "127.1", 1) if HOST.startswith("127.0.") else "127.250.250.250"
    with kg.bridges.Bridge("ur5e", ["rtde"], host=host, clock="client", step=2e-3) as made:
        with Raw(host) as one:
            one.ask(b"V", b"\0\2")
            one.ask(b"O", struct.pack(">d", 50.0) + b"timestamp")
            one.ask(b"S")
            made.advance(0.2)
            times = [struct.unpack(">Bd", one.next(b"U"))[1] for _ in range(10)]
        # every 20 ms, as exactly as cycles of 4 ms are
        assert [b - a for a, b in pairwise(times)] == pytest.approx([0.02] * 9, abs=0.0041)
        with pytest.raises(UsageError, match=r"30004: address already in use.*another port"):
            kg.bridges.Bridge("ur5e", ["rtde"], host=host, clock="client")
    with pytest.raises(UsageError, match="six motors on revolute joints"):
        kg.bridges.Bridge("stewart", ["rtde"], host=host, clock="client")
