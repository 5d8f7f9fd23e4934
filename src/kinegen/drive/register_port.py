"""RegisterPort: bus servos with registers, by the packages of Feetech and ROBOTIS.

Addresses, sizes and signs are those of the simulated servos in ``bridges/wires``.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from kinegen.bridges.servos.registers import Memory, Register
from kinegen.bridges.servos.wiring import Shaft
from kinegen.bridges.wires import dynamixel, dynamixel1, feetech
from kinegen.drive.port import MARGIN, Port, Reading
from kinegen.drive.sdk import dynamixel_sdk, feetech_sdk
from kinegen.errors import LinkError, UsageError
from kinegen.kernels import Floats

__all__ = ["Dynamixel1Port", "DynamixelPort", "FeetechPort", "RegisterPort"]

WAIT = 100.0
"""For an answer [ms]. The makers' packages wait for 34 ms, which is little for a busy computer;
while a robot waits, its goals stand still."""
TRIES = (1.0, 1.0, 3.0, 10.0)
"""How long each try waits for an answer, in multiples of WAIT: a servo that is silent all the while
is not there, one that a busy computer hears late is."""


class RegisterPort(Port):
    """Bus servos; a make is a subclass with names of registers and units."""

    MEMORY: ClassVar[type[Memory]]
    PROTOCOL: ClassVar[float]
    BAUDS: ClassVar[Sequence[int]]
    SPEED: ClassVar[str]
    """Register that limits the speed."""
    EFFORT: ClassVar[tuple[str, int]]
    """Register that limits the effort, and its largest value."""
    LOAD: ClassVar[int]
    """Load at the largest effort."""
    MEASURED: ClassVar[Sequence[str]]
    """Registers of position, speed, load and current; without a current, three."""
    AMPERE: ClassVar[float] = math.nan
    """Steps of a current."""
    has_sync_read: ClassVar[bool] = True
    sdk: ClassVar[Callable[[], Any]]

    def __init__(self, path: str, shafts: Sequence[Shaft]) -> None:
        """See :class:`~kinegen.drive.port.Port`."""
        super().__init__(path, shafts)
        self._sdk = type(self).sdk()
        self._by_name = {one.name: one for one in self.MEMORY.TABLE}
        measured = [self._by_name[name] for name in self.MEASURED]
        self._first = min(one.address for one in measured)
        self._span = max(one.end for one in measured) - self._first
        self._port: Any = None
        self._bus: Any = self._sdk.PacketHandler(
            self.PROTOCOL if self.PROTOCOL else 0  # Feetech's counts by whole numbers
        )

    def rate_step(self, shaft: Shaft) -> float:
        """Of the shaft's speed, per step of its register [rad/s]."""
        raise NotImplementedError

    # Opening

    def open(self) -> None:
        """Open the port and ping all servos."""
        self._port = _patient(self._sdk)(self.path)
        self._set_baud(self.baud)
        missing = self._missing()
        hint = self._other_baud() if len(missing) == len(self.ids) else ""
        try:
            self.refuse_missing(missing, hint)
        except LinkError:
            self.close()
            raise
        if self.has_sync_read:
            self._reads = self._sdk.GroupSyncRead(self._port, self._bus, self._first, self._span)
            for one in self.ids:
                self._reads.addParam(one)

    def _set_baud(self, baud: int) -> None:
        with self.opening():
            if not self._port.setBaudRate(baud):
                raise UsageError(f"{self._sdk.__name__} does not support {baud} bit/s")

    def _missing(self) -> list[int]:
        """Ids that do not answer. Where all are silent, the first one speaks for all."""
        missing = list(self.ids)
        for waits in TRIES:
            if len(missing) == len(self.ids) and waits > 1 and not self._answers(missing[0], waits):
                continue
            missing = [one for one in missing if not self._answers(one, waits)]
            if not missing:
                break
        return missing

    def _answers(self, number: int, waits: float) -> bool:
        with self.alive(), self._patiently(waits):
            self._forget()
            # Feetech's package fails on half an answer
            with contextlib.suppress(IndexError):
                return bool(self._bus.ping(self._port, number)[1] == self._sdk.COMM_SUCCESS)
        return False

    @contextlib.contextmanager
    def _patiently(self, waits: float) -> Iterator[None]:
        self._port.waits = waits
        try:
            yield
        finally:
            self._port.waits = 1.0

    def _forget(self) -> None:
        """Drop answers that came too late: they would be taken for those to the next question."""
        self._port.ser.reset_input_buffer()

    def _other_baud(self) -> str:
        """Whether the servos listen at another speed."""
        for waits, baud in itertools.product(TRIES[1:3], self.BAUDS):
            if baud != self.baud and self._port.setBaudRate(baud):
                asked = self.ids if waits == 1 else self.ids[:1]
                found = [one for one in asked if self._answers(one, waits)]
                if found:
                    return (
                        f"id {', '.join(map(str, found))} answers at {baud} bit/s: add "
                        f"'motor: {{baud: {baud}}}' to the file"
                    )
        return (
            "no servo answers at any other speed; check the port, the power supply and the cables"
        )

    def close(self) -> None:
        """Close the port."""
        if self._port is not None and self._port.ser is not None:
            self._port.closePort()

    # Every cycle

    def read(self) -> Reading | None:
        """Position, speed, load and current of all servos."""
        rows = None
        with self.alive(), contextlib.suppress(IndexError):
            self._forget()
            rows = self._rows()
        if rows is None:
            return None
        found = np.array([self._decoded(row) for row in rows], float)
        scale = np.array([one.per_unit for one in self.shafts])
        sign = np.sign(scale)
        steps = np.array([self.rate_step(one) for one in self.shafts])
        currents = (
            found[:, 3] / self.AMPERE if len(self.MEASURED) > 3 else np.full(len(scale), np.nan)
        )
        return Reading(
            self.positions(found[:, 0].tolist()), found[:, 1] * steps / scale,
            sign * found[:, 2] / self.LOAD, sign * currents,
        )  # fmt: skip

    def _rows(self) -> list[bytes] | None:
        """The registers of all servos, from the first that is measured to the last."""
        good = self._sdk.COMM_SUCCESS
        if not self.has_sync_read:
            answers = [
                self._bus.readTxRx(self._port, one, self._first, self._span) for one in self.ids
            ]
            return (
                [bytes(row) for row, _, _ in answers]
                if all(a[1] == good for a in answers)
                else None
            )
        if self._reads.txRxPacket() != good:
            return None
        rows = [bytes(self._reads.data_dict[one]) for one in self.ids]
        return rows if all(len(row) == self._span for row in rows) else None

    def _decoded(self, row: bytes) -> list[int]:
        found = []
        for name in self.MEASURED:
            one = self._by_name[name]
            found.append(one.decode(row[one.address - self._first : one.end - self._first]))
        return found

    def write(self, values: Floats) -> None:
        """Send goals, all in one packet."""
        self._write_all("goal_position", self.ticks(values))

    def set_torque(self, on: bool) -> None:
        """Write the torque register, and see that every servo has it."""
        register = self._by_name["torque"]
        with self.alive():
            for one in self.ids:
                self._write_one(one, register, int(on))

    def set_limits(self, speeds: Floats, effort: float) -> None:
        """Limits that servos keep to by themselves."""
        steps = [
            max(math.ceil(MARGIN * float(speed) * abs(one.per_unit) / self.rate_step(one)), 1)
            for one, speed in zip(self.shafts, speeds, strict=True)
        ]
        self._write_all(self.SPEED, steps)
        name, most = self.EFFORT
        self._write_all(name, [max(round(effort * most), 1)] * len(steps))

    def _write_one(self, number: int, register: Register, value: int) -> None:
        data = list(register.encode(value))
        for waits in TRIES:
            self._forget()
            with self._patiently(waits):
                result, _ = self._bus.writeTxRx(
                    self._port, number, register.address, len(data), data
                )
            if result == self._sdk.COMM_SUCCESS:
                return
        self.refuse_missing([number])

    def _write_all(self, name: str, values: Sequence[int]) -> None:
        register = self._by_name[name]
        group = self._sdk.GroupSyncWrite(self._port, self._bus, register.address, register.size)
        for one, value in zip(self.ids, values, strict=True):
            group.addParam(one, list(register.encode(value)))
        with self.alive():
            if group.txPacket() != self._sdk.COMM_SUCCESS:
                raise LinkError(f"port '{self.path}' does not accept data")


