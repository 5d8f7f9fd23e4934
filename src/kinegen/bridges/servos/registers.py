"""Registers: the memory of a bus servo, with measured values in it and commands behind it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from kinegen.bridges.servos.wiring import Wired

__all__ = ["Memory", "Register"]


@dataclass(frozen=True, slots=True)
class Register:
    """A number in the memory of a servo, little-endian."""

    address: int
    size: int
    name: str
    initial: int = 0
    low: int | None = None
    """Least value that can be written; None: any."""
    high: int | None = None
    sign: int | None = None
    """Bit of the sign, where a number is sign and magnitude; -1: two's complement."""
    fixed: bool = False
    """Whether it cannot be written."""

    @property
    def end(self) -> int:
        """Address behind it."""
        return self.address + self.size

    def encode(self, value: int) -> bytes:
        """As bytes; what does not fit is the nearest number that does."""
        bits = 8 * self.size
        if self.sign is None:
            value = min(max(value, 0), (1 << bits) - 1)
        elif self.sign < 0:
            value = min(max(value, -(1 << bits - 1)), (1 << bits - 1) - 1) & (1 << bits) - 1
        else:
            magnitude = min(abs(value), (1 << self.sign) - 1)
            value = magnitude | (1 << self.sign if value < 0 else 0)
        return value.to_bytes(self.size, "little")

    def decode(self, data: bytes | bytearray) -> int:
        """Of bytes."""
        value = int.from_bytes(data, "little")
        if self.sign is None:
            return value
        if self.sign < 0:
            return value - (1 << 8 * self.size) if value >> 8 * self.size - 1 else value
        magnitude = value & (1 << self.sign) - 1
        return -magnitude if value >> self.sign & 1 else magnitude


class Memory:
    """The registers of one servo. A make of servos is a subclass with a table."""

    TABLE: ClassVar[Sequence[Register]] = ()
    SIZE: ClassVar[int] = 256
    """Addresses from 0."""
    POSITION: ClassVar[str] = "present_position"
    """The register that a control loop reads in every cycle."""
    # what a servo answers when a write is refused; 0: it does not complain
    RANGE: ClassVar[int] = 0
    ACCESS: ClassVar[int] = 0
    LENGTH: ClassVar[int] = 0
    LIMIT: ClassVar[int] = 0
    INSTRUCTION: ClassVar[int] = 0

    def __init__(self, wired: Wired, bus: list[Wired]) -> None:
        """Switched on.

        Args:
            wired: Which servo it is.
            bus: All servos on the bus, which share a supply.
        """
        self.wired, self.bus, self.servo = wired, bus, wired.servo
        self.by_name = {one.name: one for one in self.TABLE}
        self._sorted = sorted(self.TABLE, key=lambda one: one.address)
        self._bytes = bytearray(self.SIZE)
        self.live: dict[str, Callable[[], int]] = {}
        """What is measured, by register."""
        self.waiting: tuple[int, bytes] | None = None
        """A write that an action will carry out."""
        for one in self.TABLE:
            self.set(one.name, one.initial)
        self.begin()

    def take_wiring(self, bauds: Sequence[int]) -> None:
        """Id, speed and limits as the file has them, in the registers that most makes have.

        Args:
            bauds: Speeds by the numbers of their register; one that is not there stays as it was.
        """
        wired = self.wired
        self.set("id", wired.id)
        if wired.baud in bauds:
            self.set("baud", bauds.index(wired.baud))
        low, high = wired.limits
        if math.isfinite(low):
            self.set("least_position", max(math.ceil(self.ticks(low) - 0.5), 0))
        if math.isfinite(high):
            most = self.by_name["greatest_position"].initial
            self.set("greatest_position", min(math.floor(self.ticks(high) + 0.5), most))

    # For subclasses

    def ticks(self, angle: float) -> float:
        """Steps of the encoder at an angle of the shaft [rad]."""
        raise NotImplementedError

    def begin(self) -> None:
        """Set registers that depend on the servo, and :attr:`live`."""

    def changed(self, name: str, value: int) -> None:
        """A client has written a register."""

    def refuses(self, register: Register, value: int) -> int:
        """An error when a client may not write a value now, else 0."""
        return 0

    @property
    def error(self) -> int:
        """What a servo reports with every answer, such as that it is too hot."""
        return 0

    @property
    def id(self) -> int:
        """Its number on the bus."""
        return self.get("id")

    @property
    def baud(self) -> int:
        """The speed it listens at [bit/s]."""
        return self.wired.baud

    def answers(self, code: int) -> bool:
        """Whether it answers an instruction."""
        return True

    # Reading and writing

    def get(self, name: str) -> int:
        """The value of a register now."""
        if name in self.live:
            return self.live[name]()
        one = self.by_name[name]
        return one.decode(self._bytes[one.address : one.end])

    def set(self, name: str, value: int) -> None:
        """Put a value into a register, as the servo itself does."""
        one = self.by_name[name]
        self._bytes[one.address : one.end] = one.encode(value)

    def read(self, address: int, length: int) -> bytes | None:
        """Some bytes as they are now; None beyond the memory."""
        end = address + length
        if end > self.SIZE:
            return None
        for one in self._sorted:
            if one.name in self.live and one.address < end and address < one.end:
                self._bytes[one.address : one.end] = one.encode(self.live[one.name]())
        return bytes(self._bytes[address:end])

    def write(self, address: int, data: bytes) -> int:
        """Write some bytes; the error, 0 when all is well. Nothing is written beside an error."""
        end = address + len(data)
        if end > self.SIZE or not data:
            return self.RANGE
        hit = [one for one in self._sorted if one.address < end and address < one.end]
        if not hit:
            return self.ACCESS
        old = bytes(self._bytes)
        self._bytes[address:end] = data
        values = [(one, one.decode(self._bytes[one.address : one.end])) for one in hit]
        for one, value in values:
            error = self.ACCESS if one.fixed else self.refuses(one, value)
            if not error and (
                (one.low is not None and value < one.low)
                or (one.high is not None and value > one.high)
            ):
                error = self.RANGE
            if error:
                self._bytes[:] = old
                return error
        for one, value in values:
            if one.fixed:  # makes that do not complain: it keeps what it was
                self._bytes[one.address : one.end] = old[one.address : one.end]
            else:
                self.changed(one.name, value)
        return 0
