"""Bodies that touch in the engines reduced and impulse, and questions to MuJoCo's collisions."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.contact.contacts import Collisions
from kinegen.dynamics.engines.reduced.engine import ReducedEngine
from kinegen.dynamics.engines.registry import make_engine
from tests.support.contacts.touching import WHEELS, ball_on_table, block_on_incline, crawl
from tests.support.mechanisms.simulated import falling_ball

pytestmark = pytest.mark.slow

pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")

G = 9.81
EXACT = ("reduced", "impulse")
"""Engines that meet contacts by impulses."""


def place(simulation: kg.Simulation, link: str) -> np.ndarray:
    """Where a link on a free joint is [m]."""
    return simulation.engine.q[simulation.model.joint(link).q][4:].copy()


@pytest.mark.parametrize("engine_name", EXACT)
@pytest.mark.parametrize("bounce", [0.0, 0.5, 0.9])
def test_a_ball_rises_to_the_square_of_its_restitution(bounce: float, engine_name: str) -> None:
    system = kg.dynamics.System.of(falling_ball(1.1, restitution=bounce), objects=True, floor=0.0)
    engine = make_engine(system, engine_name, 1e-3)
    part = system.model.joint("ball").q
    heights, energies = [], []
    for _ in range(2500):
        report = engine.advance(None, 1)
        heights.append(engine.q[part][6] - 0.1)
        energies.append(report.energy)
        assert report.balance == pytest.approx(21.582, abs=1e-9)
    first = int(np.argmin(heights[:800]))
    if bounce == 0:
        assert max(abs(h) for h in heights[first + 1 :]) < 1e-9
    else:
        # reduced bounces in the step nearest to the meeting: half a step of the fall is 2.2 mm
        flight = round(2000 * math.sqrt(2 * bounce**2 / G))
        second = first + flight
        assert max(heights[first:second]) == pytest.approx(
            bounce**2, abs=1e-5 if engine_name == "impulse" else 3e-3
        )
        assert max(heights[second + 20 : second + 150]) == pytest.approx(bounce**4, abs=0.01) or (
            bounce == 0.9
        )
    assert np.all(np.diff(energies) < 1e-10)  # energy never grows


@pytest.mark.parametrize("engine_name", EXACT)
@pytest.mark.parametrize(("friction", "degrees"), [(0.5, 20.0), (0.3, 20.0), (0.0, 30.0)])
def test_a_block_on_an_incline_sticks_or_slides(
    friction: float, degrees: float, engine_name: str
) -> None:
    system = kg.dynamics.System.of(block_on_incline(friction, degrees), objects=True, contacts=True)
    engine = make_engine(system, engine_name, 1e-3)
    part = system.model.joint("block").q
    start = engine.q[part][4:].copy()
    engine.advance(None, 1000)
    angle = math.radians(degrees)
    slide = max(0.0, G * (math.sin(angle) - friction * math.cos(angle))) / 2
    # exact for a constant acceleration: impulses act for half the step on the place
    assert np.linalg.norm(engine.q[part][4:] - start) == pytest.approx(slide, abs=1e-8)


@pytest.mark.parametrize("engine", EXACT)
@pytest.mark.parametrize(("friction", "speed", "turning"), [(0.2, 5 / 7, 5 / 7), (0.0, 1.0, 0.0)])
def test_a_pushed_ball_rolls_or_slides_as_its_friction_says(
    friction: float, speed: float, turning: float, engine: str
) -> None:
    simulation = kg.Simulation(ball_on_table(friction, 1.0), engine=engine, objects=True, floor=0.0)
    simulation.advance(0.5)  # it rolls after 2 v0 / (7 µ g) = 0.146 s
    twist = kg.kinematics.link_twists(simulation.model, simulation.engine.q, simulation.engine.v)[
        -1
    ]
    # where the impulse engine foresees a contact it is a point of the ball, which turns with it
    error = 1e-4 if engine == "reduced" else 1.5e-3
    assert twist[0] == pytest.approx(speed, abs=error)
    assert twist[4] * 0.05 == pytest.approx(turning, abs=error)


def test_a_ball_slides_as_long_as_coulomb_says() -> None:
    simulation = kg.Simulation(ball_on_table(0.2, 1.0), objects=True, floor=0.0)
    simulation.advance(0.1)
    twist = kg.kinematics.link_twists(simulation.model, simulation.engine.q, simulation.engine.v)[
        -1
    ]
    assert twist[0] == pytest.approx(1 - 0.2 * G * 0.1, abs=1e-7)
    # contacts are sought after the free step, half of its depth of g h²/2 nearer to the centre
    assert twist[4] == pytest.approx(2.5 * 0.2 * G * 0.1 / 0.05, rel=1e-4)


@pytest.mark.parametrize("engine", [*EXACT, "mujoco"])
def test_the_cart_rolls_on_its_wheels(engine: str) -> None:
    straight = {"steer_left": 0.0, "steer_right": 0.0}
    simulation = kg.Simulation(
        kg.load("cart"), engine=engine, floor=0.0, q=straight, targets=dict.fromkeys(WHEELS, 5.0)
    )
    simulation.advance(1.0)
    before = place(simulation, "chassis")
    simulation.advance(0.5)
    after = place(simulation, "chassis")
    assert simulation.is_running
    # 60 mm wheels at 5 rad/s: 0.3 m/s without slip
    np.testing.assert_allclose(
        after - before, [0.15, 0, 0], atol=2e-3 if engine == "impulse" else 1e-3
    )
    assert after[2] == pytest.approx(0.06, abs=1e-4)


@pytest.mark.parametrize("engine", [*EXACT, "mujoco"])
def test_the_crawler_crawls_by_friction(engine: str) -> None:
    simulation = kg.Simulation(kg.load("crawler"), engine=engine, floor=0.0, targets=crawl)
    simulation.advance(2.0)
    assert simulation.is_running, simulation.reason
    moved = place(simulation, "body")
    # the arm pulls it by its stroke, 0.21 m, and the body slides on a little
    assert moved[0] == pytest.approx(0.224, abs=0.01)
    assert abs(moved[1]) < 1e-3


def test_without_friction_the_crawler_stays() -> None:
    smooth = kg.load("crawler").to_raff().replace("friction: 0.2", "friction: 0")
    smooth = smooth.replace("friction: 1}", "friction: 0}")
    simulation = kg.Simulation(kg.load(smooth), floor=0.0, targets=crawl)
    simulation.advance(2.0)
    assert abs(place(simulation, "body")[0]) < 0.03  # its centre of mass stays where it was
    assert simulation.is_running


def test_a_humanoid_falls_down_and_lies_still() -> None:
    system = kg.dynamics.System.of(kg.load("humanoid-30"), floor=0.0)
    engine = make_engine(system, "reduced", 1e-3)
    energy = start = engine.advance(None, 0).energy
    for _ in range(2500):
        report = engine.advance(None, 1)
        # energy never grows, but for what the sweeps leave undone
        assert report.energy < energy + 1e-6 * start
        energy = report.energy
    # about 3e-7 of it is lost uncounted where contacts and swing limits meet, at any step
    assert report.balance == pytest.approx(start, abs=1e-6 * start)
    assert isinstance(engine, ReducedEngine) and engine.contacts is not None
    assert engine.contacts.deepest < 1e-4
    assert report.contacts > 5
    # its ball-shaped head may still turn on the spot: nothing rubs there
    assert report.kinetic < 5e-4 * start
    assert energy < 0.2 * start


def test_loops_stay_closed_while_bodies_touch() -> None:
    """A five-bar that falls onto a floor below it."""
    run = kg.simulate(kg.load("five-bar"), time=1.0, gravity=(0, -9.81, 0), floor=-0.05)
    assert run.complete
    assert run.contacts.max() >= 1
    assert run.max_gap < 1e-9
    assert run.max_velocity_gap < 1e-9
    assert run.energy_drift < 2e-6


def test_runs_with_contacts_are_bit_equal() -> None:
    first, second = (kg.simulate(kg.load("crawler"), time=0.3, floor=0.0) for _ in "12")
    np.testing.assert_array_equal(first.q, second.q)


def test_impulses_carry_the_weight() -> None:
    system = kg.dynamics.System.of(falling_ball(0.1), objects=True, floor=0.0)
    engine = ReducedEngine(system, 1e-3)
    engine.advance(None, 10)
    assert engine.contacts is not None and len(engine.contacts) == 1
    np.testing.assert_allclose(engine.impulses, [[0, 0, 2 * G * 1e-3]], atol=1e-12)


def test_what_the_file_says_of_a_surface_counts() -> None:
    text = falling_ball(0.1, restitution=0.3).to_raff()
    found = Collisions(kg.dynamics.System.of(kg.load(text), objects=True, floor=0.0)).find(
        kg.dynamics.System.of(kg.load(text), objects=True, floor=0.0).model.start()
    )
    assert found.friction.tolist() == [0.5] and found.restitution.tolist() == [0.3]
    both = text.replace("raff: 1", "raff: 1\nbase: {surface: {friction: 0.9}}")
    system = kg.dynamics.System.of(kg.load(both), objects=True, floor=0.0)
    assert Collisions(system).find(system.model.start()).friction.tolist() == [0.9]
    again = kg.load(kg.load(both).to_raff())
    assert again.base.surface is not None and again.base.surface["friction"].value == 0.9


def test_contacts_lead_from_one_body_to_the_other() -> None:
    system = kg.dynamics.System.of(falling_ball(0.1 + 5e-4), objects=True, floor=0.0)
    found = Collisions(system).find(system.model.start())
    assert len(found) == 1 and found.deepest == 0
    sign = 1 if found.link_a[0] == 0 else -1
    np.testing.assert_allclose(sign * found.normals[0], [0, 0, 1], atol=1e-12)
    np.testing.assert_allclose(found.points[0], [0, 0, 2.5e-4], atol=1e-12)
    assert found.distances[0] == pytest.approx(5e-4)
    assert len(Collisions(system).find(system.model.start(), margin=1e-4)) == 0


def test_the_nearest_body_is_found_and_how_deep_a_tip_is_in_it() -> None:
    system = kg.dynamics.System.of(kg.load("arm-6"), floor=0.0)
    collisions = Collisions(system)
    q = system.model.start()
    elbow = kg.poses(system.model, q)["elbow"]
    inside = elbow.apply(np.array([0.03, -0.2, 0.0]))  # 10 mm below the face of an 80 mm beam
    found = collisions.nearest(q, inside)
    assert found is not None and found.name == "elbow"
    assert found.distance == pytest.approx(-0.01)
    np.testing.assert_allclose(found.normal, elbow.rotation[:, 0], atol=1e-12)
    np.testing.assert_allclose(found.point, elbow.apply(np.array([0.04, -0.2, 0.0])), atol=1e-12)
    tip = collisions.nearest(None, [3.0, 3.0, 0.2], radius=0.05)
    assert tip is not None and tip.name == "floor" and tip.link == 0
    assert tip.distance == pytest.approx(0.15)


def test_bodies_that_do_not_touch_have_no_collisions() -> None:
    with pytest.raises(kg.errors.KinegenError, match="contacts=True or a floor"):
        Collisions(kg.dynamics.System.of(kg.load("arm-6")))
