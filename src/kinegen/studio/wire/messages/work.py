"""Requests in general: answers, refusals, progress; files and analyses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from kinegen.studio.wire.message import Delivery, Message, Result
from kinegen.studio.wire.messages.text import ConflictData

__all__ = ["Analyse", "Cancel", "Done", "Export", "FileLink", "Progress", "Refused"]


@dataclass(slots=True)
class Refused(Message):
    """A request was not carried out; nothing has changed."""

    KIND: ClassVar[str] = "refused"
    request: int
    message: str
    conflict: ConflictData | None = None
    """Why, where somebody else was faster: the user has to choose."""


@dataclass(slots=True)
class Progress(Message):
    """How far a long piece of work is."""

    KIND: ClassVar[str] = "progress"
    DELIVERY: ClassVar[Delivery] = "snapshot"
    request: int
    label: str
    share: float | None
    """0 … 1, None where it cannot be told."""


@dataclass(slots=True)
class Done(Message):
    """A request was carried out."""

    KIND: ClassVar[str] = "done"
    request: int
    result: Result | None
    """What was asked for; None where nothing was."""


@dataclass(slots=True)
class Cancel(Message):
    """Stop a request that is still at work."""

    KIND: ClassVar[str] = "cancel"
    request: int


@dataclass(slots=True)
class FileLink(Result):
    """A file that waits to be fetched, for ten minutes."""

    name: str
    link: str
    """Relative to the page's address."""
    size: int
    """[bytes]"""


@dataclass(slots=True)
class Export(Message):
    """Make a file for download, such as page, gltf, csv, json, svg or raff."""

    KIND: ClassVar[str] = "export"
    request: int
    format: str
    q: list[float]
    motion: str | None = None


@dataclass(slots=True)
class Analyse(Message):
    """Work that the studio does for the page."""

    KIND: ClassVar[str] = "analyse"
    request: int
    what: Literal["cloud", "zone", "boundary", "path"]
    q: list[float]
    arguments: dict[str, Any] = field(default_factory=dict)
