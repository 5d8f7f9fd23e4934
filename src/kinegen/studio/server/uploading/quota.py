"""Quota: how much a studio writes into its project folder, over all its runs."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import orjson

from kinegen.errors import UsageError
from kinegen.files import write_atomically

__all__ = ["QUOTA", "Quota"]

QUOTA = 2**30
"""[bytes]"""
MOST_FILES = 5000
"""Files that were written and still exist."""
_KEEP_FREE = 64 * 2**20
"""[bytes] of the disk that are left to others."""


class Quota:
    """The files that this user's studios wrote into a folder, and room for more. Thread-safe.

    Files that lie there anyway do not count; those that are removed count no longer.
    """

    def __init__(self, folder: Path, state: Path, most: int = QUOTA) -> None:
        self._folder = folder
        self._most = most
        name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:32]
        self._ledger = state / "quota" / f"{name}.json"
        self._lock = threading.Lock()
        self._held = 0

    def used(self) -> int:
        """Bytes of what was written and still exists."""
        with self._lock:
            return sum(self._sizes().values())

    @contextlib.contextmanager
    def holding(self, size: int, files: int = 1) -> Iterator[None]:
        """Keep room for files while they are written; UsageError when there is none."""
        with self._lock:
            sizes = self._sizes()
            if sum(sizes.values()) + self._held + size > self._most:
                raise UsageError(
                    f"the studio may write {_mb(self._most)} into the project folder, and this "
                    "would exceed it: remove files that you no longer need, or start it with a "
                    "larger --quota"
                )
            if len(sizes) + files > MOST_FILES:
                raise UsageError(
                    f"the studio may write {MOST_FILES} files into the project folder and has "
                    f"written {len(sizes)}; remove those that you no longer need"
                )
            with contextlib.suppress(OSError):
                free = shutil.disk_usage(self._folder).free
                if free < self._held + size + _KEEP_FREE:
                    raise UsageError(
                        f"the disk has only {_mb(free)} left, of which {_mb(_KEEP_FREE)} must stay "
                        "free; remove some files first"
                    )
            self._held += size
        try:
            yield
        finally:
            with self._lock:
                self._held -= size

    def wrote(self, *files: str) -> None:
        """Files of the project folder were written."""
        with self._lock:
            sizes = self._sizes()
            found = {file: _size(self._folder / file) for file in files}
            fresh = {file: size for file, size in found.items() if size is not None}
            if all(sizes.get(file) == size for file, size in fresh.items()):
                return
            sizes |= fresh
            with contextlib.suppress(OSError):  # it then counts until the studio ends
                self._ledger.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                write_atomically(self._ledger, orjson.dumps(sizes), mode=0o600)

    def _sizes(self) -> dict[str, int]:
        """Present sizes of the files that were written and still exist."""
        try:
            known = orjson.loads(self._ledger.read_bytes())
        except (OSError, orjson.JSONDecodeError):
            return {}
        names = known if isinstance(known, dict) else {}
        sizes = {name: _size(self._folder / name) for name in names}
        return {name: size for name, size in sizes.items() if size is not None}


def _size(place: Path) -> int | None:
    try:
        return place.lstat().st_size
    except (OSError, ValueError):
        return None


def _mb(size: int) -> str:
    return f"{size / 2**20:.0f} MB"
