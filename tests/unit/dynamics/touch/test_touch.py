"""Push and pull: the forces of hands on a mechanism, and what the hands feel."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.touch.grip import Grip, effective_mass
from kinegen.dynamics.touch.touch import RATE, STIFF_RATE
from kinegen.errors import KinegenError

SLED = """
raff: 1
name: sled
joints: [{name: sled, type: prismatic, parent: base, mass: 2}]
"""
BRICK = """
raff: 1
name: brick
joints: [{name: brick, type: free, parent: base, mass: 2, shape: {box: [0.2, 0.2, 0.2]}}]
"""
BALL = """
raff: 1
name: table
joints: []
objects:
  - {name: ball, shape: {sphere: 50 mm}, mass: 0.5, friction: MU, at: {xyz: [0, 0, 50 mm]}}
"""


def afloat(text: str, **options: float) -> kg.Simulation:
    return kg.Simulation(kg.load(text), gravity=(0, 0, 0), **options)


# Push


def test_a_push_gives_k_times_depth_along_the_normal() -> None:
    simulation = afloat(BRICK, step=1e-4)
    push = simulation.push("brick", (0.1, 0, 0), normal=(1, 0, 0), depth=0.01, stiffness=500)
    simulation.advance(1e-4)
    # as it will be at the step's end: smaller by h² k / m
    assert push.force == pytest.approx([5 / (1 + 1e-8 * 500 / 2), 0, 0], rel=1e-9)
    assert simulation.engine.v[:3] == pytest.approx([-5e-4 / 2, 0, 0], rel=1e-5)
    assert push.depth == pytest.approx(0.01)


def test_a_push_never_pulls_and_gives_back_its_energy() -> None:
    simulation = afloat(BRICK, step=1e-4)
    push = simulation.push("brick", (0.1, 0, 0), normal=(1, 0, 0), depth=0.01, stiffness=500)
    simulation.advance(1.0)
    assert not push.is_active and push.depth < 0 and not push.force.any()
    # all of k d²/2 has become motion, but for the damping of the implicit step
    assert push.energy == pytest.approx(0.025, rel=5e-3)
    assert simulation.report.kinetic == pytest.approx(push.energy, rel=1e-3)


@pytest.mark.parametrize("link", ["waist", "shoulder", "elbow", "wrist_1", "wrist_2", "wrist_3"])
def test_any_part_can_be_pushed(link: str) -> None:
    simulation = kg.Simulation(kg.load("arm-6"), gravity=(0, 0, 0), step=1e-3)
    model, engine = simulation.model, simulation.engine
    point = np.array([0.05, 0.03, 0.02])
    push = simulation.push(link, point, normal=(0.3, -1, 0.2), depth=0.005, stiffness=800)
    q = engine.q.copy()
    simulation.advance(1e-3)
    J = kg.jacobian(model, q, link, point=point)[:3]
    wanted = kg.dynamics.mass_solve(model, q, J.T @ -push.force)
    # first order in the step: the arm starts at rest
    assert np.allclose(engine.v, wanted * 1e-3, atol=2e-3 * abs(wanted * 1e-3).max())
    simulation.advance(0.3)
    assert simulation.is_running
    # forces are held for a step while the link turns
    assert push.energy == pytest.approx(simulation.report.work, rel=1e-2)


def test_a_tip_finds_what_it_touches() -> None:
    simulation = kg.Simulation(kg.load("arm-6"), gravity=(0, 0, 0))
    q = simulation.engine.q
    inside = kg.pose(simulation.model, q, "wrist_2").apply([0, 0, 0.04])  # of a ball of 45 mm
    push = simulation.push(tip=inside, stiffness=500)
    simulation.advance(1e-3)
    assert push.grip.name == "wrist_2"
    assert push.depth == pytest.approx(0.005, abs=1e-6)
    assert push.force @ push.normal > 0


@pytest.mark.parametrize("engine", ["reduced", "mujoco"])
@pytest.mark.parametrize("force", [1.0, 3.0])
@pytest.mark.parametrize("friction", [0.5, 0.05])
def test_a_pushed_ball_on_a_table_rolls_or_slides(
    engine: str, force: float, friction: float
) -> None:
    """Secondary contact: with 2/7 of the force or more as friction it rolls, else it slides."""
    m, R, g, k = 0.5, 0.05, 9.81, 2000.0
    text = BALL.replace("MU", str(friction))
    simulation = kg.Simulation(kg.load(text), objects=True, floor=0.0, engine=engine)
    if 2 * force / 7 <= friction * m * g:
        a = 5 * force / (7 * m)
        spin = a / R
    else:
        a = force / m - friction * g
        spin = friction * g * R / (0.4 * R * R)
    # the finger keeps its depth as long as the ball moves as it should
    simulation.push(tip=lambda t: [a * t * t / 2 - R + force / k, 0, R], stiffness=k)
    simulation.advance(0.4)
    assert simulation.is_running
    ball = simulation.model.joint("ball")
    place, twist = simulation.engine.q[ball.q][4:], simulation.engine.v[ball.v]
    assert place[0] == pytest.approx(a * 0.16 / 2, rel=2e-4)
    # MuJoCo's friction gives way a little
    near = 1e-3 if engine == "reduced" else 1e-2
    assert twist[4] == pytest.approx(spin * 0.4, rel=near)


# Pull


def test_a_pulled_mass_swings_as_a_spring_says() -> None:
    simulation = afloat(SLED, step=1e-4)
    simulation.pull("sled", target=(0, 0, 0.1), stiffness=200, damping=8)
    # x'' + 4 x' + 100 x = 10
    simulation.advance(0.5)
    w = math.sqrt(100 - 4)
    fall = math.exp(-1) * (math.cos(w / 2) + 2 / w * math.sin(w / 2))
    assert simulation.engine.q[0] == pytest.approx(
        0.1 * (1 - fall), abs=5e-5
    )  # first order in the step


def test_the_hand_feels_the_opposite() -> None:
    simulation = kg.Simulation(kg.load(SLED), gravity=(0, 0, -10))
    pull = simulation.pull("sled", target=(0, 0, 0), stiffness=4000, damping=400)
    simulation.advance(3.0)
    assert pull.force == pytest.approx([0, 0, -20], rel=1e-3)  # its weight
    assert pull.place[2] == pytest.approx(-20 / 4000, rel=1e-3)


def test_a_pose_turns_the_link_too() -> None:
    simulation = afloat(BRICK)
    goal = kg.SE3(kg.SO3.exp([0.3, -0.2, 0.5]), np.array([0.1, 0.2, -0.1]))
    simulation.pull("brick", target=goal)
    simulation.advance(3.0)
    assert kg.pose(simulation.model, simulation.engine.q, "brick").is_close(goal, tolerance=1e-6)


def test_usual_stiffness_does_not_overshoot() -> None:
    simulation = afloat(SLED)
    pull = simulation.pull("sled", target=(0, 0, 0.1))
    assert pull.stiffness[0, 0] == pytest.approx(2 * 20**2)
    places = []
    for _ in range(100):
        simulation.advance(0.01)
        places.append(simulation.engine.q[0])
    assert max(places) <= 0.1 + 1e-9 and places[-1] == pytest.approx(0.1, abs=1e-4)


@pytest.mark.parametrize("stiffness", [1e3, 1e6, 1e9, 1e12])
def test_no_stiffness_makes_it_explode(stiffness: float) -> None:
    simulation = kg.Simulation(kg.load("arm-6"))
    q = simulation.engine.q
    start = kg.pose(simulation.model, q, "tool").translation
    pull = simulation.pull("tool", target=start + [0, 0, 0.01], stiffness=stiffness, damping=0)
    balance = simulation.report.balance
    simulation.advance(0.5)
    assert simulation.is_running, simulation.reason
    assert simulation.report.balance == pytest.approx(balance, rel=1e-4)
    assert np.linalg.norm(pull.force) <= pull.force_most * (1 + 1e-12)


@pytest.mark.parametrize("name", ["five-bar", "stewart", "delta"])
def test_loops_stay_closed_while_pulled(name: str) -> None:
    simulation = kg.Simulation(kg.load(name), gravity=(0, 0, 0))
    link = simulation.model.link_names[-1]
    start = kg.pose(simulation.model, simulation.engine.q, link).translation
    pull = simulation.pull(link, target=start + [0.01, 0.01, 0])
    simulation.advance(0.3)
    assert simulation.is_running and simulation.report.gap < 1e-9
    assert pull.energy > 0 and simulation.report.kinetic + simulation.report.work > 0


def test_stiffness_and_damping_change_while_it_is_held() -> None:
    simulation = afloat(SLED)
    pull = simulation.pull("sled", target=(0, 0, 0.1), stiffness=100, damping=0)
    simulation.advance(0.02)
    soft = np.linalg.norm(pull.force)
    pull.tune(stiffness=np.diag([100, 100, 400]), damping=50)
    simulation.advance(1e-3)
    assert np.linalg.norm(pull.force) > 2 * soft
    assert pull.damping[2, 2] == 50
    simulation.advance(2.0)
    assert abs(simulation.engine.v[0]) < 1e-3


def test_moving_hands_lead_by_their_speed() -> None:
    simulation = afloat(SLED)
    pull = simulation.pull("sled", target=lambda t: (0, 0, 0.1 * t), stiffness=2000, damping=200)
    simulation.advance(1.0)
    assert simulation.engine.v[0] == pytest.approx(0.1, rel=1e-3)
    pull.move((0, 0, 0.1), velocity=(0, 0, 0))
    simulation.advance(1.0)
    assert simulation.engine.q[0] == pytest.approx(0.1, abs=1e-4)


def test_released_hands_do_nothing() -> None:
    simulation = afloat(SLED)
    pull = simulation.pull("sled", target=(0, 0, 0.1))
    simulation.advance(0.05)
    speed = simulation.engine.v.copy()
    assert simulation.touches == [pull]
    simulation.release(pull)
    simulation.advance(0.05)
    assert simulation.touches == [] and not pull.is_active and not pull.force.any()
    assert np.allclose(simulation.engine.v, speed)


def test_a_credit_limits_what_a_hand_gives() -> None:
    simulation = afloat(SLED)
    pull = simulation.pull("sled", target=(0, 0, 1), stiffness=1000, damping=0)
    pull.credit = 0.05
    simulation.advance(0.5)
    assert simulation.report.kinetic == pytest.approx(0.05, rel=1e-6)


def test_forces_are_traced_when_asked() -> None:
    simulation = afloat(SLED)
    pull = simulation.pull("sled", target=(0, 0, 0.1))
    pull.trace = []
    simulation.advance(0.01)
    assert len(pull.trace) == 10 and pull.trace[0].time == 0.0


@pytest.mark.parametrize(
    ("how", "options", "says"),
    [
        ("push", {"normal": (0, 0, 0)}, "must have a direction"),
        ("push", {"normal": (0, 0, 1), "stiffness": -1.0}, "must not be negative"),
        ("push", {"normal": (0, 0, 1), "damping": math.nan}, "must not be negative"),
        ("push", {}, "position of its tip"),
        ("pull", {"stiffness": -5.0}, "must not be negative"),
        ("pull", {"stiffness": np.zeros((2, 2))}, "3 × 3"),
        ("pull", {"target": (0, 0)}, "three finite numbers"),
    ],
)
def test_mistakes_are_reported(how: str, options: dict[str, object], says: str) -> None:
    simulation = afloat(SLED)
    with pytest.raises(KinegenError, match=says):
        getattr(simulation, how)("sled", **options)


@pytest.mark.parametrize("apart", [0.0, 1e-3, 0.05])
def test_springs_near_singular_poses_are_made_for_no_more_than_all_that_moves(
    apart: float,
) -> None:
    """One arm stretched out: the handle moves across it, hardly along; there it feels like tons."""
    model = kg.load("five-bar").compile()
    q = kg.assemble(model).q
    for name, value in (("A", np.pi / 4), ("B", apart)):
        q[model.joint(name).q] = value
    q = kg.assemble(model, q, locked=["A", "B"], limits=False).q
    grip = Grip(model, "handle")
    felt = effective_mass(grip.mobility(q, grip.state(q, np.zeros(model.nv)).J))
    assert felt > (1.0 if apart else 0.0)
    simulation = kg.Simulation(kg.load("five-bar"), q=q, gravity=(0, 0, 0), record=0)
    total = float(model.inertia[1:, 0].sum())
    pull = simulation.pull("handle")
    K = pull.impedance.stiffness
    assert 0 < K[0, 0] <= total * RATE**2 * (1 + 1e-12)
    assert not apart or K[0, 0] == pytest.approx(total * RATE**2)
    assert 0 < K[3, 3] <= total * model.size**2 * RATE**2 * (1 + 1e-12)
    simulation.release(pull)
    at = kg.pose(model, q, "handle").translation
    push = simulation.push("handle", normal=(0, 1, 0), depth=0.001)
    assert push.stiffness <= total * STIFF_RATE**2 * (1 + 1e-12)
    simulation.release(push)
    # drawn along the direction in which it hardly moves: it stays a mechanism
    simulation.pull("handle", target=at + [0.05, 0.05, 0])
    simulation.advance(0.2)
    assert simulation.is_running, simulation.reason
    assert simulation.report.gap < 1e-6
