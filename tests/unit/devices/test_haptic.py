"""The haptic thread: packets, deadlines, silence, floods. Nothing here is decided by timing: what
must come is waited for."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import numpy as np
import pytest

from kinegen.devices import DeviceClient, HapticThread, SimulatedHand, Trouble, UdpDevice
from kinegen.devices.haptic import Lateness
from kinegen.devices.packets import PacketKind, pack, unpack
from kinegen.errors import KinegenError
from kinegen.kernels import HapticSettings
from kinegen.spatial import SO3
from tests.support.waiting import needs_thread, wait_for

pytestmark = needs_thread


def state(place: tuple[float, float, float] = (0, 0, 0), *, mode: float = 2.0) -> list[float]:
    """A point with a mass of 2 kg that stays where it is."""
    W = np.diag([0.5, 0.5, 0.5, 50.0, 50.0, 50.0]).ravel()
    rest = [0.0] * 12
    return [mode, *place, 1, 0, 0, 0, *rest, *W, 0, 0, 1, 400.0, 1.0, 4.0, 0.01, 0.0, 0.0]


class Mechanism:
    """A fake mechanism: tells the same point whenever it is asked to."""

    def __init__(self, thread: HapticThread) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.settimeout(30)
        self.address = ("127.0.0.1", thread.port)
        self.sequence = 0

    def tell(self, numbers: list[float] | None = None) -> None:
        self.sequence += 1
        data = pack(PacketKind.STATE, self.sequence, 1.0, 0.0, numbers or state())
        self.socket.sendto(data, self.address)

    def hear(self) -> tuple[float, ...]:
        packet = unpack(self.socket.recv(2048), PacketKind.HAND)
        assert packet is not None
        return packet.numbers


@pytest.fixture
def open_sockets() -> Iterator[list[socket.socket]]:
    opened: list[socket.socket] = []
    yield opened
    for one in opened:
        one.close()


def test_the_hand_feels_the_point(open_sockets: list[socket.socket]) -> None:
    hand = SimulatedHand([[0.0, 0.03, 0.0, 0.0]], stiffness=1000, damping=20)
    with HapticThread(hand) as thread:
        mechanism = Mechanism(thread)
        open_sockets.append(mechanism.socket)
        wait_for(lambda: thread.trouble is Trouble.NO_DYNAMICS)

        def is_pulled() -> bool:
            mechanism.tell()
            return bool(thread.force[0] < -0.5)

        wait_for(is_pulled)
        assert thread.trouble is Trouble.FINE
        numbers = mechanism.hear()
        assert (
            len(numbers) == 22 and numbers[21] == 3 and numbers[0] == pytest.approx(0.03, abs=0.01)
        )


def test_silence_of_the_mechanism_fades_the_force(open_sockets: list[socket.socket]) -> None:
    hand = SimulatedHand([[0.0, 0.03, 0.0, 0.0]])
    with HapticThread(hand, settings=HapticSettings(silence=0.05)) as thread:
        mechanism = Mechanism(thread)
        open_sockets.append(mechanism.socket)

        def is_felt() -> bool:
            mechanism.tell()
            return bool(thread.force.any())

        wait_for(is_felt)
        wait_for(lambda: thread.trouble is Trouble.DYNAMICS_SILENT and not thread.force.any())
        assert "fell silent" in thread.report()["trouble"]
        # it may come back, counting from the start
        mechanism.sequence = 0
        wait_for(is_felt)


def test_floods_fade_the_force(open_sockets: list[socket.socket]) -> None:
    hand = SimulatedHand([[0.0, 0.03, 0.0, 0.0]])
    with HapticThread(hand) as thread:
        mechanism = Mechanism(thread)
        open_sockets.append(mechanism.socket)

        def is_flooded() -> bool:
            for _ in range(500):
                mechanism.tell()
            return bool(thread.report()["flooded"])

        wait_for(is_flooded)
        assert thread.report()["flooded"] > 0


def test_nonsense_is_counted_and_changes_nothing(open_sockets: list[socket.socket]) -> None:
    with HapticThread() as thread:
        mechanism = Mechanism(thread)
        open_sockets.append(mechanism.socket)
        for data in (b"hello", b"KGH1" + bytes(28), pack(PacketKind.FORCE, 1, 0, 0, [0.0] * 4)):
            mechanism.socket.sendto(data, mechanism.address)
        mechanism.tell(state(mode=7.0))
        wait_for(lambda: thread.report()["bad"] == 4)
        assert thread.report()["fresh"] == 0


def test_old_and_double_packets_are_left_out(open_sockets: list[socket.socket]) -> None:
    with HapticThread(settings=HapticSettings(silence=60.0)) as thread:
        mechanism = Mechanism(thread)
        open_sockets.append(mechanism.socket)
        for sequence in (5, 5, 3, 6):
            mechanism.sequence = sequence - 1
            mechanism.tell()
        wait_for(lambda: thread.report()["fresh"] == 2 and thread.report()["old"] == 2)


def test_ticks_without_news_are_counted() -> None:
    with HapticThread() as thread:
        wait_for(lambda: thread.report()["reused"] > 20)


def test_a_device_says_where_the_hand_is_and_gets_its_force(
    open_sockets: list[socket.socket],
) -> None:
    device = UdpDevice()
    with HapticThread(device, settings=HapticSettings(silence=0.2)) as thread:
        mechanism = Mechanism(thread)
        open_sockets.append(mechanism.socket)
        wait_for(lambda: thread.trouble is Trouble.NO_DEVICE)
        client = DeviceClient(f"127.0.0.1:{device.port}")

        def is_felt() -> bool:
            mechanism.tell()
            client.send([0.0, 0.02, 0.0])
            client.receive()
            return client.force[1] < -1.0

        wait_for(is_felt)
        assert thread.hand[1] == pytest.approx(0.02)
        # gone
        wait_for(lambda: thread.trouble is Trouble.DEVICE_SILENT and not thread.force.any())
        wait_for(client.receive)

        def is_told() -> bool:
            client.receive()
            return client.trouble == Trouble.DEVICE_SILENT

        wait_for(is_told)
        client.close()


def test_a_device_that_turns_gets_a_torque(open_sockets: list[socket.socket]) -> None:
    device = UdpDevice()
    quat = SO3.exp([0.0, 0.0, 0.2]).quat.tolist()
    with HapticThread(device, settings=HapticSettings(silence=60.0)) as thread:
        mechanism = Mechanism(thread)
        open_sockets.append(mechanism.socket)
        client = DeviceClient(f"127.0.0.1:{device.port}")

        def is_felt() -> bool:
            mechanism.tell()
            client.send([0.0, 0.0, 0.0], quaternion=quat, angular_velocity=[0.0, 0.0, 0.0])
            client.receive()
            return client.torque[2] < -0.1

        wait_for(is_felt)
        assert thread.torque[2] < -0.1 and abs(client.force[0]) < 1e-6
        wait_for(lambda: mechanism.hear()[21] == 6)
        # nonsense for an orientation is no packet
        client.send([0.0, 0.0, 0.0], quaternion=[0.0] * 4, angular_velocity=[0.0] * 3)
        wait_for(lambda: thread.report()["bad"] == 1)
        # the same device without its wrist
        wait_for(lambda: bool(client.send([0.0, 0.01, 0.0]) or (thread.torque == 0).all()))
        client.close()


def test_a_flooding_device_is_found_out() -> None:
    device = UdpDevice()
    with HapticThread(device) as thread:
        client = DeviceClient(f"127.0.0.1:{device.port}")

        def is_flooded() -> bool:
            for _ in range(500):
                client.send([0.0, 0.02, 0.0])
            return bool(thread.report()["flooded"])

        wait_for(is_flooded)
        client.close()


def test_settings_change_while_it_runs(open_sockets: list[socket.socket]) -> None:
    hand = SimulatedHand([[0.0, 0.1, 0.0, 0.0]], stiffness=2000)
    with HapticThread(hand) as thread:
        mechanism = Mechanism(thread)
        open_sockets.append(mechanism.socket)
        thread.tune(force_most=1.5, reserve=10.0)

        def is_felt() -> bool:
            mechanism.tell()
            return bool(np.linalg.norm(thread.force) > 1.4)

        wait_for(is_felt)
        assert np.linalg.norm(thread.force) <= 1.5 + 1e-9


def test_a_thread_that_runs_is_not_changed() -> None:
    with HapticThread() as thread, pytest.raises(KinegenError, match="is running"):
        SimulatedHand().connect(thread)
    thread.stop()  # twice is once


def test_lateness_in_words_and_numbers() -> None:
    bins = np.zeros(101, dtype=np.int32)
    bins[[0, 3, 99]] = [98, 1, 1]
    late = Lateness(bins, 2e-3, 1e-5)
    assert late.ticks == 100
    assert late.percentile(50) == pytest.approx(1e-6)
    assert late.percentile(99) == pytest.approx(4e-6)
    assert late.percentile(100) == pytest.approx(1e-4)
    assert dict(late.rows())["< 5 µs"] == 1


def test_an_empty_thread_only_keeps_time() -> None:
    with HapticThread(is_empty=True) as thread:
        wait_for(lambda: thread.lateness.ticks > 20)
    assert thread.port == 0 and thread.report()["sent"] == 0
