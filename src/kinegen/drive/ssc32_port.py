"""Ssc32Port: hobby servos at an SSC-32 board, which measures nothing.

Its servos are taken to be where their pulses say. Before the first pulse nobody knows where they
are: the user does.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from kinegen.bridges.servos.wiring import Shaft
from kinegen.bridges.wires.ssc32 import LEAST, MOST, Ssc32Board
from kinegen.drive.port import MARGIN, Port, Reading
from kinegen.drive.sdk import pyserial
from kinegen.errors import LinkError
from kinegen.kernels import Floats

__all__ = ["Ssc32Port"]

WORD = 16
"""Bytes of a line per pin, and some to spare."""
ANSWER = 0.5
"""Within which the board answers [s]."""


class Ssc32Port(Port):
    """Servos at the pins of a board."""

    maker = Ssc32Board.MAKER
    measures = False

    def __init__(self, path: str, shafts: Sequence[Shaft]) -> None:
        """See :class:`~kinegen.drive.port.Port`."""
        super().__init__(path, shafts)
        self._serial: Any = None
        self._speeds = [0] * len(self.shafts)
        self.pulses: list[float] = [0.0] * len(self.shafts)
        """Last pulses of the pins [µs]; 0 where there was none."""

    @property
    def cycle(self) -> float:
        """A line of so many pins takes this long."""
        return 10 * WORD * len(self.ids) / self.baud

    def open(self) -> None:
        """Open the port; the board gives its version, and the pulses that it sends."""
        with self.opening():
            self._serial = pyserial().serial_for_url(self.path, self.baud, timeout=ANSWER)
        version = self._ask(b"VER\r", until=b"\r")
        if not version.startswith(b"SSC32"):
            self.close()
            raise LinkError(
                f"port '{self.path}': no SSC-32 answers at {self.baud} bit/s; its jumpers choose "
                "2400, 9600, 38400 or 115200: add 'motor: {baud: …}' to the file"
            )
        asked = "".join(f"QP{one}\r" for one in self.ids).encode()
        answer = self._ask(asked, count=len(self.ids))
        if len(answer) == len(self.ids):
            self.pulses = [10.0 * one for one in answer]

    def close(self) -> None:
        """Close the port; the board sends its pulses on."""
        if self._serial is not None:
            self._serial.close()

    def read(self) -> Reading | None:
        """Where the last pulses would have the joints; NaN before the first."""
        with self.alive():
            self._serial.in_waiting  # noqa: B018 - an error when the port has vanished
        positions = self.positions(self.pulses)
        positions[np.array(self.pulses) == 0] = math.nan
        nothing = np.full(len(positions), math.nan)
        return Reading(positions, nothing, nothing, nothing)

    def write(self, values: Floats) -> None:
        """One line for all pins, which move together."""
        steps = [min(max(one, LEAST), MOST) for one in self.ticks(values)]
        self.pulses = [float(one) for one in steps]
        words = [
            f"#{pin}P{pulse}" + (f"S{speed}" if speed else "")
            for pin, pulse, speed in zip(self.ids, steps, self._speeds, strict=True)
        ]
        self._send("".join(words))

    def set_torque(self, on: bool) -> None:
        """Off: no pulses. On comes with the first goal."""
        if not on:
            self.pulses = [0.0] * len(self.ids)
            self._send("".join(f"#{pin}P0" for pin in self.ids))

    def set_limits(self, speeds: Floats, effort: float) -> None:
        """Speeds are part of every line; the board cannot limit efforts."""
        self._speeds = [
            max(math.ceil(MARGIN * float(speed) * abs(one.per_unit) * one.per_radian), 1)
            for one, speed in zip(self.shafts, speeds, strict=True)
        ]

    def _send(self, line: str) -> None:
        with self.alive():
            self._serial.write(line.encode() + b"\r")

    def _ask(self, line: bytes, *, until: bytes = b"", count: int = 0) -> bytes:
        with self.alive():
            self._serial.reset_input_buffer()
            self._serial.write(line)
            end, found = time.monotonic() + ANSWER, b""
            while time.monotonic() < end and not (until and found.endswith(until)):
                if count and len(found) >= count:
                    break
                found += self._serial.read(max(self._serial.in_waiting, 1))
        return found
