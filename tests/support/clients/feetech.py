"""A program that moves one servo with Feetech's own package, however busy the machine is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import scservo_sdk as scs

__all__ = ["FeetechClient"]

TORQUE, GOAL, POSITION = 40, 42, 56
"""Addresses of an STS3215."""
NEVER = 30_000
"""[ms] After which no answer comes any more. The package gives up after 34 ms and would then take
the late answer for that to its next question, and so be one answer behind for ever."""


class FeetechClient:
    """A port with one servo."""

    def __init__(self, path: str, servo: int = 1) -> None:
        self.servo = servo
        self.port = scs.PortHandler(path)
        assert self.port.openPort() and self.port.setBaudRate(1_000_000)
        self.port.setPacketTimeout = lambda length: self.port.setPacketTimeoutMillis(NEVER)
        self._bus = scs.PacketHandler(0)

    def switch_on(self) -> None:
        self._sure(self._bus.write1ByteTxRx, TORQUE, 1)

    def aim(self, step: int) -> None:
        self._sure(self._bus.write2ByteTxRx, GOAL, step)

    def position(self) -> int:
        value, *_ = self._sure(self._bus.read2ByteTxRx, POSITION)
        return int(value)

    def close(self) -> None:
        self.port.closePort()

    def _sure(self, call: Callable[..., Any], *arguments: int) -> Any:
        found = call(self.port, self.servo, *arguments)
        assert found[-2] == scs.COMM_SUCCESS, "no answer"
        return found
