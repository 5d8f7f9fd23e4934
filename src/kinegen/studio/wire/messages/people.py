"""People in a session, and in a world that runs: where others see their heads and hands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from kinegen.studio.wire.message import Delivery, Length, Message, Pose, Range

__all__ = [
    "Gesture", "PersonGone", "PersonHand", "PersonPose", "PersonSeen", "WorldPeople", "WorldPerson",
]  # fmt: skip

Gesture = Literal["none", "point", "stop", "grasp"]


@dataclass(slots=True)
class PersonHand:
    """A hand of a person."""

    side: Literal["left", "right"]
    shape: Literal["hand", "controller", "pointer"]
    """A bare hand, a controller, or the pointer of a page without a headset."""
    pose: Pose
    """X_WH: -z along the fingers, y out of the back of the hand."""
    gesture: Gesture
    holds: Annotated[str, Length(0, 200)]
    """The link or object that it holds; empty: nothing."""


@dataclass(slots=True)
class PersonPose(Message):
    """Where the user of a page is; sent at most 30 times a second, no answer."""

    KIND: ClassVar[str] = "person"
    name: Annotated[str, Length(0, 40)]
    """Empty: the studio gives one."""
    head: Pose
    """X_WH: looks along -z, y up."""
    hands: Annotated[list[PersonHand], Length(0, 2)]
    scale: Annotated[float, Range(1e-6, 1e6)]
    """Metres of the world per metre of the person."""
    headset: bool
    """Whether they wear a headset; else the head is where the page's camera is, or where they
    stand."""
    present: bool = False
    """Whether they have a body in a world that runs, which its sensors detect."""


@dataclass(slots=True)
class PersonSeen(Message):
    """Where another person of the session is now."""

    KIND: ClassVar[str] = "person_seen"
    DELIVERY: ClassVar[Delivery] = "snapshot"
    client: int
    color: str
    """#rrggbb; people of a session have different ones."""
    person: PersonPose


@dataclass(slots=True)
class PersonGone(Message):
    """A person left the session."""

    KIND: ClassVar[str] = "person_gone"
    client: int


@dataclass(slots=True)
class WorldPerson:
    """A person in a world that runs."""

    client: int
    """Of the session; 0: of the file, or of a time that was gone back to."""
    name: str
    color: str
    """As in a file."""
    head: Pose
    hands: list[PersonHand]
    size: float
    """Length in the world of a metre of a person of the usual height."""
    body: list[float]
    """Capsules of neck, trunk, arms and legs, 8 numbers each: both ends, radius [m], brightness."""


@dataclass(slots=True)
class WorldPeople(Message):
    """Everybody in a world that runs; nobody where none runs."""

    KIND: ClassVar[str] = "world_people"
    DELIVERY: ClassVar[Delivery] = "snapshot"
    people: list[WorldPerson]
