"""CanNode: a device on a CAN bus: network states, heartbeats, SDO and PDO (CiA 301)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from kinegen.bridges.can.drive import Drive402
from kinegen.bridges.can.objects import (
    MAP_TOO_LONG,
    NOT_MAPPABLE,
    NOT_STORED,
    SUBINDEX_LOCKED,
    Abort,
    Dictionary,
)
from kinegen.bridges.can.sdo import SdoServer
from kinegen.bridges.can.table import INVALID, PDOS, objects
from kinegen.bridges.servos.wiring import Wired

__all__ = ["CanNode", "Frame"]

BOOT, STOPPED, OPERATIONAL, PRE_OPERATIONAL = 0, 4, 5, 127
SYNC = 0x80
_SIGNATURES = {0x1010: int.from_bytes(b"save", "little"), 0x1011: int.from_bytes(b"load", "little")}


class Frame(NamedTuple):
    """A frame of a bus with 11-bit identifiers."""

    id: int
    data: bytes
    remote: bool = False


class CanNode:
    """A drive with its id on the bus."""

    def __init__(self, wired: Wired, bus: list[Wired]) -> None:
        """Switched on, pre-operational.

        Args:
            wired: Its servo, with its id.
            bus: All servos on the bus.
        """
        self.id = wired.id
        self.objects = Dictionary(objects(), wired.id)
        self.drive = Drive402(wired, bus, self.objects)
        self._sdo = SdoServer(self.objects)
        self.state = PRE_OPERATIONAL
        self._out: list[Frame] = [Frame(0x700 + self.id, bytes([BOOT]))]
        self._due = 0.0
        self._toggle = 0
        self._held: dict[int, bytes] = {}
        """PDOs that wait for a SYNC."""
        self._sent: dict[int, tuple[bytes, float]] = {}
        """Last content and time of each PDO."""
        self._counts: dict[int, int] = {}
        self.reads = 0
        """Of the position, by SDO."""
        self.drive.emergency = self._emergency
        self.objects.changed[0x1017] = lambda *_: self._beat()
        for index in (*range(0x1600, 0x1600 + PDOS), *range(0x1A00, 0x1A00 + PDOS)):
            self.objects.changed[index] = partial(self._map, index)
        for index in _SIGNATURES:
            self.objects.changed[index] = partial(self._signed, index)

    # Frames

    def receive(self, frame: Frame, now: float) -> list[Frame]:
        """What the node sends after a frame."""
        self.drive.step()
        if frame.id == 0x000:
            self._network(frame.data)
        elif frame.id == 0x700 + self.id and frame.remote:
            self._out.append(Frame(frame.id, bytes([self.state | self._toggle])))
            self._toggle ^= 0x80
        elif self.state == STOPPED or frame.remote:
            pass
        elif frame.id == 0x600 + self.id:
            if frame.data[:4] == b"\x40\x64\x60\x00":
                self.reads += 1
            answer = self._sdo.answer(frame.data)
            if answer is not None:
                self._out.append(Frame(0x580 + self.id, answer))
        elif self.state == OPERATIONAL:
            self._received(frame)
        self.drive.step()
        return self.tick(now)

    def sync(self, now: float) -> list[Frame]:
        """A SYNC: what was received takes effect, and what is measured is sent."""
        if self.state == OPERATIONAL:
            for i, data in self._held.items():
                self._apply(i, data)
            self._held.clear()
            self.drive.step()
            for i in range(PDOS):
                kind = self.objects.get(0x1800 + i, 2)
                if self._is_on(0x1800 + i) and kind <= 240:
                    self._counts[i] = self._counts.get(i, 0) + 1
                    if kind == 0 or self._counts[i] >= kind:
                        self._counts[i] = 0
                        self._send(i, self._content(i), now)
        return self.tick(now)

    def tick(self, now: float) -> list[Frame]:
        """What is sent by now: heartbeats, and PDOs whose content has changed."""
        period = self.objects.get(0x1017) / 1000
        if period and now >= self._due:
            self._due = now + period
            self._out.append(Frame(0x700 + self.id, bytes([self.state])))
        if self.state == OPERATIONAL:
            for i in range(PDOS):
                if self._is_on(0x1800 + i) and self.objects.get(0x1800 + i, 2) >= 254:
                    self._send_event(i, now)
        out, self._out = self._out, []
        return out

    # Network

    def _network(self, data: bytes) -> None:
        if len(data) < 2 or data[1] not in (0, self.id):
            return
        if data[0] in (1, 2, 0x80):
            self.state = {1: OPERATIONAL, 2: STOPPED, 0x80: PRE_OPERATIONAL}[data[0]]
            self._sent.clear()
            self._held.clear()
        elif data[0] in (0x81, 0x82):
            whole = data[0] == 0x81
            self.objects.reset(lambda index: whole or index < 0x2000)
            if whole:
                self.drive.servo.on = False
                self.drive.begin()
            self.state, self._toggle = PRE_OPERATIONAL, 0
            self._sent.clear()
            self._held.clear()
            self._out.append(Frame(0x700 + self.id, bytes([BOOT])))

    def _beat(self) -> None:
        """A new period begins at once."""
        self._due = 0.0

    def _emergency(self, code: int, register: int) -> None:
        data = code.to_bytes(2, "little") + bytes([register]) + bytes(5)
        self._out.append(Frame(0x80 + self.id, data))

    def _signed(self, index: int, _: int, value: int) -> None:
        """Saving keeps what is there anyway; loading brings back the defaults."""
        if value != _SIGNATURES[index]:
            raise Abort(NOT_STORED)
        if index == 0x1011:
            self.objects.reset(lambda _: True)
        self.objects.values[index, 1] = 1

    # PDOs

    def _is_on(self, settings: int) -> bool:
        return not self.objects.get(settings, 1) & INVALID

    def _mapped(self, mapping: int) -> Iterator[tuple[int, int, int]]:
        """Index, subindex and bytes of what a PDO holds."""
        for sub in range(1, self.objects.get(mapping, 0) + 1):
            value = self.objects.get(mapping, sub)
            yield value >> 16, value >> 8 & 0xFF, (value & 0xFF) // 8

    def _map(self, index: int, sub: int, value: int) -> None:
        """A client changes what a PDO holds: only while it holds nothing."""
        if sub:
            if self.objects.get(index, 0):
                raise Abort(SUBINDEX_LOCKED)
            return
        size = 0
        for number in range(1, value + 1):
            entry = self.objects.get(index, number)
            one = self.objects.objects.get((entry >> 16, entry >> 8 & 0xFF))
            fits = one is not None and one.mappable and 8 * one.kind.size == entry & 0xFF
            if one is None or not fits or (index < 0x1A00 and one.access == "ro"):
                raise Abort(NOT_MAPPABLE)
            size += one.kind.size
        if size > 8:
            raise Abort(MAP_TOO_LONG)

    def _received(self, frame: Frame) -> None:
        for i in range(PDOS):
            settings = 0x1400 + i
            if self._is_on(settings) and self.objects.get(settings, 1) & 0x7FF == frame.id:
                if self.objects.get(settings, 2) <= 240:
                    self._held[i] = frame.data
                else:
                    self._apply(i, frame.data)

    def _apply(self, i: int, data: bytes) -> None:
        mapped = list(self._mapped(0x1600 + i))
        if len(data) < sum(size for _, _, size in mapped):
            self._emergency(0x8210, 0x11)  # a PDO that is too short
            return
        for index, sub, size in mapped:
            part, data = data[:size], data[size:]
            try:
                self.objects.write(index, sub, part)
            except Abort:
                self._emergency(0x8220, 0x11)

    def _content(self, i: int) -> bytes:
        return b"".join(self.objects.read(index, sub) for index, sub, _ in self._mapped(0x1A00 + i))

    def _send_event(self, i: int, now: float) -> None:
        content = self._content(i)
        inhibit = self.objects.get(0x1800 + i, 3) * 1e-4
        timer = self.objects.get(0x1800 + i, 5) * 1e-3
        last, time = self._sent.get(i, (None, -1e9))
        is_new = content != last and now - time >= inhibit
        if content and (is_new or (timer and now - time >= timer - 1e-9)):
            self._send(i, content, now)

    def _send(self, i: int, content: bytes, now: float) -> None:
        if content:
            self._sent[i] = content, now
            self._out.append(Frame(self.objects.get(0x1800 + i, 1) & 0x7FF, content))
