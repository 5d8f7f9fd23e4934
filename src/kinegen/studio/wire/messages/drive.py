"""A real robot that a page drives: orders, how it stands, what it measures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

from kinegen.studio.wire.message import Delivery, Length, Message, Range, Result
from kinegen.studio.wire.messages.motion import MotionData

__all__ = [
    "DriveBeat",
    "DriveDone",
    "DriveFrame",
    "DriveRobot",
    "DriveState",
    "DriveStop",
    "DriveTask",
    "DrivenServo",
    "ZeroData",
]

DriveTask = Literal["", "follow", "play", "teach"]
Share = Annotated[float, Range(0.01, 1.0)]


@dataclass(slots=True)
class DrivenServo:
    """A servo, as it was found."""

    id: int
    joint: str
    unit: Literal["rad", "m"]
    lower: float | None
    upper: float | None
    """Limits of its joint; None: there is none [rad, m]."""
    speed: float
    """The fastest that is allowed [rad/s, m/s]."""
    position: float
    """Where it was when the port was opened, or limits changed [rad, m]."""


@dataclass(slots=True)
class ZeroData:
    """Where a servo's middle is on its joint, and which way it turns, as a hand has shown it."""

    joint: str
    offset: float
    """[rad, m]"""
    direction: int


@dataclass(slots=True)
class DriveState(Message):
    """How the real robot of the session stands; its numbers come as frames."""

    KIND: ClassVar[str] = "drive_state"
    DELIVERY: ClassVar[Delivery] = "snapshot"
    phase: Literal["none", "connecting", "off", "on", "stopped", "lost"]
    """'off': connected, motors as they were; 'stopped': it takes no commands until it is switched
    on again."""
    reason: str
    """Why it was stopped, lost or disconnected, in words."""
    owner: int
    """Client whose heartbeats count, 0 for nobody."""
    task: DriveTask = ""
    bus: str = ""
    """What the servos are: 'feetech', …"""
    port: str = ""
    baud: int = 0
    """[bit/s]"""
    measures: bool = True
    """Whether servos say where they are."""
    servos: list[DrivenServo] = field(default_factory=list)
    speed: float = 0.25
    """Share of the motors' speeds."""
    torque: float = 1.0
    """Share of the largest effort."""
    on_stop: Literal["hold", "off"] = "hold"
    twin: bool = False
    """Whether a simulated robot gets the same commands."""
    marked: list[str] = field(default_factory=list)
    """Joints that a hand has brought to a value that is known."""
    zeros: list[ZeroData] = field(default_factory=list)
    """What was found of them; 'write' writes it into the file."""


@dataclass(slots=True)
class DriveFrame(Message):
    """What the real robot measures, some times a second; joints in the order of the servos."""

    KIND: ClassVar[str] = "drive_frame"
    DELIVERY: ClassVar[Delivery] = "snapshot"
    time: float
    """Since the port was opened [s]."""
    q: list[float]
    """The measured configuration."""
    goals: list[float]
    """What the servos are asked now [rad, m]."""
    positions: list[float]
    """Measured [rad, m]."""
    loads: list[float | None]
    """Shares of the largest effort; None where a servo does not measure it."""
    twin: list[float]
    """Of the simulated robot beside it; empty where there is none."""


@dataclass(slots=True)
class DriveRobot(Message):
    """An order to the real robot; 'connect' finds its servos and moves nothing."""

    KIND: ClassVar[str] = "drive"
    request: int
    verb: Literal[
        "connect",
        "start",
        "follow",
        "play",
        "teach",
        "finish",
        "limit",
        "let_go",
        "mark",
        "zero",
        "write",
        "disconnect",
    ]
    bus: Annotated[str, Length(0, 30)] = "feetech"
    """For connect: what the servos are."""
    port: Annotated[str, Length(0, 200)] = ""
    """For connect: a serial port, or 'virtual' for a simulated robot."""
    robot: Annotated[str, Length(0, 200)] = ""
    """For connect: which of the included robots, where each has a port."""
    speed: Share = 0.25
    """For connect and limit: share of the motors' speeds."""
    torque: Share = 1.0
    """For connect and limit: share of the largest effort."""
    on_stop: Literal["hold", "off"] = "hold"
    """For connect: what a stop does."""
    q: list[float] | None = None
    """For connect: where the robot stands, for servos that do not measure it."""
    twin: bool = False
    """For start: whether a simulated robot gets the same commands."""
    motion: MotionData | None = None
    """For play."""
    joint: Annotated[str, Length(0, 200)] = ""
    """For mark and zero."""
    value: Annotated[float, Range(-1e3, 1e3)] = 0.0
    """For mark: where the joint is [rad, m]."""


@dataclass(slots=True)
class DriveDone(Result):
    """What came of an order."""

    motion: MotionData | None
    """Of finish, where the robot was taught."""
    pace: float
    """Of play: its speed as a share of the recorded one."""


@dataclass(slots=True)
class DriveBeat(Message):
    """The page is still there; no answer. A moving robot stops when none comes for 200 ms."""

    KIND: ClassVar[str] = "drive_beat"


@dataclass(slots=True)
class DriveStop(Message):
    """Stop the real robot at once; it waits for no other request and has no answer."""

    KIND: ClassVar[str] = "drive_stop"
    reason: Annotated[str, Length(0, 200)] = ""
