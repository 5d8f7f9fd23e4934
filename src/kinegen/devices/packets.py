"""Packets of the haptic link: a header of 32 bytes and float64 numbers, all little-endian.

docs/reference/haptic-protocol.md describes them for other people's devices.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import WrongField
from kinegen.kernels.protocols.haptic import (
    DEVICE6_COUNT,
    DEVICE_COUNT,
    ENERGY_MOST,
    FORCE6_COUNT,
    FORCE_COUNT,
    HAND_COUNT,
    PACKET_HEADER,
    PACKET_MAGIC,
    PACKET_MAGIC_SEALED,
    STATE_COUNT,
    TIME_MOST,
    PacketKind,
)
from kinegen.kernels.reference.haptic.bounds import wrong_hand, wrong_state

__all__ = [
    "COUNTS",
    "HEADER_BYTES",
    "Packet",
    "PacketKind",
    "pack",
    "unpack",
    "unpack_any",
    "wrong_numbers",
]

MAGIC = PACKET_MAGIC.to_bytes(4, "little")
MAGIC_SEALED = PACKET_MAGIC_SEALED.to_bytes(4, "little")
"""Of packets with a tag."""
_HEADER = struct.Struct("<4sHHQdd")
HEADER_BYTES = PACKET_HEADER
FORCE_MOST = 1e4
"""Force [N] or torque [N m] that no device has."""


COUNTS = {
    PacketKind.HAND: HAND_COUNT,
    PacketKind.STATE: STATE_COUNT,
    PacketKind.DEVICE: DEVICE_COUNT,
    PacketKind.FORCE: FORCE_COUNT,
    PacketKind.DEVICE6: DEVICE6_COUNT,
    PacketKind.FORCE6: FORCE6_COUNT,
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
    kind: PacketKind,
    sequence: int,
    time: float,
    echo: float,
    numbers: Sequence[float],
    *,
    is_sealed: bool = False,
) -> bytes:
    """The bytes of a packet; one that is sealed later counts to 2⁶⁴ and not to 2³²."""
    if len(numbers) != COUNTS[kind]:
        raise UsageError(f"a packet {kind.name} has {COUNTS[kind]} numbers, got {len(numbers)}")
    magic, most = (MAGIC_SEALED, 2**64) if is_sealed else (MAGIC, 2**32)
    head = _HEADER.pack(magic, kind, len(numbers), sequence % most, time, echo)
    return head + struct.pack(f"<{len(numbers)}d", *numbers)


def unpack_any(data: bytes) -> tuple[Packet | None, bool]:
    """A packet, if the bytes are one, and whether all of its numbers are finite."""
    if len(data) < _HEADER.size:
        return None, False
    magic, found, count, sequence, time, echo = _HEADER.unpack_from(data)
    if found not in COUNTS or count != COUNTS[found] or len(data) != _HEADER.size + 8 * count:
        return None, False
    if magic != MAGIC_SEALED and (magic != MAGIC or sequence >= 2**32):
        return None, False
    numbers = struct.unpack_from(f"<{count}d", data, _HEADER.size)
    is_finite = all(map(math.isfinite, (time, echo, *numbers)))
    return Packet(PacketKind(found), sequence, time, echo, numbers), is_finite


def unpack(data: bytes, kind: PacketKind) -> Packet | None:
    """A packet of a kind; None where the bytes are none, or hold what is no number."""
    packet, is_finite = unpack_any(data)
    return packet if packet and is_finite and packet.kind is kind else None


def wrong_numbers(packet: Packet) -> WrongField:
    """Which numbers of a packet are out of their bounds, if any; haptic-protocol.md lists these."""
    numbers, kind = np.array(packet.numbers), packet.kind
    if max(abs(packet.time), abs(packet.echo)) > TIME_MOST:
        return WrongField.TIME
    if kind is PacketKind.STATE:
        return wrong_state(numbers)
    if kind in {PacketKind.FORCE, PacketKind.FORCE6}:
        is_fine = bool((np.abs(numbers[:-1]) <= FORCE_MOST).all()) and 0 <= numbers[-1] < 256
        return WrongField.FINE if is_fine else WrongField.FORCE
    turning = np.zeros(3) if kind is PacketKind.DEVICE else numbers[10:13]
    wrong = wrong_hand(numbers[:3], numbers[6:10], np.concatenate([numbers[3:6], turning]))
    if wrong is not WrongField.FINE:
        return wrong
    if kind is PacketKind.HAND:
        if not (np.abs(numbers[13:19]) <= FORCE_MOST).all():
            return WrongField.FORCE
        if not abs(numbers[19]) <= ENERGY_MOST:
            return WrongField.ENERGY
        if numbers[21] not in (3, 6):
            return WrongField.DOF
    buttons = numbers[20] if kind is PacketKind.HAND else numbers[-1]
    return WrongField.FINE if 0 <= buttons < 2**32 else WrongField.BUTTONS
