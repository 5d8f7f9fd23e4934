"""How hard the attacks try: `make test` runs the short form, `make attack` the long one."""

from __future__ import annotations

import pytest

from tests.support.examples import EFFORT


@pytest.fixture(scope="session")
def effort() -> int:
    """Factor for counts and durations: 1 in the short form, 20 in the long one."""
    return EFFORT
