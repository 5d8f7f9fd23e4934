"""The device's end of the link: what a driver of a real device needs to speak."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Sequence

import numpy as np

from kinegen.devices.device import DeviceLimits, Trouble, address_of
from kinegen.devices.key import key_of, require_key
from kinegen.devices.packets import Packet, PacketKind
from kinegen.devices.session import SILENCE, Session
from kinegen.errors import UsageError
from kinegen.kernels import GateReason, Heard, haptic_gate

__all__ = ["DeviceClient"]

MOST_PER_CALL = 256
"""Packets that are read at a time: a flood does not keep a driver from its motors."""


class DeviceClient:
    """Sends the position of the handle and receives the force on it.

    The force is zero unless it is known to be valid: it is zero before the first packet, when the
    haptic thread is silent, and when a packet exceeds the limits of the device.
    """

    def __init__(
        self,
        server: str,
        *,
        key: bytes | str | None = None,
        limits: DeviceLimits | None = None,
        silence: float = SILENCE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Open a port.

        Args:
            server: Address of the haptic thread's device port, "host:port".
            key: What both ends know; needed when the thread is on another machine. None: that of
                the environment variable KINEGEN_HAPTIC_KEY, if any.
            limits: Largest force and torque of the device.
            silence: Time without a force after which there is none [s].
            clock: [s]
        """
        if not 0 < silence <= 10:
            raise UsageError(f"silence must be a positive time of at most 10 s, got {silence!r}")
        host, port = address_of(server)
        found = key_of(key)
        require_key(found, host)
        self._clock, self._silence = clock, silence
        self._settings = (limits or DeviceLimits()).settings
        self._session = Session(PacketKind.FORCE, PacketKind.FORCE6, key=found, peer="server")
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            # the system itself leaves out packets of others
            self._socket.connect((host, port))
        except OSError as error:
            self._socket.close()
            raise UsageError(f"the haptic thread at {server} cannot be reached: {error}") from error
        self._socket.setblocking(False)
        self.force: tuple[float, float, float] = (0.0, 0.0, 0.0)
        """On the hand [N]."""
        self.torque: tuple[float, float, float] = (0.0, 0.0, 0.0)
        """On the hand [N m]; of devices that say how fast they turn."""
        self.trouble = 0
        """As :class:`~kinegen.devices.device.Trouble`."""
        self.gated = 0
        """Forces that were refused because they were beyond the limits."""
        self.gate_reason = GateReason.OPEN
        """Why, the last time."""

    def send(
        self,
        position: Sequence[float],
        *,
        velocity: Sequence[float] = (0.0, 0.0, 0.0),
        quaternion: Sequence[float] = (1.0, 0.0, 0.0, 0.0),
        buttons: int = 0,
        angular_velocity: Sequence[float] | None = None,
    ) -> None:
        """Send the position of the handle [m, m/s; wxyz].

        Args:
            position: [m]
            velocity: [m/s]
            quaternion: wxyz.
            buttons: One bit each.
            angular_velocity: World axes [rad/s]; if given, the device receives a torque as well.
        """
        turning = () if angular_velocity is None else angular_velocity
        numbers = [*position, *velocity, *quaternion, *turning, float(buttons)]
        kind = PacketKind.DEVICE if angular_velocity is None else PacketKind.DEVICE6
        data = self._session.seal(kind, self._clock(), numbers)
        try:
            self._socket.send(data)
        except OSError:
            pass  # nobody there, or no network: a lost packet, as any may be

    def receive(self) -> bool:
        """Read the packets that arrived; True if there was a new force. Call it in every cycle."""
        now, is_new = self._clock(), False
        for _ in range(MOST_PER_CALL):
            try:
                data = self._socket.recv(2048)
            except ConnectionError:
                continue  # of a packet that was sent before
            except OSError:
                break
            packet = self._session.open(data, "server", now)
            if packet is not None:
                self._take(packet)
                is_new = True
        self._session.watch(now)
        if not is_new and now - self._session.last_at > self._silence:
            self.force = self.torque = (0.0, 0.0, 0.0)
            if self._session.last is not None:
                self.trouble = Trouble.THREAD_SILENT
        return is_new

    def _take(self, packet: Packet) -> None:
        *felt, trouble = packet.numbers
        wanted = np.array([*felt, 0.0, 0.0, 0.0][:6])
        left, reason = haptic_gate(wanted, np.zeros(6), self._settings)
        x, y, z, a, b, c = left.tolist()
        self.force, self.torque, self.trouble = (x, y, z), (a, b, c), int(trouble)
        if reason:
            self.gated, self.gate_reason = self.gated + 1, GateReason(reason)
            self.trouble = Trouble.FORCE_REFUSED

    @property
    def counts(self) -> dict[str, int]:
        """Counts of all packets so far, by the names of ``kinegen.kernels.Heard``."""
        return {heard.name.lower(): self._session.counts[heard] for heard in Heard}

    def close(self) -> None:
        """Close the port."""
        self._socket.close()
