"""Robot: the simulated robot as protocols see it: servos, sensors, one clock."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from kinegen.bridges.process.block import Block
from kinegen.bridges.process.layout import CLOCK, Command, Layout, Measured, Picture
from kinegen.bridges.servos.servo import Servo
from kinegen.errors import UsageError, unknown_name
from kinegen.kernels import Floats
from kinegen.mechanism.any_model import AnyModel, mechanism_of, model_of

__all__ = ["CYCLE", "Physics", "PictureReading", "Robot", "SignalReading"]

CYCLE = 0.005
"""How often controllers that run beside the protocols command the servos [s]."""


class Physics(Protocol):
    """What moves the robot: a process of its own, or a world in this one."""

    layout: Layout
    state: Block
    commands: Block
    pictures: list[Block]

    @property
    def reason(self) -> str:
        """Why it stopped; empty while it runs."""

    def advance(self, steps: int) -> None:
        """Make some steps and return when they are done; only where clients hold the clock."""

    def close(self) -> None:
        """End it."""


class SignalReading(NamedTuple):
    """A measurement of a sensor."""

    time: float
    """Simulated time of the measurement [s]."""
    value: Any
    """A float, or an array."""


class PictureReading(NamedTuple):
    """A picture of a camera."""

    time: float
    """Simulated time at which it was taken [s]."""
    pixels: npt.NDArray[Any]
    """(height, width) or (height, width, 3)."""


class Robot:
    """Servos and sensors of a simulated robot, as protocols see them.

    No method waits for the simulation. :meth:`look` takes the newest state, in which all servos and
    sensors belong to the same step; :meth:`send` passes on all commands since the last call
    together.
    """

    def __init__(
        self,
        model: AnyModel,
        physics: Physics,
        *,
        clock: Literal["wall", "client"] = "wall",
        period: float = 0.02,
        hold: bool = False,
    ) -> None:
        """Connect to a simulation.

        Args:
            model: What is simulated.
            physics: What moves it.
            clock: What advances simulated time: the real clock, or clients.
            period: Time by which a client's cycle advances the simulation, with clock='client' [s].
            hold: Whether the motors are on.
        """
        self.mechanism, self.model = mechanism_of(model), model_of(model)
        self.physics, self.clock, self.period = physics, clock, period
        """With q and v in the order of :attr:`q` and :attr:`v`."""
        layout = self.layout = physics.layout
        self.asked: Floats = np.zeros((len(layout.servos), len(Command)))
        """What servos are asked, a row each with the columns of Command."""
        self.asked[:, Command.ON] = hold
        self.asked[:, [Command.SPEED, Command.ACCELERATION]] = math.inf
        self.asked[:, [Command.KP, Command.KD, Command.LIMIT]] = 1.0
        self._is_new = False
        self.look()
        self.asked[:, Command.POSITION] = self.table[:, Measured.POSITION]
        self.servos = tuple(Servo(self, i, data) for i, data in enumerate(layout.servos))
        """In the order of the file."""
        self._signals = {one.name: one for one in layout.signals}
        self.controllers: list[Callable[[], None]] = []
        """Called in every cycle after a look, where clients hold the clock."""

    def __repr__(self) -> str:
        return f"Robot('{self.mechanism.name}', {len(self.servos)} servos, at {self.time:g} s)"

    # Looking

    def look(self) -> None:
        """Take the newest state; until the next call, all readings belong to the same step."""
        layout = self.layout
        state = self.state = self.physics.state.read()
        rows = state[layout.servo_start : layout.signal_start]
        self.table: Floats = rows.reshape(len(layout.servos), len(Measured))
        """What servos measure, a row each with the columns of Measured."""

    @property
    def tick(self) -> int:
        """Number of steps of the world so far."""
        return int(self.state[0])

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return float(self.state[1])

    @property
    def q(self) -> Floats:
        """Configuration of the model, (nq,)."""
        return self.state[CLOCK : CLOCK + self.layout.nq]

    @property
    def v(self) -> Floats:
        """Velocities, (nv,)."""
        start = CLOCK + self.layout.nq
        return self.state[start : start + self.layout.nv]

    @property
    def efforts(self) -> Floats:
        """Efforts of all motors, (nv,) [N m, N]."""
        start = CLOCK + self.layout.nq + self.layout.nv
        return self.state[start : start + self.layout.nv]

    def servo(self, name: str) -> Servo:
        """A servo by the name of its joint."""
        for one in self.servos:
            if one.name == name:
                return one
        raise unknown_name("servo", name, f"'{self.mechanism.name}'", [s.name for s in self.servos])

    @property
    def signals(self) -> tuple[str, ...]:
        """Names of the sensors' signals."""
        return tuple(self._signals)

    def signal(self, name: str) -> SignalReading:
        """The last measurement of a signal."""
        if name not in self._signals:
            raise unknown_name("signal", name, f"'{self.mechanism.name}'", self._signals)
        one = self._signals[name]
        values = self.state[one.start + 1 : one.start + 1 + one.size]
        if one.shape == ():
            return SignalReading(float(self.state[one.start]), float(values[0]))
        return SignalReading(float(self.state[one.start]), values.reshape(one.shape))

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """The pictures that cameras take, with their sizes."""
        return self.layout.pictures

    def picture(self, name: str) -> PictureReading | None:
        """The last picture of a camera; None before the first."""
        names = [one.name for one in self.pictures]
        if name not in names:
            raise unknown_name("picture", name, f"'{self.mechanism.name}'", names)
        one, block = self.pictures[names.index(name)], self.physics.pictures[names.index(name)]
        if not block.sequence:
            return None
        numbers = block.read()
        pixels = numbers[1:].view(one.dtype)[: math.prod(one.shape)]
        return PictureReading(float(numbers[0]), pixels.reshape(one.shape))

    def picture_time(self, name: str) -> float:
        """The time of a camera's last picture [s]; -1 before the first."""
        names = [one.name for one in self.pictures]
        block = self.physics.pictures[names.index(name)]
        return block.first() if block.sequence else -1.0

    # Asking

    def ask(self, servo: int, column: Command, value: float) -> None:
        """Store a command until :meth:`send` passes it on."""
        if not math.isnan(value):
            self.asked[servo, column] = value
            self.asked[servo, Command.COUNT] += 1
            self._is_new = True

    def hold(self) -> None:
        """Switch on all motors without a command so far; they hold their positions."""
        self.look()
        for one in self.servos:
            if not self.asked[one.number, Command.COUNT]:
                one.goal = one.position
                one.on = True
        self.send()

    def send(self) -> None:
        """Pass on all new commands, which take effect in the same step."""
        if self._is_new:
            self._is_new = False
            self.physics.commands.write(self.asked.ravel())

    def advance(self, seconds: float | None = None) -> None:
        """Advance simulated time, then look; None: by one period.

        Raises:
            UsageError: Simulated time follows the real clock.
        """
        if self.clock != "client":
            raise UsageError("time follows the real clock: start the bridge with --clock client")
        self.send()
        wanted = self.period if seconds is None else seconds
        if not (math.isfinite(wanted) and wanted >= 0):
            raise UsageError(f"time advances by a number of seconds, got {seconds!r}")
        left, step = round(wanted / self.layout.step), self.layout.step
        most = max(round(CYCLE / step), 1) if self.controllers else max(left, 1)
        while left > 0:
            self.physics.advance(min(most, left))
            left -= most
            self.look()
            for control in self.controllers:
                control()
            self.send()
