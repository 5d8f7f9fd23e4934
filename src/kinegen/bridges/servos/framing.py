"""Framing: packets of servo buses in a stream of bytes that may be torn, mixed up or nonsense.

``FF FF id length instruction parameters ~sum`` is the framing of Dynamixel's protocol 1.0 and of
Feetech; ``FF FF FD 00 id length16 instruction parameters crc16`` that of protocol 2.0 (ROBOTIS
e-Manual, "Protocol 1.0" and "Protocol 2.0").
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

__all__ = ["BROADCAST", "Framing", "Framing1", "Framing2", "Instruction", "crc16"]

BROADCAST = 254
"""The id that all servos hear."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """What a client asks."""

    id: int
    code: int
    parameters: bytes
    raw: bytes
    """The whole packet."""


class Framing(ABC):
    """Bytes in, instructions out; a stream that is out of step finds the next packet by itself."""

    width: ClassVar[int]
    """Bytes of an address and of a length."""
    header: ClassVar[bytes]

    def __init__(self) -> None:
        self._bytes = bytearray()
        self.errors = 0
        """Packets with a wrong checksum."""

    @property
    def is_waiting(self) -> bool:
        """Whether part of a packet has come."""
        return bool(self._bytes)

    def clear(self) -> None:
        """Forget what has come."""
        self._bytes.clear()

    def feed(self, data: bytes) -> Iterator[Instruction]:
        """The instructions that are complete with some more bytes."""
        self._bytes += data
        while found := self._next():
            yield found

    def search(self) -> Iterator[Instruction]:
        """Complete packets behind one that does not end: its rest was lost."""
        kept = bytes(self._bytes)
        for start in range(1, len(kept)):
            if not kept.startswith(self.header, start):
                continue
            errors = self.errors
            self._bytes[:] = kept[start:]
            found = self._next()
            self.errors = errors
            if found is not None:
                self.errors += 1
                yield found
                while found := self._next():
                    yield found
                return
        self._bytes[:] = kept

    def _next(self) -> Instruction | None:
        """The next packet; what cannot belong to one is dropped."""
        data = self._bytes
        while True:
            start = data.find(self.header)
            if start < 0:
                # the end may be the beginning of a header
                keep = next(
                    n for n in range(len(self.header) - 1, -1, -1)
                    if n == 0 or data.endswith(self.header[:n])
                )  # fmt: skip
                del data[: len(data) - keep]
                return None
            del data[:start]
            size = self._size(data)
            if size is None:
                return None
            if size == 0:
                del data[0]
                continue
            if len(data) < size:
                return None
            raw = bytes(data[:size])
            if not self._is_whole(raw):
                self.errors += 1
                del data[0]
                continue
            del data[:size]
            return self._instruction(raw)

    @abstractmethod
    def _size(self, data: bytearray) -> int | None:
        """Of the packet that begins here; None: not known yet; 0: it is none."""

    @abstractmethod
    def _is_whole(self, raw: bytes) -> bool:
        """Whether its checksum is right."""

    @abstractmethod
    def _instruction(self, raw: bytes) -> Instruction:
        """What it says."""

    @abstractmethod
    def status(self, number: int, error: int, data: bytes = b"") -> bytes:
        """The answer of a servo."""

    @abstractmethod
    def packet(self, number: int, code: int, parameters: bytes = b"") -> bytes:
        """An instruction, as clients send it."""


class Framing1(Framing):
    """Of protocol 1.0 and Feetech."""

    width = 1
    header = b"\xff\xff"

    def _size(self, data: bytearray) -> int | None:
        if len(data) < 4:
            return 0 if len(data) > 2 and data[2] == 0xFF else None
        return 0 if data[2] == 0xFF or data[3] < 2 else data[3] + 4

    def _is_whole(self, raw: bytes) -> bool:
        return (~sum(raw[2:-1])) & 0xFF == raw[-1]

    def _instruction(self, raw: bytes) -> Instruction:
        return Instruction(raw[2], raw[4], raw[5:-1], raw)

    def status(self, number: int, error: int, data: bytes = b"") -> bytes:
        """The answer of a servo."""
        return self.packet(number, error, data)

    def packet(self, number: int, code: int, parameters: bytes = b"") -> bytes:
        """An instruction, as clients send it."""
        body = bytes([number, len(parameters) + 2, code]) + parameters
        return self.header + body + bytes([~sum(body) & 0xFF])


class Framing2(Framing):
    """Of protocol 2.0."""

    width = 2
    header = b"\xff\xff\xfd\x00"
    LONGEST: ClassVar[int] = 1024
    """Length of a packet that a servo takes."""

    def _size(self, data: bytearray) -> int | None:
        if len(data) < 7:
            return None
        length = data[5] | data[6] << 8
        return 0 if not 3 <= length <= self.LONGEST or data[4] == 0xFF else length + 7

    def _is_whole(self, raw: bytes) -> bool:
        return crc16(raw[:-2]) == raw[-2] | raw[-1] << 8

    def _instruction(self, raw: bytes) -> Instruction:
        body = raw[7:-2].replace(b"\xff\xff\xfd\xfd", b"\xff\xff\xfd")
        return Instruction(raw[4], body[0], body[1:], raw)

    def status(self, number: int, error: int, data: bytes = b"") -> bytes:
        """The answer of a servo."""
        return self.packet(number, 0x55, bytes([error]) + data)

    def packet(self, number: int, code: int, parameters: bytes = b"") -> bytes:
        """An instruction, as clients send it."""
        body = (bytes([code]) + parameters).replace(b"\xff\xff\xfd", b"\xff\xff\xfd\xfd")
        length = len(body) + 2
        raw = self.header + bytes([number, length & 0xFF, length >> 8]) + body
        return raw + crc16(raw).to_bytes(2, "little")


def _crc_table() -> list[int]:
    """Of the polynomial 0x8005."""
    table = []
    for byte in range(256):
        crc = byte << 8
        for _ in range(8):
            crc = (crc << 1) ^ (0x8005 if crc & 0x8000 else 0)
        table.append(crc & 0xFFFF)
    return table


_TABLE = _crc_table()


def crc16(data: bytes, crc: int = 0) -> int:
    """Checksum of protocol 2.0; ``crc``: of what came before."""
    for byte in data:
        crc = (crc << 8 & 0xFFFF) ^ _TABLE[crc >> 8 ^ byte]
    return crc
