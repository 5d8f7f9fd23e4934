"""A real robot that a page drives: orders, how it stands, what it measures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

from kinegen.studio.wire.message import Delivery, Length, Message, Range, Result
from kinegen.studio.wire.messages.motion import MotionData

__all__ = [
    "ConnectRobot",
    "DisconnectRobot",
    "DriveBeat",
    "DriveFrame",
    "DriveOrder",
    "DriveState",
    "DriveStop",
    "DriveTask",
    "DrivenServo",
    "FindZero",
    "FinishTask",
    "FollowPage",
    "LetGoRobot",
    "LimitRobot",
    "MarkJoint",
    "PlayOnRobot",
    "RobotPace",
    "StartRobot",
    "TaughtMotion",
    "TeachRobot",
    "WriteZeros",
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
    """What was found of them; :class:`WriteZeros` writes it into the file."""


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
class DriveOrder(Message):
    """An order to the real robot of the session."""

    request: int
    """The page's number for the answer."""


@dataclass(slots=True)
class ConnectRobot(DriveOrder):
    """Open a port and find the servos; nothing moves."""

    KIND: ClassVar[str] = "connect_robot"
    bus: Annotated[str, Length(1, 30)]
    """What the servos are: one of the kinds that the studio lists with its serial ports."""
    port: Annotated[str, Length(0, 200)]
    """A serial port, or 'virtual' for a simulated robot."""
    robot: Annotated[str, Length(0, 200)] = ""
    """Which of the included robots, where each has a port."""
    speed: Share = 0.25
    """Share of the motors' speeds."""
    torque: Share = 1.0
    """Share of the largest effort."""
    on_stop: Literal["hold", "off"] = "hold"
    """What a stop does."""
    q: list[float] | None = None
    """Where the robot stands, for servos that do not measure it."""


@dataclass(slots=True)
class StartRobot(DriveOrder):
    """Switch the motors on, with their goals where the robot is."""

    KIND: ClassVar[str] = "start_robot"
    twin: bool = False
    """Whether a simulated robot gets the same commands."""


@dataclass(slots=True)
class FollowPage(DriveOrder):
    """The robot goes where the mechanism in the page is."""

    KIND: ClassVar[str] = "follow_page"


@dataclass(slots=True)
class PlayOnRobot(DriveOrder):
    """The robot plays a motion; the answer says how fast."""

    KIND: ClassVar[str] = "play_on_robot"
    motion: MotionData


@dataclass(slots=True)
class RobotPace(Result):
    """How fast the robot plays a motion."""

    pace: float
    """Its speed as a share of the recorded one; below 1 where the limits need it."""


@dataclass(slots=True)
class TeachRobot(DriveOrder):
    """Motors off: a hand leads the robot, and the page follows."""

    KIND: ClassVar[str] = "teach_robot"


@dataclass(slots=True)
class FinishTask(DriveOrder):
    """The robot ends what it does; the answer has what was taught."""

    KIND: ClassVar[str] = "finish_task"


@dataclass(slots=True)
class TaughtMotion(Result):
    """What a hand has shown the robot."""

    motion: MotionData | None
    """None where it was not taught."""


@dataclass(slots=True)
class LimitRobot(DriveOrder):
    """Other limits of the motors."""

    KIND: ClassVar[str] = "limit_robot"
    speed: Share
    """Share of the motors' speeds."""
    torque: Share
    """Share of the largest effort."""


@dataclass(slots=True)
class LetGoRobot(DriveOrder):
    """Switch the motors off."""

    KIND: ClassVar[str] = "let_go_robot"


@dataclass(slots=True)
class MarkJoint(DriveOrder):
    """A hand has brought a joint to a value that is known."""

    KIND: ClassVar[str] = "mark_joint"
    joint: Annotated[str, Length(1, 200)]
    value: Annotated[float, Range(-1e3, 1e3)]
    """[rad, m]"""


@dataclass(slots=True)
class FindZero(DriveOrder):
    """A hand has moved a marked joint to larger values: offset and direction of its servo."""

    KIND: ClassVar[str] = "find_zero"
    joint: Annotated[str, Length(1, 200)]


@dataclass(slots=True)
class WriteZeros(DriveOrder):
    """Write the offsets and directions that were found into the file."""

    KIND: ClassVar[str] = "write_zeros"


@dataclass(slots=True)
class DisconnectRobot(DriveOrder):
    """Stop, and close the port."""

    KIND: ClassVar[str] = "disconnect_robot"


@dataclass(slots=True)
class DriveBeat(Message):
    """The page is still there; no answer. A moving robot stops when none comes for 200 ms."""

    KIND: ClassVar[str] = "drive_beat"


@dataclass(slots=True)
class DriveStop(Message):
    """Stop the real robot at once; it waits for no other request and has no answer."""

    KIND: ClassVar[str] = "drive_stop"
    reason: Annotated[str, Length(0, 200)] = ""
