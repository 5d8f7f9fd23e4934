"""Wires by which other programs move the simulated robot, and force devices that hands hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kinegen.studio.wire.message import Delivery, Message

__all__ = [
    "ForceDeviceData",
    "PacketData",
    "Traffic",
    "TrafficData",
    "WireData",
]


@dataclass(slots=True)
class WireData:
    """A wire of the simulated robot."""

    word: str
    """As in the settings."""
    kind: str
    robot: str
    """The included robot whose servos it has, '' where it has all."""
    endpoint: str
    """Device path or host:port."""
    facts: list[str]
    """What a client has to know besides, in words: speed, ids of the servos, address."""


@dataclass(slots=True)
class ForceDeviceData:
    """A force device of the file that is on."""

    name: str
    device: str
    """Its name among the registered devices."""
    port: int
    """Where its packets are heard on the studio's computer; 0 when it sends none."""
    trouble: str
    """What is wrong, in words; '' for nothing."""


@dataclass(slots=True)
class PacketData:
    """One packet on a wire."""

    time: float
    """Since the wire was opened [s]."""
    from_robot: bool
    words: str
    """What it says."""
    data: str
    """Its bytes, hexadecimal; the first ones of a long packet."""


@dataclass(slots=True)
class TrafficData:
    """What went over one wire since it was opened."""

    clients: int | None
    """How many are connected; None: a terminal does not know."""
    time: float
    """Since it was opened [s]."""
    received: int
    sent: int
    """Packets."""
    bytes_received: int
    bytes_sent: int
    errors: int
    """Packets that could not be read: bad checksums, wrong speeds."""
    last: list[PacketData]
    """Oldest first."""


@dataclass(slots=True)
class Traffic(Message):
    """What goes over the wires of the simulated robot, some times a second."""

    KIND: ClassVar[str] = "traffic"
    DELIVERY: ClassVar[Delivery] = "snapshot"
    wires: list[TrafficData]
    """In the order of the simulation's wires."""
