"""The haptic thread: packets, deadlines, silence, floods. Nothing here is decided by timing: what
must come is waited for."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

from kinegen.devices import (
    DeviceClient,
    DeviceLimits,
    HapticThread,
    SimulatedHand,
    Trouble,
    UdpDevice,
)
from kinegen.devices.haptic import Lateness
from kinegen.devices.packets import PacketKind, pack, unpack
from kinegen.devices.session import Session
from kinegen.errors import KinegenError, UsageError
from kinegen.kernels import HapticSettings
from kinegen.spatial.rotation import SO3
from tests.support.waiting import needs_thread, wait_for

pytestmark = needs_thread


def state(place: tuple[float, float, float] = (0, 0, 0), *, mode: float = 2.0) -> list[float]:
    """A point with a mass of 2 kg that stays where it is."""
    W = np.diag([0.5, 0.5, 0.5, 50.0, 50.0, 50.0]).ravel()
    rest = [0.0] * 12
    return [mode, *place, 1, 0, 0, 0, *rest, *W, 0, 0, 1, 400.0, 1.0, 4.0, 0.01, 0.0, 0.0]


class Mechanism:
    """A fake mechanism: reports the same point on every request."""

    def __init__(self, thread: HapticThread) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.settimeout(30)
        self.address = ("127.0.0.1", thread.port)
        self.sequence = 0

    def report(self, numbers: list[float] | None = None) -> None:
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
            mechanism.report()
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
            mechanism.report()
            return bool(thread.force.any())

        wait_for(is_felt)
        wait_for(lambda: thread.trouble is Trouble.DYNAMICS_SILENT and not thread.force.any())
        assert "stopped sending" in thread.report().trouble
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
                mechanism.report()
            return bool(thread.report().flooded)

        wait_for(is_flooded)
        assert thread.report().flooded > 0


def test_nonsense_is_counted_and_changes_nothing(open_sockets: list[socket.socket]) -> None:
    with HapticThread() as thread:
        mechanism = Mechanism(thread)
        open_sockets.append(mechanism.socket)
        for data in (b"hello", b"KGH1" + bytes(28), pack(PacketKind.FORCE, 1, 0, 0, [0.0] * 4)):
            mechanism.socket.sendto(data, mechanism.address)
        mechanism.report(state(mode=7.0))
        wait_for(lambda: thread.report().bad == 3 and thread.report().wrong == 1)
        assert thread.report().fresh == 0 and thread.report().wrong_field == "mode"


def test_old_and_double_packets_are_left_out(open_sockets: list[socket.socket]) -> None:
    with HapticThread(settings=HapticSettings(silence=60.0)) as thread:
        mechanism = Mechanism(thread)
        open_sockets.append(mechanism.socket)
        for sequence in (5, 5, 3, 6):
            mechanism.sequence = sequence - 1
            mechanism.report()
        wait_for(lambda: thread.report().fresh == 2 and thread.report().old == 2)


def test_ticks_without_news_are_counted() -> None:
    with HapticThread() as thread:
        wait_for(lambda: thread.report().reused > 20)


def test_a_device_says_where_the_hand_is_and_gets_its_force(
    open_sockets: list[socket.socket],
) -> None:
    device = UdpDevice()
    with HapticThread(device, settings=HapticSettings(silence=0.2, horizon=0.2)) as thread:
        mechanism = Mechanism(thread)
        open_sockets.append(mechanism.socket)
        wait_for(lambda: thread.trouble is Trouble.NO_DEVICE)
        client = DeviceClient(f"127.0.0.1:{device.port}")

        def is_felt() -> bool:
            mechanism.report()
            client.send([0.0, 0.02, 0.0])
            client.receive()
            return client.force[1] < -1.0

        wait_for(is_felt)
        assert thread.hand[1] == pytest.approx(0.02)
        # gone
        wait_for(lambda: thread.trouble is Trouble.DEVICE_SILENT and not thread.force.any())
        wait_for(client.receive)

        def is_reported() -> bool:
            client.receive()
            return client.trouble == Trouble.DEVICE_SILENT

        wait_for(is_reported)
        client.close()


def test_a_device_that_turns_gets_a_torque(open_sockets: list[socket.socket]) -> None:
    device = UdpDevice()
    quat = SO3.exp([0.0, 0.0, 0.2]).quat.tolist()
    with HapticThread(device, settings=HapticSettings(silence=60.0, horizon=1.0)) as thread:
        mechanism = Mechanism(thread)
        open_sockets.append(mechanism.socket)
        client = DeviceClient(f"127.0.0.1:{device.port}")

        def is_felt() -> bool:
            mechanism.report()
            client.send([0.0, 0.0, 0.0], quaternion=quat, angular_velocity=[0.0, 0.0, 0.0])
            client.receive()
            return client.torque[2] < -0.1

        wait_for(is_felt)
        assert thread.torque[2] < -0.1 and abs(client.force[0]) < 1e-6
        wait_for(lambda: mechanism.hear()[21] == 6)
        # nonsense for an orientation is no packet
        client.send([0.0, 0.0, 0.0], quaternion=[0.0] * 4, angular_velocity=[0.0] * 3)
        wait_for(lambda: thread.report().wrong == 1)
        assert thread.report().wrong_field == "orientation"
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
            return bool(thread.report().flooded)

        wait_for(is_flooded)
        client.close()


def test_settings_change_while_it_runs(open_sockets: list[socket.socket]) -> None:
    hand = SimulatedHand([[0.0, 0.1, 0.0, 0.0]], stiffness=2000)
    with HapticThread(hand) as thread:
        mechanism = Mechanism(thread)
        open_sockets.append(mechanism.socket)
        thread.tune(force_most=1.5, reserve=10.0)

        def is_felt() -> bool:
            mechanism.report()
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
    assert late.histogram()["< 5 µs"] == 1


def test_an_empty_thread_only_keeps_time() -> None:
    with HapticThread(is_empty=True) as thread:
        wait_for(lambda: thread.lateness.ticks > 20)
    assert thread.port == 0 and thread.report().sent == 0


KEY = b"a key of the test"


def test_strangers_are_counted_and_not_heard(open_sockets: list[socket.socket]) -> None:
    hand = SimulatedHand([[0.0, 0.03, 0.0, 0.0]])
    with HapticThread(hand, settings=HapticSettings(silence=60.0)) as thread:
        mechanism, stranger = Mechanism(thread), Mechanism(thread)
        open_sockets += [mechanism.socket, stranger.socket]
        mechanism.report()
        wait_for(lambda: thread.report().fresh == 1)
        stranger.sequence = 2**31 - 2
        stranger.report(state((1.0, 0, 0)))
        wait_for(lambda: thread.report().strangers == 1)
        mechanism.report()
        wait_for(lambda: thread.report().fresh == 2)
        assert mechanism.hear()  # answers still go to the first
        stranger.socket.setblocking(False)
        with pytest.raises(BlockingIOError):
            stranger.socket.recv(2048)


def test_a_mechanism_with_the_key_is_heard_and_others_are_not(
    open_sockets: list[socket.socket],
) -> None:
    hand = SimulatedHand([[0.0, 0.03, 0.0, 0.0]])
    with HapticThread(hand, key=KEY) as thread:
        mechanism = Mechanism(thread)  # without a key
        open_sockets.append(mechanism.socket)
        mechanism.report()
        wait_for(lambda: thread.report().unproven == 1)
        session = Session(PacketKind.HAND, key=KEY)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as port:
            port.connect(mechanism.address)
            port.setblocking(False)
            recorded: list[bytes] = []

            def is_felt() -> bool:
                recorded.append(session.seal(PacketKind.STATE, 1.0, state()))
                port.send(recorded[-1])
                now = time.monotonic()
                while True:
                    try:
                        session.open(port.recv(2048), "thread", now)
                    except BlockingIOError:
                        break
                return bool(thread.force.any())

            wait_for(is_felt)
            assert thread.report().waiting > 0  # greetings
            # the same words again, from the same address
            before = thread.report()
            for data in recorded:
                port.send(data)

            def are_refused() -> bool:
                now = thread.report()
                heard = now.old - before.old + now.waiting - before.waiting
                return heard >= len(recorded)

            wait_for(are_refused)
            assert thread.report().fresh <= len(recorded)
    # and to the next session
    with HapticThread(hand, key=KEY) as thread:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as port:
            port.connect(("127.0.0.1", thread.port))
            for data in recorded:
                port.send(data)
            wait_for(lambda: thread.report().waiting == len(recorded))
        assert thread.report().fresh == 0 and not thread.force.any()


def test_a_device_with_the_key_feels(open_sockets: list[socket.socket]) -> None:
    device = UdpDevice(key=KEY)
    with HapticThread(device, settings=HapticSettings(silence=60.0, horizon=1.0)) as thread:
        mechanism = Mechanism(thread)
        open_sockets.append(mechanism.socket)
        client, liar = (DeviceClient(f"127.0.0.1:{device.port}", key=key) for key in (KEY, b""))

        def is_felt() -> bool:
            mechanism.report()
            client.send([0.0, 0.02, 0.0])
            liar.send([0.0, -0.02, 0.0])
            client.receive()
            return client.force[1] < -1.0

        wait_for(is_felt)
        report = thread.report()
        assert report.unproven + report.strangers > 0 and thread.hand[1] > 0
        assert not liar.receive() and client.counts["new"] > 0
        for one in (client, liar):
            one.close()


def test_a_thread_that_ends_takes_its_force_along(open_sockets: list[socket.socket]) -> None:
    device = UdpDevice()
    client: DeviceClient | None = None
    with HapticThread(device, settings=HapticSettings(silence=60.0, horizon=1.0)) as thread:
        mechanism = Mechanism(thread)
        open_sockets.append(mechanism.socket)
        client = DeviceClient(f"127.0.0.1:{device.port}")

        def is_felt() -> bool:
            assert client is not None
            mechanism.report()
            client.send([0.0, 0.02, 0.0])
            client.receive()
            return client.force[1] < -1.0

        wait_for(is_felt)
    client.receive()
    assert client.force == (0.0, 0.0, 0.0) and client.trouble == Trouble.STOPPED
    assert not thread.force.any()
    client.close()


def test_a_hand_that_jumps_starts_from_nothing(open_sockets: list[socket.socket]) -> None:
    device = UdpDevice()
    with HapticThread(device, settings=HapticSettings(silence=60.0, horizon=1.0)) as thread:
        mechanism = Mechanism(thread)
        open_sockets.append(mechanism.socket)
        client = DeviceClient(f"127.0.0.1:{device.port}")
        place = 0.0

        def has_jumped() -> bool:
            nonlocal place
            place = 5.0 - place
            mechanism.report()
            client.send([place, 0.0, 0.0])
            client.receive()
            return bool(thread.report().jumps > 0)

        wait_for(has_jumped)
        assert thread.energy <= 0  # a jump gives no credit
        client.close()


def test_limits_of_a_device_hold_whatever_the_settings_say(
    open_sockets: list[socket.socket],
) -> None:
    hand = SimulatedHand([[0.0, 0.1, 0.0, 0.0]], stiffness=2000)
    hand.limits = DeviceLimits(force=1.5, force_rate=100.0)  # type: ignore[attr-defined]
    with HapticThread(hand, settings=HapticSettings(reserve=10.0)) as thread:
        assert thread.settings.force_most == 1.5 and thread.settings.force_rate == 100.0
        thread.tune(force_most=50.0)
        assert thread.settings.force_most == 1.5
        mechanism = Mechanism(thread)
        open_sockets.append(mechanism.socket)

        def is_felt() -> bool:
            mechanism.report()
            return bool(np.linalg.norm(thread.force) > 1.4)

        wait_for(is_felt)
        assert np.linalg.norm(thread.force) <= 1.5 + 1e-6 and thread.report().gated == 0


@pytest.mark.parametrize("name", HapticSettings._fields)
def test_settings_make_sense(name: str) -> None:
    for value in (
        float("nan"),
        -1.0,
        1e300 if name not in {"force_rate", "torque_rate"} else -1e300,
    ):
        with pytest.raises(UsageError, match=f"haptic setting {name}"):
            HapticThread(settings=HapticSettings()._replace(**{name: value}))
    with HapticThread() as thread, pytest.raises(UsageError, match=f"haptic setting {name}"):
        thread.tune(**{name: float("nan")})


def test_what_makes_a_hand_unsafe_is_refused() -> None:
    with pytest.raises(UsageError, match="a thread is always passive"):
        HapticThread(settings=HapticSettings(is_passive=0.0))
    with pytest.raises(UsageError, match="specify a key"):
        HapticThread(settings=HapticSettings(supply_most=1.0))
    HapticThread(settings=HapticSettings(supply_most=1.0), key=KEY)
    with pytest.raises(UsageError, match="awake"):
        HapticThread(awake=float("nan"))
    with pytest.raises(UsageError, match="force_most"):
        DeviceLimits(force=float("nan"))


def test_starting_and_stopping_from_many_threads() -> None:
    thread = HapticThread()
    refused: list[Exception] = []

    def play() -> None:
        for _ in range(5):
            try:
                thread.start()
            except UsageError as error:
                refused.append(error)
            thread.loop.stop()

    players = [threading.Thread(target=play) for _ in range(4)]
    for player in players:
        player.start()
    for player in players:
        player.join(30)
    assert not any(player.is_alive() for player in players)
    thread.stop()
    assert not thread.loop.is_running
    assert all("is running" in str(error) for error in refused)


def test_a_mechanism_that_is_not_there_is_no_error() -> None:
    """Packets to a closed port come back as errors of the socket."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    with HapticThread(dynamics=f"127.0.0.1:{port}") as thread:
        wait_for(lambda: thread.report().sent > 50)
        assert thread.trouble is Trouble.NO_DYNAMICS
