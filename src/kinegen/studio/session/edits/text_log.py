"""Text log: recent texts of a session, for edits that were made from one of them."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections import deque

from kinegen.studio.session.files.merge import merge

__all__ = ["TextLog"]

MOST_TEXTS = 200
MOST_CHARACTERS = 16 * 2**20
"""Of the texts that edits may be based on; the oldest go first."""


class TextLog:
    """Texts by the version from which on they were the present one."""

    def __init__(self) -> None:
        self._versions: deque[int] = deque()
        self._texts: deque[tuple[int, str, int]] = deque()
        """What was opened, counted; the text; who typed it, 0 where it was not typed."""
        self._size = 0

    def add(self, version: int, document: int, text: str, typist: int = 0) -> None:
        """The text from a version on; ``document`` counts what was opened."""
        if self._texts and self._texts[-1][:2] == (document, text):
            return
        self._versions.append(version)
        self._texts.append((document, text, typist))
        self._size += len(text)
        while len(self._texts) > 1 and (
            len(self._texts) > MOST_TEXTS or self._size > MOST_CHARACTERS
        ):
            self._versions.popleft()
            self._size -= len(self._texts.popleft()[1])

    def merged(self, text: str, base: int, now: int, typist: int = 0) -> str | None:
        """A text that was made from that of a version, with what came since; None: it collides."""
        document, present, _ = self._texts[-1]
        at = bisect_right(self._versions, base) - 1
        if base > now or at < 0:
            return None  # of another life of the session, or forgotten
        origin, known, _ = self._texts[at]
        if known == present and origin == document:
            return text
        since = [one[2] for one in itertools.islice(self._texts, at + 1, None)]
        if typist and all(one == typist for one in since):
            return text  # typed over what the same one sent before
        return merge(known, text, present) if origin == document else None
