"""Dynamixel: protocol 2.0 with servos of the X series.

Registers and units: ROBOTIS e-Manual, "XL430-W250", control table.
"""

from __future__ import annotations

import math
from typing import ClassVar

from kinegen.bridges.servos.bus import PING, READ, ServoBus
from kinegen.bridges.servos.framing import Framing2
from kinegen.bridges.servos.registers import Memory, Register
from kinegen.bridges.servos.wiring import Maker, sagged

__all__ = ["DynamixelBus"]

MODEL, FIRMWARE = 1060, 46
MIDDLE = 2048
RPM = 2 * math.pi / 60
SPEED = 0.229 * RPM
"""Of one step of a velocity [rad/s]."""
ACCELERATION = 214.577 * RPM / 60
"""Of one step of a profile's acceleration [rad/s²]."""
BAUDS = (9600, 57_600, 115_200, 1_000_000, 2_000_000, 3_000_000, 4_000_000, 4_500_000)
P = 800
"""Position gain as the servos are delivered: that of the file."""
PWM = 885
FAR = 1_048_575
"""Goal in extended mode, 256 turns."""
EEPROM = 64
"""Addresses below are locked while torque is on."""
INDIRECT = ((168, 224, 28), (578, 634, 28))
"""Where addresses are, where what they stand for appears, and how many there are."""


