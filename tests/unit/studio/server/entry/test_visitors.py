"""Visitors: those connected, and those that must go."""

from __future__ import annotations

import sys

import pytest

from kinegen.studio.server.entry.visitors import PATIENCE, Visitors, connection_limit


class Time:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def crowd(most: int, most_of_one: int = 100) -> tuple[Visitors, Time, list[int]]:
    time, closed = Time(), []
    visitors = Visitors(most, most_of_one, clock=time)
    for n in range(most):
        time.now += 1
        assert visitors.admit(("127.0.0.1", n), lambda n=n: closed.append(n))
    return visitors, time, closed


def test_those_who_say_nothing_make_place_the_longest_first() -> None:
    visitors, _, closed = crowd(5)
    visitors.mark(("127.0.0.1", 0), "page")
    visitors.mark(("127.0.0.1", 1), "resting")
    visitors.mark(("127.0.0.1", 2), "asking")
    for n in range(100, 103):
        assert visitors.admit(("127.0.0.1", n), lambda n=n: closed.append(n))
    # those who never said a word, the newest of them at last
    assert closed == [3, 4, 100] and len(visitors) == 5 and visitors.refused == 3
    for n in (101, 102):
        visitors.mark(("127.0.0.1", n), "page")
    assert visitors.admit(("127.0.0.1", 200), lambda: None) and closed[-1] == 1


def test_pages_and_requests_keep_their_place() -> None:
    visitors, _, closed = crowd(4)
    for n in range(4):
        visitors.mark(("127.0.0.1", n), "page" if n % 2 else "asking")
    assert not visitors.admit(("127.0.0.1", 9), lambda: None)
    assert closed == [] and visitors.refused == 1
    visitors.gone(("127.0.0.1", 2))
    assert visitors.admit(("127.0.0.1", 9), lambda: None)


def test_one_address_elsewhere_cannot_take_all_places() -> None:
    time, closed = Time(), []
    visitors = Visitors(10, 3, clock=time)
    for n in range(6):
        assert visitors.admit(("192.0.2.7", n), lambda n=n: closed.append(n))
    assert closed == [0, 1, 2] and len(visitors) == 3
    for n in range(3, 6):
        visitors.mark(("192.0.2.7", n), "page")
    assert not visitors.admit(("192.0.2.7", 9), lambda: None)
    assert visitors.admit(("192.0.2.8", 9), lambda: None)


def test_dawdlers_are_closed_and_pages_are_not() -> None:
    visitors, time, closed = crowd(4)
    visitors.mark(("127.0.0.1", 0), "page")
    visitors.mark(("127.0.0.1", 1), "asking")
    visitors.mark(("127.0.0.1", 2), "resting")
    time.now += PATIENCE["arriving"] + 1
    # to say the same again does not win time
    visitors.mark(("127.0.0.1", 2), "resting")
    visitors.sweep()
    assert sorted(closed) == [2, 3] and visitors.expired == 2
    time.now += PATIENCE["asking"]
    visitors.sweep()
    assert sorted(closed) == [1, 2, 3] and len(visitors) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit there")
def test_the_limit_leaves_files_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    for soft, most in ((16384, 1000), (1024, 768), (400, 200), (100, 50)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, soft=soft: (soft, soft))
        assert connection_limit() == most
