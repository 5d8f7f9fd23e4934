"""Packets of the haptic link: a header of 32 bytes and float64 numbers, all little-endian.

The same as native/haptic_packet.hpp; docs/devices.md describes them for other people's devices.
"""

from __future__ import annotations

import enum
import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass

from kinegen.errors import UsageError

__all__ = ["COUNTS", "Packet", "PacketKind", "is_newer", "pack", "unpack"]

MAGIC = b"KGH1"
_HEADER = struct.Struct("<4sHHIIdd")


class PacketKind(enum.IntEnum):
    """Who says what to whom."""

    HAND = 1
    """Haptic loop to mechanism: position, velocity, quaternion, angular velocity, force and torque
    on the hand, energy that the hand gave, buttons, freedoms of the device (3 or 6)."""
    STATE = 2
    """Mechanism to haptic loop: the touched point."""
    DEVICE = 3
    """Device to haptic loop: position, velocity, quaternion, buttons."""
    FORCE = 4
    """Haptic loop to device: force, trouble."""
    DEVICE6 = 5
    """Device with a torque to haptic loop: position, velocity, quaternion, angular velocity,
    buttons."""
    FORCE6 = 6
    """Haptic loop to such a device: force, torque, trouble."""


COUNTS = {
    PacketKind.HAND: 22,
    PacketKind.STATE: 65,
    PacketKind.DEVICE: 11,
    PacketKind.FORCE: 4,
    PacketKind.DEVICE6: 14,
    PacketKind.FORCE6: 7,
}
"""Numbers of each kind of packet."""


@dataclass(frozen=True, slots=True)
class Packet:
    """One packet."""

    kind: PacketKind
    sequence: int
    time: float
    """Of the sender's clock [s]."""
    echo: float
    """Time of the last packet that the sender heard from us, 0: none."""
    numbers: tuple[float, ...]


def pack(
    kind: PacketKind, sequence: int, time: float, echo: float, numbers: Sequence[float]
) -> bytes:
    """The bytes of a packet."""
    if len(numbers) != COUNTS[kind]:
        raise UsageError(f"a packet {kind.name} has {COUNTS[kind]} numbers, got {len(numbers)}")
    head = _HEADER.pack(MAGIC, kind, len(numbers), sequence % 2**32, 0, time, echo)
    return head + struct.pack(f"<{len(numbers)}d", *numbers)


def unpack(data: bytes, kind: PacketKind) -> Packet | None:
    """A packet of a kind; None where the bytes are none, or hold what is no number."""
    count = COUNTS[kind]
    if len(data) != _HEADER.size + 8 * count:
        return None
    magic, found, told, sequence, _, time, echo = _HEADER.unpack_from(data)
    if magic != MAGIC or found != kind or told != count:
        return None
    numbers = struct.unpack_from(f"<{count}d", data, _HEADER.size)
    if not all(map(math.isfinite, (time, echo, *numbers))):
        return None
    return Packet(kind, sequence, time, echo, numbers)


def is_newer(sequence: int, last: int) -> bool:
    """Whether a sequence number comes after another; they go round at 2³²."""
    return 0 < (sequence - last) % 2**32 < 2**31
