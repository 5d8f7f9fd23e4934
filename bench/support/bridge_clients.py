"""Clients that ask one question of each protocol, and processes that answer without thinking.

Run as a program, it is an empty loop: ``python bridge_clients.py TRANSPORT ANSWER [FILE]``.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
import time
from abc import ABC, abstractmethod
from typing import Any
from xmlrpc.client import dumps

from kinegen.bridges.process.priority import prefer_this_process

__all__ = ["CLIENTS", "PORTS", "recorded", "sync_reads"]

NEVER = 20.0
"""After which there is no answer [s]."""


class Client(ABC):
    """One question, asked again and again."""

    transport = ""
    answer = b""
    """What comes back, or as long as that; an empty loop sends it."""

    @abstractmethod
    def __init__(self, endpoint: str) -> None:
        """Connect."""

    @abstractmethod
    def ask(self) -> None:
        """Return when the answer is there."""

    @abstractmethod
    def close(self) -> None:
        """End it."""


class Terminal(Client):
    """A packet and an answer over a terminal, polled as the makers' libraries do."""

    transport, packet, baud = "terminal", b"", 1_000_000

    def __init__(self, endpoint: str) -> None:
        import serial

        self._port = serial.Serial(endpoint, self.baud, timeout=0)
        self.begin()

    def begin(self) -> None:
        """What comes before the first question."""

    def is_whole(self, found: bytes) -> bool:
        """Whether the answer is there."""
        return len(found) >= len(self.answer)

    def ask(self) -> None:
        """Write, then read until all is there."""
        end = time.monotonic() + NEVER
        self._port.write(self.packet)
        found = b""
        while not self.is_whole(found):
            found += self._port.read(4096)
            if time.monotonic() > end:
                raise SystemExit(f"{type(self).__name__}: no answer")

    def close(self) -> None:
        """Close the port."""
        self._port.close()


def _packet(framing: str, number: int, code: int, parameters: bytes) -> bytes:
    from kinegen.bridges.servos import framing as framings

    return bytes(getattr(framings, framing)().packet(number, code, parameters))


class Feetech(Terminal):
    """Positions of six servos."""

    packet = _packet("Framing1", 254, 0x82, bytes([56, 2, 1, 2, 3, 4, 5, 6]))
    answer = bytes(48)


class Dynamixel(Terminal):
    """The same over protocol 2.0."""

    packet = _packet("Framing2", 254, 0x82, bytes([132, 0, 4, 0, 1, 2, 3, 4, 5, 6]))
    answer, baud = bytes(90), 57_600


class Dynamixel1(Terminal):
    """The position of one servo."""

    packet, answer = _packet("Framing1", 1, 2, bytes([36, 2])), bytes(8)


class Ssc32(Terminal):
    """Whether something moves."""

    packet, answer, baud = b"Q\r", b".", 9600


class Cia402(Terminal):
    """The position of one drive, by SDO."""

    packet, answer = b"t60184064600000000000\r", b"t5818" + b"0" * 16 + b"\r"

    def begin(self) -> None:
        """Open the bus, and let the frames of the start pass."""
        self._port.write(b"S6\rO\r")
        time.sleep(0.2)
        self._port.reset_input_buffer()

    def is_whole(self, found: bytes) -> bool:
        """Other frames come by themselves."""
        return b"\r" in found.partition(b"t581")[2]


class Tcp(Client):
    """A packet and an answer over TCP."""

    transport, packet = "tcp", b""

    def __init__(self, endpoint: str) -> None:
        host, _, port = endpoint.rpartition(":")
        self._socket = socket.create_connection((host, int(port)), NEVER)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self) -> None:
        """Send, then receive until all is there."""
        self._socket.sendall(self.packet)
        found = 0
        while found < len(self.answer):
            found += len(self._socket.recv(4096))

    def close(self) -> None:
        """Hang up."""
        self._socket.close()


class Rtde(Tcp):
    """The version of the controller."""

    packet, answer = b"\0\3v", bytes(19)


_BODY = dumps(("/bench", "/use_sim_time"), "hasParam").encode()


class Ros1(Tcp):
    """Whether a parameter is set, over one connection."""

    packet = b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(_BODY) + _BODY
    answer = bytes(200) + b"</methodResponse>"

    def ask(self) -> None:
        """Until the end of the answer."""
        self._socket.sendall(self.packet)
        found = b""
        while b"</methodResponse>" not in found:
            found += self._socket.recv(4096)


