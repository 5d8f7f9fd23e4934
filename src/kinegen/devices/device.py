"""Devices: where the hand is, told to the haptic thread, and where its force goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.kernels import Floats

if TYPE_CHECKING:
    from kinegen.devices.haptic import HapticThread

__all__ = ["Device", "SimulatedHand", "UdpDevice", "address_of"]


@runtime_checkable
class Device(Protocol):
    """Something that a hand holds; plug-ins of the group "kinegen.devices" make one."""

    def connect(self, thread: HapticThread) -> None:
        """Tell the thread, before it starts, where the hand's position comes from."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...


class SimulatedHand:
    """A hand without a device: a mass that a spring and a damper lead along a table of places.

    It lives in the haptic thread itself, so that tests and demonstrations need no device.
    """

    def __init__(
        self,
        table: npt.ArrayLike = ((0.0, 0.0, 0.0, 0.0),),
        *,
        mass: float = 0.2,
        stiffness: float = 300.0,
        damping: float = 8.0,
    ) -> None:
        """Describe a hand.

        Args:
            table: Rows of time [s] and place x, y, z [m], straight lines between them, (n, 4).
            mass: [kg]
            stiffness: [N/m]
            damping: [N s/m]
        """
        self.table: Floats = np.array(table, dtype=np.float64)
        if self.table.ndim != 2 or self.table.shape[1] != 4 or not len(self.table):
            raise UsageError("a hand's table has rows of time, x, y, z")
        if not np.isfinite(self.table).all() or (np.diff(self.table[:, 0]) <= 0).any():
            raise UsageError("a hand's table holds finite numbers, with times that rise")
        if not (mass > 0 and stiffness >= 0 and damping >= 0):
            raise UsageError("a hand has mass, and neither stiffness nor damping below zero")
        self.numbers = float(mass), float(stiffness), float(damping)

    def connect(self, thread: HapticThread) -> None:
        """Put the hand into the thread."""
        thread.loop.hand(self.table, *self.numbers)

    def close(self) -> None:
        """Nothing to let go of."""


class UdpDevice:
    """A device that sends packets DEVICE and takes packets FORCE; see docs/devices.md."""

    def __init__(self, listen: str = "127.0.0.1:0", peer: str = "") -> None:
        """Describe where it is.

        Args:
            listen: Address and port of this machine; port 0: any free one.
            peer: Where forces go; none: to who sends.
        """
        self.listen = address_of(listen)
        self.peer = address_of(peer) if peer else ("", 0)
        self.port = 0
        """Where the thread listens, once connected."""

    def connect(self, thread: HapticThread) -> None:
        """Open the port."""
        self.port = thread.loop.device(*self.listen, *self.peer)

    def close(self) -> None:
        """The thread closes its port."""


def address_of(text: str) -> tuple[str, int]:
    """Host and port from "host:port"; or UsageError."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit() or int(port) > 65535:
        raise UsageError(f"an address is host:port, such as 127.0.0.1:5005, got {text!r}")
    return host, int(port)
