"""LiveWorld: sensors, agents and signals around a simulation that a page runs."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Required, TypedDict, cast

import numpy as np

from kinegen.dynamics.motors.motor import Mode
from kinegen.dynamics.simulation.simulation import Simulation
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.model_parts import ModelJoint
from kinegen.studio.wire.messages import LiveSettings, OverrideSignal, SignalData
from kinegen.world.agents.load import AGENTS
from kinegen.world.events import Event
from kinegen.world.signal import Signal
from kinegen.world.world import World

__all__ = ["LiveWorld", "has_world", "is_ours"]

LONGEST = 4000
"""Numbers of a signal that a page gets, at most: pictures stay here."""
MOST_NEWS = 20
"""Notices that wait for the next frame; the oldest are dropped."""
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


def has_world(mechanism: Mechanism) -> bool:
    """Whether a file declares sensors or agents."""
    return bool(mechanism.scene.get("sensors") or mechanism.scene.get("agents"))


def is_ours(row: AgentEntry) -> bool:
    """Whether an agent is one of Kinegen's own: those run without anybody's consent."""
    name = row.get("program", "")
    built_in = AGENTS.built_in.get(name)
    return built_in is not None and AGENTS.entries[name].value == built_in and "command" not in row


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
        if rows and not settings.hold:
            raise UsageError("agents drive the motors of this world: leave the motors on")
        self.refused = [] if agents else [row["name"] for row in rows if not is_ours(row)]
        """Agents that may not run."""
        self.world = World(
            mechanism,
            dict(q),
            agents=dict.fromkeys(self.refused, _idle),
            engine=settings.engine,
            step=settings.step,
            floor=None if "floor" in mechanism.world else settings.floor,
            gravity=settings.gravity,
            motors=settings.hold,
            modes=settings.modes,
            keyframes=0,
        )
        if len(self.world.islands) > 1:
            self.world.close()
            raise UsageError(
                "a page runs worlds on one engine: remove 'engines' from the file, or use "
                f"'kinegen run {mechanism.name}'"
            )
        self.news: deque[str] = deque(maxlen=MOST_NEWS)
        """What agents and sensors had to report since the last frame."""
        self.world.events.listeners.append(self._heard)

    @property
    def simulation(self) -> Simulation:
        """What moves."""
        return self.world.islands[0].simulation

    @property
    def remarks(self) -> list[str]:
        """What a page has to know before it runs."""
        return [
            f"agent '{name}' does not run: it is a program, which the studio only starts with "
            f"'{ALLOW}'"
            for name in self.refused
        ]

    def start_at(self, v: Floats, time: float) -> None:
        """Continue from another run: with these velocities, at its time [s]."""
        world, simulation = self.world, self.simulation
        simulation.reset(simulation.engine.q, v, time)
        world.count = round(time / world.step_length)
        world.signals.time = world.time

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

    def target(self, joint: ModelJoint, values: list[float], what: str) -> None:
        """A target of a motor, until an agent gives another."""
        servos = self.simulation.servos
        modes = servos.motors.modes[joint.v] if servos is not None else []
        if any(_WHAT[mode] != what for mode in modes):
            wanted = " and ".join(dict.fromkeys(_WHAT[mode] for mode in modes))
            raise UsageError(f"the motor of '{joint.name}' takes a target {wanted}, not a {what}")
        self.world.command({joint.name: values[0] if len(values) == 1 else values})

    def override(self, order: OverrideSignal) -> None:
        """Force, freeze, scale, delay, disturb, cut or release a signal."""
        signals = self.world.signals
        if order.how == "release" and not order.name:
            signals.release()
            return
        signal = signals[order.name]
        match order.how:
            case "force":
                signal.force(order.value)
            case "scale":
                signal.scale(order.value, order.offset)
            case "delay":
                signal.delay(order.value)
            case "noise":
                signal.noise(order.value)
            case "freeze":
                signal.freeze()
            case "cut":
                signal.cut()
            case "release":
                signal.release()

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
        made = [np.zeros((0, 8))]
        for sensor in self.world.sensors.values():
            rays = sensor.rays()[:LONGEST]
            forced = float(any(one.override is not None for one in sensor.signals))
            made.append(np.column_stack([rays, np.full(len(rays), forced)]))
        return np.concatenate(made)

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


def _size(signal: Signal) -> int:
    return int(np.prod(signal.shape)) if signal.shape else 1


def _text(signal: Signal) -> str:
    return "" if signal.override is None else signal.override.text
