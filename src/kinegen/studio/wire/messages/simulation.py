"""The live simulation: its settings, orders to it, and how it stands."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Annotated, ClassVar, Literal

from kinegen.studio.wire.message import Delivery, Length, Message, Range
from kinegen.studio.wire.messages.mechanism import MotorMode
from kinegen.studio.wire.messages.signals import SignalData
from kinegen.studio.wire.messages.wires import ForceDeviceData, WireData
from kinegen.studio.wire.messages.world import LogData, NodeData, SensorData

__all__ = [
    "EndSimulation",
    "GoToTime",
    "LiveSettings",
    "PauseSimulation",
    "PlanCheck",
    "PlaySimulation",
    "SetSimulation",
    "Simulation",
    "SimulationOrder",
    "StartSimulation",
    "StepSimulation",
    "UndoTouch",
    "WriteLog",
]

Acceleration = Annotated[float, Range(-1e4, 1e4)]


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
