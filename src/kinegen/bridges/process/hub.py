"""Hub: one robot, its simulation and all its wires, in one event loop."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from kinegen.bridges.process.physics import LocalPhysics, PhysicsProcess
from kinegen.bridges.registry import BRIDGES
from kinegen.bridges.robot import Physics, Robot
from kinegen.bridges.state import BridgeState
from kinegen.bridges.transport.traffic import WireTraffic
from kinegen.bridges.transport.wire import Wire, WireOptions
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
    origins: tuple[str, ...] = ()
    """Web pages that may connect beside those of this machine; ``*``: all."""

    def __post_init__(self) -> None:
        if not self.kinds:
            raise UsageError(f"name a protocol: {', '.join(BRIDGES.names())}")
        if self.clock not in ("wall", "client"):
            raise UsageError(f"the clock must be 'wall' or 'client', not {self.clock!r}")
        if not (math.isfinite(self.period) and self.period > 0):
            raise UsageError(f"the period is {self.period!r}: use a positive number of seconds")
        if self.port is not None and not 0 <= self.port <= 65535:
            raise UsageError(f"a port must be a number up to 65535, got {self.port}")


class Hub:
    """A robot with its wires. All methods run in one event loop."""

    def __init__(
        self, mechanism: Mechanism, options: HubOptions, physics: Physics | None = None
    ) -> None:
        """Start the simulation; the wires are opened by :meth:`open`.

        Args:
            mechanism: What is simulated.
            options: Wires, clock, world.
            physics: What moves the robot; None: a world of its own.
        """
        self.options = options
        hold = options.hold
        if hold is None:
            hold = any(_class(kind).holds for kind in options.kinds)
        self._is_guest = physics is not None
        """Whether somebody else runs the world."""
        if physics is None:
            make = LocalPhysics if options.clock == "client" else PhysicsProcess
            physics = make(mechanism, hold=hold, options=dict(options.world))
        self.physics = physics
        try:
            self.robot = Robot(
                mechanism, physics, clock=options.clock, period=options.period, hold=hold
            )
            self._open: dict[str, list[Wire]] = {kind: self._made(kind) for kind in options.kinds}
        except BaseException:
            self.physics.close()
            raise

    @property
    def wires(self) -> list[Wire]:
        """All wires."""
        return [one for wires in self._open.values() for one in wires]

    def _made(self, kind: str) -> list[Wire]:
        given, one = self.options, _class(kind)
        name, port = _split(kind)
        if port is None and given.port is not None and (one.uses_port or len(given.kinds) == 1):
            port = given.port
        return [
            one(name, self.robot, WireOptions(given.host, port, given.tcp, group, given.origins))
            for group in one.groups(self.robot)
        ]

    async def open(self) -> None:
        """Open all wires, or none."""
        try:
            await _open_all(self.wires)
        except BaseException:
            await self.close()
            raise
        if self._is_guest:
            self._switch_on(self._open)

    async def change(self, kinds: Sequence[str]) -> None:
        """Have other wires, or leave all as they are; those that stay keep their clients.

        A wire of robots with controllers switches motors on that nobody has commanded yet.
        """
        fresh = {kind: self._made(kind) for kind in kinds if kind not in self._open}
        await _open_all([one for wires in fresh.values() for one in wires])
        self._switch_on(fresh)
        gone = [one for kind, wires in self._open.items() if kind not in kinds for one in wires]
        self._open = {kind: fresh.get(kind) or self._open[kind] for kind in kinds}
        for one in gone:
            await one.close()

    def _switch_on(self, kinds: Iterable[str]) -> None:
        if any(_class(kind).holds for kind in kinds):
            self.robot.hold()

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

    def traffic(self, count: int = 20) -> list[WireTraffic]:
        """What went over each wire: counts, and the last packets in words."""
        return [
            {"bridge": one.kind, "clients": one.client_count, **one.traffic.row(count)}
            for one in self.wires
        ]

    def state(self) -> BridgeState:
        """The robot now: time, servos, sensors."""
        self.robot.look()
        return BridgeState.of(self.robot, self.physics.reason)


async def _open_all(wires: Sequence[Wire]) -> None:
    """Open wires; where one cannot be opened, none of them stays open."""
    for i, one in enumerate(wires):
        try:
            await one.open()
        except BaseException:
            for other in wires[:i]:
                await other.close()
            raise


def _class(kind: str) -> type[Wire]:
    return BRIDGES.named(_split(kind)[0])


def _split(kind: str) -> tuple[str, int | None]:
    """The name of a protocol, and the port where one is given."""
    name, colon, text = kind.partition(":")
    if not colon:
        return name, None
    if not text.isdecimal() or int(text) > 65535:
        raise UsageError(f"'{kind}': specify the port as a number up to 65535, such as {name}:9000")
    return name, int(text)
