"""Hostile mechanisms, devices and strangers: nothing unsafe reaches a hand."""

from __future__ import annotations

import math
import socket
import struct
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

import kinegen as kg
from kinegen.devices import HapticThread, UdpDevice
from kinegen.devices.packets import COUNTS, PacketKind, pack, unpack
from kinegen.kernels import BoundHapticPoint, Floats, HapticSettings, haptic_point
from kinegen.kernels.reference.haptic.bound import HapticPoint as Reference
from kinegen.spatial.rotation import SO3
from tests.support.haptic_network import World
from tests.support.hostile_numbers import NASTY, spoiled, state
from tests.support.waiting import needs_thread, wait_for

SETTINGS = HapticSettings()
STEP = SETTINGS.step
ALLOWED = SETTINGS.reserve * 1.05
"""The ledger looks one tick ahead with the lightest hand: what it errs by."""
LIE = 0.01
"""A device that lies about its place is found out when its account is overdrawn by so much [J];
then it gets nothing for 1 s, the next time for 2 s, 4 s, …"""


GENEROUS = HapticSettings(reserve=10.0, silence=10.0)
"""For forces, not for energies."""


def points() -> list[BoundHapticPoint]:
    """The kernels that are in use, and the NumPy twin."""
    return [haptic_point(GENEROUS), Reference(GENEROUS.numbers)]


def is_safe(force: Floats) -> bool:
    f, t = force[:3], force[3:]
    limits = np.linalg.norm(f) <= SETTINGS.force_most + 1e-6
    return bool(np.isfinite(force).all() and limits and np.linalg.norm(t) <= 1 + 1e-6)


