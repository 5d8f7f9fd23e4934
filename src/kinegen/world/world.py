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
from kinegen.dynamics.touch.touch import Hand as Target
from kinegen.dynamics.touch.touch import Touch
from kinegen.errors import UsageError, unknown_name
from kinegen.mechanism.any_model import AnyModel, mechanism_of
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.load import load_raff
from kinegen.mechanism.model import Model
from kinegen.results import Result
from kinegen.world.agents.agent import Agent
from kinegen.world.agents.agents import make_agents
from kinegen.world.bodies.island import Island
from kinegen.world.bodies.islands import make_islands
from kinegen.world.bodies.node import Node
from kinegen.world.bodies.nodes import make_nodes
from kinegen.world.bodies.stage import Stage
from kinegen.world.clock.snapshot import Snapshot
from kinegen.world.clock.timeline import Timeline, TimeSpan
from kinegen.world.events import Events
from kinegen.world.hands.hand import WorldHand, island_of
from kinegen.world.hands.scripted import ScriptedPull
from kinegen.world.log.log import Log, open_log
from kinegen.world.motors.motor_settings import set_motor
from kinegen.world.sensors.registry import SENSORS
from kinegen.world.sensors.sensor import Sensor
from kinegen.world.settings import Settings
from kinegen.world.signalling.signal import Signal
from kinegen.world.signalling.signals import Signals

__all__ = ["World", "WorldReport"]


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
    """Whether it reached the requested end."""
    reason: str
    """Why it ended, in words."""
    events: tuple[str, ...]
    """What happened, in words, oldest first; the last thousand."""
    overridden: tuple[str, ...]
    """Signals that are still overridden, and how."""


