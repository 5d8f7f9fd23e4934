"""Programs in a session, what they show, and what people do with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from kinegen.studio.wire.message import Delivery, Length, Message, Range, Result
from kinegen.studio.wire.messages.items import MOST_LETTERS, Item
from kinegen.studio.wire.messages.motion import MotionData

__all__ = [
    "AskCode",
    "EndProgram",
    "Hand",
    "HideItem",
    "InputItem",
    "ItemHidden",
    "ItemInput",
    "ItemShown",
    "PageCode",
    "Picture",
    "PictureTaken",
    "PictureWanted",
    "PlayMotion",
    "PlayWanted",
    "Played",
    "ProgramData",
    "ProgramHello",
    "Programs",
    "ShowItem",
    "TakePicture",
]

Name = Annotated[str, Length(1, 200)]
Pixels = Annotated[int, Range(0, 8192)]
InputValue = None | bool | float | Annotated[str, Length(0, MOST_LETTERS)]


@dataclass(slots=True)
class ProgramHello:
    """A program gives its name."""

    name: Name
    """As people see it, such as 'controller.py'."""
    key: Annotated[str, Length(8, 64)]
    """Its own: one that comes back with it is the same program."""


@dataclass(slots=True)
class ProgramData:
    """A program of the session."""

    program: int
    name: str
    connected: bool
    """False: it has ended; what it showed is still shown."""


@dataclass(slots=True)
class Programs(Message):
    """The programs of the session; a new page hears of them, then of their items."""

    KIND: ClassVar[str] = "programs"
    DELIVERY: ClassVar[Delivery] = "snapshot"
    programs: list[ProgramData]


@dataclass(slots=True)
class ShowItem(Message):
    """A program shows something, in place of its item of the same name; no answer."""

    KIND: ClassVar[str] = "show_item"
    item: Name
    data: Item


@dataclass(slots=True)
class HideItem(Message):
    """A program shows something no longer; no answer."""

    KIND: ClassVar[str] = "hide_item"
    item: Name


@dataclass(slots=True)
class ItemShown(Message):
    """What a program shows; the latest form wins."""

    KIND: ClassVar[str] = "item_shown"
    DELIVERY: ClassVar[Delivery] = "snapshot"
    program: int
    item: str
    data: Item


@dataclass(slots=True)
class ItemHidden(Message):
    """What a program shows no longer; takes the place of its last form."""

    KIND: ClassVar[str] = "item_hidden"
    DELIVERY: ClassVar[Delivery] = "snapshot"
    program: int
    item: str


@dataclass(slots=True)
class InputItem(Message):
    """Somebody used a control of a program; no answer."""

    KIND: ClassVar[str] = "input_item"
    program: int
    item: str
    value: InputValue
    """A slider's number, a checkbox's truth, the word of a choice; null for a button."""


@dataclass(slots=True)
class ItemInput(Message):
    """Somebody used a control of this program."""

    KIND: ClassVar[str] = "item_input"
    item: str
    value: InputValue


@dataclass(slots=True)
class Hand(Message):
    """Whether a person moves the mechanism in a page; sent by the page, and to programs."""

    KIND: ClassVar[str] = "hand"
    active: bool
    sites: Annotated[list[str], Length(0, 1000)]
    """Links and frames that are held; none for a slider or a device."""


@dataclass(slots=True)
class AskCode(Message):
    """A program wants to open a page in a browser: the command line must not hold the token."""

    KIND: ClassVar[str] = "ask_code"
    request: int


@dataclass(slots=True)
class PageCode(Result):
    """Opens the studio once, within two minutes: ``/?once=CODE``."""

    code: str


@dataclass(slots=True)
class TakePicture(Message):
    """A program wants a picture of the view of a page."""

    KIND: ClassVar[str] = "take_picture"
    request: int
    width: Pixels = 0
    """[px]; 0 for both: as the page shows it."""
    height: Pixels = 0


@dataclass(slots=True)
class PictureWanted(Message):
    """A page is to send a picture of its view."""

    KIND: ClassVar[str] = "picture_wanted"
    picture: int
    width: int
    height: int


@dataclass(slots=True)
class PictureTaken(Message):
    """The picture that was wanted; no answer."""

    KIND: ClassVar[str] = "picture_taken"
    picture: int
    png: str
    """base64; '' where there is none."""
    error: str
    """Why there is none."""


@dataclass(slots=True)
class Picture(Result):
    """A picture of a view."""

    png: str
    """base64."""


@dataclass(slots=True)
class PlayMotion(Message):
    """A program puts a motion into the player of a page; answered when it is there."""

    KIND: ClassVar[str] = "play_motion"
    request: int
    motion: MotionData
    rate: Annotated[float, Range(1e-3, 1e3)] = 1.0
    """Times its own speed."""
    loop: bool = False


@dataclass(slots=True)
class PlayWanted(Message):
    """A page is to play a motion."""

    KIND: ClassVar[str] = "play_wanted"
    motion: MotionData
    rate: float
    loop: bool


@dataclass(slots=True)
class Played(Message):
    """The motion that a page was to play has ended, or was stopped; sent on to programs."""

    KIND: ClassVar[str] = "played"
    name: str


@dataclass(slots=True)
class EndProgram(Message):
    """Remove what a program shows; one that is still there is disconnected."""

    KIND: ClassVar[str] = "end_program"
    request: int
    program: int
