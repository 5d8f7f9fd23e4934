"""Memory is given back where the system takes it, and nowhere does it fail."""

from __future__ import annotations

import ctypes
import gc
import sys
import weakref

import pytest

from kinegen.studio import memory


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
