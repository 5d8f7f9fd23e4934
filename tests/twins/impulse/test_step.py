"""The compiled impulse engine against its NumPy twin: the same bodies after some steps."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.engines.impulse.bodies import bodies_of, world_of
from kinegen.dynamics.engines.impulse.curves import curve_through
from kinegen.dynamics.engines.impulse.world import Impulses, World
from kinegen.dynamics.simulation.starts import closed_start
from kinegen.dynamics.simulation.system import System
from kinegen.kernels import reference
from kinegen.kernels.protocols.impulse import BondType
from kinegen.kinematics.limits import past_swing
from tests.support.contacts.impulse_worlds import ball_on_floor, block_on_incline, chain, go
from tests.support.mechanisms.balls import BALL_LOOP, BALL_PENDULUM
from tests.support.mechanisms.dynamic_models import give_masses
from tests.support.mechanisms.random_mechanisms import random_mechanism, random_q

native = pytest.importorskip("kinegen.kernels._native", reason="needs the compiled kernels")


def same(
    world: World,
    steps: int,
    options: Impulses,
    tolerance: float = 1e-9,
    forces_tolerance: float | None = None,
) -> None:
    """The same state after some steps; forces are compared by their share of the largest."""
    ours, twin = (world.bind(options, kernels=kernels) for kernels in (native, reference))
    efforts = 0.1 * np.sin(np.arange(len(ours.v)))
    for part in range(2):
        a, b = go(ours, steps, efforts), go(twin, steps, efforts)
        np.testing.assert_allclose(ours.poses, twin.poses, atol=tolerance, err_msg=str(part))
        np.testing.assert_allclose(ours.twists, twin.twists, atol=100 * tolerance)
        np.testing.assert_allclose(ours.q, twin.q, atol=tolerance)
        np.testing.assert_allclose(ours.v, twin.v, atol=100 * tolerance)
        np.testing.assert_allclose(a[6:9], b[6:9], atol=100 * tolerance)
        forces = ours.reactions()
        largest = max(1.0, float(np.abs(forces).max(initial=0)))
        share = forces_tolerance or 1e4 * tolerance
        np.testing.assert_allclose(forces, twin.reactions(), atol=share * largest)
        assert a[9] == b[9]


def moving(system: System, q: np.ndarray, v: np.ndarray) -> World:
    """The world of a system at q and v."""
    model, bodies = system.model, bodies_of(system.model)
    world = world_of(system, bodies)
    links, twists = np.zeros((model.link_count, 12)), np.zeros((model.link_count, 6))
    model.kernels.forward_links(q, links)
    model.kernels.link_twists(q, v, twists)
    poses, speeds = bodies.start(links, twists)
    world.poses, world.twists, world.start_q = list(poses), list(speeds), q.tolist()
    return world


def four_bar(speed: float) -> World:
    """A loop that turns."""
    system = System.of(kg.load("four-bar"))
    q, v = closed_start(system.model, None, {system.model.joints[0].name: speed})
    return moving(system, q, v)


@pytest.mark.parametrize("seed", range(3))
def test_random_trees_with_rotors_springs_and_friction(seed: int) -> None:
    system = System.of(random_mechanism(seed, loop_count=0))
    model = give_masses(system.model, seed)
    q = random_q(model, np.random.default_rng(seed))
    world = moving(system, q, np.random.default_rng(seed).normal(size=model.nv))
    same(world, 2, Impulses(step=2e-3, gap=1e-10, stops=False))


@pytest.mark.parametrize("sweeps", [0, 20])
@pytest.mark.parametrize("bounce", [0.0, 0.7])
@pytest.mark.parametrize("text", [BALL_PENDULUM, BALL_LOOP])
def test_swing_limits(text: str, bounce: float, sweeps: int) -> None:
    system = System.of(kg.load(text.replace("limits: 40 deg", "limits: 3 deg")))
    model = system.model
    q, v = closed_start(model, None, {model.joints[0].name: [9.0, 12, 3]})
    world = moving(system, q, v)
    options = Impulses(step=1e-3, gap=1e-10, restitution=bounce, sweeps=sweeps)
    same(world, 4, options, tolerance=1e-7)
    ours = world.bind(options, kernels=native)
    go(ours, 8, np.zeros(len(ours.v)))
    assert float(max(past_swing(model, ours.q).values())) < (0.06 if bounce or sweeps else 1e-3)


def test_chain() -> None:
    same(chain(3), 5, Impulses(step=1e-3, gap=1e-11))


@pytest.mark.parametrize("restitution", [0.0, 0.7])
def test_ball_on_floor(restitution: float) -> None:
    same(ball_on_floor(0.002, restitution, 0.3), 20, Impulses(step=1e-3))


def test_a_chain_that_lies_on_a_plane() -> None:
    world = chain(3)
    for body in (1, 3):  # the first is almost in its hinge
        at = (-0.099 if body == 1 else 0.1, 0, 0)
        world.touch_plane(body, at, 0.0, 0, (0, 0, 0), (0, 0, 1), friction=0.4)
    same(world, 5, Impulses(step=1e-3, gap=1e-11))


@pytest.mark.parametrize("friction", [0.1, 0.9])
def test_block_on_incline(friction: float) -> None:
    same(block_on_incline(0.4, friction, 0.05), 4, Impulses(step=1e-3), 1e-8)


@pytest.mark.parametrize(
    ("speed", "step", "sweeps"), [(0.3, 1e-3, 1), (0.3, 1e-3, 4), (4.0, 0.04, 1), (9.0, 0.04, 2)]
)
def test_sweeps_of_a_loop(speed: float, step: float, sweeps: int) -> None:
    same(four_bar(speed), 2, Impulses(step=step, sweeps=sweeps), 1e-8)


@pytest.mark.parametrize("spin", [0.0, 8.0, 30.0])
def test_sweeps_of_a_chain_with_springs_and_dry_friction(spin: float) -> None:
    world = chain(2)
    world.axes[1][[1, 2, 5]] = 0.05, 0.1, 3.0
    world.twists[2] = np.array([0, 0, 0, 0, spin, 0])
    world.add_spring(0, (0, 0, 0.3), 2, (0.1, 0, 0), stiffness=40, damping=1, rest=0.2)
    same(world, 2, Impulses(step=0.02, sweeps=1), 1e-8)


def test_a_step_that_is_cut() -> None:
    same(four_bar(20.0), 1, Impulses(step=0.02), 1e-8)


def test_stiff_springs() -> None:
    world = chain(2)
    world.axes[0][[1, 5]] = 100.0, 1e6
    world.add_spring(1, (0, 0, 0.1), 2, (0.1, 0, 0), stiffness=1e5, damping=1e3, rest=0.25)
    same(world, 2, Impulses(step=1e-3, gap=1e-9), 1e-8)


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


COUPLED = ("planetary-gear", "cam-follower", "geared-five-bar", "parallel-gripper")


@pytest.mark.parametrize("speed", [1.0, 15.0])
@pytest.mark.parametrize("sweeps", [0, 1, 20])
@pytest.mark.parametrize("name", COUPLED)
def test_couplings(name: str, sweeps: int, speed: float) -> None:
    """Gears, mimic joints and a cam, slow and fast: sweeps close them in different ways."""
    system = System.of(kg.load(name))
    v = speed * np.random.default_rng(0).normal(size=system.model.nv)
    world = moving(system, *closed_start(system.model, None, v))
    options = Impulses(step=2e-3, gap=1e-10, stops=False, sweeps=sweeps)
    ours, twin = (world.bind(options, kernels=kernels) for kernels in (native, reference))
    for _ in range(2):
        found = [go(one, 1, np.zeros(len(one.v))) for one in (ours, twin)]
        np.testing.assert_allclose(ours.poses, twin.poses, atol=1e-10)
        np.testing.assert_allclose(ours.v, twin.v, atol=1e-8)
        np.testing.assert_allclose(found[0][3:9], found[1][3:9], atol=1e-8)
        np.testing.assert_allclose(ours.coupling_efforts(), twin.coupling_efforts(), atol=1e-6)
        np.testing.assert_allclose(ours.reactions(), twin.reactions(), atol=1e-6)
    assert np.abs(ours.coupling_efforts()).max() > 0


def test_light_carriers_of_guides() -> None:
    system = System.of(kg.load("quick-return"))
    world = moving(system, *closed_start(system.model, None, {"disc": 3.0}))
    # carriers that weigh nearly nothing: gaps of 1e-10 m beside the plane are forces of 1e-4
    same(world, 3, Impulses(step=1e-3, gap=1e-10), tolerance=1e-8, forces_tolerance=1e-3)
