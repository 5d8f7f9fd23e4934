"""What the studio and its worker processes say to each other.

A process works on messages of one class, such as `Job`. Any number of `Said` and `Part` answer
one, then one of `Found`, `FileMade` and `Failed`; what some of them announce follows as bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kinegen.studio.wire.codec import kinds_of
from kinegen.studio.wire.message import Message

__all__ = ["ANSWERS", "Failed", "FileMade", "Found", "Job", "MadeFile", "Part", "Said"]


@dataclass(slots=True)
class Job(Message):
    """Work on a mechanism."""

    KIND: ClassVar[str] = "job"
    text: str
    """The mechanism's."""
    folder: str
    """The project folder."""
    file: str | None
    """Of the text, in the project folder."""
    message: str
    """What the page asks, as it came."""


@dataclass(slots=True)
class Said(Message):
    """How far a job is."""

    KIND: ClassVar[str] = "said"
    label: str
    share: float | None
    """0 … 1, None where it is not known."""


@dataclass(slots=True)
class Part(Message):
    """A piece of the result: its head as JSON and its data follow."""

    KIND: ClassVar[str] = "part"
    head: int
    """[bytes]"""
    data: int
    """[bytes]"""


@dataclass(slots=True)
class Found(Message):
    """The result: it follows, as JSON."""

    KIND: ClassVar[str] = "found"
    data: int
    """[bytes]"""


@dataclass(slots=True)
class FileMade(Message):
    """The result is a file: its content follows."""

    KIND: ClassVar[str] = "file_made"
    name: str
    media_type: str
    data: int
    """[bytes]"""
    notes: list[str]
    """What the user should know of it."""


@dataclass(slots=True)
class Failed(Message):
    """There is no result; the text is for people."""

    KIND: ClassVar[str] = "failed"
    message: str


ANSWERS = kinds_of(Said, Part, Found, FileMade, Failed)
"""What a process may answer, by kind."""


@dataclass(frozen=True, slots=True)
class MadeFile:
    """A file that a job has made for download."""

    name: str
    media_type: str
    data: bytes
    notes: tuple[str, ...] = ()
    """What was cut, changed or left out, by name."""
