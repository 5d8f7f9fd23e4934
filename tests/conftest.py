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
    # other processes, builds, networks and long runs
    "attack",
    "browser",
    "twins",
    "contract/test_docs.py",
    "contract/test_examples.py",
    "contract/test_figures.py",
    "contract/test_light_install.py",
    "contract/test_wheel.py",
    "laws/test_haptic.py",
    "laws/test_linalg.py",
    "laws/test_raff_edit.py",
    "laws/test_swing_stops.py",
    "unit/cli/commands/test_design.py",
    "unit/cli/commands/test_touch.py",
    "unit/cli/options/test_workspace_store.py",
    "unit/cli/test_main.py",
    "unit/cluster",
    "unit/devices/test_link.py",
    "unit/dynamics/contact/test_contacts.py",
    "unit/dynamics/motors/test_backlash.py",
    "unit/dynamics/motors/test_servos.py",
    "unit/formats/drawing/test_svg.py",
    "unit/kernels/test_backend.py",
    "unit/live/test_start.py",
    "unit/motion/design",
    "unit/motion/test_steering.py",
    "unit/studio/jobs",
    "unit/studio/live",
    "unit/studio/server/test_watchdog.py",
    "unit/studio/session/test_autosave.py",
    "unit/studio/session/test_readers.py",
    "unit/workspace/progressive/test_zone.py",
    "unit/workspace/runs",
    "unit/workspace/zones",
)
"""What ``make test-fast`` leaves out, as paths under this folder."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the slow tests, wherever they are run from."""
    for item in items:
        if _is_slow(item.path):
            item.add_marker(pytest.mark.slow)
    # what is collected stays until the end: nobody looks again and again whether it is rubbish
    gc.freeze()


@cache
def _is_slow(path: Path) -> bool:
    name = path.relative_to(TESTS).as_posix()
    return any(name == slow or name.startswith(f"{slow}/") for slow in SLOW)
