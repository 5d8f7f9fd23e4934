"""Memory: what sessions, edits and jobs took is given back when everybody has left."""

from __future__ import annotations

import asyncio
import sys

import pytest

from bench.endurance.studio import MOST, soak


@pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux reports a process's memory so simply"
)
def test_memory_returns(effort: int) -> None:
    """300 sessions that work for 10 minutes in the long form."""
    if effort > 1:
        work = soak(300, 600.0, keep=5.0)
    else:
        work = soak(12, keep=0.5, edits=2, jobs=False)
    found = asyncio.run(work)
    assert found.highest > found.start, "nothing was done"
    assert found.end <= found.start + MOST, found
