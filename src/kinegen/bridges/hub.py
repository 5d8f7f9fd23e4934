"""Hub: one robot, its simulation and all its wires, in one event loop."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from kinegen.bridges.physics import LocalPhysics, PhysicsProcess
from kinegen.bridges.registry import BRIDGES
from kinegen.bridges.robot import Robot
from kinegen.bridges.wire import Wire, WireOptions
from kinegen.errors import UsageError
from kinegen.mechanism.graph import Mechanism

__all__ = ["Hub", "HubOptions"]


@dataclass(frozen=True, slots=True)
class HubOptions:
    """What a user says about a bridge."""

    kinds: tuple[str, ...]
    """Names of protocols; ``name:port`` gives a TCP port."""
    host: str = "127.0.0.1"
    port: int | None = None
    tcp: bool = False
    clock: Literal["wall", "client"] = "wall"
    period: float = 0.02
    """[s]"""
    hold: bool | None = None
    """Whether motors are on at the start; None: as the protocols have it."""
    world: Mapping[str, Any] = field(default_factory=dict)
    """Of the world: engine, step, seed, floor, log, …"""

    def __post_init__(self) -> None:
        if not self.kinds:
            raise UsageError(f"name a protocol: {', '.join(BRIDGES.names())}")
        if self.clock not in ("wall", "client"):
            raise UsageError(f"the clock is 'wall' or 'client', not {self.clock!r}")
        if not (math.isfinite(self.period) and self.period > 0):
            raise UsageError(f"the period is {self.period!r}: give a positive number of seconds")
        if self.port is not None and not 0 <= self.port <= 65535:
            raise UsageError(f"a port is a number up to 65535, got {self.port}")


class Hub:
    """A robot with its wires. All methods run in one event loop."""

    def __init__(self, mechanism: Mechanism, options: HubOptions) -> None:
        """Start the simulation; the wires are opened by :meth:`open`."""
        self.options = options
        asked = [_split(kind) for kind in options.kinds]
        classes = [(name, BRIDGES.named(name), port) for name, port in asked]
        hold = options.hold
        if hold is None:
            hold = any(one.holds for _, one, _ in classes)
        make = LocalPhysics if options.clock == "client" else PhysicsProcess
        self.physics = make(mechanism, hold=hold, options=dict(options.world))
        try:
            self.robot = Robot(
                mechanism, self.physics, clock=options.clock, period=options.period, hold=hold
            )
            self.wires = [
                self._made(name, one, port, group, alone=len(classes) == 1)
                for name, one, port in classes
                for group in one.groups(self.robot)
            ]
        except BaseException:
            self.physics.close()
            raise

    def _made(
        self, name: str, one: type[Wire], port: int | None, group: str, *, alone: bool
    ) -> Wire:
        given = self.options
        if port is None and given.port is not None and (one.uses_port or alone):
            port = given.port
        return one(name, self.robot, WireOptions(given.host, port, given.tcp, group))

    async def open(self) -> None:
        """Open all wires, or none."""
        try:
            for one in self.wires:
                await one.open()
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Close all wires and end the simulation."""
        for one in self.wires:
            await one.close()
        self.physics.close()

    def rows(self) -> list[dict[str, Any]]:
        """Each wire for a user: its protocol, its endpoint, ids and speeds."""
        return [
            {"bridge": one.kind, "endpoint": one.endpoint}
            | ({"robot": one.options.robot} if one.options.robot else {})
            | one.facts()
            for one in self.wires
        ]

    def traffic(self, count: int = 20) -> list[dict[str, Any]]:
        """What went over each wire: counts, and the last packets in words."""
        return [{"bridge": one.kind, **one.traffic.to_dict(count)} for one in self.wires]

    def state(self) -> dict[str, Any]:
        """The robot now: time, servos, sensors."""
        robot = self.robot
        robot.look()
        servos = {
            one.name: {
                "position": one.position, "velocity": one.velocity, "effort": one.effort,
                "load": one.load, "current": one.current, "temperature": one.temperature,
                "on": one.on, "goal": one.goal, "mode": one.mode,
            }
            for one in robot.servos
        }  # fmt: skip
        sensors = {name: robot.signal(name)[1] for name in robot.signals}
        return {
            "time": robot.time, "tick": robot.tick, "servos": servos, "sensors": sensors,
            "q": robot.q.copy(), "reason": self.physics.reason,
        }  # fmt: skip


def _split(kind: str) -> tuple[str, int | None]:
    """The name of a protocol, and the port where one is given."""
    name, colon, text = kind.partition(":")
    if not colon:
        return name, None
    if not text.isdecimal():
        raise UsageError(f"'{kind}': give the port as a number, such as {name}:9000")
    return name, int(text)
