"""The token of a project folder: kept for its user alone, so that links outlive a restart."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import time
from pathlib import Path

from kinegen.files import write_atomically
from kinegen.studio.server.entry.guard import new_token

__all__ = ["kept_token"]

KEEP = 30 * 86400.0
"""[s] A token older than this is replaced; cookies last as long."""
_TOKEN = re.compile(r"[A-Za-z0-9_-]{32}\Z")
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
"""A pipe in the file's place must not keep the studio waiting."""


def kept_token(state: Path, folder: Path, *, new: bool = False) -> str:
    """The token of a project folder, in a file that only its owner can read.

    Args:
        state: The state folder.
        folder: The project folder.
        new: Make a new one: links and cookies of before are worth nothing from then on.
    """
    tokens = state / "tokens"
    with contextlib.suppress(OSError):
        tokens.mkdir(parents=True, exist_ok=True, mode=0o700)
    place = tokens / hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:32]
    token = None if new else _read(place)
    if token is None:
        token = new_token()
        # where it cannot be kept the links of before are lost, not the start
        with contextlib.suppress(OSError):
            if os.path.lexists(place) and not place.is_file():
                place.unlink()  # a pipe, whose other end would have to be waited for
            write_atomically(place, token.encode(), mode=0o600)
    return token


def _read(place: Path) -> str | None:
    """The token in a file; None when there is none, or one that others could have read or put."""
    try:
        handle = os.open(place, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | _NO_WAIT)
    except OSError:
        return None
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or time.time() - status.st_mtime > KEEP:
            return None
        if os.name != "nt" and (status.st_uid != os.getuid() or status.st_mode & 0o077):
            return None
        text = os.read(handle, 100).decode("ascii", "replace")
    except OSError:
        return None
    finally:
        os.close(handle)
    return text if _TOKEN.match(text) else None
