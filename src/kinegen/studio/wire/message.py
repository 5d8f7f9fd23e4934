"""What messages are made of: their base classes, and the limits of their fields."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar, Literal

__all__ = [
    "Delivery",
    "FileLink",
    "Length",
    "Message",
    "PieceHead",
    "Pose",
    "Quat",
    "Question",
    "Range",
    "Result",
    "Vec3",
    "vec3",
]

Delivery = Literal["snapshot", "event"]
Vec3 = tuple[float, float, float]
"""[m] for places, of any length for directions."""
Quat = tuple[float, float, float, float]
"""A rotation, wxyz."""
Pose = tuple[float, float, float, float, float, float, float]
"""Quaternion wxyz, then xyz [m]."""


def vec3(values: Iterable[float]) -> Vec3:
    """Three numbers, of an array for example, as they are sent."""
    x, y, z = map(float, values)
    return x, y, z


@dataclass(frozen=True, slots=True)
class Range:
    """The least and the greatest value of a number: ``Annotated[float, Range(0, 1)]``."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Length:
    """The least and greatest length of a list or text: ``Annotated[list[str], Length(1, 8)]``."""

    low: int
    high: int


class Message:
    """What travels as one text frame."""

    KIND: ClassVar[str]
    DELIVERY: ClassVar[Delivery] = "event"


class Result:
    """What answers a request; a dataclass, whose fields are always all sent."""


@dataclass(slots=True)
class FileLink(Result):
    """A file that waits to be fetched, for ten minutes."""

    name: str
    link: str
    """Relative to the page's address."""
    size: int
    """[bytes]"""
    notes: list[str] = field(default_factory=list)
    """What was cut, changed or left out, by name."""


class PieceHead:
    """What a binary piece of a result holds; its numbers follow, little endian."""

    KIND: ClassVar[str]


@dataclass(slots=True)
class Question(Message):
    """A question about the mechanism in a pose, which the studio works on in a process."""

    RESULT: ClassVar[type[Result]]
    """What answers it."""
    PIECES: ClassVar[tuple[type[PieceHead], ...]] = ()
    """What may be sent before the answer."""
    request: int
    """The page's number for the answer."""
    q: list[float]
