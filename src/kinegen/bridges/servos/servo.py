"""Servo: one simulated servo in SI units, as protocols see it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from kinegen.bridges.process.layout import Command, Measured, ServoData

if TYPE_CHECKING:
    from kinegen.bridges.robot import Robot

__all__ = ["Servo"]

STILL = 0.02
"""Speed below which a servo counts as standing [rad/s, m/s]."""

_MODES = ("position", "velocity", "effort")


class Servo:
    """A servo: its measurements and its commands; positions are those of its joint.

    What is measured is that of the robot's last :meth:`~kinegen.bridges.robot.Robot.look`; what is
    asked takes effect in the first step after :meth:`~kinegen.bridges.robot.Robot.send`.
    """

    def __init__(self, robot: Robot, number: int, data: ServoData) -> None:
        """Create the servo of a robot; ``robot.servos`` contains all of them."""
        self._robot, self.number, self.data = robot, number, data
        self.name = data.name

    def __repr__(self) -> str:
        unit = "m" if self.data.is_slide else "rad"
        return f"Servo('{self.name}', {self.position:.6g} {unit}, {'on' if self.on else 'off'})"

    @property
    def time(self) -> float:
        """Simulated time of the measurements [s]."""
        return self._robot.time

    # Measured

    @property
    def position(self) -> float:
        """Of its joint [rad, m]."""
        return self._measured(Measured.POSITION)

    @property
    def velocity(self) -> float:
        """Of its joint [rad/s, m/s]."""
        return self._measured(Measured.VELOCITY)

    @property
    def effort(self) -> float:
        """Effort of the motor [N m, N]; a positive one pushes towards larger positions."""
        return self._measured(Measured.EFFORT)

    @property
    def load(self) -> float:
        """Effort as a share of the largest, from -1 to 1."""
        return min(max(self.effort / self.data.largest, -1.0), 1.0)

    @property
    def current(self) -> float:
        """Current of the motor [A], with the sign of the effort."""
        return self._measured(Measured.CURRENT)

    @property
    def temperature(self) -> float:
        """Temperature of its winding [°C]."""
        return self._measured(Measured.TEMPERATURE)

    @property
    def is_moving(self) -> bool:
        """Whether the joint is moving."""
        return abs(self.velocity) > STILL

    # Asked

    @property
    def on(self) -> bool:
        """Whether its motor is on; when switched on, it holds the present position."""
        return bool(self._asked(Command.ON))

    @on.setter
    def on(self, on: bool) -> None:
        if on and not self.on:
            self._ask(Command.POSITION, self.position)
            self._ask(Command.VELOCITY, 0.0)
            self._ask(Command.EFFORT, 0.0)
        self._ask(Command.ON, float(on))

    @property
    def mode(self) -> str:
        """The commanded quantity: 'position', 'velocity' or 'effort'."""
        return _MODES[int(self._asked(Command.MODE))]

    @mode.setter
    def mode(self, mode: Literal["position", "velocity", "effort"]) -> None:
        if mode != self.mode:
            self._ask(Command.POSITION, self.position)
            self._ask(Command.VELOCITY, 0.0)
            self._ask(Command.EFFORT, 0.0)
            self._ask(Command.MODE, float(_MODES.index(mode)))

    @property
    def goal(self) -> float:
        """The commanded position [rad, m]; the measured one while its motor is off."""
        return self._asked(Command.POSITION) if self.on else self.position

    @goal.setter
    def goal(self, position: float) -> None:
        self._ask(Command.POSITION, position)

    @property
    def goal_velocity(self) -> float:
        """Commanded velocity in velocity mode [rad/s, m/s]."""
        return self._asked(Command.VELOCITY)

    @goal_velocity.setter
    def goal_velocity(self, velocity: float) -> None:
        self._ask(Command.VELOCITY, velocity)

    @property
    def goal_effort(self) -> float:
        """Commanded effort in effort mode [N m, N]."""
        return self._asked(Command.EFFORT)

    @goal_effort.setter
    def goal_effort(self, effort: float) -> None:
        self._ask(Command.EFFORT, effort)

    @property
    def speed(self) -> float:
        """Largest speed on the way to a position [rad/s, m/s]; inf: as fast as possible."""
        return self._asked(Command.SPEED)

    @speed.setter
    def speed(self, speed: float) -> None:
        self._ask(Command.SPEED, speed if speed > 0 else math.inf)

    @property
    def acceleration(self) -> float:
        """Largest acceleration towards a position or velocity [rad/s², m/s²]; inf: at once."""
        return self._asked(Command.ACCELERATION)

    @acceleration.setter
    def acceleration(self, acceleration: float) -> None:
        self._ask(Command.ACCELERATION, acceleration if acceleration > 0 else math.inf)

    def set_gains(self, stiffness: float = 1.0, damping: float = 1.0) -> None:
        """Set the gains as multiples of those of the file."""
        self._ask(Command.KP, stiffness)
        self._ask(Command.KD, damping)

    @property
    def limit(self) -> float:
        """Share of its largest effort that it may exert."""
        return self._asked(Command.LIMIT)

    @limit.setter
    def limit(self, share: float) -> None:
        self._ask(Command.LIMIT, min(max(share, 0.0), 1.0))

    # Inside

    def _measured(self, column: Measured) -> float:
        return float(self._robot.table[self.number, column])

    def _asked(self, column: Command) -> float:
        return float(self._robot.asked[self.number, column])

    def _ask(self, column: Command, value: float) -> None:
        self._robot.ask(self.number, column, value)
