"""SSC-32: Lynxmotion's servo controller, with commands in ASCII (SSC-32U user guide)."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, ClassVar

from kinegen.bridges.robot import Robot
from kinegen.bridges.servos.wiring import Maker, Wired, robots_on, wire_servos
from kinegen.bridges.transport.serial_wire import SerialWire
from kinegen.bridges.transport.wire import WireOptions

__all__ = ["Ssc32Board"]

VERSION = b"SSC32-V2.50USB\r"
MIDDLE, LEAST, MOST = 1500, 500, 2500
"""Pulses [µs]."""
BAUDS = (2400, 9600, 38_400, 115_200)
"""Speeds that its jumpers choose: without a 'baud' in the file it takes any of them."""
LONGEST = 1000
"""A line with more bytes is none."""
_WORD = re.compile(rb"#\s*(\d+)|([PST])\s*([+-]?\d+)", re.I)
_MOVE = re.compile(rb"\s*(#\s*\d+\s*|[PST]\s*[+-]?\d+\s*)+", re.I)
_QUERY = re.compile(rb"\s*QP\s*(\d[\d\s]*)", re.I)
_STOP = re.compile(rb"\s*STOP\s*(\d+)\s*", re.I)


@dataclass(slots=True)
class _Channel:
    """A servo at a pin of the board, which gives it pulses and hears nothing back."""

    wired: Wired
    first: float = 0.0
    """Pulse at the start of its move [µs]; 0: none yet."""
    last: float = 0.0
    begin: float = 0.0
    """Of its move [s]."""
    end: float = 0.0

    def pulse(self, time: float) -> float:
        """What the board sends now [µs]."""
        if time >= self.end:
            return self.last
        share = (time - self.begin) / (self.end - self.begin)
        return self.first + share * (self.last - self.first)


class Ssc32Board(SerialWire):
    """A board with servos at its pins; the ids of the file are the numbers of its pins."""

    connects = "any terminal or pyserial program: hobby servos on an SSC-32 board"

    MAKER: ClassVar[Maker] = Maker(
        "ssc32", 4000, 9600, 6.0, math.pi, slide=math.pi / 2, middle=True, centre=MIDDLE
    )

    def __init__(self, kind: str, robot: Robot, options: WireOptions) -> None:
        """All servos of the robot that are at this board."""
        super().__init__(kind, robot, options)
        self.channels = {
            one.id: _Channel(one) for one in wire_servos(robot, self.MAKER, options.robot)
        }
        given = {one.wired.baud for one in self.channels.values()} - {self.MAKER.baud}
        self._bauds = tuple(given) or BAUDS
        self._line = bytearray()

    @classmethod
    def groups(cls, robot: Robot) -> list[str]:
        """Robots whose servos have the same ids are on buses of their own."""
        return robots_on(robot, cls.MAKER)

    def facts(self) -> dict[str, Any]:
        """Pins with their joints, and the speeds."""
        pins = {str(pin): one.wired.servo.name for pin, one in self.channels.items()}
        return super().facts() | {"baud": self._bauds[0], "bauds": self._bauds, "servos": pins}

    def receive(self, data: bytes, baud: int | None) -> bytes:
        """Answers to all lines that are complete."""
        if baud is not None and baud not in self._bauds:
            self._line.clear()
            return b""
        out = b""
        for byte in data:
            if byte in b"\r\n":
                line, self._line = bytes(self._line), bytearray()
                out += self._answer_line(line) if line.strip() else b""
            elif byte == 0x1B:
                self._line.clear()  # escape cancels a line
            elif len(self._line) < LONGEST:
                self._line.append(byte)
        return out

    def forget(self) -> None:
        """A half line of the client before is void."""
        self._line.clear()

    def _answer_line(self, line: bytes) -> bytes:
        self.traffic.heard(line)
        answer = self._carry_out(line)
        if answer:
            self.traffic.said(answer)
        return answer

    def _carry_out(self, line: bytes) -> bytes:
        word = line.strip().upper()
        now = self.robot.time
        if word == b"VER":
            return VERSION
        if word == b"Q":
            self._advance()
            moving = any(self.robot.time < one.end for one in self.channels.values())
            return b"+" if moving else b"."
        if found := _QUERY.fullmatch(line):
            self._advance()
            now = self.robot.time
            pins = [int(one) for one in found[1].split()]
            return bytes(self._tens(pin, now) for pin in pins)
        if found := _STOP.fullmatch(line):
            self._stop(int(found[1]), now)
        elif _MOVE.fullmatch(line):
            self._move(line, now)
        else:
            self.traffic.wrong()
        return b""

    def _advance(self) -> None:
        if self.robot.clock == "client":
            self.robot.advance()

    def _tens(self, pin: int, now: float) -> int:
        one = self.channels.get(pin)
        return 0 if one is None else min(max(round(one.pulse(now) / 10), 0), 255)

    def _stop(self, pin: int, now: float) -> None:
        one = self.channels.get(pin)
        if one is not None and one.last:
            one.last = one.pulse(now)
            one.end = now
            self._send(one, math.inf)

    def _move(self, line: bytes, now: float) -> None:
        """All servos of a group start and end together; the slowest sets the time."""
        moves: dict[int, dict[bytes, int]] = {}
        time, pin = 0.0, None
        for number, key, value in _WORD.findall(line):
            if number:
                pin = int(number)
                moves.setdefault(pin, {})
            elif key.upper() == b"T":
                time = max(int(value), 0) / 1000
            elif pin is not None:
                moves[pin][key.upper()] = int(value)
        group = [(self.channels[pin], one) for pin, one in moves.items() if pin in self.channels]
        for channel, one in group:
            pulse, speed = one.get(b"P"), one.get(b"S", 0)
            if pulse and channel.last and speed > 0:
                time = max(time, abs(_clipped(pulse) - channel.pulse(now)) / speed)
        for channel, one in group:
            self._begin(channel, one.get(b"P"), now, time)

    def _begin(self, channel: _Channel, pulse: int | None, now: float, time: float) -> None:
        if pulse is None:
            return
        if pulse == 0:  # no pulses: the servo lets go
            channel.first = channel.last = 0.0
            channel.end = now
            channel.wired.servo.on = False
            return
        was_on = channel.last > 0
        channel.first = channel.pulse(now) if was_on else _clipped(pulse)
        channel.last, channel.begin, channel.end = _clipped(pulse), now, now + time
        # the first pulse of all: a servo jumps to it as fast as it can
        wired = channel.wired
        way = abs(channel.last - channel.first) / wired.per_radian / abs(wired.per_unit)
        self._send(channel, way / time if time > 0 and was_on and way > 0 else math.inf)
        if not was_on:
            channel.end = now

    def _send(self, channel: _Channel, speed: float) -> None:
        servo = channel.wired.servo
        servo.on = True
        servo.speed = speed
        servo.goal = channel.wired.from_ticks(channel.last)

    def words(self, packet: bytes, answers: bool) -> str:
        """Lines as they are; bytes of pulses in µs."""
        if answers and packet != VERSION and packet not in (b".", b"+"):
            return ", ".join(f"{10 * one} µs" for one in packet)
        return super().words(packet, answers)


def _clipped(pulse: int) -> float:
    return float(min(max(pulse, LEAST), MOST))
