"""The live simulation: orders, hands, and how it stands."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Annotated, ClassVar, Literal

from kinegen.studio.wire.message import Delivery, Length, Message, Quat, Range, Vec3
from kinegen.studio.wire.messages.mechanism import MotorMode

__all__ = [
    "CameraData",
    "CutSignal",
    "DelaySignal",
    "DisturbSignal",
    "EndSimulation",
    "ForceDeviceData",
    "ForceSignal",
    "FreezeSignal",
    "GoToTime",
    "LiveSettings",
    "LogData",
    "NodeData",
    "PacketData",
    "PauseSimulation",
    "PictureHead",
    "PlanCheck",
    "PlaySimulation",
    "Release",
    "ReleaseSignal",
    "ReleaseSignals",
    "ScaleSignal",
    "SensorData",
    "SetAttribute",
    "SetSimulation",
    "SetTarget",
    "SignalData",
    "SignalOverride",
    "Simulation",
    "SimulationOrder",
    "StartSimulation",
    "StepSimulation",
    "TargetKind",
    "Touch",
    "Traffic",
    "TrafficData",
    "UndoTouch",
    "WireData",
    "WriteLog",
]

Acceleration = Annotated[float, Range(-1e4, 1e4)]
TargetKind = Literal["position", "velocity", "effort"]


@dataclass(frozen=True, slots=True)
class LiveSettings:
    """What a simulation runs with."""

    engine: Annotated[str, Length(1, 200)] = "reduced"
    step: Annotated[float, Range(1e-6, 0.1)] = 1e-3
    """[s]"""
    gravity: tuple[Acceleration, Acceleration, Acceleration] | None = None
    """Instead of the file's [m/s²]."""
    floor: Annotated[float, Range(-1e6, 1e6)] | None = None
    """Height of a floor [m]; None: no floor."""
    objects: bool = False
    """Whether the scene's free objects take part."""
    hold: bool = False
    """Whether motors hold their targets."""
    modes: dict[str, MotorMode] = field(default_factory=dict)
    """Modes of motors by joint name, where not as in the file."""
    speed: Annotated[float, Range(1e-3, 10.0)] = 1.0
    """Simulated seconds per second."""
    firmness: Annotated[float, Range(1e-3, 1e3)] = 1.0
    """Stiffness of hands, as a multiple of what suits the mass that they feel."""
    damping: Annotated[float, Range(0.0, 100.0)] = 1.0
    """Damping of hands, as a share of what keeps them from swinging."""
    reactions: bool = False
    """Whether forces in the joints are reported."""
    motion: Annotated[str, Length(1, 200)] | None = None
    """Name of the stored motion that is followed, if any."""
    resume: Literal["keep", "rejoin", "stop"] = "rejoin"
    """What comes after a hand has led it."""

    seed: Annotated[int, Range(0, 2**53 - 1)] | None = None
    """Of all noise in a world; None: as in the file."""
    pictures: Annotated[list[str], Length(0, 20)] = field(default_factory=list)
    """Signals of cameras whose pictures the page shows."""

    log: Annotated[str, Length(1, 400)] | None = None
    """A log of the project folder that is played instead of a simulation."""

    wires: Annotated[list[Annotated[str, Length(1, 60)]], Length(0, 12)] = field(
        default_factory=list
    )
    """Protocols by which other programs move the robot: 'feetech', 'rosbridge:9090'."""
    devices: list[Annotated[str, Length(1, 200)]] = field(default_factory=list)
    """Force devices of the file that hands hold, by name."""

    def same_engine(self, other: LiveSettings) -> bool:
        """Whether what runs can continue with the other settings."""
        live = {
            "speed",
            "firmness",
            "damping",
            "reactions",
            "resume",
            "pictures",
            "wires",
            "devices",
        }
        return bool(self.wires) == bool(other.wires) and all(
            getattr(self, one.name) == getattr(other, one.name)
            for one in fields(self)
            if one.name not in live
        )


@dataclass(slots=True)
class PlanCheck:
    """What a planned motion would hit."""

    distance: float | None
    """To the nearest object [m], negative when it is hit; None: nothing is near."""
    link: str
    object: str
    start: float | None
    """When it is hit first [s]; None: never."""
    end: float | None
    """When it is hit last [s]."""


@dataclass(slots=True)
class SignalData:
    """A signal of a running world; its numbers come with the frames."""

    name: str
    unit: str
    """Of its numbers, '' where they have none."""
    size: int
    """How many numbers it has."""
    writer: str
    """Name of the sensor, agent or joint that writes it."""
    override: str
    """What stands between writer and readers, in words: 'forced to 0.05 m'; '' for nothing."""


@dataclass(slots=True)
class CameraData:
    """What a camera's pictures are like."""

    width: int
    height: int
    """[pixels]"""
    opening: float
    """Vertical [rad]."""
    near: float
    far: float
    """[m]"""
    images: list[str]
    """Which it takes: color, depth, segmentation."""
    is_drawn: bool
    """Whether the studio draws them; else the page shows its own view from there."""


