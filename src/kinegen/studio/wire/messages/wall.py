"""A wall: the screens of a room that show the mechanism, where the room is, where the head is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from kinegen.studio.wire.message import (
    Delivery,
    Length,
    Message,
    Pose,
    Range,
    Result,
    Vec3,
)
from kinegen.studio.wire.messages.structure import StructureEdit
from kinegen.studio.wire.parts import Shows, WallEntry

__all__ = [
    "AskScreens",
    "HeadPose",
    "PlaceWall",
    "ScreenData",
    "ScreenDrawn",
    "ScreenLink",
    "ScreenLinks",
    "SetWall",
    "WallData",
    "WallMoment",
    "WallState",
]


@dataclass(slots=True)
class ScreenData:
    """A screen by three of its corners in the room [m]."""

    name: str
    lower_left: Vec3
    lower_right: Vec3
    upper_left: Vec3
    shows: Shows


@dataclass(slots=True)
class WallData:
    """The wall that a file declares."""

    screens: list[ScreenData]
    eye: Vec3
    """Where the head is in the room while it is not tracked [m]."""
    eye_distance: float
    """[m]"""
    at: Pose
    """X_WR: where the room is in the world, unless a page has moved it."""
    scale: float
    """Metres of the world per metre of the room."""
    tracker: Pose
    """X_RT: where the camera or tracker is in the room; y along its view, z up."""
    has_tracker: bool
    """Whether the file places it; else it is over the middle screen."""


@dataclass(slots=True)
class SetWall(StructureEdit):
    """Set the wall of the file, or remove it: one step of undo."""

    KIND: ClassVar[str] = "set_wall"
    wall: WallEntry | None
    """The whole section, as in the file."""
    label: str = ""
    """What undo calls it."""


@dataclass(slots=True)
class PlaceWall(Message):
    """A page moves the room through the world, and leads from now on; no answer."""

    KIND: ClassVar[str] = "place_wall"
    at: Pose
    """X_WR."""
    scale: Annotated[float, Range(1e-6, 1e6)]
    """Metres of the world per metre of the room."""


@dataclass(slots=True)
class HeadPose(Message):
    """Where the viewer's head is in the room, from a page or a tracking program; no answer."""

    KIND: ClassVar[str] = "head"
    head: Pose | None
    """X_RH: origin between the eyes, x to the right eye, y along the view; None: not tracked."""
    source: Annotated[str, Length(1, 40)]
    """What found it, in words: 'camera 0', 'sliders'."""


@dataclass(slots=True)
class WallState(Message):
    """Where room and head are now: the same for all screens."""

    KIND: ClassVar[str] = "wall_state"
    DELIVERY: ClassVar[Delivery] = "snapshot"
    number: int
    """Grows with every change."""
    time: float
    """When it changed, by the studio's clock [s]."""
    at: Pose | None
    """X_WR; None: where the file places it."""
    scale: float
    lead: int
    """The page that moves the room, 0 for none."""
    head: Pose | None
    """X_RH; None: at the file's eye."""
    source: str
    """What tracks the head; '' for nothing."""


@dataclass(slots=True)
class WallMoment(Message):
    """What a screen has received before is to be drawn now: all screens get the same."""

    KIND: ClassVar[str] = "wall_moment"
    DELIVERY: ClassVar[Delivery] = "snapshot"
    number: int
    """Counts the moments; 0 before the first one."""
    behind: int
    """Screens that have not drawn the moment before and are not waited for: hidden windows."""


@dataclass(slots=True)
class ScreenDrawn(Message):
    """A window of a wall has drawn a moment, and may be given the next one; no answer."""

    KIND: ClassVar[str] = "screen_drawn"
    number: Annotated[int, Range(0, 2**53)]
    """Of the moment; 0 from a window that was just opened."""


@dataclass(slots=True)
class AskScreens(Message):
    """Somebody wants to open the screens of the wall, here or on other computers."""

    KIND: ClassVar[str] = "ask_screens"
    request: int
    screens: Annotated[list[str], Length(1, 64)]


@dataclass(slots=True)
class ScreenLink:
    """How one screen is opened."""

    screen: str
    local_link: str
    """For this computer."""
    network_link: str
    """For other computers; '' where the studio listens on this computer alone."""
    code: str
    """That link as a QR code: the data: address of an SVG picture; '' without one."""


@dataclass(slots=True)
class ScreenLinks(Result):
    """View-only links to the screens of a wall."""

    links: list[ScreenLink]
    command: str
    """What starts this studio so that other computers reach it."""
