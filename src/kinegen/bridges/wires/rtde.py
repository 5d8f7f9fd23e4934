"""RTDE: the real-time data of a controller of Universal Robots, to watch an arm by.

Packages: Universal Robots, "Real-Time Data Exchange (RTDE) guide".
"""

from __future__ import annotations

import asyncio
import math
import struct
from dataclasses import dataclass, field
from typing import Any, ClassVar

from kinegen.bridges.robot import Robot
from kinegen.bridges.transport.tcp_wire import TcpWire
from kinegen.bridges.transport.ticker import Ticker
from kinegen.bridges.transport.wire import WireOptions
from kinegen.bridges.ur.outputs import STRUCT_FORMATS, UrArm

__all__ = ["RtdeWire"]

VERSION = (5, 11, 0, 0)
"""Of the controller's software, as an e-Series arm reports it."""
FASTEST = 500.0
"""Packages per second of an e-Series arm; protocol 1 has 125."""
CYCLE = 0.002
"""[s]"""
FULL = 1 << 16
"""Bytes that may wait for a client; packages beyond are dropped."""
PROTOCOL, CONTROLLER, TEXT, DATA, OUTPUTS, INPUTS, START, PAUSE = b"VvMUOISP"
_WORDS = {
    PROTOCOL: "protocol version", CONTROLLER: "controller version", TEXT: "text", DATA: "data",
    OUTPUTS: "setup of outputs", INPUTS: "setup of inputs", START: "start", PAUSE: "pause",
}  # fmt: skip


@dataclass(slots=True, eq=False)
class _Client:
    """What one client has set up."""

    writer: asyncio.StreamWriter
    protocol: int = 1
    names: list[str] = field(default_factory=list)
    """What it wants."""
    period: float = 1 / 125
    is_running: bool = False
    due: float = -math.inf
    inputs: dict[int, list[str]] = field(default_factory=dict)
    """What it writes, by the number of the recipe."""


class RtdeWire(TcpWire):
    """The port 30004 of a controller; any number of clients watch."""

    holds = True
    PORT: ClassVar[int] = 30004
    connects = "ur-rtde's receive interface: state of an arm of Universal Robots"

    def __init__(self, kind: str, robot: Robot, options: WireOptions) -> None:
        """The arm's data, for whoever asks."""
        super().__init__(kind, robot, options)
        self.arm = UrArm(robot)
        self._clients: set[_Client] = set()
        self._ticker = Ticker(robot, self._publish, CYCLE)

    async def open(self) -> None:
        """Listen, and send by the robot's clock."""
        await super().open()
        self._ticker.start()

    async def close(self) -> None:
        """All clients are disconnected."""
        await self._ticker.stop()
        await super().close()

    def _publish(self) -> None:
        now = self.robot.time
        for one in self._clients:
            if not one.is_running or now < one.due - 1e-9:
                continue
            # what was missed is not made up for
            one.due = max((one.due if math.isfinite(one.due) else now) + one.period, now)
            if one.writer.transport.get_write_buffer_size() < FULL:
                head = b"\1" if one.protocol == 2 else b""
                self._send(one, DATA, head + self.arm.pack(one.names))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Packages of one client: two bytes of length, one that says what it is."""
        client = _Client(writer)
        self._clients.add(client)
        try:
            while True:
                head = await reader.readexactly(3)
                size, code = struct.unpack(">HB", head)
                if size < 3 or code not in _WORDS:
                    self.traffic.wrong()
                    return  # the stream is out of step: a controller hangs up
                body = await reader.readexactly(size - 3)
                self.traffic.heard(head + body)
                self._answer(client, code, body)
                await writer.drain()
        finally:
            self._clients.discard(client)

    def _answer(self, client: _Client, code: int, body: bytes) -> None:
        if code == PROTOCOL:
            wanted = int.from_bytes(body[:2], "big")
            accepted = wanted in (1, 2) and len(body) == 2
            if accepted:
                client.protocol = wanted
            self._send(client, code, bytes([accepted]))
        elif code == CONTROLLER:
            self._send(client, code, struct.pack(">4I", *VERSION))
        elif code == OUTPUTS:
            self._set_outputs(client, body)
        elif code == INPUTS:
            self._set_inputs(client, body)
        elif code == START:
            client.is_running = bool(client.names)
            client.due = -math.inf
            self._send(client, code, bytes([client.is_running]))
        elif code == PAUSE:
            client.is_running = False
            self._send(client, code, b"\1")
        elif code == DATA:
            self._take(client, body)

    def _set_outputs(self, client: _Client, body: bytes) -> None:
        fastest = FASTEST if client.protocol == 2 else 125.0
        rate = fastest
        if client.protocol == 2:
            if len(body) < 8:
                self.traffic.wrong()
                return
            rate, body = struct.unpack(">d", body[:8])[0], body[8:]
        names = _names(body)
        types = [self.arm.type_of(name) for name in names]
        good = bool(names) and "NOT_FOUND" not in types
        client.names = names if good else []
        client.is_running = False
        client.period = 1 / (min(rate, fastest) if rate > 0 and math.isfinite(rate) else fastest)
        self._types(client, OUTPUTS, int(good), types)

    def _set_inputs(self, client: _Client, body: bytes) -> None:
        names = _names(body)
        types = [self.arm.type_of(name, is_input=True) for name in names]
        good = bool(names) and "NOT_FOUND" not in types and len(client.inputs) < 255
        number = len(client.inputs) + 1 if good else 0
        if good:
            client.inputs[number] = names
        self._types(client, INPUTS, number, types)

    def _types(self, client: _Client, code: int, number: int, types: list[str]) -> None:
        text = ",".join(types).encode()
        numbered = client.protocol == 2 or code == INPUTS
        self._send(client, code, bytes([number]) + text if numbered else text)

    def _take(self, client: _Client, body: bytes) -> None:
        """Values that a client writes."""
        names = client.inputs.get(body[0]) if body else None
        if names is None:
            self.traffic.wrong()
            return
        kinds = [STRUCT_FORMATS[self.arm.type_of(name, is_input=True)] for name in names]
        if struct.calcsize(">" + "".join(kinds)) != len(body) - 1:
            self.traffic.wrong()
            return
        at = 1
        for name, kind in zip(names, kinds, strict=True):
            found = struct.unpack_from(f">{kind}", body, at)
            at += struct.calcsize(f">{kind}")
            self.arm.write(name, found[0] if len(found) == 1 else list(found))

    def _send(self, client: _Client, code: int, data: bytes) -> None:
        package = struct.pack(">HB", 3 + len(data), code) + data
        self.traffic.said(package)
        client.writer.write(package)

    def facts(self) -> dict[str, Any]:
        """The joints in the order of the controller."""
        return {"servos": {str(i): one.name for i, one in enumerate(self.robot.servos)}}

    def words(self, packet: bytes, answers: bool) -> str:
        """What kind of package it is."""
        return f"{_WORDS.get(packet[2], '?')}, {len(packet) - 3} bytes"


def _names(body: bytes) -> list[str]:
    """Names between commas; some clients end with one."""
    return [one for one in body.decode("ascii", "replace").split(",") if one]