class XSeries(Memory):
    """The memory of one servo."""

    SIZE = 662
    RANGE, ACCESS, LENGTH, LIMIT, INSTRUCTION = 4, 7, 5, 6, 2
    TABLE = (
        Register(0, 2, "model", MODEL, fixed=True),
        Register(2, 4, "model_information", fixed=True),
        Register(6, 1, "firmware", FIRMWARE, fixed=True),
        Register(7, 1, "id", 1, 0, 252),
        Register(8, 1, "baud", 1, 0, 7),
        Register(9, 1, "return_delay", 250, 0, 254),
        Register(10, 1, "drive_mode", 0, 0, 13),
        Register(11, 1, "mode", 3),
        Register(12, 1, "shadow_id", 255),
        Register(13, 1, "protocol", 2, 1, 2),
        Register(20, 4, "homing_offset", 0, -1_044_479, 1_044_479, sign=-1),
        Register(24, 4, "moving_threshold", 10, 0, 1023),
        Register(31, 1, "temperature_limit", 72, 0, 100),
        Register(32, 2, "greatest_voltage", 140, 60, 140),
        Register(34, 2, "least_voltage", 60, 60, 140),
        Register(36, 2, "pwm_limit", PWM, 0, PWM),
        Register(44, 4, "velocity_limit", 265, 0, 1023),
        Register(48, 4, "greatest_position", 4095, 0, 4095),
        Register(52, 4, "least_position", 0, 0, 4095),
        Register(60, 1, "startup"),
        Register(63, 1, "shutdown", 52),
        Register(64, 1, "torque", 0, 0, 1),
        Register(65, 1, "led", 0, 0, 1),
        Register(68, 1, "status_level", 2, 0, 2),
        Register(69, 1, "registered", fixed=True),
        Register(70, 1, "hardware_error", fixed=True),
        Register(76, 2, "velocity_i", 1000, 0, 16383),
        Register(78, 2, "velocity_p", 100, 0, 16383),
        Register(80, 2, "position_d", 0, 0, 16383),
        Register(82, 2, "position_i", 0, 0, 16383),
        Register(84, 2, "position_p", P, 0, 16383),
        Register(88, 2, "feed_forward_2", 0, 0, 16383),
        Register(90, 2, "feed_forward_1", 0, 0, 16383),
        Register(98, 1, "watchdog", 0, sign=-1),
        Register(100, 2, "goal_pwm", 0, sign=-1),
        Register(104, 4, "goal_velocity", 0, sign=-1),
        Register(108, 4, "profile_acceleration", 0, 0, 32767),
        Register(112, 4, "profile_velocity", 0, 0, 32767),
        Register(116, 4, "goal_position", MIDDLE, sign=-1),
        Register(120, 2, "tick", fixed=True),
        Register(122, 1, "moving", fixed=True),
        Register(123, 1, "moving_status", fixed=True),
        Register(124, 2, "present_pwm", sign=-1, fixed=True),
        Register(126, 2, "present_load", sign=-1, fixed=True),
        Register(128, 4, "present_velocity", sign=-1, fixed=True),
        Register(132, 4, "present_position", sign=-1, fixed=True),
        Register(136, 4, "velocity_trajectory", sign=-1, fixed=True),
        Register(140, 4, "position_trajectory", sign=-1, fixed=True),
        Register(144, 2, "present_voltage", fixed=True),
        Register(146, 1, "present_temperature", fixed=True),
        Register(147, 1, "backup_ready", fixed=True),
        *(
            Register(start + 2 * i, 2, f"indirect_address_{base + i + 1}", data + i, 64, 661)
            for base, (start, data, count) in zip((0, 28), INDIRECT, strict=True)
            for i in range(count)
        ),
        *(
            Register(data + i, 1, f"indirect_data_{base + i + 1}")
            for base, (_, data, count) in zip((0, 28), INDIRECT, strict=True)
            for i in range(count)
        ),
    )

    def begin(self) -> None:
        """Limits, id and speed as the file has them."""
        wired = self.wired
        self.take_wiring(BAUDS)
        self.live = {
            "torque": lambda: int(self.servo.on),
            "registered": lambda: int(self.waiting is not None),
            "tick": lambda: round(1000 * self.servo.time) % 32768,
            "moving": self._moving,
            "moving_status": self._moving_status,
            "present_pwm": lambda: round(PWM * wired.load * self._turn),
            "present_load": lambda: round(1000 * wired.load * self._turn),
            "present_velocity": lambda: round(wired.rate / SPEED * self._turn),
            "present_position": lambda: self._seen(wired.angle),
            "velocity_trajectory": lambda: round(wired.rate / SPEED * self._turn),
            "position_trajectory": lambda: self._seen(wired.to_angle(self.servo.goal)),
            "goal_position": lambda: self._seen(wired.to_angle(self.servo.goal)),
            "present_voltage": lambda: round(10 * sagged(self.bus)),
            "present_temperature": lambda: round(self.servo.temperature),
            "hardware_error": lambda: 4 * self._is_hot,
        }

    @property
    def _turn(self) -> int:
        """-1 where the drive mode reverses the direction."""
        return -1 if self.get("drive_mode") & 1 else 1

    @property
    def _is_hot(self) -> bool:
        return self.servo.temperature > self.get("temperature_limit")

    @property
    def error(self) -> int:
        """The alert bit."""
        return 0x80 * self._is_hot

    @property
    def baud(self) -> int:
        """As its register says; a speed of the file that no register has stays."""
        if self.wired.baud not in BAUDS and self.get("baud") == 1:
            return self.wired.baud
        return BAUDS[self.get("baud")]

    def answers(self, code: int) -> bool:
        """Level 0: pings only, 1: what was asked for, 2: everything."""
        level = self.get("status_level")
        return code == PING or level == 2 or (level == 1 and code == READ)

    # Reading and writing

    def read(self, address: int, length: int) -> bytes | None:
        """As in the table; indirect data stands for what its addresses name."""
        found = super().read(address, length)
        if found is None or address + length <= INDIRECT[0][1]:
            return found
        out = bytearray(found)
        for i, at in self._indirect(address, length):
            other = super().read(at, 1)
            out[i] = other[0] if other else 0
        return bytes(out)

    def write(self, address: int, data: bytes) -> int:
        """As in the table; indirect data goes where its addresses lead."""
        places = dict(self._indirect(address, len(data)))
        if not places or address < INDIRECT[0][1]:
            return super().write(address, data)
        # registers of several bytes are written whole, so places in a row go together
        i = 0
        while i < len(data):
            at, first = places.get(i, address + i), i
            i += 1
            while i < len(data) and places.get(i, address + i) == at + i - first:
                i += 1
            error = super().write(at, data[first:i])
            if error:
                return error
        return 0

    def _indirect(self, address: int, length: int) -> list[tuple[int, int]]:
        """Which bytes of a range stand for others, and for which."""
        found = []
        for base, (_, data, count) in zip((0, 28), INDIRECT, strict=True):
            for i in range(max(address, data), min(address + length, data + count)):
                at = self.get(f"indirect_address_{base + i - data + 1}")
                if at != i:
                    found.append((i - address, at))
        return found

    def refuses(self, register: Register, value: int) -> int:
        """The permanent part is locked while torque is on; goals keep to the limits."""
        name = register.name
        if register.address < EEPROM and self.servo.on:
            return self.ACCESS
        if name == "mode" and value not in (1, 3, 4, 16):
            return self.RANGE
        if name == "goal_position":
            if self.get("mode") == 4:
                return 0 if abs(value) <= FAR else self.LIMIT
            low, high = self.get("least_position"), self.get("greatest_position")
            return 0 if low <= value <= high else self.LIMIT
        if name == "goal_velocity" and abs(value) > self.get("velocity_limit"):
            return self.LIMIT
        if name == "goal_pwm" and abs(value) > self.get("pwm_limit"):
            return self.LIMIT
        return 0

    def changed(self, name: str, value: int) -> None:
        """Bring what was written to the servo."""
        servo, per_unit = self.servo, self.wired.per_unit
        if name == "torque":
            servo.on = bool(value)
        elif name == "goal_position" and self.get("mode") in (3, 4):
            if self.get("drive_mode") & 8:
                servo.on = True
            if servo.on:
                self._shape(value)
                servo.goal = self._value(value)
        elif name == "goal_velocity":
            servo.goal_velocity = value * SPEED * self._turn / per_unit
        elif name == "goal_pwm":
            if self.get("mode") == 16:
                sign = math.copysign(1.0, per_unit)
                servo.goal_effort = sign * self._turn * value / PWM * servo.data.largest
            else:
                servo.limit = abs(value) / PWM
        elif name in ("profile_velocity", "profile_acceleration"):
            self._shape(None)
        elif name == "mode":
            words = {1: "velocity", 3: "position", 4: "position", 16: "effort"}
            servo.mode = words[value]  # type: ignore[assignment]
        elif name in ("position_p", "position_d"):
            servo.set_gains(self.get("position_p") / P, 1 + self.get("position_d") / P)
        elif name == "pwm_limit":
            servo.limit = value / PWM

    def _shape(self, goal: int | None) -> None:
        """The profile on the way to a goal; by speed, or by time where the drive mode says so."""
        servo, scale = self.servo, abs(self.wired.per_unit)
        velocity, rise = self.get("profile_velocity"), self.get("profile_acceleration")
        if not self.get("drive_mode") & 4:
            servo.speed = velocity * SPEED / scale
            servo.acceleration = rise * ACCELERATION / scale
        elif goal is not None:
            # milliseconds: of the whole way, and of speeding up
            way = abs(self._value(goal) - servo.position)
            whole, rising = velocity / 1000, min(rise, velocity / 2) / 1000
            servo.speed = way / (whole - rising) if whole > rising else math.inf
            servo.acceleration = servo.speed / rising if rising > 0 else math.inf

    def _moving(self) -> int:
        return int(abs(self.wired.rate) > self.get("moving_threshold") * SPEED)

    def _moving_status(self) -> int:
        there = abs(self.get("goal_position") - self.get("present_position")) <= 20
        shaped = math.isfinite(self.servo.speed)
        return int(there) | 2 * (shaped and not there) | (0x30 if shaped else 0)

    # Ticks

    def ticks(self, angle: float) -> float:
        """Steps of the encoder at an angle of the shaft [rad]."""
        return self.wired.to_ticks(self._turn * angle) + self.get("homing_offset")

    def _value(self, ticks: float) -> float:
        ticks -= self.get("homing_offset")
        return self.wired.from_ticks(MIDDLE + self._turn * (ticks - MIDDLE))

    def _seen(self, angle: float) -> int:
        return round(self.ticks(angle))


class DynamixelBus(ServoBus):
    """Protocol 2.0."""

    connects = "dynamixel-sdk, protocol 2.0: X-series servos"

    MAKER: ClassVar[Maker] = Maker("dynamixel", 4096, 57_600, 11.1, 2 * math.pi, centre=MIDDLE)
    FRAMING = Framing2
    MEMORY = XSeries

    def ping_data(self, servo: Memory) -> bytes:
        """Model and firmware."""
        return MODEL.to_bytes(2, "little") + bytes([FIRMWARE])
