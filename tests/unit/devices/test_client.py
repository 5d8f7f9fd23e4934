"""The device's end of the link."""

from __future__ import annotations

import socket

from kinegen.devices import DeviceClient
from kinegen.devices.packets import PacketKind, pack, unpack
from tests.support.waiting import wait_for


def test_a_client_tells_and_takes_the_newest_force() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(30)
        client = DeviceClient(f"127.0.0.1:{server.getsockname()[1]}")
        client.send([1, 2, 3], buttons=5)
        data, sender = server.recvfrom(2048)
        packet = unpack(data, PacketKind.DEVICE)
        assert packet is not None
        assert packet.numbers == (1, 2, 3, 0, 0, 0, 1, 0, 0, 0, 5)
        for sequence, force in ((2, 7.0), (1, 9.0)):
            numbers = [force, 0.0, 0.0, 0.0]
            server.sendto(pack(PacketKind.FORCE, sequence, 4.0, 0.0, numbers), sender)
        server.sendto(b"nonsense", sender)
        wait_for(client.receive)
        client.receive()
        assert client.force == (7.0, 0.0, 0.0)
        client.send([1, 2, 3])
        packet = unpack(server.recv(2048), PacketKind.DEVICE)
        assert packet is not None and packet.echo == 4.0 and packet.sequence == 2
        client.close()
