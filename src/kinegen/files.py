"""Writing files so that they are there whole or not at all, and where results are kept."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from kinegen.file_names import check_name

__all__ = ["cache_folder", "sync_folder", "write_atomically", "written_atomically"]

_MASK = os.umask(0o077)
os.umask(_MASK)
"""The user's mask; read once, because reading it changes it for all threads."""


def cache_folder(name: str) -> Path:
    """Where results that took long are kept: in ``KINEGEN_CACHE``, or the user's cache folder."""
    given = os.environ.get("KINEGEN_CACHE")
    if given:
        return Path(given) / name
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return base / "kinegen" / name


def write_atomically(path: str | os.PathLike[str], data: bytes, *, mode: int | None = None) -> None:
    """Write a file: after a crash, a full disk or Ctrl-C it is the old one or the new one."""
    with written_atomically(path, mode=mode) as file:
        file.write(data)


@contextlib.contextmanager
def written_atomically(
    path: str | os.PathLike[str], *, mode: int | None = None
) -> Iterator[IO[bytes]]:
    """A file to write into, which takes its place under ``path`` when the block has succeeded.

    Links are followed, and the permissions of a file that is replaced stay. When the block raises,
    nothing has changed. A path that is no regular file (a pipe, /dev/stdout) is written directly.
    With a ``mode``, such as 0o600 for secrets, the file never has another one. A new file gets no
    name that other systems cannot hold: UsageError.
    """
    if os.name == "nt" or not os.path.exists(path):  # devices always exist there
        check_name(os.path.basename(path))
    target = _behind_links(Path(path).absolute())
    try:
        if _is_stream(target) or (target.exists() and not target.is_file()):
            with open(target, "wb", opener=_open_directly) as direct:
                yield direct
            return
        if target.exists() and not os.access(target, os.W_OK):  # a rename would not ask
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        # named before it is there: an interrupt at any moment finds what to remove
        temporary = target.parent / f".kinegen-{os.urandom(8).hex()}.tmp"
        try:
            with open(temporary, "xb", opener=_open_privately) as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            _set_permissions(temporary, target, mode)
            os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as error:
        # the name that was given, not one that nobody knows
        is_ours = error.filename is None or ".kinegen-" in str(error.filename)
        if error.errno is not None and is_ours:
            error.filename, error.filename2 = os.fspath(path), None
        raise
    sync_folder(target.parent)


def _behind_links(path: Path) -> Path:
    """The file that a path stands for; its folder may still be reached by links."""
    for _ in range(40):  # as many as Linux follows
        if _is_stream(path) or not path.is_symlink():
            break
        path = path.parent / os.readlink(path)
    return path


def _is_stream(path: Path) -> bool:
    """Whether a path is a name of the system's for something open, as /dev/stdout."""
    return path.parts[1:2] in {("dev",), ("proc",)} and path.parts[:3] != ("/", "dev", "shm")


def _open_directly(path: str, flags: int) -> int:
    """Open what is no regular file; a stream that is open stays where it is, and is not cut off."""
    stream = re.fullmatch(r"/dev/(std(?:out|err))|/(?:dev|proc/self)/fd/(\d+)", path)
    if stream is None:
        return os.open(path, flags, 0o666)
    return os.dup({"stdout": 1, "stderr": 2}.get(stream[1]) or int(stream[2]))


def _open_privately(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _set_permissions(temporary: Path, target: Path, mode: int | None) -> None:
    usual = 0o666 & ~_MASK
    with contextlib.suppress(FileNotFoundError):
        there = target.stat()
        usual = there.st_mode & 0o777
        if hasattr(os, "chown"):
            with contextlib.suppress(PermissionError):  # only root gives files away
                os.chown(temporary, there.st_uid, there.st_gid)
    os.chmod(temporary, usual if mode is None else mode)


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
