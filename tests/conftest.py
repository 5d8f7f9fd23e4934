"""Settings for all tests."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.examples import EFFORT

# Tests start hundreds of processes; without compiled modules on the disk each compiles them again,
# which is most of what it does.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# MuJoCo draws nothing here; the search for a window system takes half of its import.
os.environ.setdefault("MUJOCO_GL", "disable")

# Timing never decides a test: machines differ and are shared. Nor does chance decide whether a
# change can be merged: `make test` draws the same examples each time, `make attack` others.
settings.register_profile("kinegen", deadline=None, print_blob=True, derandomize=EFFORT == 1)
settings.load_profile("kinegen")

REAL_TIME = {
    policy | flag
    for policy in (getattr(os, "SCHED_RR", 0), getattr(os, "SCHED_FIFO", 0))
    for flag in (0, getattr(os, "SCHED_RESET_ON_FORK", 0))
} - {0}
TESTS = Path(__file__).parent
SLOW = (
    "attack",
    "browser",
    "twins",
    "unit/bridges",
    "unit/cluster",
    "unit/drive",
    "unit/motion/design",
    "unit/studio/jobs",
    "unit/studio/live",
    "unit/workspace/runs",
    "unit/workspace/zones",
    "unit/world/library",
)
"""Folders that ``make test-fast`` leaves out: other processes, builds, networks, long runs. Single
files and tests say it themselves, by the marker ``slow``."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the slow tests, wherever they are run from."""
    gone = [slow for slow in SLOW if not (TESTS / slow).is_dir()]
    if gone:
        raise pytest.UsageError(f"SLOW in tests/conftest.py names folders that are gone: {gone}")
    for item in items:
        if _is_slow(item.path):
            item.add_marker(pytest.mark.slow)
    # what is collected stays until the end: nobody looks again and again whether it is rubbish
    gc.freeze()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown() -> Iterator[None]:
    """A test process that runs before all others, and what it starts, would starve them."""
    yield
    if hasattr(os, "sched_getscheduler") and os.sched_getscheduler(0) in REAL_TIME:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        pytest.fail("the test left its process with a priority in real time")


@cache
def _is_slow(path: Path) -> bool:
    name = path.relative_to(TESTS).as_posix()
    return any(name.startswith(f"{slow}/") for slow in SLOW)
