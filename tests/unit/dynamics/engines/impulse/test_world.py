"""Worlds of bodies: laws of motion, collisions and friction against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from kinegen.dynamics.engines.impulse.curves import curve_through
from kinegen.dynamics.engines.impulse.world import Impulses, World
from kinegen.errors import UsageError
from kinegen.kernels.protocols.impulse import BondType
from tests.support.contacts.impulse_worlds import ball_on_floor, block_on_incline, chain, go

G = 9.81


def momentum(world: World, poses: np.ndarray, twists: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    linear, angular = np.zeros(3), np.zeros(3)
    for numbers, pose, twist in zip(world.bodies, poses, twists, strict=True):
        w, x, y, z = pose[:4]
        R = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
        linear += numbers[0] * twist[:3]
        angular += np.cross(pose[4:], numbers[0] * twist[:3])
        angular += R @ (numbers[1:] * (R.T @ twist[3:]))
    return linear, angular


def test_free_floating_bodies_keep_their_momentum() -> None:
    world = World(gravity=(0, 0, 0))
    rng = np.random.default_rng(1)
    bodies = [
        world.add_body(1 + i, (0.02, 0.03, 0.04), (0.5 * i, 0, 0), spin=rng.normal(size=3))
        for i in range(4)
    ]
    types = (BondType.SPHERICAL, BondType.REVOLUTE, BondType.UNIVERSAL)
    for type_, a, b in zip(types, bodies, bodies[1:], strict=False):
        frame = [1.0, 0, 0, 0, 1, 0, 0, 0, 1]
        world.join(type_, a, b, [*frame, 0.25, 0, 0], [*frame, -0.25, 0, 0])
    bound = world.bind(Impulses(step=1e-3, gap=1e-10))
    go(bound, 1)  # speeds that the joints do not allow are gone after this
    before = momentum(world, bound.poses, bound.twists)
    start = go(bound, 0)
    end = go(bound, 500)
    after = momentum(world, bound.poses, bound.twists)
    np.testing.assert_allclose(after[0], before[0], atol=1e-11)
    np.testing.assert_allclose(after[1], before[1], atol=1e-8)
    assert end[6] == pytest.approx(start[6], rel=1e-4)


def test_a_body_in_free_flight_is_exact() -> None:
    """Energy and angular momentum of a tumbling body do not depend on the step."""
    world = World()
    world.add_body(2.0, (0.01, 0.02, 0.029), (0, 0, 1), velocity=(1, 2, 3), spin=(0.1, 9, 0.2))
    bound = world.bind(Impulses(step=0.01))
    before, start = momentum(world, bound.poses, bound.twists), go(bound, 0)
    end = go(bound, 200)
    after = momentum(world, bound.poses, bound.twists)
    turn = np.cross(bound.poses[1, 4:], 2.0 * bound.twists[1, :3])
    np.testing.assert_allclose(bound.poses[1, 4:], [2, 4, 1 + 6 - G / 2 * 4], atol=1e-11)
    np.testing.assert_allclose(
        after[1] - turn, before[1] - np.cross([0, 0, 1], [2, 4, 6]), atol=1e-10
    )
    assert end[6] + end[7] == pytest.approx(start[6] + start[7], abs=1e-10)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.8, 1.0])
def test_bouncing_ball(restitution: float) -> None:
    height, step = 1.0, 1e-4
    bound = ball_on_floor(height, restitution).bind(Impulses(step=step))
    fall = np.sqrt(2 * height / G)
    rise = restitution * np.sqrt(2 * G * height) / G
    go(bound, round((fall + rise) / step))
    top = bound.poses[1, 6] - 0.1
    assert top == pytest.approx(restitution**2 * height, abs=2e-3)


def test_a_ball_comes_to_rest() -> None:
    bound = ball_on_floor(0.2, 0.5).bind(Impulses(step=1e-3))
    report = go(bound, 3000)
    assert bound.poses[1, 6] == pytest.approx(0.1, abs=1e-5)
    assert np.abs(bound.twists[1]).max() < 1e-6
    assert report[9] == 1
    assert report[6] + report[7] - report[8] == pytest.approx(G * 0.3, abs=1e-3)


def test_two_balls_exchange_their_speeds() -> None:
    world = World(gravity=(0, 0, 0))
    a = world.add_body(1.0, (0.01, 0.01, 0.01), (0, 0, 0), velocity=(1, 0, 0))
    b = world.add_body(1.0, (0.01, 0.01, 0.01), (1, 0, 0))
    world.touch_ball(a, (0, 0, 0), 0.1, b, (0, 0, 0), 0.1, restitution=1.0)
    bound = world.bind(Impulses(step=1e-3))
    go(bound, 1500)
    np.testing.assert_allclose(bound.twists[a], 0, atol=1e-12)
    np.testing.assert_allclose(bound.twists[b, :3], [1, 0, 0], atol=1e-12)


@pytest.mark.parametrize("friction", [0.1, 0.3])
def test_block_slides_down_as_coulomb_says(friction: float) -> None:
    angle, time, speed = 0.5, 0.5, 0.2
    world = block_on_incline(angle, friction, speed)
    bound = world.bind(Impulses(step=1e-3))
    start, before = bound.poses[1, 4:].copy(), go(bound, 0)
    report = go(bound, 500)
    down = np.array([np.cos(angle), 0, -np.sin(angle)])
    rate = G * (np.sin(angle) - friction * np.cos(angle))
    moved = bound.poses[1, 4:] - start
    assert moved @ down == pytest.approx(speed * time + rate * time**2 / 2, abs=1e-5)
    assert bound.twists[1, :3] @ down == pytest.approx(speed + rate * time, abs=1e-5)
    balance = [r[6] + r[7] - r[8] for r in (before, report)]
    assert balance[0] == pytest.approx(balance[1], abs=1e-4)


def test_block_sticks_where_friction_holds_it() -> None:
    world = block_on_incline(0.4, 0.5)  # tan 0.4 = 0.42
    bound = world.bind(Impulses(step=1e-3))
    start = bound.poses[1].copy()
    go(bound, 1000)
    np.testing.assert_allclose(bound.poses[1], start, atol=1e-8)


def test_a_bead_runs_on_its_ring() -> None:
    turn = np.linspace(0, 2 * np.pi, 33)[:-1]
    ring = np.stack((np.cos(turn), 0 * turn, np.sin(turn)), axis=1)
    world = World()
    bead = world.add_body(1.0, (1e-3, 1e-3, 1e-3), (1, 0, 0))
    world.join(BondType.POINT_ON_CURVE, 0, bead, curve=curve_through(ring, closed=True))
    bound = world.bind(Impulses(step=1e-3))
    start = go(bound, 0)
    for _ in range(20):
        end = go(bound, 100)
        assert np.linalg.norm(bound.poses[bead, 4:]) == pytest.approx(1, abs=1e-5)
        assert end[6] + end[7] == pytest.approx(start[6] + start[7], abs=1e-4)
    assert end[3] <= 1e-6


def test_a_point_stays_on_its_plane() -> None:
    world = World()
    body = world.add_body(1.0, (0.1, 0.2, 0.25), (0, 0, 0.5), spin=(1, 0, 0))
    tip = [1.0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -0.5]
    world.join(BondType.POINT_ON_PLANE, 0, body, X_bM=tip)
    bound = world.bind(Impulses(step=1e-3))
    start, end = go(bound, 0), go(bound, 300)
    assert end[3] <= 1e-6
    assert bound.poses[body, 6] < 0.49
    assert end[6] + end[7] == pytest.approx(start[6] + start[7], abs=1e-5)


def test_spring_swings_as_it_should() -> None:
    world = World(gravity=(0, 0, 0))
    body = world.add_body(2.0, (0.1, 0.1, 0.1), (1.2, 0, 0))
    world.add_spring(0, (0, 0, 0), body, (0, 0, 0), stiffness=50, damping=1, rest=1)
    bound = world.bind(Impulses(step=1e-3))
    go(bound, 1000)
    decay, rate = 1 / 4, np.sqrt(25 - 1 / 16)
    wanted = 0.2 * np.exp(-decay) * (np.cos(rate) + decay / rate * np.sin(rate))
    assert bound.poses[body, 4] - 1 == pytest.approx(wanted, abs=2e-6)


@pytest.mark.parametrize("sweeps", [0, 5])
@pytest.mark.parametrize("rest", [0.0, 1.0])
@pytest.mark.parametrize("stiffness", [50.0, 1e4, 1e6])
def test_springs_of_any_stiffness_keep_energy_and_spin(
    stiffness: float, rest: float, sweeps: int
) -> None:
    """A body on a spring, off its line: ω h is 0.005 to 0.7."""
    world = World(gravity=(0, 0, 0))
    body = world.add_body(2.0, (0.1, 0.1, 0.1), (1.05, 0, 0), velocity=(0, 0.5, 0.1))
    world.add_spring(0, (0, 0, 0), body, (0, 0, 0), stiffness=stiffness, rest=rest)
    bound = world.bind(Impulses(step=1e-3, gap=1e-11, sweeps=sweeps))
    start, spin = go(bound, 0), momentum(world, bound.poses, bound.twists)[1]
    for _ in range(20):
        end = go(bound, 50)
        assert end[6] + end[7] == pytest.approx(start[6] + start[7], rel=1e-5)
    np.testing.assert_allclose(momentum(world, bound.poses, bound.twists)[1], spin, atol=1e-4)


@pytest.mark.parametrize("sweeps", [0, 30])
def test_a_spring_far_too_stiff_for_the_step_stays_put(sweeps: int) -> None:
    """A pendulum on a rod that is a spring, ω h = 100: like one on a rigid rod; 20 J swing."""
    world = World()
    body = world.add_body(1.0, (0.1, 0.1, 0.1), (1, 0, 0))
    world.add_spring(0, (0, 0, 0), body, (0, 0, 0), stiffness=1e10, damping=1e5, rest=1)
    bound = world.bind(Impulses(step=1e-3, sweeps=sweeps))
    start = go(bound, 0)
    for _ in range(10):
        end = go(bound, 200)
        assert np.linalg.norm(bound.poses[body, 4:]) == pytest.approx(1, abs=1e-5)
        assert end[6] + end[7] - end[8] == pytest.approx(start[6] + start[7], abs=0.1)


def test_springs_are_of_second_order() -> None:
    ends = {}
    for step in (1 / 16000, 1 / 2000, 1 / 1000, 1 / 500):
        world = chain(3)
        world.axes[1][5], world.axes[2][[1, 5]] = 30, (0.2, 500)
        world.add_spring(
            0, (0, 0, 0.5), 3, (0.1, 0, 0), stiffness=200, damping=3, rest=0.3
        )  # fmt: skip
        bound = world.bind(Impulses(step=step, gap=1e-11))
        go(bound, round(0.2 / step))
        ends[step] = bound.q.copy()
    errors = [np.abs(ends[step] - ends[1 / 16000]).max() for step in (1 / 500, 1 / 1000, 1 / 2000)]
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.15)
    assert errors[1] / errors[2] == pytest.approx(4, rel=0.15)


def test_strong_damping_does_not_swing() -> None:
    """A hinge in thick grease, h c / I of 1000: speeds fall, at worst by a fifth per step."""
    world = chain(1)
    world.gravity = (0.0, 0.0, 0.0)
    inertia = 4 * 0.2**2 / 12
    world.axes[0][1] = 1000 * inertia / 1e-3
    world.twists[1] = np.array([0, 0, -1.0, 0, 10, 0])
    bound = world.bind(Impulses(step=1e-3))
    before = 10.0
    for _ in range(50):
        go(bound, 1)
        assert abs(bound.v[0]) < 0.81 * before
        before = abs(bound.v[0])
    assert abs(bound.q[0]) < 1e-4


def test_bad_worlds_are_refused() -> None:
    world = World()
    with pytest.raises(UsageError, match="positive"):
        world.add_body(1.0, (0, 1, 1))
    body = world.add_body(1.0, (1, 1, 1))
    with pytest.raises(UsageError, match="not in the world"):
        world.join(BondType.REVOLUTE, body, 7)
    with pytest.raises(UsageError, match="curve"):
        world.join(BondType.POINT_ON_CURVE, 0, body)
    with pytest.raises(UsageError, match="stiffness"):
        world.add_spring(0, (0, 0, 0), body, (0, 0, 0), stiffness=-1)
    with pytest.raises(UsageError, match="three or more points"):
        curve_through(np.zeros((2, 3)))
