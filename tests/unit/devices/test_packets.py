"""Packets of the haptic link."""

from __future__ import annotations

import math
import struct

import pytest

from kinegen.devices.packets import COUNTS, PacketKind, pack, unpack
from kinegen.errors import KinegenError


@pytest.mark.parametrize("kind", PacketKind)
def test_what_is_packed_is_unpacked(kind: PacketKind) -> None:
    numbers = tuple(float(i) for i in range(COUNTS[kind]))
    data = pack(kind, 7, 1.5, 0.25, numbers)
    assert len(data) == 32 + 8 * COUNTS[kind]
    packet = unpack(data, kind)
    assert packet is not None
    assert (packet.sequence, packet.time, packet.echo) == (7, 1.5, 0.25)
    assert packet.numbers == numbers


def test_the_bytes_are_as_documented() -> None:
    data = pack(PacketKind.FORCE, 258, 2.0, 0.0, [1.0, 2.0, 3.0, 0.0])
    assert data[:4] == b"KGH1"
    assert struct.unpack_from("<HHII", data, 4) == (4, 4, 258, 0)
    assert struct.unpack_from("<dd4d", data, 16) == (2.0, 0.0, 1.0, 2.0, 3.0, 0.0)


def test_nonsense_is_no_packet() -> None:
    good = pack(PacketKind.FORCE, 1, 0.0, 0.0, [0.0] * 4)
    other = pack(PacketKind.DEVICE, 1, 0.0, 0.0, [0.0] * 11)
    bad = [
        b"",
        good[:-1],
        good + b"\0",
        b"XXXX" + good[4:],
        other,
        pack(PacketKind.FORCE, 1, 0.0, 0.0, [0.0, math.nan, 0.0, 0.0]),
        pack(PacketKind.FORCE, 1, math.inf, 0.0, [0.0] * 4),
    ]
    assert [unpack(data, PacketKind.FORCE) for data in bad] == [None] * len(bad)


def test_numbers_are_counted() -> None:
    with pytest.raises(KinegenError, match="FORCE has 4 numbers, got 3"):
        pack(PacketKind.FORCE, 1, 0.0, 0.0, [0.0] * 3)
