"""World: robots, objects, sensors and agents, and the one cycle that moves them."""

from __future__ import annotations

import os
import time as clock
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from kinegen.dynamics.motors.motor import Mode
from kinegen.dynamics.motors.servos import Drive
from kinegen.dynamics.simulation.system import is_number
from kinegen.errors import UsageError, unknown_name
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.load import load_raff
from kinegen.mechanism.model import Model
from kinegen.results import Result
from kinegen.world.agents.agent import Agent
from kinegen.world.agents.load import make_runner
from kinegen.world.bodies.island import Island
from kinegen.world.bodies.islands import make_islands
from kinegen.world.bodies.node import Node
from kinegen.world.bodies.nodes import make_nodes
from kinegen.world.bodies.stage import Stage
from kinegen.world.clock.keyframes import Keyframes
from kinegen.world.events import Events
from kinegen.world.log.log import Log, open_log
from kinegen.world.motors.motor_settings import set_motor
from kinegen.world.sensors.registry import SENSORS
from kinegen.world.sensors.sensor import Sensor
from kinegen.world.settings import Settings
from kinegen.world.signalling.signal import Signal
from kinegen.world.signalling.signals import Signals

__all__ = ["Snapshot", "World", "WorldReport"]


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """A moment of a world, for :meth:`World.restore`."""

    time: float
    """[s]"""
    count: int
    parts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class WorldReport(Result):
    """The state of a world after a run."""

    world: str
    """Its name."""
    time: float
    """Reached [s]."""
    steps: int
    seed: int
    complete: bool
    """Whether it went to the end that was asked for."""
    reason: str
    """Why it ended, in words."""
    events: tuple[str, ...]
    """What happened, in words, oldest first; the last thousand."""
    overridden: tuple[str, ...]
    """Signals that are still overridden, and how."""


