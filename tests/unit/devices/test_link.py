"""The mechanism's end of the haptic link, over a network that misbehaves, in simulated time."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.devices import HapticLink, HapticThread, SimulatedHand
from kinegen.devices.link import UdpTransport
from kinegen.devices.packets import PacketKind, pack
from kinegen.errors import KinegenError
from kinegen.kernels import HapticSettings
from kinegen.spatial.rotation import SO3
from tests.support.haptic_network import World
from tests.support.waiting import needs_thread, wait_for

pytestmark = pytest.mark.slow

BAD = {"delay": 0.02, "jitter": 0.01, "loss": 0.3, "double": 0.2}
"""20 ms and more late, in disorder, a third lost, a fifth twice."""
RESERVE = HapticSettings().reserve


def world(*, stiffness: float = 1000.0, passive: bool = True, **trouble: float) -> World:
    simulation = kg.Simulation(kg.load("arm-6"), gravity=(0, 0, 0), record=0)
    pull = simulation.pull("tool", stiffness=stiffness, damping=2.0)
    settings = HapticSettings(is_passive=float(passive), force_most=200.0)
    made = World(simulation, pull, settings=settings, **trouble)
    if not passive:
        made.link.reserve = math.inf
    return made


def drawn_and_let_go(made: World) -> World:
    made.run(0.5, np.array([0.05, 0, 0]))
    made.run(1.0, np.zeros(3))
    return made


def test_near_by_the_arm_follows_the_hand() -> None:
    made = world()
    made.run(1.5, np.array([0.05, 0, 0]))
    assert made.link.trouble == "" and made.link.heard > 1400
    place = made.touch.place - made.origin
    assert place == pytest.approx(made.x, abs=2e-3)
    assert made.x[0] > 0.03
    # what the arm got, the hand gave
    assert 0 < made.touch.energy < -made.got


@pytest.mark.parametrize(
    ("stiffness", "trouble"),
    [(1000.0, {}), (1000.0, {"delay": 0.02}), (300.0, BAD), (1000.0, BAD), (3000.0, BAD)],
    ids=["none", "delay", "all-soft", "all", "all-stiff"],
)
def test_no_network_makes_energy_for_the_hand(stiffness: float, trouble: dict[str, float]) -> None:
    """The laws have random networks and springs."""
    made = drawn_and_let_go(world(stiffness=stiffness, **trouble))
    assert made.simulation.is_running
    assert max(made.energies) <= RESERVE * 1.01
    # nor for the arm: it gets what the hand gave, and a reserve
    assert made.touch.energy <= max(0.0, -min(made.energies)) + 1.01 * RESERVE
    assert np.abs(made.places).max() < 0.1


def test_without_the_ledger_the_same_network_throws_the_hand() -> None:
    """The test above can fail: this is what it prevents."""
    made = drawn_and_let_go(world(passive=False, delay=0.02))
    assert max(made.energies) > 100 * RESERVE


def turning(*, passive: bool = True, **trouble: float) -> World:
    simulation = kg.Simulation(kg.load("arm-6"), gravity=(0, 0, 0), record=0)
    at = kg.pose(simulation.model, simulation.engine.q, "tool")
    pull = simulation.pull(
        "tool", target=at, stiffness=600, damping=2.0, angular_stiffness=3, angular_damping=0.002
    )
    settings = HapticSettings(is_passive=float(passive), force_most=200.0, torque_most=10.0)
    made = World(simulation, pull, settings=settings, turns=True, **trouble)
    if not passive:
        made.link.reserve = math.inf
    return made


def test_near_by_the_part_turns_with_the_hand() -> None:
    made = turning()
    start = kg.pose(made.simulation.model, made.simulation.engine.q, "tool")
    made.run(2.0, np.zeros(3), np.array([0.0, 0.0, 0.5]))
    assert made.link.turns and made.link.trouble == ""
    now = kg.pose(made.simulation.model, made.simulation.engine.q, "tool")
    part = SO3.from_matrix(now.rotation @ start.rotation.T).log()
    assert part == pytest.approx(made.turn.log(), abs=0.05)
    assert made.turn.log()[2] > 0.3
    assert np.linalg.norm(np.subtract(now.translation, start.translation)) < 0.02
    assert 0 < made.touch.energy < -made.got


@pytest.mark.parametrize("trouble", [{}, {"delay": 0.02}, BAD], ids=["none", "delay", "all"])
def test_no_network_makes_energy_by_torque(trouble: dict[str, float]) -> None:
    made = turning(**trouble)
    made.run(0.5, np.zeros(3), np.array([0.6, 0.3, 0.0]))
    made.run(1.0, np.zeros(3), np.zeros(3))
    assert made.simulation.is_running, made.simulation.reason
    assert max(made.energies) <= RESERVE * 1.05
    assert made.touch.energy <= max(0.0, -min(made.energies)) + 1.05 * RESERVE


def test_without_the_ledger_torque_would_throw_the_hand() -> None:
    made = turning(passive=False, delay=0.02)
    made.run(0.5, np.zeros(3), np.array([0.6, 0.3, 0.0]))
    made.run(1.0, np.zeros(3), np.zeros(3))
    assert max(made.energies) > 10 * RESERVE


def test_a_device_of_three_degrees_of_freedom_leaves_the_part_free_to_turn() -> None:
    made = turning()
    made.turns = False
    made.run(0.3, np.array([0.03, 0, 0]))
    assert (
        not made.link.turns and isinstance(made.touch, kg.dynamics.Pull) and not made.touch.has_pose
    )
    assert not made.touch.wrench[3:].any() and made.touch.wrench[:3].any()


def test_scaled_torques_keep_their_energy() -> None:
    made = turning()
    made.link.scale = 3.0
    made.run(1.0, np.zeros(3), np.array([0.0, 0.0, 0.3]))
    assert 0 < made.touch.energy <= 3 * -made.got + RESERVE


def test_lost_and_old_packets_are_counted_and_the_rest_used() -> None:
    made = drawn_and_let_go(world(**BAD))
    ticks, fresh, reused, old, bad, _ = made.point.counts()
    assert ticks == 1500 and bad == 0 == made.link.bad
    assert 0.3 * ticks < fresh < 0.6 * ticks and old > 100 and reused > 100
    assert made.link.old > 100
    assert made.point.state()[4] == pytest.approx(0.0225, abs=0.005)  # one way


def test_runs_are_bit_equal() -> None:
    one, two = (world(seed=3, **BAD) for _ in range(2))
    for made in (one, two):
        made.run(0.3, np.array([0.05, 0, 0]))
    assert np.array_equal(one.forces, two.forces)


def test_a_silent_hand_lets_go() -> None:
    made = world()
    made.run(0.5, np.array([0.05, 0, 0]))
    assert made.touch.strength == 1.0
    made.is_cut = True
    made.run(0.5, np.array([0.05, 0, 0]))
    assert made.touch.strength == 0.0 and not made.touch.force.any()
    assert "stopped sending" in made.link.trouble
    assert not made.force.any()  # at the hand's end as well
    made.is_cut = False
    made.run(0.5, np.array([0.05, 0, 0]))
    assert made.link.trouble == "" and made.touch.strength == 1.0


def test_a_flooding_hand_lets_go() -> None:
    made = world()
    made.run(0.3, np.array([0.05, 0, 0]))
    for _ in range(100):
        for _ in range(200):
            numbers = [0.0] * 22
            made.there.send(pack(PacketKind.HAND, 10**6, 0.0, 0.0, numbers), made.now)
        made.run(0.001, np.array([0.05, 0, 0]))
    assert "floods" in made.link.trouble and made.touch.strength == 0.0
    assert made.link.flooded > 0


def test_exchanges_that_come_late_find_many_packets_and_no_flood() -> None:
    made = world()
    made.run(0.3, np.array([0.05, 0, 0]))
    numbers = [*made.x, *made.v, 1, 0, 0, 0, 0, 0, 0, *made.force, 0, 0, 0, 0, 0, 3]
    for _ in range(20):
        for _ in range(80):  # a thousand a second, as ever
            made.sequence += 1
            made.now += 0.001
            made.there.send(pack(PacketKind.HAND, made.sequence, made.now, 0.0, numbers), made.now)
        made.link.exchange()
    assert made.link.trouble == "" and made.link.flooded == 0
    assert made.touch.strength == 1.0


def test_nonsense_from_the_hand_is_counted() -> None:
    made = world()
    made.there.send(b"nonsense", made.now)
    made.run(0.01, np.zeros(3))
    assert made.link.bad == 1 and made.simulation.is_running


def test_a_push_over_the_network_meets_the_surface() -> None:
    simulation = kg.Simulation(kg.load("arm-6"), gravity=(0, 0, 0), record=0)
    middle = kg.pose(simulation.model, simulation.engine.q, "wrist_2").translation
    push = simulation.push(tip=middle + [0, 0, 0.06], stiffness=800, radius=0.005)
    made = World(simulation, push, settings=HapticSettings(), delay=0.005)
    made.link.origin = middle + [0, 0, 0.06]
    made.run(0.3, np.zeros(3))
    assert not made.force.any()  # 10 mm away from the ball of 45 mm
    made.run(0.5, np.array([0, 0, -0.03]))
    assert max(force[2] for force in made.forces) > 0.1  # pressed back
    assert min(force[2] for force in made.forces) >= 0  # never held
    assert max(made.energies) <= RESERVE * 1.01


def test_scaled_devices_keep_their_energy() -> None:
    made = world()
    made.link.scale = 4.0
    made.run(1.0, np.array([0.02, 0, 0]))
    place = made.touch.place - made.origin
    assert place[0] == pytest.approx(4 * made.x[0], abs=0.01)
    assert made.touch.energy <= 4 * -made.got + RESERVE


@needs_thread
def test_thread_and_link_over_real_sockets() -> None:
    simulation = kg.Simulation(kg.load("arm-6"), gravity=(0, 0, 0), record=0)
    pull = simulation.pull("tool", stiffness=400, damping=10)
    transport = UdpTransport()
    start = pull.grip.state(simulation.engine.q, simulation.engine.v).place
    link = HapticLink(simulation, pull, transport, origin=start.tolist())
    hand = SimulatedHand([[0.0, 0.0, 0.0, 0.0], [0.2, 0.05, 0.0, 0.0]])
    with HapticThread(hand, dynamics=f"127.0.0.1:{transport.port}") as thread:

        def has_moved() -> bool:
            link.run(0.02)
            return bool((pull.place - start)[0] > 0.02)

        wait_for(has_moved)
        assert thread.report().fresh > 0 and link.trouble == ""
    transport.close()


def test_bad_addresses_and_scales() -> None:
    transport = UdpTransport()
    with pytest.raises(KinegenError, match="is not available"):
        UdpTransport(f"127.0.0.1:{transport.port}")
    simulation = kg.Simulation(kg.load("arm-6"))
    with pytest.raises(KinegenError, match="scale"):
        HapticLink(simulation, simulation.pull("tool"), transport, scale=0)
    for option, value in (
        ("scale", math.nan), ("scale", math.inf), ("silence", math.nan), ("reserve", math.nan),
        ("reserve", math.inf), ("origin", [0.0, math.nan, 0.0]), ("origin", [0.0, 0.0]),
    ):  # fmt: skip
        with pytest.raises(KinegenError, match=option):
            HapticLink(simulation, simulation.pull("tool"), transport, **{option: value})  # type: ignore[arg-type]
    transport.close()


@needs_thread
def test_thread_and_link_with_a_key() -> None:
    simulation = kg.Simulation(kg.load("arm-6"), gravity=(0, 0, 0), record=0)
    pull = simulation.pull("tool", stiffness=400, damping=10)
    transport = UdpTransport(key="a key of the test")
    start = pull.grip.state(simulation.engine.q, simulation.engine.v).place
    link = HapticLink(simulation, pull, transport, origin=start.tolist())
    hand = SimulatedHand([[0.0, 0.0, 0.0, 0.0], [0.2, 0.05, 0.0, 0.0]])
    place = f"127.0.0.1:{transport.port}"
    with (
        HapticThread(hand, dynamics=place, key="another key of it") as stranger,
        HapticThread(hand, dynamics=place, key="a key of the test") as thread,
    ):

        def has_moved() -> bool:
            link.run(0.02)
            return bool((pull.place - start)[0] > 0.02)

        wait_for(has_moved)
        assert thread.report().fresh > 0 and link.trouble == ""
        assert stranger.report().fresh == 0 and link.strange > 0
    transport.close()
