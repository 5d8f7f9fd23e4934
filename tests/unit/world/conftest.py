from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module")
def drawing() -> Iterator[None]:
    """For tests with cameras: conftest.py turns MuJoCo's drawing off for all others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("MUJOCO_GL", raising=False)
        yield
