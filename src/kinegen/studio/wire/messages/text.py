"""The text of a mechanism: edits of it, its file, and what others made of both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from kinegen.studio.wire.message import Delivery, Message, Result

__all__ = [
    "ConflictData",
    "Disk",
    "EditText",
    "Files",
    "ProblemData",
    "Save",
    "Saved",
    "SetNumbers",
    "TakeFromDisk",
]


@dataclass(slots=True)
class ProblemData:
    """Something wrong in the text, and what would be right."""

    line: int
    """From 1; 0 where it belongs to no place."""
    column: int
    """From 1."""
    message: str


@dataclass(slots=True)
class ConflictData:
    """What somebody else made of the text that the page has."""

    where: Literal["disk", "session"]
    """In the file, or in the session by another page."""
    file: str | None
    theirs: str | None
    """The other text; None where the file is gone, or is no text."""
    version: str
    """Names it: sent back to replace it, or to take it over, knowingly."""


@dataclass(slots=True)
class Disk(Message):
    """Whether the session's file holds something that neither was read nor written here."""

    KIND: ClassVar[str] = "disk"
    DELIVERY: ClassVar[Delivery] = "snapshot"
    conflict: ConflictData | None


@dataclass(slots=True)
class Files(Message):
    """RAFF files of the project folder, by path, after some appeared or went."""

    KIND: ClassVar[str] = "files"
    DELIVERY: ClassVar[Delivery] = "snapshot"
    files: list[str]


@dataclass(slots=True)
class EditText(Message):
    """The whole text as it is in the editor now."""

    KIND: ClassVar[str] = "edit_text"
    request: int
    text: str
    base: int | None = None
    """Version of the snapshot whose text it was made from; what others changed since is merged, or
    the edit refused with a conflict. None: that of this page's own last change."""


@dataclass(slots=True)
class SetNumbers(Message):
    """Numbers of parameters, joints and frames, set in the text: one step of undo."""

    KIND: ClassVar[str] = "set_numbers"
    request: int
    changes: list[tuple[str | None, str, float | str]]
    """(owner or None for a parameter, key, value [SI] or formula)."""
    label: str = ""


@dataclass(slots=True)
class Saved(Result):
    """Where a text was saved, and all files of the project folder."""

    file: str
    files: list[str]


@dataclass(slots=True)
class Save(Message):
    """Write the text to a file of the project folder."""

    KIND: ClassVar[str] = "save"
    request: int
    file: str
    overwrite: str | None = None
    """Version of a file with other content that is to be replaced, as `ConflictData` names it."""


@dataclass(slots=True)
class TakeFromDisk(Message):
    """Take over the text of the session's file as it is on disk: one step of undo."""

    KIND: ClassVar[str] = "take_from_disk"
    request: int
    version: str
    """As `ConflictData` names it; refused when it has changed again."""
