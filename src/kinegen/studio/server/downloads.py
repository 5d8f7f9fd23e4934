"""Files made for download: kept for a while under names that nobody can guess."""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Download", "Downloads"]

KEEP = 600.0
"""[s]"""
MOST_BYTES = 256 * 2**20


@dataclass(frozen=True, slots=True)
class Download:
    """A file waiting to be fetched."""

    name: str
    media_type: str
    data: bytes | Path
    """Its content, or where that is: such a file is kept by the project."""
    made: float
    session: str
    """Whose it is: it is removed when that is closed."""


class Downloads:
    """Files by key; the oldest go when there are too many."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._files: dict[str, Download] = {}
        self._clock = clock

    def add(self, name: str, media_type: str, data: bytes, session: str = "") -> str:
        """Keep a file; the path it is fetched from."""
        key = secrets.token_urlsafe(16)
        self._files[key] = Download(name, media_type, data, self._clock(), session)
        self.forget()
        return f"download/{key}/{name}"

    def offer(self, place: Path, media_type: str, session: str) -> str:
        """Let a file of the project be fetched until the session is closed; its path."""
        key = secrets.token_urlsafe(16)
        self._files[key] = Download(place.name, media_type, place, math.inf, session)
        return f"download/{key}/{place.name}"

    def get(self, key: str) -> Download | None:
        """A file by its key."""
        return self._files.get(key)

    def drop(self, session: str) -> None:
        """Forget the files of a session."""
        for key in [key for key, file in self._files.items() if file.session == session]:
            del self._files[key]

    def forget(self) -> None:
        """Drop files that are old, or the oldest when all together are too large."""
        now = self._clock()
        held = {key: one.data for key, one in self._files.items() if isinstance(one.data, bytes)}
        total = sum(map(len, held.values()))
        for key, data in list(held.items()):
            if now - self._files[key].made > KEEP or (total > MOST_BYTES and len(held) > 1):
                total -= len(data)
                del self._files[key], held[key]
