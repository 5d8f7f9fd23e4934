"""Loops of live simulations end with their test, with the threads of their agents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kinegen.studio.live.loop import LiveLoop


@pytest.fixture(autouse=True)
def _loops_end(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    begun: list[LiveLoop] = []
    begin = LiveLoop.__init__

    def begin_watched(loop: LiveLoop, *words: Any, **options: Any) -> None:
        begin(loop, *words, **options)
        begun.append(loop)

    monkeypatch.setattr(LiveLoop, "__init__", begin_watched)
    yield
    for loop in begun:
        loop.close()
