"""Wiring: which servo has which number on a bus, and how its shaft turns with its joint."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from kinegen.bridges.process.layout import ServoData
from kinegen.bridges.robot import Robot
from kinegen.bridges.servos.servo import Servo
from kinegen.errors import UsageError
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.model import Model

__all__ = ["Maker", "Shaft", "Wired", "robots_on", "sagged", "shafts_of", "wire_servos"]

CABLE = 0.15
"""Of the supply and its cables [ohm]; representative: the voltage of a bus sags by it."""


@dataclass(frozen=True, slots=True)
class Maker:
    """What a maker's servos are where a file says nothing."""

    kind: str
    """Of the bus."""
    ticks: float
    """Steps of the encoder per turn."""
    baud: int
    """[bit/s]"""
    voltage: float
    """[V]"""
    span: float
    """How far a shaft can turn, from end to end [rad]."""
    slide: float = math.pi
    """How far a shaft turns for the whole range of a joint that slides [rad]."""
    middle: bool = False
    """Whether the middle of a joint's range is in the middle of its servo; else its zero is, where
    the range fits."""
    centre: int = 2048
    """Step of the encoder in the middle; [µs] where a servo has pulses."""


@dataclass(slots=True, eq=False)
class Shaft:
    """How a servo's shaft turns with its joint; angles are from its middle [rad].

    Simulated servos and drivers of real ones convert with it.
    """

    data: ServoData
    id: int
    offset: float
    """Value of the joint in the middle [rad, m]."""
    per_unit: float
    """Radians of the shaft per radian or metre of the joint, with sign."""
    ticks: float
    baud: int
    voltage: float
    """Of the supply [V]."""
    centre: int
    """Step in the middle."""

    @property
    def per_radian(self) -> float:
        """Steps per radian of the shaft."""
        return self.ticks / (2 * math.pi)

    def to_angle(self, value: float) -> float:
        """The shaft's angle at a value of the joint."""
        return (value - self.offset) * self.per_unit

    def to_value(self, angle: float) -> float:
        """The joint's value at an angle of the shaft."""
        return angle / self.per_unit + self.offset

    def to_ticks(self, angle: float) -> float:
        """Steps of the encoder at an angle of the shaft."""
        return self.centre + angle * self.per_radian

    def from_ticks(self, ticks: float) -> float:
        """The joint's value at a step of the encoder."""
        return self.to_value((ticks - self.centre) / self.per_radian)

    @property
    def limits(self) -> tuple[float, float]:
        """Angles of the shaft at the joint's limits, least first; infinite where it has none."""
        ends = [self.to_angle(self.data.lower), self.to_angle(self.data.upper)]
        return min(ends), max(ends)


@dataclass(slots=True, eq=False)
class Wired(Shaft):
    """A simulated servo on a bus."""

    servo: Servo

    @property
    def angle(self) -> float:
        """Where the shaft is [rad]."""
        return self.to_angle(self.servo.position)

    @property
    def rate(self) -> float:
        """How fast the shaft turns [rad/s]."""
        return self.servo.velocity * self.per_unit

    @property
    def load(self) -> float:
        """Effort as a share of the largest; positive turns the shaft to larger angles."""
        return math.copysign(1.0, self.per_unit) * self.servo.load

    @property
    def current(self) -> float:
        """[A], signed as the load."""
        return math.copysign(1.0, self.per_unit) * self.servo.current


def robots_on(robot: Robot, maker: Maker) -> list[str]:
    """Included robots that need a bus each, because their servos have the same ids.

    One empty name where all fit on one bus.
    """
    taken: dict[int, str] = {}
    values = dict(robot.model.parameters)
    owners: dict[str, None] = {}
    collide = False
    for data in _chosen(robot.mechanism, robot.model, maker, robot.layout.servos):
        owner = data.joint.rpartition(".")[0]
        owners[owner] = None
        formula = _row(robot.mechanism, robot.model, data).get("id")
        if formula is not None:
            number = round(formula.evaluate(values))
            collide |= taken.setdefault(number, owner) != owner
    return list(owners) if collide else [""]


def wire_servos(robot: Robot, maker: Maker, owner: str = "") -> list[Wired]:
    """The simulated servos on a bus: see :func:`shafts_of`."""
    servos = {one.data: one for one in robot.servos}
    made = []
    for one in shafts_of(robot.mechanism, robot.model, robot.layout.servos, maker, owner):
        values: dict[str, Any] = {key.name: getattr(one, key.name) for key in fields(Shaft)}
        made.append(Wired(**values, servo=servos[one.data]))
    return made


def shafts_of(
    mechanism: Mechanism, model: Model, servos: Sequence[ServoData], maker: Maker, owner: str = ""
) -> list[Shaft]:
    """The servos on a bus, in the order of the file; of one included robot, or of all.

    Those whose motors name this bus; where none does, all of them, so that any arm can be driven
    by any protocol. Ids that the file does not give are counted from 1.

    Raises:
        UsageError: Two servos have the same id.
    """
    own = [one for one in servos if not owner or one.joint.startswith(f"{owner}.")]
    values = dict(model.parameters)
    taken: dict[int, str] = {}
    made: list[Shaft] = []
    for place, data in enumerate(_chosen(mechanism, model, maker, own)):
        row = _row(mechanism, model, data)
        numbers = {key: float(row[key].evaluate(values)) for key in _NUMBERS if key in row}
        one = _shaft(data, numbers, maker, place + 1)
        if one.id in taken:
            raise UsageError(
                f"the servos of '{taken[one.id]}' and '{data.name}' both have id {one.id} on bus "
                f"'{maker.kind}': set a different 'motor: {{id: …}}'"
            )
        taken[one.id] = data.name
        made.append(one)
    return made


def sagged(wired: list[Wired]) -> float:
    """Voltage of a bus under its present load [V]."""
    current = sum(abs(one.servo.current) for one in wired)
    return max(wired[0].voltage - CABLE * current, 0.0)


_NUMBERS = ("id", "offset", "direction", "ratio", "travel", "ticks", "baud", "voltage")


def _chosen(
    mechanism: Mechanism, model: Model, maker: Maker, servos: Sequence[ServoData]
) -> list[ServoData]:
    """Those that name the bus; where none does, all."""
    named = [one for one in servos if _row(mechanism, model, one).get("bus") == maker.kind]
    return named or list(servos)


def _row(mechanism: Mechanism, model: Model, data: ServoData) -> Mapping[str, Any]:
    """The keys of a servo's motor as in the file."""
    joint = mechanism.joints[data.joint]
    return joint.motors[data.index - model.joint(joint.name).q.start] or {}


def _shaft(data: ServoData, numbers: Mapping[str, float], maker: Maker, place: int) -> Shaft:
    limited = math.isfinite(data.lower) and math.isfinite(data.upper)
    per_unit = numbers.get("ratio", 1.0)
    if data.is_slide:
        travel = numbers.get("travel")
        if travel is None:
            reach = data.upper - data.lower if limited else 0.1
            travel = reach * 2 * math.pi / maker.slide
        per_unit = 2 * math.pi / travel
    per_unit *= numbers.get("direction", 1.0)
    made = Shaft(
        data, round(numbers.get("id", place)), numbers.get("offset", 0.0), per_unit,
        numbers.get("ticks", maker.ticks), round(numbers.get("baud", maker.baud)),
        numbers.get("voltage", maker.voltage), maker.centre,
    )  # fmt: skip
    if "offset" not in numbers and limited:
        low, high = made.limits
        if maker.middle or max(-low, high) > maker.span / 2 + 1e-9:
            made = replace(made, offset=(data.lower + data.upper) / 2)
    return made
