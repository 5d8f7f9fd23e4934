"""Dynamixel1: protocol 1.0 with servos of the AX series.

Registers and units: ROBOTIS e-Manual, "AX-12A", control table.
"""

from __future__ import annotations

import math
from typing import ClassVar

from kinegen.bridges.servos.bus import PING, READ, ServoBus
from kinegen.bridges.servos.framing import Framing1
from kinegen.bridges.servos.registers import Memory, Register
from kinegen.bridges.servos.wiring import Maker, sagged

__all__ = ["Dynamixel1Bus"]

MODEL, FIRMWARE = 12, 24
SPAN = math.radians(300)
"""1024 steps."""
MIDDLE = 512
SPEED = 0.111 * 2 * math.pi / 60
"""Of one step of a speed [rad/s]."""
SLOPE = 32
"""Compliance as the servos are delivered: the gains of the file."""


class AXSeries(Memory):
    """The memory of one servo."""

    SIZE = 50
    RANGE, ACCESS, LENGTH, LIMIT, INSTRUCTION = 0x08, 0x08, 0x40, 0x02, 0x40
    TABLE = (
        Register(0, 2, "model", MODEL, fixed=True),
        Register(2, 1, "firmware", FIRMWARE, fixed=True),
        Register(3, 1, "id", 1, 0, 253),
        Register(4, 1, "baud", 1, 0, 254),
        Register(5, 1, "return_delay", 250, 0, 254),
        Register(6, 2, "least_position", 0, 0, 1023),
        Register(8, 2, "greatest_position", 1023, 0, 1023),
        Register(11, 1, "temperature_limit", 70, 0, 150),
        Register(12, 1, "least_voltage", 60, 50, 250),
        Register(13, 1, "greatest_voltage", 140, 50, 250),
        Register(14, 2, "greatest_torque", 1023, 0, 1023),
        Register(16, 1, "status_level", 2, 0, 2),
        Register(17, 1, "alarm_led", 36, 0, 127),
        Register(18, 1, "shutdown", 36, 0, 127),
        Register(24, 1, "torque", 0, 0, 1),
        Register(25, 1, "led", 0, 0, 1),
        Register(26, 1, "clockwise_margin", 1),
        Register(27, 1, "counter_clockwise_margin", 1),
        Register(28, 1, "clockwise_slope", SLOPE, 0, 254),
        Register(29, 1, "counter_clockwise_slope", SLOPE, 0, 254),
        Register(30, 2, "goal_position", MIDDLE, 0, 1023),
        Register(32, 2, "goal_speed", 0, -1023, 1023, sign=10),
        Register(34, 2, "torque_limit", 1023, 0, 1023),
        Register(36, 2, "present_position", fixed=True),
        Register(38, 2, "present_speed", sign=10, fixed=True),
        Register(40, 2, "present_load", sign=10, fixed=True),
        Register(42, 1, "present_voltage", fixed=True),
        Register(43, 1, "present_temperature", fixed=True),
        Register(44, 1, "registered", fixed=True),
        Register(46, 1, "moving", fixed=True),
        Register(47, 1, "lock", 0, 0, 1),
        Register(48, 2, "punch", 32, 0, 1023),
    )

    def begin(self) -> None:
        """Limits, id and speed as the file has them."""
        wired = self.wired
        self.take_wiring(())
        self.set("baud", round(2_000_000 / wired.baud) - 1)
        self.live = {
            "torque": lambda: int(self.servo.on),
            "goal_position": lambda: self._seen(wired.to_angle(self.servo.goal)),
            "present_position": lambda: self._seen(wired.angle),
            "present_speed": lambda: round(wired.rate / SPEED),
            "present_load": lambda: round(1023 * wired.load),
            "present_voltage": lambda: round(10 * sagged(self.bus)),
            "present_temperature": lambda: round(self.servo.temperature),
            "registered": lambda: int(self.waiting is not None),
            "moving": lambda: int(self.servo.is_moving),
        }

    @property
    def error(self) -> int:
        """Bit 2: too hot."""
        return 0x04 * (self.servo.temperature > self.get("temperature_limit"))

    @property
    def baud(self) -> int:
        """2,000,000 / (register + 1), as the usual numbers."""
        exact = 2_000_000 / (self.get("baud") + 1)
        usual = (1_000_000, 500_000, 400_000, 250_000, 200_000, 115_200, 57_600, 19_200, 9600)
        return next((one for one in usual if abs(one / exact - 1) < 0.03), round(exact))

    @property
    def is_wheel(self) -> bool:
        """Both limits at 0: it turns on and on."""
        return not (self.get("least_position") or self.get("greatest_position"))

    def answers(self, code: int) -> bool:
        """Level 0: pings only, 1: what was asked for, 2: everything."""
        level = self.get("status_level")
        return code == PING or level == 2 or (level == 1 and code == READ)

    def refuses(self, register: Register, value: int) -> int:
        """Goals keep to the limits."""
        if register.name == "goal_position" and not self.is_wheel:
            low, high = self.get("least_position"), self.get("greatest_position")
            return 0 if low <= value <= high else self.LIMIT
        return 0

    def changed(self, name: str, value: int) -> None:
        """Bring what was written to the servo."""
        servo, per_unit = self.servo, self.wired.per_unit
        if name == "torque":
            servo.on = bool(value)
        elif name == "goal_position" and not self.is_wheel:
            servo.on = True
            servo.goal = self.wired.from_ticks(value)
        elif name == "goal_speed" and self.is_wheel:
            servo.on = True
            servo.goal_velocity = value * SPEED / per_unit
        elif name == "goal_speed":
            servo.speed = abs(value) * SPEED / abs(per_unit)
        elif name in ("least_position", "greatest_position"):
            servo.mode = "velocity" if self.is_wheel else "position"
        elif name in ("clockwise_slope", "counter_clockwise_slope"):
            servo.set_gains(SLOPE / max(value, 1))
        elif name in ("torque_limit", "greatest_torque"):
            servo.limit = min(self.get("torque_limit"), self.get("greatest_torque")) / 1023

    def ticks(self, angle: float) -> float:
        """Steps of the encoder at an angle of the shaft [rad]."""
        return self.wired.to_ticks(angle)

    def _seen(self, angle: float) -> int:
        return min(max(round(self.ticks(angle)), 0), 1023)


class Dynamixel1Bus(ServoBus):
    """Protocol 1.0."""

    connects = "dynamixel-sdk, protocol 1.0: AX-series servos"

    MAKER: ClassVar[Maker] = Maker(
        "dynamixel1", 1024 * 2 * math.pi / SPAN, 1_000_000, 11.1, SPAN, centre=MIDDLE
    )
    FRAMING = Framing1
    MEMORY = AXSeries

    def ping_data(self, servo: Memory) -> bytes:
        """Nothing: clients read the model."""
        return b""
