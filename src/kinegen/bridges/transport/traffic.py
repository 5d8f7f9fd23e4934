"""Traffic: what went over a wire: counts, and the last packets in words."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypedDict

__all__ = ["Packet", "PacketRow", "Traffic", "TrafficRow", "WireTraffic"]

KEPT = 200
"""Packets that are remembered."""


@dataclass(frozen=True, slots=True)
class Packet:
    """One packet, for people."""

    time: float
    """Since the bridge was started [s]."""
    sender: str
    """'client' or 'robot'."""
    data: bytes
    words: str
    """What it says."""


class PacketRow(TypedDict):
    """A packet for JSON."""

    time: float
    sender: str
    data: str
    words: str


class TrafficRow(TypedDict):
    """What went over a wire, for JSON."""

    time: float
    received: int
    sent: int
    bytes_received: int
    bytes_sent: int
    errors: int
    last: list[PacketRow]


class WireTraffic(TrafficRow):
    """The same with the wire's protocol and how many clients it has, if it knows."""

    bridge: str
    clients: int | None


class Traffic:
    """Counts and the last packets of a wire; packets are put into words only when asked for."""

    def __init__(self, words: Callable[[bytes, bool], str]) -> None:
        """Nothing yet; ``words`` says what a packet means, by whether it is an answer."""
        self._words = words
        self._begun = time.monotonic()
        self._last: deque[tuple[float, bool, bytes]] = deque(maxlen=KEPT)
        self.received = self.sent = self.bytes_received = self.bytes_sent = self.errors = 0
        """Packets, bytes, and packets that could not be read."""

    def heard(self, packet: bytes, size: int | None = None) -> None:
        """A packet of the client; ``size``: of the whole, where only its start is kept."""
        self.received += 1
        self.bytes_received += len(packet) if size is None else size
        self._last.append((time.monotonic(), False, packet))

    def said(self, packet: bytes, size: int | None = None) -> None:
        """A packet of the robot; ``size``: of the whole, where only its start is kept."""
        self.sent += 1
        self.bytes_sent += len(packet) if size is None else size
        self._last.append((time.monotonic(), True, packet))

    def wrong(self) -> None:
        """Bytes that are no packet."""
        self.errors += 1

    def last(self, count: int = 20) -> list[Packet]:
        """The last packets, oldest first."""
        rows = list(self._last)[-count:]
        return [
            Packet(
                at - self._begun, "robot" if answers else "client", data, self._word(data, answers)
            )
            for at, answers, data in rows
        ]

    def _word(self, data: bytes, answers: bool) -> str:
        try:
            return self._words(data, answers)
        except Exception as error:  # a packet may be anything: watching must not disturb the wire
            return f"? ({error})"

    def row(self, count: int = 20) -> TrafficRow:
        """Time since it was opened [s], counts and last packets."""
        return {
            "time": time.monotonic() - self._begun,
            "received": self.received, "sent": self.sent,
            "bytes_received": self.bytes_received, "bytes_sent": self.bytes_sent,
            "errors": self.errors,
            "last": [
                {"time": one.time, "sender": one.sender, "data": one.data.hex(" "),
                 "words": one.words}
                for one in self.last(count)
            ],
        }  # fmt: skip
