"""Whether a text is of an XML format, by the beginning of its content."""

from __future__ import annotations

import re
from collections.abc import Callable

__all__ = ["has_text"]

_MARKUP = re.compile(r"\ufeff?\s*<")
"""How XML begins: a RAFF text may well contain a brace or a tag somewhere."""
BEGINNING = 20_000
"""Characters that are looked at: comments and licences may stand before the root."""


def has_text(pattern: str) -> Callable[[str], bool]:
    """Whether a text is XML, and its beginning has the pattern."""
    compiled = re.compile(pattern)

    def recognises(text: str) -> bool:
        beginning = text[:BEGINNING]
        return _MARKUP.match(beginning) is not None and compiled.search(beginning) is not None

    return recognises
