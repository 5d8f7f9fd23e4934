"""Files that commands write: their place is checked before the work, and they are written whole."""

from __future__ import annotations

import os
from pathlib import Path

from kinegen.errors import UsageError
from kinegen.files import write_atomically

__all__ = ["check_place", "write_out"]


def check_place(option: str, name: str, *, store: str = ".zarr") -> None:
    """Refuse a file that could not be written, before the work and not after it.

    Args:
        option: What the name was given by.
        name: The file.
        store: Suffix of what is a folder itself.
    """
    path = Path(name)
    if not name:
        raise UsageError(f"{option} is empty: specify the name of a file")
    if path.is_dir() and path.suffix != store:
        raise UsageError(f"{option} {name}: this is a folder; specify the name of a file")
    folder = path.parent
    if not folder.is_dir():
        raise UsageError(f"{option} {name}: there is no folder '{folder}'")
    # a new file takes the place of the old one: that is the folder's to allow, too
    is_special = path.exists() and not path.is_file()
    for place in (path,) if is_special else (path, folder):
        if place.exists() and not os.access(place, os.W_OK):
            raise UsageError(
                f"{option} {name}: '{place}' cannot be written; choose a place that can"
            )


def write_out(name: str | Path, content: str | bytes) -> None:
    """Write a file whole, or leave the old one."""
    write_atomically(name, content if isinstance(content, bytes) else content.encode("utf-8"))
