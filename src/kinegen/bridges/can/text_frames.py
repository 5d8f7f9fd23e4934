"""Frames as text: slcan, as serial adapters speak it, and socketcand, a server's way over TCP.

Commands: Lawicel, "CANUSB manual" (slcan); the socketcand project, "Protocol" (rawmode).
"""

from __future__ import annotations

import re

from kinegen.bridges.can.node import Frame

__all__ = ["Slcan", "socketcand_frame", "socketcand_read"]

OK, ERROR = b"\r", b"\a"
RATES = (10_000, 20_000, 50_000, 100_000, 125_000, 250_000, 500_000, 800_000, 1_000_000)
"""By the digit of the command S [bit/s]."""
LONGEST = 64
"""Bytes of a command; more are none."""


class Slcan:
    """The adapter: commands in, frames out."""

    def __init__(self) -> None:
        self.rate: int | None = None
        """Speed that the client has chosen [bit/s]; None: it has not."""
        self.is_open = self.listens_only = False
        self._line = bytearray()

    def clear(self) -> None:
        """Another client has come."""
        self._line.clear()

    def feed(self, data: bytes) -> list[tuple[bytes, Frame | None]]:
        """The adapter's answer to each command, and the frame that it sends."""
        found = []
        for byte in data:
            if byte == 0x0D:
                line, self._line = bytes(self._line), bytearray()
                found.append(self._carry_out(line))
            elif len(self._line) <= LONGEST:
                self._line.append(byte)
        return found

    def _carry_out(self, line: bytes) -> tuple[bytes, Frame | None]:
        word, rest = line[:1], line[1:]
        if not line:
            return OK, None
        if word in b"tTrR" and self.is_open:
            frame = _frame(word, rest)
            if frame is None or self.listens_only:
                return ERROR, None
            answer = b"z\r" if word in b"tr" else b"Z\r"
            return answer, None if word in b"TR" else frame  # nodes have 11-bit identifiers
        if word == b"S" and len(rest) == 1 and rest.isdigit() and int(rest) < len(RATES):
            if self.is_open:
                return ERROR, None
            self.rate = RATES[int(rest)]
            return OK, None
        if word in b"OL" and not rest:
            self.is_open, self.listens_only = True, word == b"L"
            return OK, None
        if word == b"C" and not rest:
            self.is_open = False
            return OK, None
        if word == b"s" and len(rest) == 4:
            self.rate = None
            return OK, None
        known = {b"V": b"V1013\r", b"v": b"v1013\r", b"N": b"NKG01\r", b"F": b"F00\r"}
        if not rest and word in known:
            return known[word], None
        if word in b"ZMmXU":
            return OK, None
        return ERROR, None

    def text(self, frame: Frame) -> bytes:
        """A frame from the bus."""
        word = "r" if frame.remote else "t"
        data = "" if frame.remote else frame.data.hex().upper()
        return f"{word}{frame.id:03X}{len(frame.data)}{data}\r".encode()


def _frame(word: bytes, rest: bytes) -> Frame | None:
    digits = 8 if word in b"TR" else 3
    try:
        number, count = int(rest[:digits], 16), int(rest[digits : digits + 1])
        data = bytes.fromhex(rest[digits + 1 :].decode("ascii"))
    except ValueError:
        return None
    if word in b"rR":
        return Frame(number, bytes(count), True) if count <= 8 and not data else None
    fits = len(rest) > digits and count <= 8 and len(data) >= count
    return Frame(number, data[:count]) if fits else None


_SEND = re.compile(rb"send\s+([0-9A-Fa-f]{1,8})\s+([0-8])((?:\s+[0-9A-Fa-f]{1,2})*)\s*")


def socketcand_read(command: bytes) -> Frame | None:
    """The frame of ``send 123 2 1 ff``; None where it is none."""
    found = _SEND.fullmatch(command.strip())
    if found is None:
        return None
    data = bytes(int(one, 16) for one in found[3].split())
    if len(data) != int(found[2]):
        return None
    return Frame(int(found[1], 16), data)


def socketcand_frame(frame: Frame, time: float) -> bytes:
    """A frame from the bus."""
    data = frame.data.hex().upper()
    return f"< frame {frame.id:03X} {time:.6f} {data} >".encode()
