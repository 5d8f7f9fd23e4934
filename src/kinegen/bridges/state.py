"""BridgeState: a simulated robot as it is now: time, servos, sensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kinegen.bridges.robot import Robot
from kinegen.kernels import Floats
from kinegen.results import Result

__all__ = ["BridgeState", "ServoReading"]


@dataclass(frozen=True, slots=True)
class ServoReading(Result):
    """A simulated servo as it is now."""

    position: float
    """[rad, m]"""
    velocity: float
    """[rad/s, m/s]"""
    effort: float
    """[N m, N]"""
    load: float
    """Effort as a share of the largest."""
    current: float
    """[A]"""
    temperature: float
    """[°C]"""
    on: bool
    """Whether its motor is on."""
    goal: float
    """[rad, m]"""
    mode: str


@dataclass(frozen=True, slots=True, eq=False)
class BridgeState(Result):
    """A simulated robot as it is now."""

    time: float
    """[s]"""
    tick: int
    """Steps of the simulation."""
    servos: Mapping[str, ServoReading]
    """By name."""
    sensors: Mapping[str, Any]
    """Values of all signals of sensors, by name."""
    q: Floats
    """Configuration, (nq,)."""
    reason: str
    """Why the simulation stopped; empty while it runs."""

    @classmethod
    def of(cls, robot: Robot, reason: str) -> BridgeState:
        """A robot that was looked at just now."""
        servos = {
            one.name: ServoReading(
                one.position, one.velocity, one.effort, one.load, one.current, one.temperature,
                one.on, one.goal, one.mode,
            )
            for one in robot.servos
        }  # fmt: skip
        sensors = {name: robot.signal(name).value for name in robot.signals}
        return cls(robot.time, robot.tick, servos, sensors, robot.q.copy(), reason)