@dataclass(slots=True)
class SensorData:
    """A sensor of a running world, as a page draws it."""

    name: str
    type: str
    node: str
    """Link or object that it is mounted on; '' where it has no place."""
    place: list[float]
    """There: wxyz xyz."""
    signals: list[str]
    """What it writes."""
    range: float
    """Farthest distance that it measures [m]; 0 where it measures none."""
    camera: CameraData | None = None
    read: list[str] = field(default_factory=list)
    """Those of its signals that agents have read so far."""


@dataclass(slots=True)
class PictureHead:
    """What a picture of a camera is; it follows as a PNG file."""

    signal: str
    time: float
    """When it was taken [s]."""
    low: float
    high: float
    """The least and greatest depth in it [m]; 0 where it has none."""


@dataclass(slots=True)
class NodeData:
    """A node of a running world, and the attributes that it was given."""

    name: str
    type: str
    parent: str
    attributes: dict[str, str]
    """In words; those that are numbers are signals too."""


@dataclass(slots=True)
class LogData:
    """A log of the running world that is being written, or the last one that was."""

    file: str
    """In the project folder."""
    start: float
    """[s]"""
    end: float | None = None
    """[s]; None: it is being written."""
    size: int = 0
    """[bytes] Of one that is finished."""
    link: str = ""
    """Where a finished one is fetched from."""


@dataclass(slots=True)
class WireData:
    """A wire of the simulated robot."""

    word: str
    """As in the settings."""
    kind: str
    robot: str
    """The included robot whose servos it has, '' where it has all."""
    endpoint: str
    """Device path or host:port."""
    facts: list[str]
    """What a client has to know besides, in words: speed, ids of the servos, address."""


@dataclass(slots=True)
class ForceDeviceData:
    """A force device of the file that is on."""

    name: str
    device: str
    """Its name among the registered devices."""
    port: int
    """Where its packets are heard on the studio's computer; 0 when it sends none."""
    trouble: str
    """What is wrong, in words; '' for nothing."""


@dataclass(slots=True)
class PacketData:
    """One packet on a wire."""

    time: float
    """Since the wire was opened [s]."""
    from_robot: bool
    words: str
    """What it says."""
    data: str
    """Its bytes, hexadecimal; the first ones of a long packet."""


@dataclass(slots=True)
class TrafficData:
    """What went over one wire since it was opened."""

    clients: int | None
    """How many are connected; None: a terminal does not know."""
    time: float
    """Since it was opened [s]."""
    received: int
    sent: int
    """Packets."""
    bytes_received: int
    bytes_sent: int
    errors: int
    """Packets that could not be read: bad checksums, wrong speeds."""
    last: list[PacketData]
    """Oldest first."""


@dataclass(slots=True)
class Traffic(Message):
    """What goes over the wires of the simulated robot, some times a second."""

    KIND: ClassVar[str] = "traffic"
    DELIVERY: ClassVar[Delivery] = "snapshot"
    wires: list[TrafficData]
    """In the order of the simulation's wires."""


@dataclass(slots=True)
class Simulation(Message):
    """How the live simulation of the session stands; its numbers come as binary frames."""

    KIND: ClassVar[str] = "simulation"
    DELIVERY: ClassVar[Delivery] = "snapshot"
    phase: Literal["off", "starting", "running", "paused", "stopped"]
    """'stopped': it ended by itself, for the reason given."""
    reason: str
    settings: LiveSettings
    remarks: list[str]
    """What is doubtful about the mechanism's masses."""
    objects: list[str]
    """Objects of the scene that move by themselves, in the order of the frames."""
    owner: int
    """Client that runs it, 0 for nobody: it may override signals, and gets pictures of cameras."""
    plan: PlanCheck | None = None
    """Of a motion that is followed; None where nothing is looked at."""
    unknown: str = ""
    """Why forces in the joints are unknown, in words; '' where they are known."""
    signals: list[SignalData] = field(default_factory=list)
    """Of a world, in the order of the frames; none where there are no sensors and agents."""
    sensors: list[SensorData] = field(default_factory=list)
    """Of a world; their rays come in the order of the sensors."""
    nodes: list[NodeData] = field(default_factory=list)
    """Of a world."""
    log: LogData | None = None
    """Of a world, where one was asked for."""
    doing: str = ""
    """What takes long before it can run, in words; '' where nothing does."""
    wires: list[WireData] = field(default_factory=list)
    """That other programs move the robot by."""
    devices: list[ForceDeviceData] = field(default_factory=list)
    """Force devices that are on; their tips come with the frames, in this order."""


@dataclass(slots=True)
class SimulationOrder(Message):
    """An order to the live simulation of the session; the studio passes most on as they are."""

    request: int
    """The sender's number for the answer."""


