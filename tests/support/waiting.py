"""Waiting for something that other threads do: failing only when it never comes."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from kinegen import kernels

NEVER = 120.0
"""Seconds after which nothing will come any more, on the slowest of machines."""

needs_thread = pytest.mark.skipif(kernels.name() != "native", reason="the thread is compiled")


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + NEVER
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.005)
