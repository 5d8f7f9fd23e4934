"""Trackers: devices of the file whose poses come by UDP, for the page that has switched them on."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kinegen.devices.device import address_of
from kinegen.devices.key import is_loopback
from kinegen.devices.pose_packet import FORM, packet_pose
from kinegen.errors import UsageError
from kinegen.spatial.pose import SE3
from kinegen.studio.wire.messages import SwitchTracker, TrackerState

if TYPE_CHECKING:
    from kinegen.studio.session.room import Client, Room

__all__ = ["Trackers"]

RELAY = 1 / 90
"""[s] Poses are passed on at most this often: headsets draw no more."""
SILENCE = 0.25
"""[s] A tracker that sends nothing for so long is lost: what it moves stays where it is."""
HERE = "127.0.0.1"


class Trackers:
    """The trackers of a room that are on, by name. All methods run in the event loop."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._open: dict[str, _Tracker] = {}

    async def switch(self, client: Client, message: SwitchTracker) -> None:
        """Listen for a tracker, or no longer; UsageError says why that is not possible."""
        name = message.name
        if not message.on:
            self._close(name)
            return
        place = self._declared().get(name)
        if place is None:
            known = ", ".join(self._declared()) or "none"
            raise UsageError(
                f"the file declares no tracker '{name[:60]}' with a port; such trackers: {known}"
            )
        there = self._open.get(name)
        if there is not None and there.client is not client:
            raise UsageError(f"tracker '{name}' already moves the mechanism in another page")
        if there is None:
            host, port = _address(name, place)
            made = _Tracker(name, client, place)
            self._open[name] = made
            loop = asyncio.get_running_loop()
            try:
                await loop.create_datagram_endpoint(lambda: made, local_addr=(host, port))
            except OSError as error:
                self._open.pop(name, None)
                raise UsageError(
                    f"tracker '{name}': cannot listen on {host}:{port}: {error.strerror or error}"
                ) from None
        self._open[name].show()

    def changed(self) -> None:
        """The mechanism changed: trackers that it no longer declares, or elsewhere, are off."""
        declared = self._declared()
        for name, one in [*self._open.items()]:
            if declared.get(name) != one.place:
                self._close(name)

    def left(self, client: Client) -> None:
        """A page is gone, and its trackers with it."""
        for name, one in [*self._open.items()]:
            if one.client is client:
                self._close(name)

    def close(self) -> None:
        """Listen no more."""
        for name in [*self._open]:
            self._close(name)

    def _declared(self) -> dict[str, str]:
        """Where trackers of the file send to, by name."""
        rows = self._room.session.work.devices
        return {row.name: row.port for row in rows if row.type == "tracker" and row.port}

    def _close(self, name: str) -> None:
        one = self._open.pop(name, None)
        if one is not None:
            one.end()


@dataclass(slots=True, eq=False)
class _Tracker(asyncio.DatagramProtocol):
    """One tracker, and the port on which its packets come."""

    name: str
    client: Client
    place: str
    """As the file has it."""
    _transport: asyncio.DatagramTransport | None = None
    _pose: SE3 | None = None
    _is_bad: bool = False
    """Whether the last packet was no pose."""
    _heard: float = -math.inf
    _shown: float = -math.inf
    """[s, loop time]"""
    _timer: asyncio.TimerHandle | None = None
    _silence: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """The port is open."""
        self._transport = transport

    def datagram_received(self, data: bytes, addr: Any) -> None:
        """A packet: the latest is passed on when its turn comes."""
        found = packet_pose(data)
        self._is_bad = found is None
        loop = asyncio.get_running_loop()
        if found is not None:
            self._pose, self._heard = found, loop.time()
            if self._silence is None:
                self._silence = loop.call_later(SILENCE, self._listen)
        if self._timer is None:
            due = max(self._shown + RELAY, loop.time())
            self._timer = loop.call_at(due, self.show)

    def error_received(self, exc: Exception) -> None:
        """Nothing is sent, so nothing of it can fail."""

    def show(self) -> None:
        """Send the page its state."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        self._shown = asyncio.get_running_loop().time()
        pose = self._pose
        trouble = ""
        if pose is None:
            trouble = "no packets yet" if self._heard == -math.inf else "no packets any more"
            trouble = f"the last packet is no pose: {FORM}" if self._is_bad else trouble
        self._send(self._port, None if pose is None else pose.pose.tolist(), trouble)

    def end(self) -> None:
        """Close the port."""
        for timer in (self._timer, self._silence):
            if timer is not None:
                timer.cancel()
        self._timer = self._silence = None
        if self._transport is not None:
            self._transport.close()
        self._send(0, None, "")

    def _listen(self) -> None:
        """Look whether packets still come."""
        loop = asyncio.get_running_loop()
        due = self._heard + SILENCE
        if due > loop.time():
            self._silence = loop.call_at(due, self._listen)
            return
        self._silence, self._pose = None, None
        self.show()

    @property
    def _port(self) -> int:
        if self._transport is None:
            return 0
        return int(self._transport.get_extra_info("sockname")[1])

    def _send(self, port: int, pose: Any, trouble: str) -> None:
        state = TrackerState(self.name, port, None if pose is None else tuple(pose), trouble)
        self.client.outbox.put(state, key=self.name)


def _address(name: str, place: str) -> tuple[str, int]:
    """Host and port of ``[HOST:]PORT``, on this computer."""
    host, port = address_of(place if ":" in place else f"{HERE}:{place}")
    if not is_loopback(host):
        raise UsageError(
            f"tracker '{name}' sends to {place}: the studio listens on its own computer only; "
            f"use {HERE}:{port}, and a program there that passes packets on"
        )
    return host, port
