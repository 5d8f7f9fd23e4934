"""The device's end of the link: what a driver of a real device needs to speak."""

from __future__ import annotations

import socket
import time
from collections.abc import Sequence

from kinegen.devices.device import address_of
from kinegen.devices.packets import Packet, PacketKind, is_newer, pack, unpack

__all__ = ["DeviceClient"]


class DeviceClient:
    """Sends where the handle is and takes the force on it."""

    def __init__(self, server: str) -> None:
        """Open a port; ``server``: address of the haptic thread's device port, "host:port"."""
        self._server = address_of(server)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self._sequence = 0
        self._last: Packet | None = None
        self.force: tuple[float, float, float] = (0.0, 0.0, 0.0)
        """On the hand [N]."""
        self.torque: tuple[float, float, float] = (0.0, 0.0, 0.0)
        """On the hand [N m]; of devices that say how fast they turn."""
        self.trouble = 0
        """As :class:`~kinegen.devices.haptic.Trouble`."""

    def send(
        self,
        position: Sequence[float],
        velocity: Sequence[float] = (0.0, 0.0, 0.0),
        quaternion: Sequence[float] = (1.0, 0.0, 0.0, 0.0),
        buttons: int = 0,
        *,
        angular_velocity: Sequence[float] | None = None,
    ) -> None:
        """Say where the handle is [m, m/s; wxyz].

        Args:
            position: [m]
            velocity: [m/s]
            quaternion: wxyz.
            buttons: One bit each.
            angular_velocity: World axes [rad/s]; with it, the device takes a torque as well.
        """
        self._sequence += 1
        turning = () if angular_velocity is None else angular_velocity
        numbers = [*position, *velocity, *quaternion, *turning, float(buttons)]
        kind = PacketKind.DEVICE if angular_velocity is None else PacketKind.DEVICE6
        echo = self._last.time if self._last else 0.0
        data = pack(kind, self._sequence, time.monotonic(), echo, numbers)
        self._socket.sendto(data, self._server)

    def receive(self) -> bool:
        """Take what came; whether there was a new force."""
        is_new = False
        while True:
            try:
                data = self._socket.recv(2048)
            except (BlockingIOError, ConnectionError):
                return is_new
            packet = unpack(data, PacketKind.FORCE) or unpack(data, PacketKind.FORCE6)
            if packet and (not self._last or is_newer(packet.sequence, self._last.sequence)):
                self._last = packet
                x, y, z, *torque, trouble = packet.numbers
                self.force, self.trouble, is_new = (x, y, z), int(trouble), True
                a, b, c = torque or (0.0, 0.0, 0.0)
                self.torque = (a, b, c)

    def close(self) -> None:
        """Close the port."""
        self._socket.close()
