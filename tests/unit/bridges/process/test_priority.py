"""A process that answers clients runs first, where it may."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = """
import os, subprocess, sys
from kinegen.bridges.process.priority import prefer_this_process, preferred

def now():
    return os.sched_getscheduler(0) & ~os.SCHED_RESET_ON_FORK, os.getpriority(os.PRIO_PROCESS, 0)

READ = "import os; print(os.sched_getscheduler(0))"
before = now()
with preferred() as allowed:
    changed = now() != before
    child = subprocess.run([sys.executable, "-c", READ], capture_output=True, text=True, check=True)
inherited = int(child.stdout) != before[0]
restored = now() == before
prefer_this_process()
print(allowed, changed, inherited, restored, now() != before)
"""


@pytest.mark.skipif(not hasattr(os, "sched_getscheduler"), reason="Linux has such priorities")
def test_it_says_whether_it_may() -> None:
    """In a process of its own, which then ends: no other test runs with it."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    allowed, changed, inherited, restored, stays = done.stdout.split()
    assert allowed == changed == stays
    assert (inherited, restored) == ("False", "True")
