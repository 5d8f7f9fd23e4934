"""Callbacks: those that run in a loop end with it."""

from __future__ import annotations

import gc

import pytest

from kinegen.live import callbacks as module
from kinegen.live.callbacks import Callbacks


class Ending:
    """A loop that closes just after somebody has looked."""

    def __init__(self, takes: bool) -> None:
        self.takes, self.looks = takes, 0

    def is_closed(self) -> bool:
        self.looks += 1
        return self.looks > 1

    def call_soon_threadsafe(self, *_: object) -> None:
        if not self.takes:
            raise RuntimeError("Event loop is closed")


@pytest.mark.parametrize("takes", [True, False])
def test_a_loop_that_ends_meanwhile_is_no_error(
    monkeypatch: pytest.MonkeyPatch, takes: bool
) -> None:
    monkeypatch.setattr(module, "LOOK", 0.01)

    async def hear(number: int) -> None:
        pytest.fail("nobody runs the loop")

    loop = Ending(takes)
    callbacks = Callbacks("test", loop)  # type: ignore[arg-type]
    callbacks._do(hear, (1,))
    assert loop.is_closed()
    callbacks._do(hear, (2,))
    gc.collect()  # a coroutine that was never awaited would be a warning here
