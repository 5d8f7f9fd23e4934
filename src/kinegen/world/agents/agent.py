"""Agent: reads signals, writes signals at its rate; named when it fails, and its motors brake."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from kinegen.errors import UsageError, did_you_mean
from kinegen.world.agents.program_runner import ProgramRunner
from kinegen.world.agents.runner import AgentError, LateError, Runner
from kinegen.world.agents.seen import Seen
from kinegen.world.clock.schedule import Schedule
from kinegen.world.signalling.signal import Signal

if TYPE_CHECKING:
    from kinegen.world.bodies.stage import Stage

__all__ = ["Agent"]

RATE = 50.0
"""Decisions per second of an agent whose file gives no rate."""
HOLD = 0.5
"""How long the last command of a failed agent is held [s]."""
TIMEOUT = 2.0
"""Real time that an answer may take [s]."""
FLOOD = 100
"""Lines that nobody asked for from which on a program floods."""


@dataclass(slots=True)
class _Standing:
    """How an agent is doing; comes back with the world."""

    failed_at: float | None = None
    """Since when it gives no command [s]; None: it works."""
    trouble: str = ""
    brakes: bool = False
    is_waiting: bool = False
    """Whether a question is open whose answer came too late for its turn."""
    outputs: dict[str, tuple[int, ...]] = field(default_factory=dict)


class Agent:
    """One agent of a world."""

    def __init__(
        self,
        row: Mapping[str, Any],
        stage: Stage,
        runner: Runner,
        *,
        sensors: Mapping[str, list[Signal]],
        motors: list[str],
    ) -> None:
        """Set up from a row of the file.

        Args:
            row: Its keys as in the file.
            stage: The world's bodies, signals and clock.
            runner: What decides.
            sensors: The signals of all sensors by the sensor's name.
            motors: All joints with motors.
        """
        self.name: str = row["name"]
        self.runner, self.stage = runner, stage
        self._prefix = self.name.rpartition(".")[0]
        rate = stage.number(row.get("rate"), getattr(runner, "rate", None) or RATE)
        self.schedule = Schedule(rate, stage.step, f"agent '{self.name}'")
        self.hold = stage.number(row.get("hold"), HOLD)
        self.timeout = stage.number(row.get("timeout"), TIMEOUT)
        self.sensors = self._mine(row.get("sensors"), sensors)
        self.joints = self._mine(row.get("joints"), motors)
        for joint in self.joints:
            if joint not in motors:
                raise UsageError(
                    f"agent '{self.name}' cannot drive joint '{joint}', which has no motor; "
                    f"motors: {', '.join(motors) or 'none'}"
                )
        self._reads = [signal for one in self.sensors for signal in sensors[one]]
        for joint in self.joints:
            for key in ("position", "velocity", "effort", "target", "current", "temperature"):
                name = f"{joint}.{key}"
                self._reads += [stage.signals[name]] if name in stage.signals else []
        self._short = {
            self.own(one): self.own(sensors[one][0].name)
            for one in self.sensors
            if len(sensors[one]) == 1
        }
        self._used: set[str] = set()
        self.standing = _Standing()
        self._drops = 0
        if isinstance(runner, ProgramRunner):
            runner.learn(self._facts(rate))

    @property
    def is_failing(self) -> bool:
        """Whether it gives no commands at present."""
        return self.standing.failed_at is not None

    @property
    def read(self) -> set[str]:
        """Names of the signals that it has read so far, of those that it is given."""
        return {one.name for one in self._reads if self.own(one.name) in self._used}

    def own(self, name: str) -> str:
        """A name as the agent's own file has it."""
        start = f"{self._prefix}."
        return name[len(start) :] if self._prefix and name.startswith(start) else name

    def step(self, count: int, time: float, *, wait: float | None) -> None:
        """Its part in a step of the world.

        Args:
            count: Of the world's steps.
            time: [s]
            wait: Real time that it has [s]; None: as its file says.
        """
        standing = self.standing
        if self.schedule.is_due(count):
            self._turn(count, time, self.timeout if wait is None else min(wait, self.timeout))
        if standing.failed_at is not None and not standing.brakes:
            if time - standing.failed_at >= self.hold - 1e-9:
                standing.brakes = True
                self._brake(True)
                what = "its motors brake" if self.joints else "it drives no motor"
                self.stage.notify(self.name, f"agent '{self.name}' sent no command: {what}")

    def reset(self, time: float) -> None:
        """The world has gone to another time [s]."""
        try:
            self.runner.reset(time)
        except Exception as error:
            self._fail(time, f"raised {type(error).__name__}: {error} in its reset")

    def keep(self) -> dict[str, Any]:
        """How it is doing, to come back to."""
        s = self.standing
        rows = (s.failed_at, s.trouble, s.brakes, s.is_waiting, dict(s.outputs))
        return {"standing": rows, "runner": self.runner.keep()}

    def bring_back(self, kept: Mapping[str, Any]) -> None:
        """Go back to what was kept."""
        waits = self.standing.is_waiting
        self.standing = _Standing(*kept["standing"])
        self.standing.is_waiting = waits  # real time does not come back
        self.runner.bring_back(kept["runner"])

    def close(self) -> None:
        """The world ends."""
        self.runner.close()

    # Inside

    def _turn(self, count: int, time: float, wait: float) -> None:
        standing = self.standing
        try:
            if standing.is_waiting:
                # only one question is open at a time: its late answer is dropped
                self.runner.answer(0)
                standing.is_waiting = False
                self.stage.notify(self.name, f"agent '{self.name}': a late answer was discarded")
            seen = {self.own(one.name): one.value for one in self._reads}
            self.runner.ask(count, time, Seen(seen, self._short, self.name, self._used))
            command = self.runner.answer(wait)
            self._obey(command)
        except LateError as error:
            if not standing.is_waiting:
                self._fail(time, f"{error} within {wait:g} s")
            standing.is_waiting = True
        except AgentError as error:
            standing.is_waiting = False
            self._fail(time, str(error))
        else:
            self._recover()
        self._look_for_floods()

    def _obey(self, command: Mapping[str, Any]) -> None:
        """Write what it commands; nothing of it where a part is wrong."""
        writes = [self._checked(str(name), value) for name, value in command.items()]
        for signal, value in writes:
            signal.write(value)

    def _checked(self, name: str, value: Any) -> tuple[Signal, Any]:
        signal = self._written(name, value)
        try:
            numbers = np.array(value, dtype=np.float64)
        except (TypeError, ValueError):
            raise AgentError(f"commands '{name}' = {value!r:.40}, which is not a number") from None
        if not np.isfinite(numbers).all():
            raise AgentError(f"commands '{name}' = {value!r:.40}, which is not finite")
        if numbers.shape != signal.shape:
            raise AgentError(
                f"commands '{name}' with shape {numbers.shape}; it has shape {signal.shape}"
            )
        return signal, numbers

    def _written(self, name: str, value: Any) -> Signal:
        """The signal that a name of a command means: a joint's target, or an output of its own."""
        joint = name.removesuffix(".target")
        full = f"{self._prefix}.{joint}" if self._prefix else joint
        if full in self.joints:
            return self.stage.signals[f"{full}.target"]
        if "." in name or name in self._short:
            motors = [self.own(one) for one in self.joints]
            hint = did_you_mean(joint, motors) or f"; it drives: {', '.join(motors) or 'nothing'}"
            raise AgentError(f"commands '{name}', which it does not drive{hint}")
        full = f"{self.name}.{name}"
        if full not in self.stage.signals:
            near = did_you_mean(name, [self.own(one) for one in self.joints])
            if near:
                raise AgentError(f"commands '{name}', which it does not drive{near}")
            self.stage.signals.add(full, shape=np.shape(value), writer=self.name)
        return self.stage.signals[full]

    def _fail(self, time: float, trouble: str) -> None:
        standing = self.standing
        if standing.failed_at is None:
            standing.failed_at = time
        if trouble != standing.trouble:
            standing.trouble = trouble
            self.stage.notify(self.name, f"agent '{self.name}' {trouble}")

    def _recover(self) -> None:
        if self.standing.failed_at is not None:
            self.stage.notify(self.name, f"agent '{self.name}' sends commands again", good=True)
            if self.standing.brakes:
                self._brake(False)
            self.standing = _Standing()

    def _brake(self, on: bool) -> None:
        for island in self.stage.islands:
            if island.actuators is not None:
                mine = set(self.joints) & set(island.actuators.joints)
                asked = island.actuators.asked
                island.actuators.asked = asked | mine if on else asked - mine

    def _look_for_floods(self) -> None:
        dropped = getattr(self.runner, "dropped", 0)
        if dropped - self._drops > FLOOD:
            self._drops = dropped
            self.stage.notify(
                self.name,
                f"agent '{self.name}' sent {dropped} unrequested lines, which were discarded",
            )

    def _mine(self, given: list[str] | None, every: Any) -> list[str]:
        """What is named, or all of its own file."""
        if given is not None:
            return list(dict.fromkeys(given))
        return [one for one in every if not self._prefix or one.startswith(f"{self._prefix}.")]

    def _facts(self, rate: float) -> dict[str, Any]:
        def listed(signals: list[Signal]) -> dict[str, Any]:
            return {
                self.own(one.name): {"unit": one.unit, "shape": list(one.shape or ())}
                for one in signals
            }

        targets = [self.stage.signals[f"{joint}.target"] for joint in self.joints]
        return {
            "step": self.stage.step,
            "rate": rate,
            "signals": listed(self._reads),
            "commands": listed(targets),
        }
