"""Files that robots consist of: which kinds are taken in, their sizes, what is in them."""

from __future__ import annotations

import functools
from pathlib import PurePosixPath

from kinegen.errors import UsageError
from kinegen.file_names import legible
from kinegen.formats.registry import readable_suffixes
from kinegen.studio.server.uploading.meshes import LARGEST, MESHES, check_mesh
from kinegen.studio.wire.limits import LARGEST_TEXT

__all__ = ["LARGEST_TEXT", "check_content", "largest_of", "open_suffixes", "robot_suffixes"]

_PICTURES = {".png": b"\x89PNG\r\n\x1a\n", ".jpg": b"\xff\xd8\xff", ".jpeg": b"\xff\xd8\xff"}
"""Textures of meshes, and how such files begin."""
_NUMBERS = ".bin"
"""Buffers of glTF files: they have no mark of their own."""
_LOGS = {".mcap": b"\x89MCAP0\r\n"}
"""Logs of worlds, and how such files begin."""
_TABLE = ".csv"
"""A table, or a log of a world, which may be long."""
_PROGRAMS = frozenset({".py"})
_INCLUDED = (".raff", ".xml", ".xacro", ".yaml", ".yml", ".mtl", ".config", ".gazebo", ".trans")
"""Texts that robot files include or refer to, besides those that can be opened themselves."""


def open_suffixes() -> list[str]:
    """Endings of the files that a page may open, with the dot: no programs.

    A mechanism written as Python is parsed and never run, but a project folder is no place to put
    programs into from outside.
    """
    return [suffix for suffix in readable_suffixes() if suffix not in _PROGRAMS]


@functools.cache
def robot_suffixes() -> tuple[str, ...]:
    """Endings of robot files and of all that they include, with the dot."""
    texts = dict.fromkeys([*open_suffixes(), *_INCLUDED])
    return (*texts, *MESHES, *_PICTURES, _NUMBERS, *_LOGS)


def largest_of(file: str) -> int | None:
    """The largest size of a file by its ending [bytes]; None for kinds that are not taken in."""
    suffix = PurePosixPath(file).suffix.lower()
    if suffix not in robot_suffixes():
        return None
    return LARGEST if suffix in (*MESHES, *_PICTURES, _NUMBERS, *_LOGS, _TABLE) else LARGEST_TEXT


def check_content(file: str, data: bytes) -> None:
    """Refuse a file of an unknown kind, one that is too large, and one with other content."""
    suffix, most = PurePosixPath(file).suffix.lower(), largest_of(file)
    if most is None:
        kinds = ", ".join(robot_suffixes())
        raise UsageError(f"'{legible(file)}' cannot be uploaded; kinds of files: {kinds}")
    if len(data) > most:
        what = "mesh" if suffix in MESHES else "file of this kind"
        raise UsageError(f"a {what} may have at most {most >> 20} MB, got {_mb(len(data))}")
    if suffix in MESHES:
        check_mesh(suffix, data)
    elif suffix in _PICTURES or suffix in _LOGS:
        if not data.startswith((_PICTURES | _LOGS)[suffix]):
            raise UsageError(f"the file ends in {suffix} but its content is of another kind")
    elif suffix != _NUMBERS:
        try:
            data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise UsageError(f"'{legible(file)}' is not UTF-8 text") from None


def _mb(size: int) -> str:
    return f"{size / 2**20:.1f} MB"
