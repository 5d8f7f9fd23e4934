"""Requests in general: answers, refusals, progress."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kinegen.studio.wire.message import Delivery, Message, Result
from kinegen.studio.wire.messages.text import ConflictData

__all__ = ["Cancel", "Done", "Progress", "Refused"]


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
    """0 … 1, None where it is not known."""


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
