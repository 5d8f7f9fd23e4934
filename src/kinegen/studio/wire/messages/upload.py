"""Uploads of whole folders: what is to come, which of it is taken, what it turned out to be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from kinegen.studio.wire.message import Length, Message, Range, Result

__all__ = [
    "CancelUpload",
    "FinishUpload",
    "PassedOver",
    "RobotFile",
    "StartUpload",
    "UploadFile",
    "UploadPlan",
    "Uploaded",
]

MOST_LISTED = 20_000
"""Files that a page may list: folders with more are those of whole projects."""


@dataclass(slots=True)
class UploadFile:
    """A file of a folder that is on its way."""

    path: str
    """Below the folder, with ``/``."""
    size: Annotated[int, Range(0, 2**53)]
    """[bytes]"""


@dataclass(slots=True)
class StartUpload(Message):
    """Ask which files of a folder the studio takes; nothing is written into the project yet."""

    KIND: ClassVar[str] = "start_upload"
    request: int
    name: Annotated[str, Length(1, 200)]
    """The folder's; it gets a number where another folder has it."""
    files: Annotated[list[UploadFile], Length(1, MOST_LISTED)]


@dataclass(slots=True)
class PassedOver:
    """A file that the studio does not take."""

    path: str
    reason: str


@dataclass(slots=True)
class UploadPlan(Result):
    """Which files to send, each as ``POST upload?upload=KEY&file=PATH``."""

    key: str
    wanted: list[str]
    passed_over: list[PassedOver]
    """Parts of a robot that are not taken, each with the reason."""
    others: int
    """How many files are of kinds that robots do not consist of."""


@dataclass(slots=True)
class FinishUpload(Message):
    """All files that could be sent were sent: put the folder into the project."""

    KIND: ClassVar[str] = "finish_upload"
    request: int
    key: str


@dataclass(slots=True)
class RobotFile:
    """A file that can be opened, recognised by its content."""

    file: str
    """Path in the project folder."""
    format: str
    title: str
    """The format's, one line for people."""
    likely: bool
    """Whether it describes a robot of its own, and is not included by another file."""


@dataclass(slots=True)
class Uploaded(Result):
    """A folder that is now in the project."""

    folder: str
    robots: list[RobotFile]
    """Those that can be opened, the likeliest first."""


@dataclass(slots=True)
class CancelUpload(Message):
    """Forget a folder that was not finished."""

    KIND: ClassVar[str] = "cancel_upload"
    request: int
    key: str