class Rosbridge(Client):
    """The time, by a service."""

    transport, answer = "websocket", b"x" * 120

    def __init__(self, endpoint: str) -> None:
        from websockets.sync.client import connect

        self._socket = connect(f"ws://{endpoint}", compression=None)

    def ask(self) -> None:
        """One call."""
        self._socket.send(json.dumps({"op": "call_service", "service": "/rosapi/get_time"}))
        self._socket.recv(NEVER)

    def close(self) -> None:
        """Hang up."""
        self._socket.close()


class Ros2(Client):
    """The result of a goal that nobody sent."""

    transport, answer = "zenoh", bytes(20)

    def __init__(self, endpoint: str) -> None:
        import zenoh

        from kinegen.bridges.ros.action_types import GET_RESULT
        from kinegen.bridges.ros.cdr import CdrTypes

        config = zenoh.Config()
        config.insert_json5("mode", '"client"')
        config.insert_json5("connect/endpoints", json.dumps([f"tcp/{endpoint}"]))
        self._session: Any = zenoh.open(config)
        request = {"goal_id": {"uuid": bytes(16)}}
        self._data = CdrTypes().encode(f"{GET_RESULT}_Request", request)
        self._key = (
            "0/joint_trajectory_controller/follow_joint_trajectory/_action/get_result/"
            "control_msgs::action::dds_::FollowJointTrajectory_GetResult_/x"
        )
        time.sleep(0.5)

    def ask(self) -> None:
        """One query."""
        if not list(self._session.get(self._key, payload=self._data, timeout=NEVER)):
            raise SystemExit("Ros2: no answer")

    def close(self) -> None:
        """End the session."""
        self._session.close()


CLIENTS: dict[str, type[Client]] = {
    "feetech": Feetech, "dynamixel": Dynamixel, "dynamixel1": Dynamixel1, "ssc32": Ssc32,
    "cia402": Cia402, "rtde": Rtde, "ros1": Ros1, "rosbridge": Rosbridge, "ros2": Ros2,
}  # fmt: skip
PORTS = ("ros1", "rosbridge", "ros2")
"""Protocols with a TCP port of their own."""


def recorded(kind: str, path: str) -> bytes:
    """What six servos answer to a read of their positions."""
    import serial

    one = {"feetech": Feetech, "dynamixel": Dynamixel}[kind]
    with serial.Serial(path, one.baud, timeout=NEVER) as port:
        port.write(one.packet)
        return bytes(port.read(len(one.answer)))


def sync_reads(kind: str, path: str, count: int) -> int:
    """Positions of six servos with the maker's library; how many reads failed."""
    if kind == "feetech":
        import scservo_sdk as sdk

        baud, bus, place = 1_000_000, sdk.PacketHandler(0), (56, 2)
    else:
        import dynamixel_sdk as sdk

        baud, bus, place = 57_600, sdk.PacketHandler(2.0), (132, 4)
    port = sdk.PortHandler(path)
    port.openPort()
    port.setBaudRate(baud)
    group = sdk.GroupSyncRead(port, bus, *place)
    for number in range(1, 7):
        group.addParam(number)
    failed: int = sum(group.txRxPacket() != sdk.COMM_SUCCESS for _ in range(count))
    port.closePort()
    return failed


async def _tcp(answer: bytes) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(4096):
            writer.write(answer)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(f"127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


async def _websocket(answer: bytes) -> None:
    from websockets.asyncio.server import serve

    async def talk(connection: Any) -> None:
        async for _ in connection:
            await connection.send(answer.decode())

    async with serve(talk, "127.0.0.1", 0, compression=None) as server:
        print(f"127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}", flush=True)
        await server.serve_forever()


def _zenoh(answer: bytes) -> None:
    import zenoh

    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    config = zenoh.Config()
    config.insert_json5("mode", '"router"')
    config.insert_json5("listen/endpoints", json.dumps([f"tcp/127.0.0.1:{port}"]))
    config.insert_json5("scouting/multicast/enabled", "false")
    session = zenoh.open(config)

    def reply(query: Any) -> None:
        query.reply(query.key_expr, answer)
        query.drop()

    with session.declare_queryable("0/**", reply, complete=True):
        print(f"127.0.0.1:{port}", flush=True)
        time.sleep(1e6)


def _terminal(answer: bytes, ours: int) -> None:
    while os.read(ours, 4096):
        os.write(ours, answer)


if __name__ == "__main__":
    word, given = sys.argv[1], bytes.fromhex(sys.argv[2])
    prefer_this_process()  # as the process of the wires does
    if word == "terminal":
        _terminal(given, int(sys.argv[3]))
    elif word == "zenoh":
        _zenoh(given)
    else:
        asyncio.run({"tcp": _tcp, "websocket": _websocket}[word](given))
