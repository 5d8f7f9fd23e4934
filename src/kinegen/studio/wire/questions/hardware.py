"""Questions about hardware: wires of a simulated robot, serial ports of a real one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kinegen.studio.wire.message import Question, Result

__all__ = [
    "OfferData",
    "OffersRequest",
    "OffersResult",
    "PortData",
    "SerialPortsRequest",
    "SerialPortsResult",
]


@dataclass(slots=True)
class OfferData:
    """A protocol that other programs can move the simulated robot by."""

    kind: str
    connects: str
    """What connects to it, in a few words."""
    port: int | None
    """Its usual TCP port; None: a terminal, or any port that is free."""
    has_terminal: bool
    """Whether it has a device path unless a port is given."""
    holds: bool
    """Whether it switches the motors on."""
    trouble: str
    """Why this mechanism cannot have it, in words; '' where it can."""


@dataclass(slots=True)
class OffersResult(Result):
    """All protocols."""

    offers: list[OfferData]


@dataclass(slots=True)
class OffersRequest(Question):
    """Which protocols can the mechanism have?"""

    KIND: ClassVar[str] = "offers"
    RESULT: ClassVar[type[Result]] = OffersResult


@dataclass(slots=True)
class PortData:
    """A serial port of the computer that the studio runs on."""

    device: str
    description: str
    """What is plugged in there, '' where the system does not know."""


@dataclass(slots=True)
class SerialPortsResult(Result):
    """All serial ports, and the kinds of servos that can be driven."""

    ports: list[PortData]
    kinds: list[str]
    trouble: str
    """Why none can be listed, in words; '' where they are."""


@dataclass(slots=True)
class SerialPortsRequest(Question):
    """Which serial ports are there?"""

    KIND: ClassVar[str] = "serial_ports"
    RESULT: ClassVar[type[Result]] = SerialPortsResult