class World:
    """Robots, objects, sensors and agents that run together.

    A world is repeatable: the same file, seed and commands give bit for bit the same signals,
    however busy the machine is. Use it in a ``with`` block, or :meth:`close` it, so that programs
    that it started end.
    """

    def __init__(
        self,
        source: str | os.PathLike[str] | Mechanism | Model,
        q: Mapping[str, Any] | None = None,
        *,
        agents: Mapping[str, Any] | None = None,
        engine: str | None = None,
        step: float | None = None,
        seed: int | None = None,
        floor: float | None = None,
        gravity: tuple[float, float, float] | None = None,
        motors: bool = True,
        modes: Mapping[str, Mode | str] | None = None,
        keyframes: float = 1.0,
        cameras: bool = True,
    ) -> None:
        """Set up a world at its start.

        Args:
            source: Name of a library mechanism, a RAFF file or text, a mechanism or a model.
            q: Where joints start, by name; others as in the file.
            agents: Functions, classes or objects by name of the agent, instead of what the file
                names; those that the file does not have are added.
            engine: Instead of the file's: 'reduced', 'impulse', 'mujoco' or a plug-in's name.
            step: Length of a step [s], instead of the file's.
            seed: Of all noise, instead of the file's.
            floor: Height of a floor [m], instead of the file's.
            gravity: [m/s²], instead of the file's.
            motors: Whether motors are on; else joints move freely.
            modes: Of motors by joint name, instead of the file's: 'position', 'velocity', 'torque'
                or 'computed'.
            keyframes: How often a moment is kept that :meth:`go_to` can begin from [s]; 0: never.
            cameras: Whether cameras take pictures; without, their signals have no value, and
                nothing that draws is needed.
        """
        self.mechanism = _mechanism(source)
        values = dict(source.parameters) if isinstance(source, Model) else None
        self.settings = Settings.of(
            self.mechanism, values or dict(self.mechanism.compile().parameters),
            engine=engine, step=step, seed=seed, floor=floor,
            gravity=gravity, motors=motors, modes=modes,
        )  # fmt: skip
        self.name = self.mechanism.name
        self.step_length = self.settings.step
        """[s]"""
        self.signals = Signals(self.settings.seed)
        """All signals by name."""
        self.islands: list[Island] = make_islands(
            self.mechanism,
            source if isinstance(source, Model) else None,
            self.settings,
            self.signals,
            q,
        )
        """What each engine moves."""
        self.stage = Stage(
            self.mechanism, self.islands, self.signals,
            step=self.settings.step, seed=self.settings.seed, cameras=cameras,
        )  # fmt: skip
        self.sensors: dict[str, Sensor] = {
            row["name"]: SENSORS.named(row["type"])(row, self.stage)
            for row in self.mechanism.scene.get("sensors", ())
        }
        """All sensors by name."""
        self.agents: dict[str, Agent] = self._agents(dict(agents or {}))
        """All agents by name."""
        self.nodes: dict[str, Node] = make_nodes(self.stage, self.sensors, self.agents)
        """Robots, links, objects, lights, sensors and agents by name."""
        self.drivers: list[Callable[[World], None]] = []
        """Called before every step, after the agents: hardware bridges."""
        self.watchers: list[Callable[[World], None]] = []
        """Called after every step: logs, views."""
        self.count = 0
        """Steps that were made."""
        self.reason = ""
        """Why it stopped; empty while it can continue."""
        self.keyframes = Keyframes(keyframes, self.settings.step)
        """Moments that :meth:`go_to` begins from."""
        self.signals.watch = self._override_changed
        self._answer_within: float | None = None
        self._has_changed = False
        """Whether somebody intervened since the last step: the way here cannot be run again."""
        self._reached = 0
        """The last step that was made since somebody intervened."""
        self._came_by = -1
        """The last step at which somebody intervened, or to which it was brought back."""
        self._closed = False

    def __repr__(self) -> str:
        return f"World('{self.name}', at {self.time:g} s, {len(self.signals)} signals)"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def time(self) -> float:
        """Simulated time [s]: exactly the steps made times their length."""
        return self.count * self.settings.step

    @property
    def events(self) -> Events:
        """What happened, in words."""
        return self.stage.events

    @property
    def is_running(self) -> bool:
        """Whether it can continue."""
        return not self.reason

    # The cycle

    def step(self) -> None:
        """One step: sensors, agents, actuators, engines, view."""
        if self.reason:
            return
        if self._has_changed:
            self._has_changed = False
            self._forget_later()
            self.keyframes.add_change(self.snapshot())
            self._came_by = self.count
        elif self.keyframes.has_change(self.count) and self._came_by != self.count:
            # here somebody intervened the last time, and nobody does now
            self.keyframes.forget_after(self.count - 1)
            self._reached = self.count
        elif self.keyframes.is_due(self.count):
            self.keyframes.add(self.snapshot())
        for sensor in self.sensors.values():
            sensor.step(self.count)
        for agent in self.agents.values():
            agent.step(self.count, self.time, wait=self._answer_within)
        for driver in self.drivers:
            driver(self)
        for island in self.islands:
            island.act()
        for island in self.islands:
            island.advance()
            if island.reason:
                self.stop(island.reason)
                return
        self.count += 1
        self._reached = max(self._reached, self.count)
        self.signals.time = self.time
        for island in self.islands:
            island.write()
        for watcher in self.watchers:
            watcher(self)

    def run(
        self,
        time: float | None = None,
        *,
        pace: float | None = None,
        progress: Callable[[float], object] | None = None,
    ) -> WorldReport:
        """Run for some time [s], as fast as possible or paced.

        Args:
            time: Simulated time to add [s]; None: what the file says.
            pace: Simulated seconds per real second; None: as fast as possible. Agents that answer
                later than their next turn are then reported, and what they said is dropped.
            progress: Called now and then with the time reached [s]; what it returns is ignored.
        """
        time = self.settings.time if time is None else time
        if not is_number(time) or time < 0:
            raise UsageError(f"the time is {time!r}: give a positive number of seconds")
        last = self.count + round(time / self.settings.step)
        if pace is not None:
            from kinegen.world.clock.pace import run_paced

            run_paced(self, last, pace, progress)
            return self.report()
        next_look = clock.perf_counter()
        while self.count < last and not self.reason:
            self.step()
            if progress is not None and clock.perf_counter() > next_look:
                progress(self.time)
                next_look = clock.perf_counter() + 0.1
        return self.report()

    def stop(self, reason: str) -> None:
        """End it here, in words."""
        if not self.reason:
            self.reason = reason
            self.stage.notify("world", reason)

    def report(self) -> WorldReport:
        """How it stands."""
        forced = self.signals.overridden.values()
        return WorldReport(
            self.name, self.time, self.count, self.settings.seed, not self.reason,
            self.reason or f"reached {self.time:g} s",
            tuple(str(event) for event in self.events),
            tuple(f"{one.name} is {one.override.text}" for one in forced if one.override),
        )  # fmt: skip

    # Acting on it

    def command(self, targets: Mapping[str, npt.ArrayLike]) -> None:
        """Set targets of motors by joint name, as an agent would; an agent may change them."""
        for name, value in targets.items():
            signal = self.signals[f"{name.removesuffix('.target')}.target"]
            try:
                numbers = np.array(value, dtype=np.float64)
            except (TypeError, ValueError):
                numbers = np.array(np.nan)
            if numbers.shape != signal.shape or not np.isfinite(numbers).all():
                raise UsageError(
                    f"the target of '{name}' must be finite numbers of shape {signal.shape}"
                    f"{f' [{signal.unit}]' if signal.unit else ''}, got {value!r}"
                )
            signal.write(numbers)
        self._has_changed = True

    def set_motor(self, name: str, **changes: Any) -> Drive:
        """Change a motor while the world runs; what is not named stays.

        Args:
            name: Of its joint, which has one variable; a variable is ``joint.variable``.
            changes: ``on`` (False: the joint moves freely), ``mode``, ``kp``, ``kd``, ``effort``
                (largest), ``speed`` and ``acceleration`` (of its way to a target), in SI units.

        Returns:
            How it is set now.
        """
        drive = set_motor(self, name, changes)
        self._has_changed = True
        return drive

    def node(self, name: str) -> Node:
        """A robot, link, object, light, sensor or agent."""
        if name not in self.nodes:
            raise unknown_name("node", name, f"world '{self.name}'", self.nodes)
        return self.nodes[name]

    # Coming back

    def snapshot(self) -> Snapshot:
        """This moment, to come back to."""
        return Snapshot(
            self.time,
            self.count,
            {
                "islands": [island.keep() for island in self.islands],
                "sensors": {name: one.keep() for name, one in self.sensors.items()},
                "agents": {name: one.keep() for name, one in self.agents.items()},
                "signals": self.signals.keep(),
                "reason": self.reason,
            },
        )

    def restore(self, moment: Snapshot) -> None:
        """Go back to a moment of this world; from there it runs as it did.

        A program that is an agent gets the time in a line ``reset``; what it remembers is its
        own affair.
        """
        self._bring_back(moment)
        self._has_changed = True  # the moments that are kept may belong to another run
        self._forget_later()

    def _bring_back(self, moment: Snapshot) -> None:
        parts = moment.parts
        self._has_changed, self._came_by = False, moment.count
        self.count, self.reason = moment.count, parts["reason"]
        for island, kept in zip(self.islands, parts["islands"], strict=True):
            island.bring_back(kept)
        for name, sensor in self.sensors.items():
            sensor.bring_back(parts["sensors"][name])
        for name, agent in self.agents.items():
            agent.bring_back(parts["agents"][name])
            if agent.runner.keep() is None:
                agent.reset(moment.time)
        self.signals.bring_back(parts["signals"])

    @property
    def recorded(self) -> tuple[float, float]:
        """The times between which :meth:`go_to` goes without running on [s]."""
        first = self.keyframes.first
        step = self.settings.step
        return (self.count if first is None else first) * step, self._reached * step

    def begin_at(self, time: float) -> None:
        """Let the clock of a world that has not run yet begin at another time [s]."""
        self.count = self._reached = round(time / self.settings.step)
        self.signals.time = self.time

    def intervened(self) -> None:
        """Somebody changed something by hand: the way here cannot be run again.

        Commands and overrides say so themselves; hands on a part must.
        """
        self._has_changed = True

    def go_to(self, time: float) -> None:
        """Go to any time that the world has passed [s], or run on to a later one.

        It begins at the last moment that was kept before, and runs the steps from there again;
        logs do not see these steps. What came later stays, so that it can be gone to again, until
        somebody intervenes: then the world takes another way.
        """
        if not is_number(time) or time < 0:
            raise UsageError(f"the time must be at least 0 s, got {time!r}")
        last = round(time / self.settings.step)
        start = self.keyframes.before(last)
        if last < self.count:
            if start is None:
                raise UsageError(
                    f"nothing was kept before {time:g} s: create the world with keyframes=1"
                )
            self._bring_back(start)
            self.stage.notify("world", f"went back to {time:g} s", good=True)
        elif start is not None and start.count > self.count and not self._has_changed:
            self._bring_back(start)
        watchers, self.watchers = self.watchers, []
        try:
            while self.count < last and not self.reason:
                self.step()
        finally:
            self.watchers = watchers

    def log(self, path: str | os.PathLike[str], *, rate: float | None = None) -> Log:
        """Write a log from now on, until :meth:`end_log` or the end; memory stays flat.

        Args:
            path: A file that ends in .mcap (for Foxglove, Lichtblick and others) or .csv.
            rate: Rows per second [Hz]; None: 100.
        """
        made = open_log(self, path, rate)
        self.watchers.append(made)
        return made

    def end_log(self, log: Log) -> None:
        """Finish a log while the world continues; one that is finished already stays as it is."""
        if log in self.watchers:
            self.watchers.remove(log)
            self.events.listeners.remove(log.note)
            log.close()

    def close(self) -> None:
        """End the programs that are agents; logs and sensors give back what they hold."""
        if self._closed:
            return
        self._closed = True
        for watcher in self.watchers:
            done = getattr(watcher, "close", None)
            if done is not None:
                done()
        for agent in self.agents.values():
            agent.close()
        for sensor in self.sensors.values():
            sensor.close()

    # Inside

    def answer_within(self, seconds: float | None) -> None:
        """Let agents have at most this real time [s] for an answer; None: as the file says."""
        self._answer_within = seconds

    def _agents(self, given: dict[str, Any]) -> dict[str, Agent]:
        rows = {row["name"]: row for row in self.mechanism.scene.get("agents", ())}
        rows |= {name: {"name": name} for name in given if name not in rows}
        sensors = {name: sensor.signals for name, sensor in self.sensors.items()}
        motors = [
            name
            for island in self.islands
            if island.actuators is not None
            for name in island.actuators.joints
        ]
        opener = self.mechanism.opener
        folder = opener.folder if opener is not None else None
        made: dict[str, Agent] = {}
        drives: dict[str, str] = {}
        for name, row in rows.items():
            runner = make_runner(row, given.get(name), folder)
            agent = Agent(row, self.stage, runner, sensors=sensors, motors=motors)
            for joint in agent.joints:
                if joint in drives:
                    raise UsageError(
                        f"agents '{drives[joint]}' and '{name}' both drive joint '{joint}': list "
                        "the joints of each under 'joints'"
                    )
                drives[joint] = name
            made[name] = agent
        return made

    def _forget_later(self) -> None:
        """What came later will become different."""
        self.keyframes.forget_after(self.count)
        self._reached = self.count

    def _override_changed(self, signal: Signal, what: str) -> None:
        self.stage.notify(signal.name, f"signal '{signal.name}' {what}", good=what == "released")
        self._has_changed = True


def _mechanism(source: Any) -> Mechanism:
    if isinstance(source, Mechanism):
        return source
    if isinstance(source, Model):
        return source.compiled_from
    return load_raff(source)
