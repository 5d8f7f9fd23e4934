"""LiveDevices: force devices of the file on a simulation that a page runs.

Each has its 1 kHz thread in a process of its own, as with ``kinegen touch``.
"""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlsplit

import numpy as np

from kinegen.devices.declared import DeclaredDevice, declared_devices
from kinegen.devices.device import Trouble, address_of
from kinegen.devices.key import is_loopback
from kinegen.devices.link import HapticLink, UdpTransport
from kinegen.devices.process import HapticProcess
from kinegen.dynamics.simulation.simulation import Simulation
from kinegen.errors import KinegenError, UsageError
from kinegen.kernels import HapticSettings
from kinegen.mechanism.graph import Mechanism
from kinegen.studio.live.frames import LiveTip
from kinegen.studio.wire.message import vec3
from kinegen.studio.wire.messages import ForceDeviceData

__all__ = ["EXCHANGE", "LiveDevices", "Running"]

EXCHANGE = 4e-3
"""[s] While a device is on, its hand is read at least so often; its thread extrapolates between."""
LOOK = 0.25
"""[s, real] A device is asked so often what is wrong."""
SUPPLY = 2.0
"""Power that motors and weight may give a hand [W], as with ``kinegen touch``."""


class Hand(Protocol):
    """A process with a device and its thread."""

    device_port: int

    def trouble(self) -> Trouble:
        """What is wrong, if anything."""
        ...

    def stop(self) -> Any:
        """End it."""
        ...


Begin = Callable[[DeclaredDevice, UdpTransport], Hand]


class Running(Protocol):
    """A live simulation, as far as devices have to know it."""

    def simulation_of(self, site: str) -> Simulation:
        """What moves a link or frame."""
        ...


@dataclass(slots=True, eq=False)
class _Open:
    """A device that is on."""

    declared: DeclaredDevice
    transport: UdpTransport
    hand: Hand
    trouble: Trouble = Trouble.FINE
    link: HapticLink | None = None
    simulation: Simulation | None = None


class LiveDevices:
    """Has the force devices that the settings name, on whatever run is the present one."""

    def __init__(self, begin: Begin | None = None) -> None:
        """None yet.

        Args:
            begin: Starts the process of a device; None: a true one.
        """
        self._begin = begin or _begin
        self._open: dict[str, _Open] = {}
        self._live: Running | None = None
        self._looked = 0.0

    @property
    def is_on(self) -> bool:
        """Whether there is any."""
        return bool(self._open)

    def put(self, mechanism: Mechanism, live: Running, names: Sequence[str]) -> None:
        """Have these devices of a file on this run; UsageError when one cannot be had.

        Args:
            mechanism: That declares them.
            live: What runs now.
            names: As the file calls them.
        """
        asked = list(dict.fromkeys(names))
        if not asked:
            self.close()
            return
        known = {one.name: one for one in declared_devices(mechanism)}
        for name in asked:
            if name not in known:
                raise UsageError(
                    f"the file declares no force device '{name[:60]}'; force devices: "
                    f"{', '.join(known) or 'none'}"
                )
            _require_here(known[name])
        for name, one in list(self._open.items()):
            is_gone = one.hand.trouble() is Trouble.BROKEN
            if name not in asked or one.declared != known[name] or is_gone:
                self._close(name)
        self._live = live
        for name in asked:
            if name not in self._open:
                transport = UdpTransport("127.0.0.1:0", key=secrets.token_bytes(32))
                try:
                    hand = self._begin(known[name], transport)
                except BaseException:
                    transport.close()
                    raise
                self._open[name] = _Open(known[name], transport, hand)
            self._attach(self._open[name], live)

    def exchange(self) -> None:
        """Read all hands and report their points; called between the steps of a simulation."""
        for one in self._open.values():
            if one.link is not None:
                one.link.exchange()

    def table(self, *, is_running: bool = True) -> list[ForceDeviceData]:
        """All devices, for a page, with what is wrong.

        Args:
            is_running: Whether hands are read: the link of one that nobody reads says nothing new.
        """
        now = time.monotonic()
        if now - self._looked >= LOOK:
            self._looked = now
            for one in self._open.values():
                one.trouble = one.hand.trouble()
        return [
            ForceDeviceData(
                name, one.declared.device, one.hand.device_port, _words(one, is_running)
            )
            for name, one in self._open.items()
        ]

    def tips(self) -> list[LiveTip]:
        """Where the hands are, as frames have it."""
        return [_tip(one) for one in self._open.values()]

    def close(self) -> None:
        """End all of them."""
        for name in [*self._open]:
            self._close(name)
        self._live = None

    def _attach(self, one: _Open, live: Running) -> None:
        simulation = live.simulation_of(one.declared.moves or "")
        if one.simulation is simulation:
            return
        self._detach(one)
        touch = one.declared.touch(simulation)
        one.link = one.declared.link(simulation, touch, one.transport)
        one.simulation = simulation

    def _detach(self, one: _Open) -> None:
        if one.link is not None and one.simulation is not None:
            one.simulation.release(one.link.touch)
        one.link = one.simulation = None

    def _close(self, name: str) -> None:
        one = self._open.pop(name)
        self._detach(one)
        with contextlib.suppress(KinegenError):  # one whose process died has ended
            one.hand.stop()
        one.transport.close()


def _begin(declared: DeclaredDevice, transport: UdpTransport) -> HapticProcess:
    return HapticProcess(
        declared.device, declared.options, dynamics=f"127.0.0.1:{transport.port}",
        settings=HapticSettings(supply_most=SUPPLY), key=transport.key,
    )  # fmt: skip


def _require_here(declared: DeclaredDevice) -> None:
    """A studio uses devices of its own machine only, whatever a file says."""
    address = str(declared.options.get("listen") or declared.options.get("service") or "")
    if not address:
        return
    host = urlsplit(address).hostname if "://" in address else address_of(address)[0]
    if not is_loopback(host or ""):
        raise UsageError(
            f"force device '{declared.name}' is at {address}: the studio uses only devices of its "
            "own computer; use 'kinegen touch' for others"
        )


def _words(one: _Open, is_running: bool) -> str:
    # whether the mechanism runs is seen on the page
    if one.trouble not in (Trouble.FINE, Trouble.NO_DYNAMICS, Trouble.DYNAMICS_SILENT):
        return one.trouble.words
    return one.link.trouble if one.link is not None and is_running else ""


def _tip(one: _Open) -> LiveTip:
    link = one.link
    if link is None or link.place is None:
        nowhere = vec3(np.full(3, np.nan))
        return LiveTip(nowhere, nowhere, vec3(np.zeros(3)), 1.0, 0.0)
    touch = link.touch
    held = vec3(touch.place if touch.is_held else np.full(3, np.nan))
    return LiveTip(
        vec3(link.place), held, vec3(touch.force), link.firm, float(one.declared.is_push)
    )
