"""Whose program is at the other end of a connection within this machine."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["may_be_own"]

_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")


def may_be_own(
    client: tuple[str, int] | None, port: int, tables: tuple[str, ...] = _TABLES
) -> bool:
    """Whether a connection to a port of ours can be that of a program of this very user.

    Linux knows for each connection whose it is; elsewhere everybody can be it. Root can read all
    that we have anyway, and passes on connections for others.
    """
    if sys.platform != "linux" or client is None:
        return client is not None
    owners = {
        owner
        for table in tables
        for here, there, owner in _rows(table)
        if (here, there) == (client[1], port)
    }
    return bool(owners) and owners <= {os.getuid(), 0}


def _rows(table: str) -> list[tuple[int, int, int]]:
    """Port of this end, port of the other end and owner of every connection."""
    try:
        lines = Path(table).read_text("ascii", "replace").splitlines()[1:]
    except OSError:
        return []
    found = []
    for line in lines:
        fields = line.split()
        try:
            here, there = (int(one.rpartition(":")[2], 16) for one in fields[1:3])
            found.append((here, there, int(fields[7])))
        except (ValueError, IndexError):
            continue
    return found
