"""Feetech: the bus of STS3215 servos, as in the SO-101.

Registers and units: Feetech, "STS3215 memory table"; names as LeRobot's driver has them.
"""

from __future__ import annotations

import math
from typing import ClassVar

from kinegen.bridges.servos.bus import PING, READ, ServoBus
from kinegen.bridges.servos.framing import Framing1
from kinegen.bridges.servos.registers import Memory, Register
from kinegen.bridges.servos.wiring import Maker, sagged

__all__ = ["FeetechBus"]

MODEL = 777
MIDDLE = 2048
BAUDS = (1_000_000, 500_000, 250_000, 128_000, 115_200, 76_800, 57_600, 38_400)
P, D = 32, 32
"""Gains as the servos are delivered: those of the file."""
AMPERE = 1 / 0.0065
"""Steps of the current."""


class STS3215(Memory):
    """The memory of one servo."""

    TABLE = (
        Register(0, 1, "firmware_major", 3, fixed=True),
        Register(1, 1, "firmware_minor", 10, fixed=True),
        Register(3, 2, "model", MODEL, fixed=True),
        Register(5, 1, "id", 1, 0, 253),
        Register(6, 1, "baud", 0, 0, 7),
        Register(7, 1, "return_delay"),
        Register(8, 1, "response_level", 1),
        Register(9, 2, "least_position", 0, sign=15),
        Register(11, 2, "greatest_position", 4095, sign=15),
        Register(13, 1, "temperature_limit", 70),
        Register(14, 1, "greatest_voltage", 140),
        Register(15, 1, "least_voltage", 40),
        Register(16, 2, "greatest_torque", 1000),
        Register(18, 1, "phase", 12),
        Register(19, 1, "unloading", 44),
        Register(20, 1, "alarm", 47),
        Register(21, 1, "p", P),
        Register(22, 1, "d", D),
        Register(23, 1, "i"),
        Register(24, 2, "starting_force", 16),
        Register(26, 1, "clockwise_dead_zone", 1),
        Register(27, 1, "counter_clockwise_dead_zone", 1),
        Register(28, 2, "protection_current", 500),
        Register(30, 1, "angular_resolution", 1),
        Register(31, 2, "homing_offset", 0, sign=11),
        Register(33, 1, "mode", 0, 0, 3),
        Register(34, 1, "protection_torque", 20),
        Register(35, 1, "protection_time", 200),
        Register(36, 1, "overload_torque", 80),
        Register(37, 1, "speed_p", 10),
        Register(38, 1, "overcurrent_time", 200),
        Register(39, 1, "speed_i", 10),
        Register(40, 1, "torque"),
        Register(41, 1, "acceleration"),
        Register(42, 2, "goal_position", MIDDLE, sign=15),
        Register(44, 2, "goal_time", 0, sign=10),
        Register(46, 2, "goal_speed", 0, sign=15),
        Register(48, 2, "torque_limit", 1000),
        Register(55, 1, "lock", 1),
        Register(56, 2, "present_position", sign=15, fixed=True),
        Register(58, 2, "present_speed", sign=15, fixed=True),
        Register(60, 2, "present_load", sign=10, fixed=True),
        Register(62, 1, "present_voltage", fixed=True),
        Register(63, 1, "present_temperature", fixed=True),
        Register(64, 1, "registered", fixed=True),
        Register(65, 1, "status", fixed=True),
        Register(66, 1, "moving", fixed=True),
        Register(69, 2, "present_current", sign=15, fixed=True),
        Register(71, 2, "goal_position_now", sign=15, fixed=True),
        Register(80, 1, "moving_speed", 1),
        Register(81, 1, "step_time", 1),
        Register(82, 1, "speed_unit", 50),
        Register(83, 1, "least_speed", 1),
        Register(84, 1, "speed_limit", 68),
        Register(85, 1, "acceleration_limit", 254),
        Register(86, 1, "acceleration_unit", 1),
    )

    def begin(self) -> None:
        """Limits, id and speed as the file has them."""
        wired = self.wired
        self.per_radian = wired.per_radian
        self.take_wiring(BAUDS)
        self.live = {
            "torque": lambda: int(self.servo.on),
            "present_position": self._position,
            "present_speed": lambda: round(wired.rate * self.per_radian),
            "present_load": lambda: round(1000 * wired.load),
            "present_voltage": lambda: round(10 * sagged(self.bus)),
            "present_temperature": lambda: round(self.servo.temperature),
            "registered": lambda: int(self.waiting is not None),
            "status": lambda: self.error,
            "moving": lambda: int(self.servo.is_moving),
            "present_current": lambda: round(wired.current * AMPERE),
            "goal_position_now": lambda: self.get("goal_position"),
            "goal_position": self._goal,
        }

    @property
    def error(self) -> int:
        """Bit 2: too hot."""
        return 4 * (self.servo.temperature > self.get("temperature_limit"))

    @property
    def baud(self) -> int:
        """As its register says; a speed of the file that no register has stays."""
        number = self.get("baud")
        known = self.wired.baud in BAUDS or number
        return BAUDS[number] if known else self.wired.baud

    def answers(self, code: int) -> bool:
        """Level 0: only what was asked for."""
        return self.get("response_level") != 0 or code in (PING, READ)

    def changed(self, name: str, value: int) -> None:
        """Bring what was written to the servo."""
        servo, mode = self.servo, self.get("mode")
        if name == "torque":
            self._torque(value)
        elif name == "goal_position" and mode in (0, 3):
            servo.on = True  # some clients never write the torque
            if mode == 3:
                self._step(value)
            else:
                low, high = self.get("least_position"), self.get("greatest_position")
                if low < high:
                    value = min(max(value, low), high)
                servo.goal = self._value(value + self.get("homing_offset"))
        elif name == "goal_speed":
            if mode == 1:
                servo.on = True
                servo.goal_velocity = value / self.per_radian / self.wired.per_unit
            else:
                servo.speed = abs(value) / self.per_radian / abs(self.wired.per_unit)
        elif name == "goal_time" and mode == 2:
            servo.on = True
            sign = math.copysign(1.0, self.wired.per_unit)
            servo.goal_effort = sign * value / 1000 * servo.data.largest
        elif name == "acceleration":
            servo.acceleration = 100 * value / self.per_radian / abs(self.wired.per_unit)
        elif name == "mode":
            servo.mode = ("position", "velocity", "effort", "position")[value]
        elif name in ("p", "d"):
            servo.set_gains(self.get("p") / P, max(self.get("d"), 1) / D)
        elif name in ("torque_limit", "greatest_torque"):
            servo.limit = min(self.get("torque_limit"), self.get("greatest_torque")) / 1000

    def _torque(self, value: int) -> None:
        if value == 128:  # here is the middle
            raw = round(self.ticks(self.wired.angle)) % 4096
            offset = (raw - MIDDLE + 2048) % 4096 - 2048
            self.set("homing_offset", max(offset, -2047))
        else:
            self.servo.on = bool(value)

    def _step(self, value: int) -> None:
        """Mode 3: so many steps from the goal, or from here."""
        self.servo.goal += value / self.per_radian / self.wired.per_unit

    # Ticks

    def ticks(self, angle: float) -> float:
        """Steps of the encoder at an angle of the shaft [rad]."""
        return self.wired.to_ticks(angle)

    def _value(self, ticks: float) -> float:
        return self.wired.from_ticks(ticks)

    def _position(self) -> int:
        return self._seen(self.wired.angle)

    def _goal(self) -> int:
        return self._seen(self.wired.to_angle(self.servo.goal))

    def _seen(self, angle: float) -> int:
        """The encoder has one turn."""
        return round(self.ticks(angle)) % 4096 - self.get("homing_offset")


class FeetechBus(ServoBus):
    """Feetech's protocol for STS servos."""

    connects = "LeRobot's SO-101, feetech-servo-sdk: STS3215 servos"

    MAKER: ClassVar[Maker] = Maker("feetech", 4096, 1_000_000, 7.4, 2 * math.pi, centre=MIDDLE)
    FRAMING = Framing1
    MEMORY = STS3215

    def ping_data(self, servo: Memory) -> bytes:
        """Nothing: clients read the model."""
        return b""