def test_no_word_and_no_hand_makes_an_unsafe_force(effort: int) -> None:
    for index, seed in product(range(2), range(effort)):
        rng = np.random.default_rng(seed)
        point, rounds = points()[index], (3000, 400)[index]
        felt = refused = 0
        for i in range(rounds):
            now = 1 + STEP * i
            sent = spoiled(state(0.1 * rng.normal(size=3), mode=1.0 + i // 500 % 2), rng)
            echo = float(rng.choice([0.0, now, *NASTY]))
            sequence = int(rng.choice([i, i, i, 0, 2**31, 2**32 - 1]))
            point.hear(sequence, now if i % 50 else float(rng.choice(NASTY)), echo, sent)
            hand = 1e-3 * rng.normal(size=13)
            hand[3:7] = SO3.exp(hand[3:6]).quat
            hand = spoiled(hand, rng) if rng.random() < 0.05 else hand
            force = point.tick(now, hand[:3], hand[3:7], hand[7:], False)
            assert is_safe(force), (i, force, sent, hand)
            felt += bool(force.any())
            refused += not force.any()
        _, field, gated, reason, _ = point.refusals()
        assert felt > rounds // 50 and refused > 0
        assert field > 0 and gated > 0 and reason > 0


class Hand:
    """A real hand: a mass, held by a spring to a place that moves."""

    def __init__(self, mass: float = 0.2, stiffness: float = 20.0) -> None:
        self.mass, self.stiffness = mass, stiffness
        self.x, self.v, self.force = np.zeros(3), np.zeros(3), np.zeros(3)
        self.got = self.most = 0.0

    def step(self, goal: float) -> None:
        pull = self.force + self.stiffness * (np.array([goal, 0, 0]) - self.x)
        self.v = (self.v + STEP * pull / self.mass) / (1 + STEP * 0.5 / self.mass)
        way = STEP * self.v
        self.x = self.x + way
        self.got += float(self.force @ way)
        self.most = max(self.most, self.got)


Sender = Callable[[int], tuple[int, Floats]]


def jumping(i: int) -> Floats:
    """A place that comes and goes: it tears at the hand."""
    return np.array([0.1 * math.copysign(1, math.sin(i / 40)), 0, 0])


MECHANISMS: dict[str, Sender] = {
    "says that it gives": lambda i: (i, state(jumping(i), energy=-1.0 * i)),
    "gives and takes": lambda i: (i, state(jumping(i), energy=1e3 * math.sin(i))),
    "lets go and takes hold": lambda i: (
        i,
        state(jumping(i), mode=2.0 * (i // 3 % 2), energy=-10.0 * i),
    ),
    "changes its kind": lambda i: (i, state(jumping(i), mode=1.0 + i % 2, energy=-1e5 * (i % 2))),
    "runs ahead": lambda i: (i * 2**27, state(jumping(i), energy=-1.0 * i)),
    "counts back": lambda i: (2**32 - 1 - i, state(jumping(i), energy=-1.0 * i)),
    "repeats": lambda i: (i // 300 * 100 + i % 100, state(jumping(i), energy=-1.0 * i)),
    "falls silent": lambda i: (
        (i, state(jumping(i), energy=-1.0 * i)) if i % 400 < 100 else (0, np.full(65, np.nan))
    ),
    "is stiff": lambda i: (i, state(jumping(i), stiffness=1e7, damping=0.0, energy=-1.0 * i)),
    "is viscous": lambda i: (i, state(jumping(i), stiffness=0.0, damping=1e6, energy=-1.0 * i)),
    "is far away": lambda i: (i, state(1e4 * jumping(i), energy=-1e6)),
}


@pytest.mark.parametrize("name", MECHANISMS)
def test_no_mechanism_gives_a_hand_more_than_the_reserve(name: str, effort: int) -> None:
    for mass in (0.1, 0.5):
        point, hand = haptic_point(SETTINGS), Hand(mass)
        for i in range(1500 * effort):
            now = 1 + STEP * i
            sequence, sent = MECHANISMS[name](i)
            point.hear(sequence % 2**32, now, now - 0.01 * (i % 7), sent)
            hand.step(0.03 * math.sin(i / 200))
            hand.force = point.tick(now, hand.x, None, hand.v, False)
        assert hand.most <= ALLOWED, (name, mass)
        assert point.counts()[1] > 0


def test_a_mechanism_that_may_supply_power_supplies_no_more(effort: int) -> None:
    power = 2.0
    point, hand = haptic_point(SETTINGS._replace(supply_most=power)), Hand()
    for i in range(1500 * effort):
        now = 1 + STEP * i
        point.hear(i % 2**32, now, 0.0, state(jumping(i), energy=-1.0 * i))
        hand.step(0.0)
        hand.force = point.tick(now, hand.x, None, hand.v, False)
        assert hand.most <= ALLOWED + power * STEP * (i + 1)
    assert hand.most > 10 * ALLOWED  # it does supply


def test_clocks_that_leap_hold_no_force(effort: int) -> None:
    for point in points():
        for leap in (1e6, -1e6, 1e300, math.nan, math.inf):
            point.hear(1, 1.0, 0.0, state((0.05, 0, 0)))
            point.hear(2, 1.0 + leap, 0.0, state((0.05, 0, 0)))
            forces = [
                point.tick(2.0 + STEP * i, np.zeros(3), None, np.zeros(3), False)
                for i in range(600)
            ]
            assert all(map(is_safe, forces)) and not forces[-1].any()


Claim = Callable[[int, Hand], tuple[Floats, Floats]]


def against(hand: Hand) -> Floats:
    return -np.sign(hand.force + 1e-12) * np.array([1.0, 0, 0])


DEVICES: dict[str, Claim] = {
    "is right": lambda i, h: (h.x, h.v),
    "says that it moves against the force": lambda i, h: (h.x, 9 * against(h)),
    "says that it stands": lambda i, h: (h.x, np.zeros(3)),
    "teleports": lambda i, h: (h.x + (i % 2) * np.ones(3), h.v),
    "teleports against the force": lambda i, h: (h.x + (i % 2) * against(h), h.v),
    "trembles": lambda i, h: (h.x + 0.005 * (i % 2) * against(h), h.v),
    "trembles at times": lambda i, h: (h.x + 0.02 * (i % 50 == 0) * against(h), 9 * against(h)),
    "is nowhere": lambda i, h: (h.x * (math.nan if i % 5 else 1.0), h.v),
}


@pytest.mark.parametrize("name", DEVICES)
def test_no_device_that_lies_gets_far(name: str, effort: int) -> None:
    """Energy on the real hand while the device says something else."""
    for stiffness, damping in ((400.0, 4.0), (3000.0, 0.0), (0.0, 40.0)):
        point, hand = haptic_point(SETTINGS), Hand()
        for i in range(1500 * effort):
            now = 1 + STEP * i
            place = 0.05 * math.copysign(1, math.sin(i / 30))
            sent = state((place, 0, 0), stiffness=stiffness, damping=damping)
            point.hear(i % 2**32, now, 0.0, sent)
            hand.step(0.03 * math.sin(i / 200))
            x, v = DEVICES[name](i, hand)
            hand.force = point.tick(now, x, None, v, False)
        lies = 0 if name in {"is right", "says that it stands"} else math.log2(2 + STEP * i)
        assert hand.most <= ALLOWED + lies * LIE, (name, stiffness)


@pytest.mark.parametrize("ahead", [2**31 - 1, 2**31 + 5, 10**6, 200, 20, 2])
@pytest.mark.parametrize("jump", [0.3, 0.1])
def test_forged_numbers_neither_silence_the_hand_nor_feed_the_arm(ahead: int, jump: float) -> None:
    simulation = kg.Simulation(kg.load("arm-6"), gravity=(0, 0, 0), record=0)
    pull = simulation.pull("tool", stiffness=1000, damping=2.0)
    world = World(simulation, pull)
    world.run(0.1, np.zeros(3))
    most = 0.0
    for j in range(40):
        way, load = jump * (-1) ** j, 500.0 * (-1) ** j
        numbers = [way, 0, 0, 0, 0, 0, 1, *[0] * 6, load, *[0] * 5, 1e6, 0, 3]
        forged = pack(PacketKind.HAND, world.sequence + ahead, world.now, 0.0, numbers)
        world.there.send(forged, world.now)
        world.run(0.01, np.zeros(3))
        most = max(most, pull.energy)
    genuine = world.link.heard - 100
    # a number that is believed makes the hand's own old for 16 packets at most
    assert genuine >= (399 if ahead > 256 else 350 if ahead < 10 else 120)
    # numbers that are believed at all are those of the next few packets: 5 reserves
    assert most <= (0.0 if ahead > 256 else 0.05) + SETTINGS.reserve
    assert max(world.energies) <= ALLOWED
    heard = world.link.heard
    world.run(0.1, np.zeros(3))
    assert world.link.heard >= heard + 80 and world.link.trouble == ""


def test_a_zero_quaternion_is_counted_not_raised() -> None:
    simulation = kg.Simulation(kg.load("arm-6"), gravity=(0, 0, 0), record=0)
    at = kg.pose(simulation.model, simulation.engine.q, "tool")
    world = World(simulation, simulation.pull("tool", target=at), turns=True)
    world.run(0.02, np.zeros(3))
    for j, quat in enumerate(([0.0] * 4, [5e-324] * 4, [1e-200] * 4, [1e200] * 4, [10.0] * 4)):
        numbers = [0.0] * 6 + quat + [0.0] * 11 + [6.0]
        data = pack(PacketKind.HAND, world.sequence + 1 + j, world.now, 0.0, numbers)
        world.there.send(data, world.now)
    world.run(0.02, np.zeros(3))
    assert world.link.bad == 5 and world.link.session.wrong_field.name == "ORIENTATION"
    assert world.link.trouble == "" and simulation.is_running


def test_random_bytes_are_no_packets(effort: int) -> None:
    simulation = kg.Simulation(kg.load("arm-6"), gravity=(0, 0, 0), record=0)
    world = World(simulation, simulation.pull("tool"))
    rng = np.random.default_rng(3)
    for i in range(200 * effort):
        kind = PacketKind(int(rng.integers(1, 7)))
        numbers = spoiled(rng.normal(size=COUNTS[kind]), rng)
        data = bytearray(pack(kind, i, 1.0, 0.0, numbers.tolist()))
        match rng.integers(5):
            case 0:
                struct.pack_into("<H", data, 6, int(rng.choice([0, 65535, 71, 73, 8191])))
            case 1:
                data = data[: rng.integers(len(data))]
            case 2:
                data += rng.bytes(int(rng.integers(1, 1500)))
            case 3:
                data = bytearray(rng.bytes(int(rng.integers(0, 700))))
            case _:
                data[int(rng.integers(len(data)))] ^= int(rng.integers(1, 256))
        world.there.send(bytes(data), world.now)
        if i % 20 == 0:
            world.run(STEP, np.zeros(3))
    world.run(0.05, np.zeros(3))
    assert simulation.is_running and world.link.bad > 100
    assert max(world.energies) <= ALLOWED


@needs_thread
def test_no_packet_of_the_thread_holds_an_unsafe_force(effort: int) -> None:
    """Fuzzed STATE and DEVICE to a real thread, and every FORCE that it sends."""
    device = UdpDevice()
    rng = np.random.default_rng(11)
    settings = HapticSettings(silence=60.0, horizon=1.0, reserve=100.0)
    with (
        HapticThread(device, settings=settings) as thread,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as mechanism,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle,
    ):
        handle.setblocking(False)
        mechanism.connect(("127.0.0.1", thread.port))
        handle.connect(("127.0.0.1", device.port))
        felt, sequence, enough = 0, 0, 0

        def is_enough() -> bool:
            nonlocal felt, sequence
            for _ in range(5):
                sequence += 1
                good = sequence % 2 == 0
                sent = state(0.05 * rng.normal(size=3))
                sent = sent if good else spoiled(sent, rng)
                mechanism.send(pack(PacketKind.STATE, sequence, 1.0, 0.0, sent.tolist()))
                numbers = np.array([*(1e-5 * rng.normal(size=3)), 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0])
                numbers = numbers if good else spoiled(numbers, rng)
                handle.send(pack(PacketKind.DEVICE6, sequence, 1.0, 0.0, numbers.tolist()))
            while True:
                try:
                    data = handle.recv(2048)
                except BlockingIOError:
                    break
                packet = unpack(data, PacketKind.FORCE6)
                assert packet is not None, data
                assert is_safe(np.array(packet.numbers[:6]))
                felt += any(packet.numbers[:6])
            return felt > 100 and sequence >= enough

        for part in range(1, effort + 1):
            felt, enough = 0, 1000 * part
            wait_for(is_enough)
        report = thread.report()
        assert report.wrong > 0 and report.bad > 0 and report.wrong_field
        assert report.gated == 0  # what is refused at the door never gets to the gate
