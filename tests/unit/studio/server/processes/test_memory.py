"""Memory is given back where the system takes it, and nowhere does it fail."""

from __future__ import annotations

import ctypes
import gc
import sys
import weakref

import pytest

from kinegen.studio.server.processes import memory


class Circle:
    """Something that only the collector finds."""

    def __init__(self) -> None:
        self.own = self


def test_what_nobody_uses_is_found() -> None:
    gc.disable()
    try:
        seen = weakref.ref(Circle())
        assert seen() is not None
        memory.give_back()
        assert seen() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("libc", [None, object()])
def test_systems_without_glibc_are_left_alone(
    libc: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    if libc is None:
        monkeypatch.setattr(sys, "platform", "win32")
    else:
        monkeypatch.setattr(ctypes, "CDLL", lambda name: libc)
    assert memory._libc() is None
    memory.use_few_arenas()
    memory.give_back()


def test_memory_is_given_back_when_the_process_has_grown() -> None:
    now, size = [0.0], [50]
    growth = memory.Growth(lambda: size[0] << 20, lambda: now[0])
    now[0], size[0] = 10.0, 60
    assert not growth.is_due()  # too little
    size[0] = 160
    assert growth.is_due()
    growth.given()
    assert not growth.is_due()  # what is left is in use
    size[0] = 200
    assert not growth.is_due()  # too soon
    now[0] = 20.0
    assert growth.is_due()
    size[0] = 60
    assert not growth.is_due()
    size[0] = 80
    assert growth.is_due()  # measured from the lowest
