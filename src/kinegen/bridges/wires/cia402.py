"""CiA 402: drives on a CAN bus, over slcan (a terminal) or socketcand (TCP)."""

from __future__ import annotations

import asyncio
import math
import re
from typing import Any, ClassVar

from kinegen.bridges.can.bus import CanBus
from kinegen.bridges.can.node import Frame
from kinegen.bridges.can.text_frames import Slcan, socketcand_frame, socketcand_read
from kinegen.bridges.robot import Robot
from kinegen.bridges.servos.wiring import Maker, robots_on
from kinegen.bridges.transport.serial_wire import CHUNK, SerialWire
from kinegen.bridges.transport.ticker import Ticker
from kinegen.bridges.transport.wire import WireOptions

__all__ = ["Cia402Wire"]

LONGEST = 1000
"""Bytes of a socketcand command; more are none."""
_COMMAND = re.compile(rb"<([^<>]*)>")


class Cia402Wire(SerialWire):
    """A CAN bus with a drive per motor; the ids of the file are those of the nodes."""

    connects = "canopen and python-can: CAN drives with CiA 402"

    MAKER: ClassVar[Maker] = Maker(
        "cia402", 65536, 500_000, 48.0, math.inf, slide=20 * math.pi, centre=0
    )

    def __init__(self, kind: str, robot: Robot, options: WireOptions) -> None:
        """All motors of the robot that are on this bus."""
        super().__init__(kind, robot, options)
        self.bus = CanBus(robot, self.MAKER, options.robot)
        self.adapter = Slcan()
        self._ticker = Ticker(robot, self._speak)
        self._raw: set[asyncio.StreamWriter] = set()
        """Clients of socketcand that see all frames."""

    @classmethod
    def groups(cls, robot: Robot) -> list[str]:
        """Robots whose drives have the same ids are on buses of their own."""
        return robots_on(robot, cls.MAKER)

    def facts(self) -> dict[str, Any]:
        """How python-can opens it, and the joint of each node."""
        names = {str(one.id): one.drive.servo.name for one in self.bus.nodes}
        is_slcan = self.endpoint.startswith("/")
        found = {
            "interface": "slcan" if is_slcan else "socketcand", "bitrate": self.bus.baud,
            "servos": names,
        }  # fmt: skip
        return found if is_slcan else found | {"channel": "can0"}

    async def open(self) -> None:
        """Open it, and let nodes speak by themselves."""
        await super().open()
        self._ticker.start()

    async def close(self) -> None:
        """The nodes fall silent."""
        await self._ticker.stop()
        await super().close()

    def _speak(self) -> None:
        """Heartbeats and PDOs."""
        self._broadcast(self.bus.tick())

    def _broadcast(self, frames: list[Frame]) -> None:
        if not frames:
            return
        if self.adapter.is_open and self._hears():
            self._write(self._said(frames))
        for writer in list(self._raw):
            if writer.transport.get_write_buffer_size() < LONGEST * 100:
                self._said(frames)
                writer.write(self._texts(frames))

    # slcan

    def receive(self, data: bytes, baud: int | None) -> bytes:
        """Answers of the adapter and of the nodes; the speed of the terminal has no meaning."""
        out = b""
        for answer, frame in self.adapter.feed(data):
            out += answer
            if answer == b"\a":
                self.traffic.wrong()
            if frame is not None:
                self.traffic.heard(self._packed(frame))
                if self._hears():
                    out += self._said(self.bus.receive(frame))
        return out

    def forget(self) -> None:
        """A half command of the client before is void."""
        self.adapter.clear()

    def _hears(self) -> bool:
        """A wrong speed gets silence."""
        return self.adapter.rate in (None, self.bus.baud)

    def _said(self, frames: list[Frame]) -> bytes:
        for one in frames:
            self.traffic.said(self._packed(one))
        return b"".join(self.adapter.text(one) for one in frames)

    # socketcand

    def _texts(self, frames: list[Frame]) -> bytes:
        return b"".join(socketcand_frame(one, self.robot.time) for one in frames)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        writer.write(b"< hi >")
        rest = b""
        try:
            while data := await reader.read(CHUNK):
                rest += data
                end = 0
                for found in _COMMAND.finditer(rest):
                    end = found.end()
                    self._command(found[1], writer)
                rest = rest[end:][-LONGEST:]
                await writer.drain()
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._raw.discard(writer)
            self._writers.discard(writer)
            writer.close()

    def _command(self, command: bytes, writer: asyncio.StreamWriter) -> None:
        word = command.split()[0] if command.split() else b""
        if word in (b"open", b"rawmode"):
            if word == b"rawmode":
                self._raw.add(writer)
            writer.write(b"< ok >")
        elif word == b"echo":
            writer.write(b"< echo >")
        elif word == b"send" and (frame := socketcand_read(command)) is not None:
            self.traffic.heard(self._packed(frame))
            self.robot.look()
            if frame.id <= 0x7FF:
                self._broadcast(self.bus.receive(frame))
            for other in self._raw - {writer}:
                other.write(socketcand_frame(frame, self.robot.time))
            self.robot.send()
        else:
            self.traffic.wrong()
            writer.write(b"< error unknown command >")

    # Watching

    @staticmethod
    def _packed(frame: Frame) -> bytes:
        return frame.id.to_bytes(4, "big") + frame.data

    def words(self, packet: bytes, answers: bool) -> str:
        """Which service of which node."""
        number, data = int.from_bytes(packet[:4], "big"), packet[4:]
        node, service = number & 0x7F, number & 0x780
        if number == 0:
            return f"network command {data[:1].hex()} to node {data[1] if data[1:] else '?'}"
        if number == 0x80:
            return "sync"
        if service in (0x580, 0x600) and len(data) == 8:
            place = f"{int.from_bytes(data[1:3], 'little'):04X}:{data[3]:02X}"
            if data[0] == 0x80:
                return f"node {node}: {place} refused, {int.from_bytes(data[4:], 'little'):08X}"
            verb = {1: "write", 2: "read", 0: "segment", 3: "segment"}.get(data[0] >> 5, "answer")
            return f"node {node}: {'answer' if answers else verb} {place} {data[4:].hex(' ')}"
        known = {0x080: "emergency", 0x700: "state"}
        return f"node {node}: {known.get(service, f'PDO {number:03X}')} {data.hex(' ')}"