@dataclass(slots=True)
class StartSimulation(SimulationOrder):
    """Begin a simulation."""

    KIND: ClassVar[str] = "start_simulation"
    q: list[float] | None = None
    """Where it begins; None: where the mechanism is."""
    settings: LiveSettings = field(default_factory=LiveSettings)
    run: bool = True
    """Whether it runs at once."""


@dataclass(slots=True)
class PlaySimulation(SimulationOrder):
    """Run on, or again from the start when it is done."""

    KIND: ClassVar[str] = "play_simulation"


@dataclass(slots=True)
class PauseSimulation(SimulationOrder):
    """Rest; hands let go."""

    KIND: ClassVar[str] = "pause_simulation"


@dataclass(slots=True)
class StepSimulation(SimulationOrder):
    """Make some steps, then rest."""

    KIND: ClassVar[str] = "step_simulation"
    count: Annotated[int, Range(1, 100_000)] = 1


@dataclass(slots=True)
class SetSimulation(SimulationOrder):
    """Other settings, all of them; where they need another engine it continues from where it is."""

    KIND: ClassVar[str] = "set_simulation"
    settings: LiveSettings


@dataclass(slots=True)
class GoToTime(SimulationOrder):
    """Go to a time that a world has passed, or a log has."""

    KIND: ClassVar[str] = "go_to_time"
    time: Annotated[float, Range(0.0, 1e9)]
    """[s]"""


@dataclass(slots=True)
class WriteLog(SimulationOrder):
    """Begin a log of the world in the project folder, or finish the one that is being written."""

    KIND: ClassVar[str] = "write_log"
    record: bool


@dataclass(slots=True)
class UndoTouch(SimulationOrder):
    """A motion that is followed: back to before the last touch."""

    KIND: ClassVar[str] = "undo_touch"


@dataclass(slots=True)
class EndSimulation(SimulationOrder):
    """End the simulation; a log is finished first."""

    KIND: ClassVar[str] = "end_simulation"


@dataclass(slots=True)
class Touch(Message):
    """A hand on the running simulation: takes hold or has moved; no answer."""

    KIND: ClassVar[str] = "touch"
    hand: int
    """The page's number for it."""
    site: str
    """Link, frame or object."""
    point: Vec3
    """In its axes [m]."""
    target: Vec3
    """Where the hand or the tip is [m]."""
    normal: Vec3 | None = None
    """Of the surface, world axes: a push; None: a pull."""
    quat: Quat | None = None
    """How the site should be turned, wxyz: a pull that holds the whole pose; None: its place."""


@dataclass(slots=True)
class Release(Message):
    """A hand lets go of the running simulation; no answer."""

    KIND: ClassVar[str] = "release"
    hand: int | None
    """None: all of them."""


@dataclass(slots=True)
class SetTarget(Message):
    """Where a motor of the running simulation should be, how fast or how hard; no answer."""

    KIND: ClassVar[str] = "set_target"
    joint: str
    values: list[float]
    """Numbers of q for a position [rad, m], of v else [rad/s, m/s; N m, N]."""
    what: TargetKind = "position"


@dataclass(slots=True)
class SignalOverride(Message):
    """What readers of a signal of the running world get from now on; no answer."""

    name: str


@dataclass(slots=True)
class ForceSignal(SignalOverride):
    """Readers get a value, whatever is written."""

    KIND: ClassVar[str] = "force_signal"
    value: float
    """In the signal's unit."""


@dataclass(slots=True)
class FreezeSignal(SignalOverride):
    """Readers get what was written last."""

    KIND: ClassVar[str] = "freeze_signal"


@dataclass(slots=True)
class ScaleSignal(SignalOverride):
    """Readers get a multiple of what is written, and an offset."""

    KIND: ClassVar[str] = "scale_signal"
    factor: float
    offset: float = 0.0
    """In the signal's unit."""


@dataclass(slots=True)
class DelaySignal(SignalOverride):
    """Readers get what is written later."""

    KIND: ClassVar[str] = "delay_signal"
    time: float
    """[s]"""


@dataclass(slots=True)
class DisturbSignal(SignalOverride):
    """Readers get noise on what is written."""

    KIND: ClassVar[str] = "disturb_signal"
    deviation: float
    """Standard deviation, in the signal's unit."""


@dataclass(slots=True)
class CutSignal(SignalOverride):
    """Readers get nothing."""

    KIND: ClassVar[str] = "cut_signal"


@dataclass(slots=True)
class ReleaseSignal(SignalOverride):
    """Readers get again what is written."""

    KIND: ClassVar[str] = "release_signal"


@dataclass(slots=True)
class ReleaseSignals(Message):
    """Readers of all signals of the running world get again what is written; no answer."""

    KIND: ClassVar[str] = "release_signals"


@dataclass(slots=True)
class SetAttribute(Message):
    """Give a node of the running world an attribute; no answer."""

    KIND: ClassVar[str] = "set_attribute"
    node: Annotated[str, Length(1, 200)]
    name: Annotated[str, Length(1, 100)]
    value: Annotated[float, Range(-1e300, 1e300)]
    unit: Annotated[str, Length(0, 20)] = ""
