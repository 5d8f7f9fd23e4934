"""Memory that is free in this process is given back to the system, where the system takes it."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import time
from collections.abc import Callable
from typing import Any

__all__ = ["Growth", "give_back", "resident", "use_few_arenas"]

_ARENA_MAX, _MMAP_THRESHOLD = -8, -3
"""glibc's ``M_ARENA_MAX`` and ``M_MMAP_THRESHOLD`` (malloc.h)."""
LARGE = 2**17
"""[bytes] Blocks from this size on go back to the system by themselves. By default glibc raises the
size with each that is freed, and large blocks then leave holes between small ones."""
ARENAS = 2
"""Pools of memory: one per thread, as glibc would have it, keeps what many rooms used once."""
GROWTH = 16 * 2**20
"""[bytes] of growth after which it is worth looking for what is free again."""
PAUSE = 5.0
"""[s] Between two such looks, at least: each takes some 50 ms."""


def _libc() -> Any:
    """The C library, if it is glibc; None elsewhere."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        found = ctypes.CDLL(None)
        return found if hasattr(found, "malloc_trim") and hasattr(found, "mallopt") else None
    except OSError:
        return None


def use_few_arenas() -> None:
    """Let all threads share a few pools, and large blocks have none; to be called at the start."""
    libc = _libc()
    if libc is not None:
        libc.mallopt(_ARENA_MAX, ARENAS)
        libc.mallopt(_MMAP_THRESHOLD, LARGE)


def resident() -> int:
    """Memory that this process has in use [bytes]; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def give_back() -> None:
    """Find what nobody uses any more, and give its memory back; takes some 50 ms, in any thread."""
    gc.collect()
    libc = _libc()
    if libc is not None:
        libc.malloc_trim(0)


class Growth:
    """Says when the process has grown: after large messages, say, much of it is free again."""

    def __init__(
        self,
        measure: Callable[[], int] = resident,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._measure, self._clock = measure, clock
        self._base = measure()
        self._last = clock()

    def is_due(self) -> bool:
        """Whether it is time to give memory back."""
        now, size = self._clock(), self._measure()
        self._base = min(self._base, size)
        return size > self._base + GROWTH and now - self._last >= PAUSE

    def given(self) -> None:
        """What was free was given back: what is left is in use."""
        self._base, self._last = self._measure(), self._clock()
