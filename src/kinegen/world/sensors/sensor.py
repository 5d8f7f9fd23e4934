"""Sensor: what all types have in common: rate, noise, delay, resolution, drop-outs."""

from __future__ import annotations

import copy
import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from kinegen.errors import UsageError, unknown_name
from kinegen.kernels import Floats
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.quantities import check_quantity, measure
from kinegen.world.clock.schedule import Schedule
from kinegen.world.clock.streams import stream
from kinegen.world.signalling.quantities import quantity_of_unit

if TYPE_CHECKING:
    from kinegen.world.bodies.stage import Stage

__all__ = ["Output", "Sensor", "SensorMessage"]


@dataclass(frozen=True, slots=True)
class Output:
    """One of the signals that a sensor writes."""

    name: str
    """Its name after that of the sensor: ``distance`` in ``eye.distance``."""
    unit: str = ""
    shape: tuple[int, ...] | None = ()
    """None: a picture or a list, without noise and resolution."""
    span: tuple[float, float] | None = None
    """Least and greatest value that it can report; None: any. The greatest means "nothing there",
    which has no noise."""
    is_code: bool = False
    """Whether it is a code or a count, which has neither noise nor resolution."""


class SensorMessage(NamedTuple):
    """A message for viewers of logs."""

    topic: str
    schema: str
    """Of ``log/schemas.py``."""
    content: Mapping[str, Any]


class Sensor:
    """A sensor of a world. A type overrides :meth:`prepare` and :meth:`measure`.

    A measurement is taken, gets noise, is rounded, limited to the range of the sensor and perhaps
    lost; it is written after the delay.
    """

    rate: ClassVar[float | None] = None
    """Default measurements per second; None: every step."""

    def __init__(self, row: Mapping[str, Any], stage: Stage) -> None:
        """Set up from a row of the file.

        Args:
            row: Its keys as in the file.
            stage: The world's bodies, signals and clock.
        """
        self.row, self.stage = row, stage
        self.name: str = row["name"]
        self.kind: str = row["type"]
        self.parent: str = row.get("parent", stage.mechanism.base_name)
        """What it is mounted on."""
        self.lost = 0
        """Measurements that were dropped."""
        outputs = self._outputs = list(self.prepare())
        rate = self.number("rate", self.rate if self.rate is not None else math.nan)
        given = None if math.isnan(rate) else rate
        self.schedule = Schedule(given, stage.step, f"sensor '{self.name}'")
        self._delay = math.ceil(self.number("delay", 0.0) / stage.step - 1e-9)
        self._dropout = self.number("dropout", 0.0)
        self._noise = [self._of_output("noise", one) for one in outputs]
        self._resolution = [self._of_output("resolution", one) for one in outputs]
        seed = self.number("seed", math.nan)
        self._random = stream(stage.seed if math.isnan(seed) else int(seed), self.name)
        self._waiting: deque[tuple[int, Sequence[Any]]] = deque()
        self.signals = [
            stage.signals.add(
                f"{self.name}.{one.name}", one.unit, shape=one.shape, writer=self.name
            )
            for one in outputs
        ]
        if len(outputs) == 1:
            stage.signals.shorten(self.name, self.signals[0].name)

    # What a type says

    def prepare(self) -> Sequence[Output]:
        """Read the row of the file, and return the outputs."""
        raise NotImplementedError

    def measure(self) -> Sequence[Any]:
        """One exact value per output, for the current state of the world."""
        raise NotImplementedError

    def messages(self, nanoseconds: int) -> Iterable[SensorMessage]:
        """Messages for viewers of logs.

        Args:
            nanoseconds: Of the last measurement.
        """
        return ()

    def rays(self) -> Floats:
        """Rays of the last measurement, for views, (n, 7): start, end [m], share of the range."""
        return np.zeros((0, 7))

    # What a type may use

    def number(self, key: str, default: float) -> float:
        """A number of the row [SI]."""
        return self.stage.number(self.row.get(key), default)

    def numbers(self, key: str, default: Sequence[float]) -> list[float]:
        """A list of numbers of the row [SI]."""
        given = self.row.get(key)
        return list(default) if given is None else [self.stage.number(one, 0.0) for one in given]

    # The cycle

    def step(self, count: int) -> None:
        """Act in step ``count`` of the world."""
        if self.schedule.is_due(count):
            taken = self._with_errors(self.measure())
            if taken is None:
                self.lost += 1
            elif self._delay == 0:
                self._write(taken)
            else:
                self._waiting.append((count + self._delay, taken))
        while self._waiting and self._waiting[0][0] <= count:
            self._write(self._waiting.popleft()[1])

    def keep(self) -> dict[str, Any]:
        """The state on which its next measurements depend, for :meth:`bring_back`."""
        return copy.deepcopy({"random": self._random, "waiting": self._waiting, "lost": self.lost})

    def bring_back(self, kept: Mapping[str, Any]) -> None:
        """Return to the state that :meth:`keep` returned."""
        again = copy.deepcopy(dict(kept))
        self._random, self._waiting, self.lost = again["random"], again["waiting"], again["lost"]

    def close(self) -> None:
        """Release resources, such as a renderer."""

    # Inside

    def _with_errors(self, exact: Sequence[Any]) -> Sequence[Any] | None:
        """A measurement with noise, rounded; None where it is lost."""
        values: list[Any] = []
        for one, noise, resolution, output in zip(
            exact, self._noise, self._resolution, self._outputs, strict=True
        ):
            value = one
            if noise:
                value = value + noise * self._random.standard_normal(np.shape(value))
            if resolution:
                value = resolution * np.round(np.asarray(value) / resolution)
            if output.span is not None and (noise or resolution):
                least, most = output.span
                value = np.where(np.asarray(one) >= most, most, np.clip(value, least, most))
            values.append(value)
        if self._dropout and self._random.random() < self._dropout:
            return None
        return values

    def _write(self, values: Sequence[Any]) -> None:
        for signal, value in zip(self.signals, values, strict=True):
            signal.write(value)

    def _of_output(self, key: str, output: Output) -> float:
        given = self.row.get(key)
        if isinstance(given, Mapping):
            known = [one.name for one in self._outputs]
            for name in given:
                if name not in known:
                    raise unknown_name("output", name, f"sensor '{self.name}'", known)
            given = given.get(output.name)
            if given is not None and output.is_code:
                raise UsageError(f"the {output.name} of sensor '{self.name}' has no {key}")
        elif given is not None and output.shape is None:
            raise UsageError(
                f"sensor '{self.name}' measures a {output.name}, which has no {key}: remove it"
            )
        if output.is_code:
            return 0.0
        self._check_unit(key, output, given)
        return self.stage.number(given, 0.0)

    def _check_unit(self, key: str, output: Output, given: Any) -> None:
        """Refuse a number with the unit of something else."""
        if not isinstance(given, Formula):
            return
        wanted = quantity_of_unit(output.unit) or "number"
        fault = check_quantity(given, measure(given, {}), wanted)
        if fault:
            hint = ""
            if len(self._outputs) > 1 and not isinstance(self.row.get(key), Mapping):
                hint = f"; one number per output: {key}: {{{output.name}: …}}"
            raise UsageError(
                f"the {key} of sensor '{self.name}' for its {output.name} must be {fault}{hint}"
            )
