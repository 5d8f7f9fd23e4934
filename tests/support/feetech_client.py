"""A program that moves one servo with Feetech's own package, however busy the machine is."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import scservo_sdk as scs

__all__ = ["FeetechClient"]

TORQUE, GOAL, POSITION = 40, 42, 56
"""Addresses of an STS3215."""
TRIES = 200
"""The package gives up after some milliseconds: it is asked again."""


class FeetechClient:
    """A port with one servo."""

    def __init__(self, path: str, servo: int = 1) -> None:
        self.servo = servo
        self.port = scs.PortHandler(path)
        assert self.port.openPort() and self.port.setBaudRate(1_000_000)
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
        for _ in range(TRIES):
            with contextlib.suppress(IndexError):  # it took the late answer to another question
                found = call(self.port, self.servo, *arguments)
                if found[-2] == scs.COMM_SUCCESS:
                    return found
        raise AssertionError("no answer")
