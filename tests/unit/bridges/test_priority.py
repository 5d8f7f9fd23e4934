"""A process that answers clients runs first, where it may."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = """
import os
from kinegen.bridges.priority import prefer_this_process
before = os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0)
allowed = prefer_this_process()
after = os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0)
print(allowed, after != before)
"""


@pytest.mark.skipif(not hasattr(os, "sched_getscheduler"), reason="Linux has such priorities")
def test_it_says_whether_it_may() -> None:
    """In a process of its own, which then ends: no other test runs with it."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    allowed, changed = done.stdout.split()
    assert allowed == changed
