"""Locks that hold between programs, and are gone when the program that holds them is."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from kinegen.errors import UsageError

__all__ = ["alone_in", "held", "lock_file", "try_lock"]

PATIENCE = 5.0
"""[s] What is done under these locks takes milliseconds: who holds one for longer has stopped."""


def try_lock(handle: int) -> bool:
    """Lock an open file until it is closed; False when somebody else has it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def lock_file(place: Path) -> int | None:
    """Hold a file until the handle is closed; None when another program holds it."""
    handle = os.open(place, os.O_RDWR | os.O_CREAT, 0o600)
    if try_lock(handle):
        return handle
    os.close(handle)
    return None


@contextlib.contextmanager
def held(place: Path, *, folder: bool = False) -> Iterator[None]:
    """Hold a file, or a folder itself, while the block lasts; UsageError when it is never free."""
    flags = os.O_RDONLY if folder else os.O_RDWR | os.O_CREAT
    handle = os.open(place, flags, 0o600)
    try:
        end = time.monotonic() + PATIENCE
        while not try_lock(handle):
            if time.monotonic() > end:
                raise UsageError("another program holds the lock; try again later")
            time.sleep(0.005)
        yield
    finally:
        os.close(handle)


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """While one studio looks at a folder's files and replaces one, no other does.

    The folder itself is locked: that works for studios of several users, and leaves no file.
    """
    if os.name != "nt":
        with held(folder, folder=True):
            yield
        return
    # Windows cannot open folders
    name = hashlib.sha256(str(folder).lower().encode()).hexdigest()[:32]
    with held(Path(tempfile.gettempdir()) / f"kinegen-{name}.lock"):
        yield
