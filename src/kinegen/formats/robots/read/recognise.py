"""Whether a text is of a format, by the beginning of its content."""

from __future__ import annotations

import re
from collections.abc import Callable

__all__ = ["has_text"]

BEGINNING = 20_000
"""Characters that are looked at: comments and licences may stand before the root."""


def has_text(pattern: str) -> Callable[[str], bool]:
    """Whether the beginning of a text has the pattern."""
    compiled = re.compile(pattern)
    return lambda text: compiled.search(text[:BEGINNING]) is not None
