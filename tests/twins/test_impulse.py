"""The compiled impulse engine against its NumPy twin: the same bodies after some steps."""

from __future__ import annotations

import numpy as np
import pytest

from kinegen.dynamics.impulse_bodies import bodies_of, world_of
from kinegen.dynamics.impulse_curves import curve_through
from kinegen.dynamics.impulse_world import BondType, Impulses, World
from kinegen.dynamics.system import System
from kinegen.kernels import reference
from tests.support.dynamic_models import give_masses
from tests.support.impulse_worlds import ball_on_floor, block_on_incline, chain, go
from tests.support.random_mechanisms import random_mechanism, random_q

native = pytest.importorskip("kinegen.kernels._native", reason="needs the compiled kernels")


def same(world: World, steps: int, options: Impulses, tolerance: float = 1e-9) -> None:
    ours, twin = (world.bind(options, kernels=kernels) for kernels in (native, reference))
    efforts = 0.1 * np.sin(np.arange(len(ours.v)))
    for part in range(2):
        a, b = go(ours, steps, efforts), go(twin, steps, efforts)
        np.testing.assert_allclose(ours.poses, twin.poses, atol=tolerance, err_msg=str(part))
        np.testing.assert_allclose(ours.twists, twin.twists, atol=100 * tolerance)
        np.testing.assert_allclose(ours.q, twin.q, atol=tolerance)
        np.testing.assert_allclose(ours.v, twin.v, atol=100 * tolerance)
        np.testing.assert_allclose(a[6:9], b[6:9], atol=100 * tolerance)
        assert a[9] == b[9]


@pytest.mark.parametrize("seed", range(3))
def test_random_trees_with_rotors_springs_and_friction(seed: int) -> None:
    system = System.of(random_mechanism(seed, loop_count=0))
    model = give_masses(system.model, seed)
    bodies = bodies_of(model)
    world = world_of(system, bodies)
    q = random_q(model, np.random.default_rng(seed))
    links, twists = np.zeros((model.link_count, 12)), np.zeros((model.link_count, 6))
    model.kernels.forward_links(q, links)
    model.kernels.link_twists(q, np.random.default_rng(seed).normal(size=model.nv), twists)
    poses, speeds = bodies.start(links, twists)
    world.poses, world.twists, world.start_q = list(poses), list(speeds), q.tolist()
    same(world, 2, Impulses(step=2e-3, gap=1e-10, stops=False))


def test_chain() -> None:
    same(chain(3), 5, Impulses(step=1e-3, gap=1e-11))


@pytest.mark.parametrize("restitution", [0.0, 0.7])
def test_ball_on_floor(restitution: float) -> None:
    same(ball_on_floor(0.002, restitution, 0.3), 20, Impulses(step=1e-3))


@pytest.mark.parametrize("friction", [0.1, 0.9])
def test_block_on_incline(friction: float) -> None:
    same(block_on_incline(0.4, friction, 0.05), 4, Impulses(step=1e-3), 1e-8)


def test_points_on_plane_and_curve_and_springs() -> None:
    world = World()
    turn = np.linspace(0, 2 * np.pi, 13)[:-1]
    ring = np.stack((np.cos(turn), np.sin(turn), 0.2 * np.sin(2 * turn)), axis=1)
    bead = world.add_body(1.0, (0.01, 0.02, 0.025), (1, 0, 0), spin=(0, 1, 2))
    other = world.add_body(1.0, (0.01, 0.02, 0.025), (1.5, 0.3, 0), velocity=(0.1, 0.2, 0))
    world.join(BondType.POINT_ON_CURVE, 0, bead, curve=curve_through(ring, closed=True))
    world.join(BondType.POINT_ON_PLANE, 0, other)
    world.add_spring(bead, (0.1, 0, 0), other, (0, 0.1, 0), stiffness=50, damping=2, rest=0.4)
    same(world, 5, Impulses(step=2e-3, gap=1e-11))
