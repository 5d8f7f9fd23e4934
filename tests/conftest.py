"""Settings for all tests."""

from __future__ import annotations

import gc
import os
import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

# Tests start hundreds of processes; without compiled modules on the disk each compiles them again,
# which is most of what it does.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# MuJoCo draws nothing here; the search for a window system takes half of its import.
os.environ.setdefault("MUJOCO_GL", "disable")

# Timing never decides a test: machines differ and are shared.
settings.register_profile("kinegen", deadline=None, print_blob=True)
settings.load_profile("kinegen")

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


@cache
def _is_slow(path: Path) -> bool:
    name = path.relative_to(TESTS).as_posix()
    return any(name.startswith(f"{slow}/") for slow in SLOW)
