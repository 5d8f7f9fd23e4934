"""What the studio and the process of a live simulation say to each other.

Orders come as lines of JSON, and answers go out as such; a `Frame` is followed by its bytes, as in
``frames.py``. Hands and targets are passed on as the page sends them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from kinegen.studio.wire.codec import kinds_of
from kinegen.studio.wire.message import Message
from kinegen.studio.wire.messages import (
    LiveSettings,
    LogData,
    NodeData,
    OverrideSignal,
    PictureHead,
    PlanCheck,
    Release,
    SensorData,
    SetAttribute,
    SetTarget,
    SignalData,
    Touch,
    Traffic,
    WireData,
)

__all__ = [
    "ANSWERS",
    "ORDERS",
    "Answered",
    "ChangeText",
    "Doing",
    "Frame",
    "GoTo",
    "LogWritten",
    "Order",
    "Pause",
    "Phase",
    "PictureDrawn",
    "Play",
    "Set",
    "SignalTable",
    "Source",
    "Start",
    "Started",
    "State",
    "Step",
    "UndoTouch",
    "Warn",
    "WireTable",
    "WorldParts",
    "WriteLog",
]

Phase = Literal["off", "starting", "running", "paused", "stopped"]


@dataclass(slots=True)
class Source:
    """A mechanism's text, and where the files lie that it names."""

    text: str
    folder: str
    file: str | None
    agents: bool = False
    """Whether agents may run that are programs of the file."""


@dataclass(slots=True, kw_only=True)
class Order(Message):
    """An order; those with a number are answered."""

    number: int = 0


@dataclass(slots=True)
class Start(Order):
    """Begin at a pose."""

    KIND: ClassVar[str] = "start"
    source: Source
    q: list[float]
    settings: LiveSettings
    run: bool
    """Whether it runs at once."""


@dataclass(slots=True)
class Play(Order):
    """Run on, or again from the start when it is done."""

    KIND: ClassVar[str] = "play"


@dataclass(slots=True)
class Pause(Order):
    """Rest; hands let go."""

    KIND: ClassVar[str] = "pause"


@dataclass(slots=True)
class Step(Order):
    """Make some steps."""

    KIND: ClassVar[str] = "step"
    count: int


@dataclass(slots=True)
class Set(Order):
    """Other settings; where they need another engine it continues from where it is."""

    KIND: ClassVar[str] = "set"
    settings: LiveSettings


@dataclass(slots=True)
class ChangeText(Order):
    """The mechanism's text has changed: continue with it from where it is."""

    KIND: ClassVar[str] = "change_text"
    source: Source


@dataclass(slots=True)
class GoTo(Order):
    """Go to a time that a world has passed, or a log has."""

    KIND: ClassVar[str] = "go_to"
    time: float
    """[s]"""


@dataclass(slots=True)
class WriteLog(Order):
    """Begin a log of the world in the project folder, or finish the one that is being written."""

    KIND: ClassVar[str] = "write_log"
    record: bool


@dataclass(slots=True)
class UndoTouch(Order):
    """A motion that is followed: back to before the last touch."""

    KIND: ClassVar[str] = "undo_touch"


@dataclass(slots=True)
class Started:
    """What a simulation has begun with."""

    remarks: list[str]
    objects: list[str]
    motors: bool
    plan: PlanCheck | None


@dataclass(slots=True)
class Answered(Message):
    """An order was carried out, or refused."""

    KIND: ClassVar[str] = "answered"
    number: int
    error: str = ""
    """Why it was refused, in words."""
    started: Started | None = None
    """Of a start."""


@dataclass(slots=True)
class State(Message):
    """How the simulation stands, when that has changed."""

    KIND: ClassVar[str] = "state"
    phase: Phase
    reason: str
    unknown: str
    """Why forces in the joints are not known."""


@dataclass(slots=True)
class Warn(Message):
    """An order without a number was refused."""

    KIND: ClassVar[str] = "warn"
    message: str


@dataclass(slots=True)
class Doing(Message):
    """What takes long before an order can be answered, in words; it comes again and again."""

    KIND: ClassVar[str] = "doing"
    what: str


@dataclass(slots=True)
class SignalTable(Message):
    """The signals of a world, when there are others or one is overridden."""

    KIND: ClassVar[str] = "signal_table"
    signals: list[SignalData]


@dataclass(slots=True)
class WorldParts(Message):
    """Sensors and nodes of a world, when there are others or a node has other attributes."""

    KIND: ClassVar[str] = "world_parts"
    sensors: list[SensorData]
    nodes: list[NodeData]


@dataclass(slots=True)
class WireTable(Message):
    """The wires of the robot, when there are others."""

    KIND: ClassVar[str] = "wire_table"
    wires: list[WireData]


@dataclass(slots=True)
class LogWritten(Message):
    """A log was begun or finished."""

    KIND: ClassVar[str] = "log_written"
    log: LogData


@dataclass(slots=True)
class PictureDrawn(Message):
    """A picture of a camera, whose bytes follow."""

    KIND: ClassVar[str] = "picture_drawn"
    head: PictureHead
    size: int
    """[bytes]"""


@dataclass(slots=True)
class Frame(Message):
    """A frame, whose bytes follow."""

    KIND: ClassVar[str] = "frame"
    size: int
    """[bytes]"""


ORDERS = kinds_of(
    Start, Play, Pause, Step, Set, ChangeText, GoTo, WriteLog, UndoTouch, Touch, Release, SetTarget,
    OverrideSignal, SetAttribute,
)  # fmt: skip
ANSWERS = kinds_of(
    Answered, State, Warn, Doing, SignalTable, WorldParts, WireTable, Traffic, LogWritten,
    PictureDrawn, Frame,
)  # fmt: skip