def _patient(sdk: Any) -> Any:
    """The package's class of ports, which waits for longer."""

    class PatientPort(sdk.PortHandler):  # type: ignore[misc]
        """A port."""

        waits = 1.0
        """Multiples of WAIT."""

        def setPacketTimeout(self, packet_length: int) -> None:
            """Set when an answer is late: the package's name."""
            self.setPacketTimeoutMillis(self.tx_time_per_byte * packet_length + self.waits * WAIT)

    return PatientPort


class FeetechPort(RegisterPort):
    """STS3215 and its relatives."""

    maker = feetech.FeetechBus.MAKER
    MEMORY, PROTOCOL, BAUDS = feetech.STS3215, 0, feetech.BAUDS
    SPEED, EFFORT, LOAD, AMPERE = "goal_speed", ("torque_limit", 1000), 1000, feetech.AMPERE
    MEASURED = ("present_position", "present_speed", "present_load", "present_current")
    sdk = staticmethod(feetech_sdk)

    def rate_step(self, shaft: Shaft) -> float:
        """Steps of the encoder per second."""
        return 1 / shaft.per_radian


class DynamixelPort(RegisterPort):
    """X series, protocol 2.0."""

    maker = dynamixel.DynamixelBus.MAKER
    MEMORY, PROTOCOL, BAUDS = dynamixel.XSeries, 2.0, dynamixel.BAUDS
    SPEED, EFFORT, LOAD = "profile_velocity", ("goal_pwm", dynamixel.PWM), 1000
    MEASURED = ("present_position", "present_velocity", "present_load")
    sdk = staticmethod(dynamixel_sdk)

    def rate_step(self, shaft: Shaft) -> float:
        """0.229 turns per minute."""
        return dynamixel.SPEED


class Dynamixel1Port(RegisterPort):
    """AX series, protocol 1.0."""

    maker = dynamixel1.Dynamixel1Bus.MAKER
    MEMORY, PROTOCOL = dynamixel1.AXSeries, 1.0
    BAUDS = (1_000_000, 500_000, 115_200, 57_600, 19_200, 9600)
    SPEED, EFFORT, LOAD = "goal_speed", ("torque_limit", 1023), 1023
    MEASURED = ("present_position", "present_speed", "present_load")
    has_sync_read = False
    sdk = staticmethod(dynamixel_sdk)

    def rate_step(self, shaft: Shaft) -> float:
        """0.111 turns per minute."""
        return dynamixel1.SPEED
