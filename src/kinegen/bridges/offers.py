"""Offers: which protocols a mechanism can have, what connects to each, and why one is missing."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass

import numpy as np

from kinegen.bridges.process.block import Block
from kinegen.bridges.process.layout import CLOCK, Layout
from kinegen.bridges.process.physics import SharedPhysics
from kinegen.bridges.registry import BRIDGES
from kinegen.bridges.robot import Robot
from kinegen.bridges.servos.table import servo_table
from kinegen.bridges.transport.serial_wire import HAS_TERMINALS
from kinegen.bridges.transport.wire import Wire, WireOptions
from kinegen.errors import KinegenError
from kinegen.mechanism.graph import Mechanism

__all__ = ["Offer", "offers"]


@dataclass(frozen=True, slots=True)
class Offer:
    """A protocol for a mechanism."""

    kind: str
    connects: str
    """What connects to it, in a few words."""
    port: int | None
    """Its usual TCP port; None: it has a terminal, or any port that is free."""
    has_terminal: bool
    """Whether it has a device path unless a port is given."""
    holds: bool
    """Whether it switches the motors on."""
    trouble: str
    """Why the mechanism cannot have it, in words; empty where it can."""


class _Still(SharedPhysics):
    """A robot that stands at its start."""

    def __init__(self, mechanism: Mechanism) -> None:
        model = mechanism.compile()
        self.layout = Layout(servo_table(mechanism, model), model.nq, model.nv, (), 1e-3)
        state = np.zeros(self.layout.state_size)
        state[CLOCK : CLOCK + model.nq] = model.start()
        self.state = Block.local(self.layout.state_size)
        self.state.write(state)
        self.commands = Block.local(self.layout.command_size)
        self.pictures = []


def offers(mechanism: Mechanism) -> list[Offer]:
    """All protocols that are known, by name."""
    trouble, robot = "", None
    try:
        robot = Robot(mechanism, _Still(mechanism))
    except KinegenError as error:
        trouble = str(error)
    return [
        Offer(
            kind, one.connects, one.PORT, HAS_TERMINALS and not one.uses_port, one.holds,
            _trouble(kind, one, robot) if robot is not None else trouble,
        )
        for kind, one in sorted(BRIDGES.all().items())
    ]  # fmt: skip


def _trouble(kind: str, one: type[Wire], robot: Robot) -> str:
    missing = [name for name in one.packages if importlib.util.find_spec(name) is None]
    if missing:
        return f"the package {missing[0]} is not installed: pip install 'kinegen[bridges]'"
    try:
        for group in one.groups(robot):
            one(kind, robot, WireOptions(robot=group))
    except KinegenError as error:
        return str(error)
    return ""
