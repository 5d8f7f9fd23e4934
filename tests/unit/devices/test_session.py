"""One end of a conversation: peers, proofs, replays, sequence numbers."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from kinegen.devices.packets import PacketKind
from kinegen.devices.session import PIN_TIME, Session
from kinegen.kernels import HapticSequence, Heard
from kinegen.kernels.protocols.haptic import SEQUENCE_RUN

KEY = b"a key of the test"
FORCE = [1.0, 2.0, 3.0, 0.0]


def end(key: bytes = b"", peer: object = None) -> Session:
    return Session(PacketKind.FORCE, key=key, peer=peer)  # type: ignore[arg-type]


def say(one: Session, other: Session, now: float, name: str = "one") -> Heard:
    """One packet; what became of it."""
    before = other.counts.copy()
    other.open(one.seal(PacketKind.FORCE, now, FORCE), name, now)
    (heard,) = other.counts - before
    return heard


def met(now: float = 1.0) -> tuple[Session, Session]:
    """Two ends with a key that know each other."""
    one, two = end(KEY), end(KEY)
    assert say(one, two, now) is Heard.WAITING  # a greeting
    assert say(two, one, now, "two") is Heard.NEW
    assert say(one, two, now) is Heard.NEW
    return one, two


def test_without_a_key_the_first_speaker_is_the_peer() -> None:
    one, two, thief = end(), end(), end()
    assert say(one, two, 1.0) is Heard.NEW and two.peer == "one"
    assert say(thief, two, 1.1, "thief") is Heard.STRANGER and two.peer == "one"
    assert say(one, two, 1.2) is Heard.NEW
    # after a long silence somebody else may come
    two.watch(1.2 + PIN_TIME / 2)
    assert say(thief, two, 1.2 + PIN_TIME / 2, "thief") is Heard.STRANGER
    two.watch(1.3 + PIN_TIME)
    assert two.peer is None
    assert say(thief, two, 1.3 + PIN_TIME, "thief") is Heard.NEW and two.is_restart


def test_nonsense_makes_nobody_the_peer() -> None:
    two = end()
    two.open(b"nonsense", "thief", 1.0)
    two.open(end().seal(PacketKind.FORCE, 1.0, [1e9, 0, 0, 0]), "thief", 1.0)
    two.open(end().seal(PacketKind.DEVICE, 1.0, [0.0] * 11), "thief", 1.0)
    assert two.peer is None
    assert two.counts == {Heard.BAD: 2, Heard.WRONG: 1}


def test_a_fixed_peer_stays() -> None:
    two = end(peer="one")
    assert say(end(), two, 1.0, "thief") is Heard.STRANGER
    assert say(end(), two, 1.0) is Heard.NEW
    two.watch(100.0)
    assert two.peer == "one" and say(end(), two, 100.0, "thief") is Heard.STRANGER


def test_with_a_key_both_greet_and_then_listen() -> None:
    one, two = met()
    for i in range(10):
        assert say(one, two, 1 + i / 1000) is Heard.NEW
        assert say(two, one, 1 + i / 1000, "two") is Heard.NEW


def test_what_is_not_proven_does_not_count() -> None:
    one, two = met()
    assert say(end(b"a key of others..."), two, 1.1) is Heard.UNPROVEN
    assert say(end(), two, 1.1) is Heard.UNPROVEN  # no tag at all
    assert say(one, end(), 1.1) is Heard.UNPROVEN  # nor a tag where there is no key
    data = one.seal(PacketKind.FORCE, 1.1, FORCE)
    for i in range(4, len(data)):
        # every byte is under the tag
        spoiled = bytearray(data)
        spoiled[i] ^= 1
        assert two.open(bytes(spoiled), "one", 1.1) is None
    for size in range(0, len(data), 7):
        assert two.open(data[:size], "one", 1.1) is None
    assert two.open(data, "one", 1.1) is not None


def test_replays_do_not_count() -> None:
    one, two = end(KEY), end(KEY)
    heard = []
    for data in [one.seal(PacketKind.FORCE, 1.0, FORCE)]:
        two.open(data, "one", 1.0)
        heard.append(data)
    one.open(two.seal(PacketKind.FORCE, 1.0, FORCE), "two", 1.0)
    for i in range(50):
        data = one.seal(PacketKind.FORCE, 1 + i / 1000, FORCE)
        assert two.open(data, "one", 1 + i / 1000) is not None
        heard.append(data)
    # in the same session, many in order: no run of old packets is ever believed with a key
    assert not any(two.open(data, "one", 1.06) for data in heard)
    # to the next session of the same two
    two.watch(2 + PIN_TIME)
    assert not any(two.open(data, "one", 2 + PIN_TIME) for data in heard)
    # to another receiver
    assert not any(end(KEY).open(data, "one", 1.0) for data in heard)
    # and back to the sender
    assert not any(one.open(data, "two", 1.06) for data in heard)


def test_sessions_begin_again_after_a_restart() -> None:
    one, two = met()
    again = end(KEY)
    assert say(again, two, 1.1, "one") is Heard.WAITING  # the old one may be alive
    for session in (again, two):
        session.watch(1.2 + PIN_TIME)
    now = 1.3 + PIN_TIME
    assert say(again, two, now) is Heard.WAITING
    assert say(two, again, now, "two") is Heard.NEW
    assert say(again, two, now) is Heard.NEW
    assert say(one, two, now) is Heard.WAITING  # what it knew is over


def test_old_greetings_cannot_keep_two_apart() -> None:
    stale = [end(KEY).seal(PacketKind.FORCE, 0.5, FORCE) for _ in range(20)]
    one, two = end(KEY), end(KEY)
    for i in range(20):
        two.open(stale[i], "thief", 1 + i / 1000)
        say(one, two, 1 + i / 1000)
        say(two, one, 1 + i / 1000, "two")
    assert two.peer == "one" and two.counts[Heard.NEW] >= 18


def test_long_sessions_count_on() -> None:
    one, two = met()
    for start in (2**32 - 3, 2**40):
        one._sent = start
        for i in range(6):
            heard = say(one, two, 2 + i / 1000)
        assert heard is Heard.NEW or start == 2**40  # a leap is looked at twice
    data = one.seal(PacketKind.FORCE, 3.0, FORCE)
    assert struct.unpack_from("<Q", data, 8)[0] == one._sent > 2**40


def run(order: HapticSequence, sequences: object) -> list[bool | None]:
    return [order.next(int(s) % 2**32, False) for s in np.asarray(sequences)]


def test_sequence_numbers_go_round() -> None:
    order = HapticSequence()
    assert run(order, [5, 6, 8]) == [True, False, False]
    assert run(order, [8, 7, 6]) == [None] * 3
    order = HapticSequence()
    assert run(order, [2**32 - 1, 0, 1]) == [True, False, False]


@pytest.mark.parametrize("forged", [2**31 - 1, 2**31, 2**32 - 1, 10**9, 1000])
def test_a_number_far_away_changes_nothing(forged: int) -> None:
    order = HapticSequence()
    run(order, range(100))
    for i in range(100, 200):
        assert order.next((i + forged) % 2**32, False) is None
        assert order.next(i, False) is False


@pytest.mark.parametrize("ahead", [1, 5, 50, 256])
def test_a_forged_number_near_by_is_overcome(ahead: int) -> None:
    order = HapticSequence()
    run(order, range(100))
    assert order.next(99 + ahead, False) is False
    heard = [order.next(i, False) for i in range(100, 140)]
    assert sum(one is None for one in heard) <= SEQUENCE_RUN
    assert heard[-1] is False


def test_a_peer_that_counts_from_the_start_is_believed_after_a_while() -> None:
    order = HapticSequence()
    run(order, range(5000))
    heard = run(order, range(1, 40))
    assert heard[:15] == [None] * 15 and heard[15] is True and heard[16:] == [False] * 23


def test_forged_numbers_at_random_push_nobody_out() -> None:
    rng = np.random.default_rng(0)
    order = HapticSequence()
    order.next(10**9, False)  # a forged beginning
    heard = []
    for i in range(1, 200):
        heard.append(order.next(i, False))
        order.next(int(rng.integers(2**32)), False)
    assert True in heard and heard.index(True) < 40
    assert heard[-100:] == [False] * 100


def test_doubles_of_everything_are_left_out() -> None:
    order = HapticSequence()
    for i in range(1000):
        assert order.next(i, False) is (i == 0)
        if i >= 20:
            assert order.next(i - 20, False) is None
