"""LiveWorld: sensors, agents and signals around a simulation that a page runs."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Required, TypedDict, cast

import numpy as np

from kinegen.dynamics.motors.motor import Mode
from kinegen.dynamics.simulation.simulation import Simulation
from kinegen.errors import UsageError
from kinegen.file_names import portable
from kinegen.kernels import Floats
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.model import Model
from kinegen.studio.live.world_people import LivePeople
from kinegen.studio.live.world_view import node_data, picture_of, sensor_data
from kinegen.studio.session.files.project import Project
from kinegen.studio.wire.messages import (
    CutSignal,
    DelaySignal,
    DisturbSignal,
    ForceSignal,
    FreezeSignal,
    LiveSettings,
    LogData,
    NodeData,
    PictureHead,
    ReleaseSignal,
    ReleaseSignals,
    ScaleSignal,
    SensorData,
    SetAttribute,
    SignalData,
    SignalOverride,
)
from kinegen.world.agents.load import AGENTS
from kinegen.world.events import Event
from kinegen.world.hands.scripted import SCRIPTED
from kinegen.world.log.log import Log
from kinegen.world.renderer import DrawingError
from kinegen.world.signalling.signal import Signal
from kinegen.world.world import World

__all__ = ["MOTORS_OFF", "LiveWorld", "has_world", "is_ours", "rates_of"]

LONGEST = 4000
"""Numbers of a signal that a page gets, at most: pictures stay here."""
MOST_RAYS = 1500
"""Rays of a sensor that a page gets, at most: of more, every second, third, … one."""
MOST_NEWS = 20
"""Notices that wait for the next frame; the oldest are dropped."""
PATIENCE = 1.0
"""[s, real] An agent may take so long for an answer: the page waits meanwhile, and the watchdog of
the process must not take a late agent for a process that hangs."""
KEEP = 0.25
"""[s] A moment that a page can go back to is kept so often, at first."""
MOST_KEPT = 240
"""Moments that are kept; when there are more, every other one goes."""
MOTORS_OFF = "the motors are off: turn them on first"
ALLOW = "kinegen studio --agents"
_WHAT = {
    Mode.POSITION: "position",
    Mode.COMPUTED: "position",
    Mode.VELOCITY: "velocity",
    Mode.TORQUE: "effort",
}
"""What a page calls the target of a motor."""


class AgentEntry(TypedDict, total=False):
    """A row of ``agents``, as far as it says what runs."""

    name: Required[str]
    program: str
    command: str | Sequence[str]
    fmu: str


def has_world(mechanism: Mechanism) -> bool:
    """Whether a file declares sensors, agents, people or pulls, or several engines."""
    scene = mechanism.scene
    declared = (scene.get(key) for key in ("sensors", "agents", "people", "pulls"))
    return any([*declared, mechanism.world.get("engines")])


def is_ours(row: AgentEntry) -> bool:
    """Whether an agent is one of Kinegen's own: those run without anybody's consent."""
    name = row.get("program", "")
    built_in = AGENTS.built_in.get(name)
    return (
        built_in is not None
        and AGENTS.entries[name].value == built_in
        and not {"command", "fmu"} & set(row)
    )


class LiveWorld:
    """A world as a page runs it: its sensors and agents, and what the page sees of them."""

    def __init__(
        self,
        mechanism: Mechanism,
        settings: LiveSettings,
        q: Mapping[str, Floats],
        *,
        agents: bool = False,
    ) -> None:
        """Set up a world.

        Args:
            mechanism: With sensors or agents.
            settings: What the page runs it with.
            q: Where joints and free objects start, by name.
            agents: Whether programs that the file names may run; those of the library always may.
        """
        rows = cast(Sequence[AgentEntry], mechanism.scene.get("agents", ()))
        if rows and not (settings.hold or settings.wires):
            raise UsageError("agents drive the motors of this world: leave the motors on")
        self.refused = [] if agents else [row["name"] for row in rows if not is_ours(row)]
        """Agents that may not run."""
        self.blind = ""
        """Why cameras take no pictures, in words; '' where they do."""
        self.world = self._make(mechanism, settings, q)
        self.world.timeline.keyframes.most = MOST_KEPT
        self.world.answer_within(PATIENCE)
        self.people = LivePeople(self.world)
        """Those of the session in it."""
        self._seen: dict[str, int] = {}
        """Versions of the pictures that were given last."""
        self.news: deque[str] = deque(maxlen=MOST_NEWS)
        """What agents and sensors had to report since the last frame."""
        self.world.events.listeners.append(self._heard)
        self._log: Log | None = None
        self._log_file = Path()

    def _make(self, mechanism: Mechanism, settings: LiveSettings, q: Mapping[str, Floats]) -> World:
        def made(*, cameras: bool) -> World:
            return World(
                mechanism, dict(q), agents=dict.fromkeys(self.refused, _idle),
                engine=settings.engine, step=settings.step, seed=settings.seed,
                floor=None if "floor" in mechanism.world else settings.floor,
                gravity=settings.gravity, motors=settings.hold or bool(settings.wires),
                modes=settings.modes,
                keyframes=KEEP, cameras=cameras,
            )  # fmt: skip

        try:
            return made(cameras=True)
        except DrawingError as error:
            self.blind = str(error)
        return made(cameras=False)

    @property
    def simulations(self) -> list[Simulation]:
        """What moves, on each engine."""
        return [island.simulation for island in self.world.islands]

    @property
    def remarks(self) -> list[str]:
        """What a page has to know before it runs."""
        blind = "cameras take no pictures here; the page shows its own view from their positions: "
        return [
            *(
                f"agent '{name}' does not run: it is a program, which the studio only starts with "
                f"'{ALLOW}'"
                for name in self.refused
            ),
            *([blind + self.blind] if self.blind else []),
        ]

    def start_at(self, v: Mapping[str, Floats] | None, time: float) -> None:
        """Continue from another run: with these velocities by joint name, at its time [s]."""
        for one in self.simulations:
            start = rates_of(one.model, v) if v else one.system.start_v
            one.reset(one.engine.q, start, time)
        self.world.begin_at(time)

    def go_to(self, time: float) -> None:
        """Go to a time that has passed [s]; a hand that held something then holds it no longer."""
        span = self.world.recorded
        self.world.go_to(min(max(time, span.first), span.last))
        self.people.forget()
        for one in self.simulations:
            for touch in one.touches:
                if not touch.name.startswith(SCRIPTED):
                    one.release(touch)

    def take_over(self, old: LiveWorld) -> None:
        """Keep targets and overrides of a run that this one continues."""
        for name, signal in old.world.signals.items():
            mine = self.world.signals.get(name)
            if mine is None or mine.shape != signal.shape:
                continue
            if name.endswith(".target"):
                mine.write(signal.written)
            if signal.override is not None:
                mine.put(signal.override)

    def step(self, count: int) -> None:
        """Some steps."""
        for _ in range(count):
            self.world.step()
            if self.world.reason:
                return

    # What a page says

    def target(self, name: str, values: list[float], what: str) -> None:
        """A target of a joint's motor, until an agent gives another."""
        island, joint = self.world.stage.joint(name)
        servos = island.simulation.servos
        if servos is None:
            raise UsageError(MOTORS_OFF)
        modes = servos.motors.modes[joint.v]
        if any(_WHAT[mode] != what for mode in modes):
            wanted = " and ".join(dict.fromkeys(_WHAT[mode] for mode in modes))
            raise UsageError(f"the motor of '{joint.name}' takes a target {wanted}, not a {what}")
        self.world.command({joint.name: values[0] if len(values) == 1 else values})

    def override(self, order: SignalOverride | ReleaseSignals) -> None:
        """Force, freeze, scale, delay, disturb, cut or release a signal, or release all."""
        signals = self.world.signals
        match order:
            case ReleaseSignals():
                signals.release()
            case ForceSignal(name, value):
                signals[name].force(value)
            case ScaleSignal(name, factor, offset):
                signals[name].scale(factor, offset)
            case DelaySignal(name, time):
                signals[name].delay(time)
            case DisturbSignal(name, deviation):
                signals[name].noise(deviation)
            case FreezeSignal(name):
                signals[name].freeze()
            case CutSignal(name):
                signals[name].cut()
            case ReleaseSignal(name):
                signals[name].release()

    def begin_log(self, project: Project) -> LogData:
        """Write a log into the project folder from now on."""
        if self._log is not None:
            raise UsageError("a log is being written: finish it first")
        place = project.unused(portable(f"{self.world.name}.mcap"))
        self._log = self.world.log(place)
        self._log_file = place
        return LogData(place.relative_to(project.folder).as_posix(), self.world.time)

    def end_log(self, begun: LogData) -> LogData:
        """Finish the log."""
        if self._log is not None:
            self.world.end_log(self._log)
            self._log = None
        size = self._log_file.stat().st_size
        return replace(begun, end=self.world.time, size=size)

    def set_attribute(self, order: SetAttribute) -> None:
        """Give a node an attribute that is a number."""
        self.world.node(order.node).set(order.name, order.value, order.unit)

    # What a page sees

    def table(self) -> list[SignalData]:
        """All signals that are numbers, in the order of :meth:`numbers`."""
        return [
            SignalData(one.name, one.unit, _size(one), one.writer, _text(one))
            for one in self._shown()
        ]

    def numbers(self) -> Floats:
        """What readers of all signals get now, one after another."""
        return np.concatenate([np.zeros(0), *(np.ravel(one.value) for one in self._shown())])

    def rays(self) -> Floats:
        """Rays of all sensors as they were read, as frames have them."""
        made = [np.zeros((0, 9))]
        for number, sensor in enumerate(self.world.sensors.values()):
            rays = sensor.rays()
            rays = rays[:: 1 + (len(rays) - 1) // MOST_RAYS] if len(rays) else rays
            forced = float(any(one.override is not None for one in sensor.signals))
            more = np.broadcast_to([forced, float(number)], (len(rays), 2))
            made.append(np.hstack([rays, more]))
        return np.concatenate(made)

    def sensors(self) -> list[SensorData]:
        """All sensors, as a page draws them."""
        read = set[str]().union(*(agent.read for agent in self.world.agents.values()))
        sensors = self.world.sensors.values()
        return [sensor_data(one, is_drawn=not self.blind, read=read) for one in sensors]

    def nodes(self) -> list[NodeData]:
        """All nodes with their attributes."""
        return [node_data(one) for one in self.world.nodes.values()]

    def pictures(self, wanted: Sequence[str]) -> Iterator[tuple[PictureHead, bytes]]:
        """New pictures of cameras: those of some signals that were not given yet."""
        for name in wanted:
            signal = self.world.signals.get(name)
            if signal is None or signal.shape is not None or signal.value is None:
                continue
            if self._seen.get(name) != signal.version:
                self._seen[name] = signal.version
                yield picture_of(signal)

    def close(self) -> None:
        """End the programs that are agents."""
        self.world.close()

    # Inside

    def _shown(self) -> list[Signal]:
        return [
            one
            for one in self.world.signals.values()
            if one.shape is not None and _size(one) <= LONGEST
        ]

    def _heard(self, event: Event) -> None:
        is_about = event.source in self.world.agents or event.source in self.world.sensors
        if event.is_problem and is_about:
            self.news.append(event.message)


def _idle(time: float, seen: Mapping[str, object], **options: object) -> dict[str, float]:
    """Stands for an agent that may not run."""
    return {}


def rates_of(model: Model, parts: Mapping[str, Floats]) -> Floats:
    """Velocities by joint name as one array."""
    v = np.zeros(model.nv)
    for joint in model.joints:
        values = parts.get(joint.name)
        if values is not None and len(values) == joint.v.stop - joint.v.start:
            v[joint.v] = values
    return v


def _size(signal: Signal) -> int:
    return int(np.prod(signal.shape)) if signal.shape else 1


def _text(signal: Signal) -> str:
    return "" if signal.override is None else signal.override.text
