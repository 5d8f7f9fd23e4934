"""Simulated robots on wires, in this process: time stands still until a test advances it."""

from __future__ import annotations

from typing import Any

import pytest

import kinegen as kg
from kinegen.bridges.process.physics import local_robot
from kinegen.bridges.registry import BRIDGES
from kinegen.bridges.robot import Robot
from kinegen.bridges.servos.bus import READ, WRITE, ServoBus
from kinegen.bridges.servos.framing import Framing
from kinegen.bridges.transport.serial_wire import SerialWire
from kinegen.bridges.transport.wire import WireOptions

ARM = """
raff: 1
name: arm
joints:
  - {name: lift, parent: base, rpy: [-90 deg, 0, 0], limits: [-100 deg, 100 deg], mass: 0.1,
     centre: [0.2, 0, 0], friction: {viscous: 0.01}, motor: {torque: 3, kp: 20, kd: 1}}
  - {name: hand, parent: lift, d: 0.4, mass: MASS, limits: [-90 deg, 90 deg],
     centre: [0.02, 0, 0], inertia: [1e-4, 1e-4, 1e-4], motor: {torque: 2, kp: 5, kd: 0.2}}
"""


def arm(mass: float = 0.1) -> kg.Mechanism:
    """An arm that is held out level, with a hand of some mass [kg]; positive turns it down."""
    return kg.load(ARM.replace("MASS", f"{mass}"))


def be_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers of servos may take longer, and so may programs: the machine may be busy.

    Not as long as :func:`~tests.support.waiting.wait_for`, which then says what never came.
    """
    monkeypatch.setattr("kinegen.drive.register_port.WAIT", 3_000)
    monkeypatch.setattr("kinegen.drive.pilot.Pilot.is_deserted", lambda *_: False)


class Client:
    """Reads and writes registers of a servo bus, with the bus's own framing and no terminal."""

    def __init__(self, bus: ServoBus) -> None:
        self.bus = bus
        self.width = bus.framing.width
        self.framing: Framing = bus.FRAMING()

    @property
    def robot(self) -> Robot:
        """What it speaks to."""
        return self.bus.robot

    def ask(self, number: int, code: int, parameters: bytes = b"") -> list[tuple[int, int, bytes]]:
        """Id, error and data of all answers to an instruction."""
        return self.statuses(self.bus.answer(self.framing.packet(number, code, parameters)))

    def statuses(self, data: bytes) -> list[tuple[int, int, bytes]]:
        """Answers in some bytes, which must be whole."""
        found = [
            (one.id, one.parameters[0], one.parameters[1:])
            if self.width == 2
            else (one.id, one.code, one.parameters)
            for one in self.framing.feed(data)
        ]
        assert not self.framing.is_waiting
        return found

    def read(self, number: int, name: str) -> int:
        """The value of a register."""
        one = next(r for r in self.bus.MEMORY.TABLE if r.name == name)
        place = one.address.to_bytes(self.width, "little") + one.size.to_bytes(self.width, "little")
        ((_, error, data),) = self.ask(number, READ, place)
        assert error == 0
        return one.decode(data)

    def write(self, number: int, name: str, value: int) -> int:
        """Write a register; the error."""
        one = next(r for r in self.bus.MEMORY.TABLE if r.name == name)
        data = one.address.to_bytes(self.width, "little") + one.encode(value)
        ((_, error, _),) = self.ask(number, WRITE, data)
        return error


def wire(kind: str, mechanism: kg.Mechanism | str = "so101", **options: Any) -> SerialWire:
    """A wire of a robot whose clock only robot.advance() moves."""
    source = kg.load(mechanism) if isinstance(mechanism, str) else mechanism
    robot = local_robot(source, step=2e-3, **options)
    made = BRIDGES.named(kind)(kind, robot, WireOptions())
    assert isinstance(made, SerialWire)
    return made


def client(kind: str, mechanism: kg.Mechanism | str = "so101", **options: Any) -> Client:
    """A client of a servo bus; reading positions does not move the clock."""
    bus = wire(kind, mechanism, **options)
    assert isinstance(bus, ServoBus)
    bus.robot.clock = "wall"
    return Client(bus)


def advance(one: Client | SerialWire, seconds: float) -> None:
    """Let simulated time pass."""
    robot = one.robot
    robot.clock = "client"
    robot.advance(seconds)
    robot.clock = "wall"


def until(one: Client, number: int, position: int, most: float = 10.0) -> float:
    """Simulated time until a servo is below a position [s], in steps of 10 ms."""
    start = one.robot.time
    while one.read(number, "present_position") > position:
        advance(one, 0.01)
        assert one.robot.time - start < most
    return one.robot.time - start