class World:
    """Robots, objects, sensors and agents that run together.

    A world is repeatable: the same file, seed and commands give bit for bit the same signals,
    however busy the machine is. Use the world in a ``with`` block, or :meth:`close` it, to end the
    programs that it started.
    """

    def __init__(
        self,
        source: str | os.PathLike[str] | AnyModel,
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
        model = source if isinstance(source, Model) else None
        numbers = dict((model or self.mechanism.compile()).parameters)
        self.settings = Settings.of(
            self.mechanism, numbers,
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
            model,
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
        self.agents: dict[str, Agent] = make_agents(self.stage, self.sensors, agents or {})
        """All agents by name."""
        self.pulls: dict[str, ScriptedPull] = {
            row["name"]: ScriptedPull(self, row, numbers)
            for row in self.mechanism.scene.get("pulls", ())
        }
        """Hands that the file moves, by name."""
        self._hand_count = 0
        self.people = self.stage.people
        """The people in it by name: those of the file, and those placed later."""
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
        self.timeline = Timeline(self, keyframes)
        """What :meth:`go_to` can begin from, and go to."""
        self.signals.watch = self._override_changed
        self._answer_within: float | None = None
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
        """Simulated time [s]: exactly the number of steps times their length."""
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
        """Make one step: sensors, agents, actuators, engines, view."""
        if self.reason:
            return
        self.timeline.begin_step()
        for sensor in self.sensors.values():
            sensor.step(self.count)
        for agent in self.agents.values():
            agent.step(self.count, self.time, wait=self._answer_within)
        for driver in self.drivers:
            driver(self)
        for pull in self.pulls.values():
            pull.act()
        for island in self.islands:
            island.act()
        for island in self.islands:
            island.advance()
            if island.reason:
                self.stop(island.reason)
                return
        self.count += 1
        self.timeline.end_step()
        self.signals.time = self.time
        for island in self.islands:
            island.write()
        for pull in self.pulls.values():
            pull.write()
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
            time: Simulated time to add [s]; None: as in the file.
            pace: Simulated seconds per real second; None: as fast as possible. Agents that answer
                later than their next turn are then reported, and their answers are discarded.
            progress: Called from time to time with the time reached [s]; its result is ignored.
        """
        time = self.settings.time if time is None else time
        if not is_number(time) or time < 0:
            raise UsageError(f"the time is {time!r}: use a positive number of seconds")
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
        """End the run, with a reason in words."""
        if not self.reason:
            self.reason = reason
            self.stage.notify("world", reason)

    def report(self) -> WorldReport:
        """The current state of the world."""
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
        self.timeline.intervened()

    def set_motor(self, name: str, **changes: Any) -> Drive:
        """Change a motor while the world runs; settings that are not named stay unchanged.

        Args:
            name: Name of its joint, if it has one variable; otherwise ``joint.variable``.
            changes: ``on`` (False: the joint moves freely), ``mode``, ``kp``, ``kd``, ``effort``
                (largest), ``speed`` and ``acceleration`` (of its way to a target), in SI units.

        Returns:
            The settings of the motor.
        """
        drive = set_motor(self, name, changes)
        self.timeline.intervened()
        return drive

    def pull(
        self,
        part: str,
        point: npt.ArrayLike = (0, 0, 0),
        *,
        target: Target | None = None,
        **options: Any,
    ) -> WorldHand:
        """Hold a part with a spring and a damper.

        Args:
            part: A link, frame or free object.
            point: In its axes [m].
            target: Position [m] or pose of the hand, or a function of time; None: at the point.
            options: stiffness, damping, force_most, … of :class:`~kinegen.dynamics.touch.Pull`.
        """
        island = island_of(self, part)
        return self._hand(island, island.simulation.pull(part, point, target=target, **options))

    def push(self, part: str, point: npt.ArrayLike = (0, 0, 0), **options: Any) -> WorldHand:
        """Press a tip onto a part.

        Args:
            part: A link, frame or free object.
            point: Of its surface, in its axes [m].
            options: tip, normal, depth, stiffness, … of
                :meth:`~kinegen.dynamics.simulation.simulation.Simulation.push`.
        """
        island = island_of(self, part)
        return self._hand(island, island.simulation.push(part, point, **options))

    def _hand(self, island: Island, touch: Touch) -> WorldHand:
        self._hand_count += 1
        touch.name = f"hand {self._hand_count}"
        self.timeline.intervened()
        return WorldHand(self, island, touch)

    def node(self, name: str) -> Node:
        """A robot, link, object, light, sensor or agent."""
        if name not in self.nodes:
            raise unknown_name("node", name, f"world '{self.name}'", self.nodes)
        return self.nodes[name]

    # Coming back

    def snapshot(self) -> Snapshot:
        """The current state, for :meth:`restore`."""
        return Snapshot.of(self)

    def restore(self, moment: Snapshot) -> None:
        """Go back to a snapshot of this world; from there it runs as before.

        An agent that is a separate program receives the time in a line ``reset``, and has to
        restore its own state.
        """
        self.bring_back(moment)
        self.timeline.restored()

    def bring_back(self, moment: Snapshot) -> None:
        """Go back to a time of this run, for the timeline; the run itself stays recorded."""
        moment.bring_back(self)

    @property
    def recorded(self) -> TimeSpan:
        """The times between which :meth:`go_to` needs no new steps [s]."""
        step = self.settings.step
        return TimeSpan(self.timeline.first * step, self.timeline.reached * step)

    def begin_at(self, time: float) -> None:
        """Set the start time of a world that has not run yet [s]."""
        self.count = self.timeline.reached = round(time / self.settings.step)
        self.signals.time = self.time

    def intervened(self) -> None:
        """Report a change by hand, after which the run up to here cannot be repeated.

        Commands, overrides and the hands of :meth:`pull` and :meth:`push` call this themselves;
        call it for hands that act on the simulation of an island directly.
        """
        self.timeline.intervened()

    def go_to(self, time: float) -> None:
        """Go to any earlier time of the world [s], or run until a later one.

        It starts from the last stored state before that time and repeats the steps from there,
        which logs do not record again. Later times stay available until a change by hand, after
        which the world runs differently.
        """
        if not is_number(time) or time < 0:
            raise UsageError(f"the time must be at least 0 s, got {time!r}")
        watchers, self.watchers = self.watchers, []
        try:
            self.timeline.go_to(time)
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
        """Finish a log while the world continues; no effect on a finished log."""
        if log in self.watchers:
            self.watchers.remove(log)
            self.events.listeners.remove(log.note)
            log.close()

    def close(self) -> None:
        """End the agents' programs, and release the resources of logs and sensors."""
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
        """Set the real time within which agents must answer [s]; None: as in the file."""
        self._answer_within = seconds

    def _override_changed(self, signal: Signal, what: str) -> None:
        self.stage.notify(signal.name, f"signal '{signal.name}' {what}", good=what == "released")
        self.timeline.intervened()


def _mechanism(source: Any) -> Mechanism:
    return mechanism_of(source) if isinstance(source, Mechanism | Model) else load_raff(source)
