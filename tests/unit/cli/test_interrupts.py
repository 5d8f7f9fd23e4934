"""Ctrl-C: noted even where a library swallows it."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator

import pytest

from kinegen.cli.interrupts import Interrupts


@pytest.fixture(autouse=True)
def signals(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_that_became_another_error_is_noted() -> None:
    interrupts = Interrupts(130)
    with pytest.raises(ImportError):
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise ImportError("as NumPy does") from None
    assert interrupts.count == 1


def test_an_interrupt_in_a_destructor_comes_again() -> None:
    interrupts = Interrupts(130)

    class Slow:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        Slow()
        time.sleep(60)
    assert interrupts.count == 1


def test_a_process_that_ignores_it_still_does() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    interrupts = Interrupts(130)
    signal.raise_signal(signal.SIGINT)
    interrupts.end()
    signal.raise_signal(signal.SIGINT)
    assert interrupts.count == 0


def test_patience_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    monkeypatch.setattr("os._exit", ended.append)
    interrupts = Interrupts(130)
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert ended == [130]
    interrupts.end()
    signal.raise_signal(signal.SIGINT)
    assert ended == [130, 130]
