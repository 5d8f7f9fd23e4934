"""Devices: they report the hand's position to the haptic thread and receive its force."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from kinegen.devices.key import key_of, require_key
from kinegen.errors import UsageError
from kinegen.kernels import Floats, HapticSettings
from kinegen.kernels.protocols.haptic import DAMPING_MOST, HAND_FAR, STIFFNESS_MOST, Trouble

if TYPE_CHECKING:
    from kinegen.devices.haptic import HapticThread

__all__ = ["Device", "DeviceLimits", "SimulatedHand", "Trouble", "UdpDevice", "address_of"]


@dataclass(frozen=True, slots=True)
class DeviceLimits:
    """The limits of a device, which it declares in its attribute ``limits``."""

    force: float = 20.0
    """[N]"""
    torque: float = 1.0
    """[N m]"""
    force_rate: float = math.inf
    """Largest rate at which the force may grow or turn [N/s]; it may always decrease."""
    torque_rate: float = math.inf
    """[N m/s]"""

    def __post_init__(self) -> None:
        """Refuse what is no limit."""
        self.settings.checked()

    @property
    def settings(self) -> HapticSettings:
        """The default settings with these limits."""
        return self.within(HapticSettings(force_most=math.inf, torque_most=math.inf))

    def within(self, settings: HapticSettings) -> HapticSettings:
        """Settings that do not exceed these limits."""
        return settings._replace(
            force_most=min(settings.force_most, self.force),
            torque_most=min(settings.torque_most, self.torque),
            force_rate=min(settings.force_rate, self.force_rate),
            torque_rate=min(settings.torque_rate, self.torque_rate),
        )


@runtime_checkable
class Device(Protocol):
    """A device that a hand holds; plug-ins of the group "kinegen.devices" provide them.

    A device with lower limits than the settings of the thread declares them in the attribute
    ``limits``, a :class:`DeviceLimits`.
    """

    def connect(self, thread: HapticThread) -> None:
        """Set the source of the hand's position, before the thread starts."""
        ...

    def close(self) -> None:
        """Release all resources."""
        ...


class SimulatedHand:
    """A simulated hand: a mass that a spring and a damper move along a table of positions.

    It runs in the haptic thread itself, so that tests and demonstrations need no device.
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
            raise UsageError("the table of a hand must have rows of time, x, y, z")
        if not np.isfinite(self.table).all() or (np.diff(self.table[:, 0]) <= 0).any():
            raise UsageError("the table of a hand must hold finite numbers, with increasing times")
        if not (np.abs(self.table[:, 1:]) <= HAND_FAR).all():
            raise UsageError(f"the positions of a hand must be within {HAND_FAR:g} m of its centre")
        if not (
            0 < mass <= 1e3 and 0 <= stiffness <= STIFFNESS_MOST and 0 <= damping <= DAMPING_MOST
        ):
            raise UsageError(
                "a hand needs a positive mass, and stiffness and damping of 0 or more: mass is at "
                f"most 1000 kg, stiffness {STIFFNESS_MOST:g} N/m, damping {DAMPING_MOST:g} N s/m; "
                f"got {mass!r}, {stiffness!r} and {damping!r}"
            )
        self.mass, self.stiffness, self.damping = float(mass), float(stiffness), float(damping)

    def connect(self, thread: HapticThread) -> None:
        """Connect the hand to the thread."""
        thread.loop.hand(self.table, self.mass, self.stiffness, self.damping)

    def close(self) -> None:
        """Nothing to release."""


class UdpDevice:
    """A device that sends DEVICE packets and receives FORCE packets.

    docs/reference/haptic-protocol.md describes them.
    """

    def __init__(
        self,
        listen: str = "127.0.0.1:0",
        peer: str = "",
        *,
        key: bytes | str | None = None,
        limits: DeviceLimits | None = None,
    ) -> None:
        """Describe where it is.

        Args:
            listen: Address and port of this machine; port 0: any free one.
            peer: Where forces are sent; none: to the first sender.
            key: What both ends know; needed when the device is on another machine. None: that of
                the environment variable KINEGEN_HAPTIC_KEY, if any.
            limits: Largest force and torque of the device.
        """
        self.listen = address_of(listen)
        self.peer = address_of(peer) if peer else ("", 0)
        self.key = key_of(key)
        require_key(self.key, self.listen[0], self.peer[0])
        self.limits = limits
        self.port = 0
        """Where the thread listens, once connected."""

    def connect(self, thread: HapticThread) -> None:
        """Open the port."""
        self.port = thread.loop.device(*self.listen, *self.peer, self.key)

    def close(self) -> None:
        """The thread closes its port."""


def address_of(text: str) -> tuple[str, int]:
    """Host and port from "host:port"; or UsageError."""
    host, _, port = text.rpartition(":")
    if not host or not (port.isascii() and port.isdecimal()) or int(port[:6]) > 65535:
        raise UsageError(f"an address must be host:port, such as 127.0.0.1:5005, got {text!r}")
    return host, int(port)
