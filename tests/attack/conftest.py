"""How hard the attacks try: `make test` runs the short form, `make attack` the long one."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(scope="session")
def effort() -> int:
    """Factor for counts and durations: 1 in the short form, 20 in the long one."""
    return 20 if os.environ.get("KINEGEN_ATTACK") == "long" else 1
