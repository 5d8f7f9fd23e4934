"""Packets in streams that are torn, mixed with nonsense, or cut off."""

from __future__ import annotations

import random

import pytest

from kinegen.bridges.servos.framing import Framing, Framing1, Framing2, crc16

KINDS = [Framing1, Framing2]


def test_published_examples() -> None:
    # ROBOTIS e-Manual: ping of servo 1 in both protocols
    assert Framing1().packet(1, 1) == bytes.fromhex("ffff010201fb")
    assert Framing2().packet(1, 1) == bytes.fromhex("fffffd0001030001194e")
    # read of present position of servo 1, protocol 2.0
    place = bytes.fromhex("84000400")
    assert Framing2().packet(1, 2, place) == bytes.fromhex(
        "fffffd000107000284000400"
    ) + bytes.fromhex("1d15")
    assert crc16(b"") == 0


@pytest.mark.parametrize("kind", KINDS)
def test_packets_survive_tearing(kind: type[Framing]) -> None:
    framing = kind()
    sent = [framing.packet(i, 3, bytes([0xFF, 0xFF, 0xFD, 0xFF, i])) for i in range(20)]
    stream = b"".join(sent)
    rng = random.Random(1)
    found, start = [], 0
    while start < len(stream):
        size = rng.randint(1, 9)
        found += framing.feed(stream[start : start + size])
        start += size
    assert [one.id for one in found] == list(range(20))
    assert all(one.parameters == bytes([0xFF, 0xFF, 0xFD, 0xFF, one.id]) for one in found)
    assert not framing.is_waiting and framing.errors == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_checksum_is_no_packet_and_the_next_one_is(kind: type[Framing]) -> None:
    framing = kind()
    bad = bytearray(framing.packet(1, 1))
    bad[-1] ^= 1
    found = list(framing.feed(bytes(bad) + framing.packet(2, 1)))
    assert [one.id for one in found] == [2]
    assert framing.errors == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_packet_behind_one_that_never_ends_is_found_in_silence(kind: type[Framing]) -> None:
    framing = kind()
    torn = framing.packet(1, 3, bytes(60))[:20]
    assert list(framing.feed(torn + framing.packet(2, 1))) == []
    assert [one.id for one in framing.search()] == [2]
    assert not framing.is_waiting


@pytest.mark.parametrize("kind", KINDS)
def test_the_rest_of_a_slow_packet_still_completes_it(kind: type[Framing]) -> None:
    framing = kind()
    packet = framing.packet(1, 3, bytes(10))
    assert list(framing.feed(packet[:9])) == []
    assert list(framing.search()) == []
    assert [one.id for one in framing.feed(packet[9:])] == [1]


@pytest.mark.parametrize("kind", KINDS)
def test_nonsense_is_forgotten(kind: type[Framing]) -> None:
    framing = kind()
    list(framing.feed(random.Random(2).randbytes(20_000)))
    found = [*framing.feed(framing.packet(9, 1)), *framing.search()]
    assert found[-1].id == 9
