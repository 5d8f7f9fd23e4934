"""What the studio and the process of a live simulation say to each other.

Orders come as lines of JSON, and answers go out as such; a `Frame` is followed by its bytes, as in
``frames.py``, and a `PersonBody` by its bytes. Most orders, targets and people are passed on as a
page sends them, hands with the number of their page. The ``request`` of an order is the studio's
number for its answer, 0 for none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from kinegen.studio.wire.codec import kinds_of
from kinegen.studio.wire.message import Message
from kinegen.studio.wire.messages import (
    CutSignal,
    DelaySignal,
    DisturbSignal,
    ForceDeviceData,
    ForceSignal,
    FreezeSignal,
    GoToTime,
    LiveSettings,
    LogData,
    NodeData,
    PauseSimulation,
    PersonGone,
    PersonSeen,
    PictureHead,
    PlanCheck,
    PlaySimulation,
    ReleaseSignal,
    ReleaseSignals,
    ScaleSignal,
    SensorData,
    SetAttribute,
    SetSimulation,
    SetTarget,
    SignalData,
    SimulationOrder,
    StepSimulation,
    Touch,
    Traffic,
    UndoTouch,
    WireData,
    WorldPeople,
    WriteLog,
)

__all__ = [
    "ANSWERS",
    "ORDERS",
    "Answered",
    "ChangeText",
    "DeviceTable",
    "Doing",
    "Frame",
    "HandLeaves",
    "HandTouches",
    "LogWritten",
    "PersonBody",
    "Phase",
    "PictureDrawn",
    "SignalTable",
    "Source",
    "Start",
    "Started",
    "State",
    "Warn",
    "WireTable",
    "WorldParts",
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


@dataclass(slots=True)
class Start(SimulationOrder):
    """Begin at a pose."""

    KIND: ClassVar[str] = "start"
    source: Source
    q: list[float]
    settings: LiveSettings
    run: bool
    """Whether it runs at once."""


@dataclass(slots=True)
class ChangeText(SimulationOrder):
    """The mechanism's text has changed: continue with it from where it is."""

    KIND: ClassVar[str] = "change_text"
    source: Source


@dataclass(slots=True)
class HandTouches(Message):
    """A hand of a page takes hold, presses, or has moved."""

    KIND: ClassVar[str] = "hand_touches"
    client: int
    """Number of the page."""
    touch: Touch


@dataclass(slots=True)
class HandLeaves(Message):
    """A hand of a page lets go, or all hands of the page."""

    KIND: ClassVar[str] = "hand_leaves"
    client: int
    """Number of the page."""
    hand: int | None = None
    """The page's number for it; None: all of them."""


@dataclass(slots=True)
class PersonBody(Message):
    """The mesh of a person whom cameras see; its bytes follow, a frame as pages send it."""

    KIND: ClassVar[str] = "person_body"
    client: int
    """Number of the person's page."""
    size: int
    """Bytes that follow; 0: there is no mesh any more."""


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
    request: int
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
    client: int = 0
    """Number of the page that the order came from, 0 where all are concerned."""


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
class DeviceTable(Message):
    """The force devices that are on, when there are others or something else is wrong."""

    KIND: ClassVar[str] = "device_table"
    devices: list[ForceDeviceData]


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
    Start, PlaySimulation, PauseSimulation, StepSimulation, SetSimulation, ChangeText, GoToTime,
    WriteLog, UndoTouch, HandTouches, HandLeaves, SetTarget, ForceSignal, FreezeSignal, ScaleSignal,
    DelaySignal, DisturbSignal, CutSignal, ReleaseSignal, ReleaseSignals, SetAttribute, PersonSeen,
    PersonGone, PersonBody,
)  # fmt: skip
ANSWERS = kinds_of(
    Answered, State, Warn, Doing, SignalTable, WorldParts, WireTable, DeviceTable, Traffic,
    LogWritten, WorldPeople, PictureDrawn, Frame,
)  # fmt: skip
