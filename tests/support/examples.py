"""How many examples hypothesis tries: `make attack` runs the long form."""

from __future__ import annotations

import os

__all__ = ["EFFORT", "examples"]

EFFORT = 20 if os.environ.get("KINEGEN_ATTACK") == "long" else 1
"""Factor for counts and durations: 1 in the short form, 20 in the long one."""


def examples(count: int) -> int:
    """How many of a law that takes ``count`` examples in the short form."""
    return count * EFFORT
