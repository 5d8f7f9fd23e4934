"""Writing files so that they are there whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from kinegen.file_names import check_name

__all__ = ["sync_folder", "write_atomically", "written_atomically"]

_MASK = os.umask(0o077)
os.umask(_MASK)
"""The user's mask; read once, because reading it changes it for all threads."""


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file: after a crash, a full disk or Ctrl-C it is the old one or the new one."""
    with written_atomically(path) as file:
        file.write(data)


@contextlib.contextmanager
def written_atomically(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A file to write into, which takes its place under ``path`` when the block has succeeded.

    Links are followed, and the permissions of a file that is replaced stay. When the block raises,
    nothing has changed. A path that is no regular file (a pipe, /dev/stdout) is written directly.
    A new file gets no name that other systems cannot hold: UsageError.
    """
    if os.name == "nt" or not os.path.exists(path):  # devices always exist there
        check_name(os.path.basename(path))
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        with open(target, "wb") as direct:
            yield direct
        return
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".kinegen-", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_MASK
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Make a rename in a folder last through a power cut, where the system can."""
    if os.name == "nt":  # Windows cannot open folders, and journals renames itself
        return
    with contextlib.suppress(OSError):  # some network file systems refuse
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
