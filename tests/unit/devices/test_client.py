"""The device's end of the link."""

from __future__ import annotations

import socket

import pytest

from kinegen.devices import DeviceClient, DeviceLimits, Trouble
from kinegen.devices.packets import PacketKind, pack, unpack
from kinegen.errors import UsageError
from tests.support.waiting import wait_for


def test_a_client_reports_and_takes_the_newest_force() -> None:
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


def test_no_news_is_no_force() -> None:
    """A thread that dies leaves nothing behind."""
    now = 100.0
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(30)
        client = DeviceClient(f"127.0.0.1:{server.getsockname()[1]}", clock=lambda: now)
        client.receive()
        assert client.trouble == 0
        client.send([0, 0, 0])
        _, sender = server.recvfrom(2048)
        server.sendto(pack(PacketKind.FORCE, 1, 4.0, 0.0, [7.0, 0.0, 0.0, 0.0]), sender)
        wait_for(client.receive)
        now += 0.2
        assert not client.receive() and client.force[0] == 7.0
        now += 0.1
        assert not client.receive() and client.force == (0.0, 0.0, 0.0)
        assert client.trouble == Trouble.THREAD_SILENT
        client.close()


def test_forces_beyond_the_device_are_none() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(30)
        limits = DeviceLimits(force=5.0)
        client = DeviceClient(f"127.0.0.1:{server.getsockname()[1]}", limits=limits)
        client.send([0, 0, 0])
        _, sender = server.recvfrom(2048)
        for sequence, force in enumerate(([3.0, 4.0, 0.0], [3.0, 4.1, 0.0], [0.0, 0.0, 1e9])):
            server.sendto(pack(PacketKind.FORCE, sequence, 4.0, 0.0, [*force, 0.0]), sender)
        wait_for(lambda: bool(client.receive() or client.counts["wrong"]) and client.gated == 1)
        assert client.force == (0.0, 0.0, 0.0) and client.trouble == Trouble.FORCE_REFUSED
        assert client.gate_reason.name == "TOO_LARGE"
        wait_for(lambda: client.receive() or client.counts["wrong"] == 1)
        client.close()


def test_nobody_there_is_no_error() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    client = DeviceClient(f"127.0.0.1:{port}")
    for _ in range(20):
        client.send([0, 0, 0])
        assert not client.receive()
    client.close()
    with pytest.raises(UsageError, match="silence"):
        DeviceClient("127.0.0.1:9", silence=float("nan"))
