"""Conflicts: files that others may change, and saving that overwrites nothing that nobody saw."""

from __future__ import annotations

import contextlib
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from kinegen.errors import UsageError
from kinegen.raff.opener import open_regular
from kinegen.studio.session.files.project import LARGEST_TEXT, Project
from kinegen.studio.session.journals.locks import alone_in
from kinegen.studio.wire.messages import ConflictData

__all__ = ["ConflictError", "OnDisk", "disk_conflict", "look", "save"]

_MARK = b"\xef\xbb\xbf"
"""Some editors put it before a text; it is not part of it."""


class ConflictError(UsageError):
    """Something was changed by somebody else meanwhile; ``data`` has the other version."""

    def __init__(self, message: str, data: ConflictData) -> None:
        super().__init__(message)
        self.data = data


@dataclass(frozen=True, slots=True)
class OnDisk:
    """A file as it is at one moment."""

    data: bytes | None
    """None where there is none."""

    @property
    def version(self) -> str:
        """Names the content; '' where there is no file."""
        return "" if self.data is None else hashlib.sha256(self.data).hexdigest()

    @property
    def text(self) -> str | None:
        """The content; None where there is none, or it is not UTF-8."""
        with contextlib.suppress(UnicodeDecodeError):
            return None if self.data is None else self.data.decode("utf-8-sig")
        return None

    def holds(self, text: str | None) -> bool:
        """Whether the content is a text; None stands for no file."""
        if text is None or self.data is None:
            return text is None and self.data is None
        return self.data.removeprefix(_MARK) == text.encode("utf-8")


def look(project: Project, file: str) -> OnDisk:
    """What a RAFF file of the project folder holds now.

    Raises:
        UsageError: When there is something else, or something too large, in its place.
    """
    place = project.text_path(file)
    try:
        # links may be exchanged, and a pipe may take its place, at any moment
        handle = open_regular(os.path.realpath(place), str(project.folder))
    except (FileNotFoundError, NotADirectoryError):
        return OnDisk(None)
    except UsageError as error:
        raise UsageError(f"'{file}' cannot be saved: {error}; save under another name") from None
    except OSError as error:
        raise UsageError(f"'{file}' cannot be read: {error.strerror}") from None
    with os.fdopen(handle, "rb") as opened:
        data = opened.read(LARGEST_TEXT + 1)
    if len(data) > LARGEST_TEXT:
        raise UsageError(
            f"'{file}' has grown beyond {LARGEST_TEXT >> 20} MB: it is no longer a RAFF file; save "
            "under another name"
        )
    return OnDisk(data)


def save(
    project: Project, file: str, text: str, *, known: str | None, overwrite: str | None
) -> str:
    """Write a text to a file of the project folder; its path as it is known from now on.

    Args:
        project: The folder.
        file: Path in it.
        text: What to write.
        known: What the writer takes the file to hold; None for no such file.
        overwrite: Version of what it holds that is to be replaced all the same.

    Raises:
        ConflictError: When it holds something else.
        UsageError: When it cannot be written.
    """
    place = project.text_path(file)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        # no other studio comes between the look and the write
        with alone_in(place.resolve().parent):
            found = look(project, file)
            if not (found.holds(known) or found.holds(text) or found.version == overwrite):
                raise disk_conflict(file, found, known)
            _check_writable(place)
            return project.save(file, text, overwrite=True)
    except OSError as error:
        raise UsageError(f"'{file}' cannot be saved: {error.strerror or error}") from None


def disk_conflict(file: str, found: OnDisk, known: str | None) -> ConflictError:
    """What is to be said about a file that does not hold what it should."""
    if found.data is None:
        message = f"'{file}' was deleted or renamed on disk"
    elif known is None:
        message = f"'{file}' already exists with other content"
    else:
        message = f"'{file}' was changed on disk by another program or session"
    return ConflictError(message, ConflictData("disk", file, found.text, found.version))


def _check_writable(place: Path) -> None:
    """Refuse to replace a file that its owner made read-only, though the folder would allow it."""
    with contextlib.suppress(FileNotFoundError):
        if not place.stat().st_mode & 0o222 or not os.access(place, os.W_OK):
            raise UsageError(f"'{place.name}' is read-only; save under another name")
