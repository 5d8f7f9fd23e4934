"""The engine mujoco."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.engines.registry import make_engine
from kinegen.kinematics.limits import swing_angles
from tests.support.mechanisms.simulated import bob, double_pendulum, every_joint, falling_ball

pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")


def test_looking_does_not_change_the_run() -> None:
    system = kg.dynamics.System.of(kg.load("bricard"))
    one, other = (make_engine(system, "mujoco", 1e-3) for _ in range(2))
    one.advance(None, 200)
    for _ in range(200):
        other.advance(None, 1)
    np.testing.assert_array_equal(one.q, other.q)
    np.testing.assert_array_equal(one.v, other.v)


def test_energy_and_time_are_reported() -> None:
    engine = make_engine(kg.dynamics.System.of(double_pendulum()), "mujoco", 1e-3)
    start = engine.advance(None, 0)
    end = engine.advance(None, 500)
    assert end.time == pytest.approx(0.5) and end.kinetic > 0.1
    assert end.balance == pytest.approx(start.balance, abs=1e-8)
    springs = engine.system.springs
    links = np.empty((3, 12))
    engine.model.kernels.forward_links(engine.q, links)
    ours = kg.dynamics.energy(engine.model, engine.q, engine.v)
    assert end.kinetic == pytest.approx(ours.kinetic)
    assert end.potential == pytest.approx(ours.potential + springs.potential(links))


@pytest.mark.parametrize("name", ["five-bar", "bricard", "slider-crank", "delta"])
def test_potential_energy_counts_every_link_once(name: str) -> None:
    system = kg.dynamics.System.of(kg.load(name), gravity=(1, -5, -7))
    engine = make_engine(system, "mujoco", 1e-3)
    ours = kg.dynamics.energy(system.model, engine.q)
    assert engine.advance(None, 0).potential == pytest.approx(ours.potential, rel=1e-9)


@pytest.mark.parametrize(("name", "steps"), [("eight-bar-b", 4000), ("delta", 1700)])
def test_steps_that_end_in_a_singular_pose_lose_no_energy(name: str, steps: int) -> None:
    # with these steps one ends so near that its forces are undetermined
    system = kg.dynamics.System.of(kg.load(name), gravity=(4, -6, -6.5))
    engine = make_engine(system, "mujoco", 1 / steps, stops=False)
    start = engine.advance(None, 0)
    end = engine.advance(None, steps)
    assert end.balance == pytest.approx(start.balance, abs=1e-5 * end.kinetic)
    assert end.gap < 1e-6


def test_fast_passages_of_singular_poses_invent_no_energy() -> None:
    # its light coupler turns at 80 rad/s there
    system = kg.dynamics.System.of(kg.load("five-bar-spatial"), gravity=(1, -3, -9))
    drifts = []
    for step in (1e-3, 5e-4):
        engine = make_engine(system, "mujoco", step)
        start = engine.advance(None, 0)
        end = engine.advance(None, round(1.5 / step))
        drifts.append(abs(end.balance - start.balance) / end.kinetic)
    assert drifts[0] < 5e-3 and drifts[1] < 2e-4


def test_every_start_is_a_new_one() -> None:
    engine = make_engine(kg.dynamics.System.of(kg.load("five-bar")), "mujoco", 1e-3)
    for _ in range(2):
        # a start at speed: the first step is harder on the loops than none before it
        engine.reset(None, {"A": 30.0})
        engine.advance(None, 1)
        first = engine.q[0]
        assert first == pytest.approx(engine.model.start()[0] + 0.03, abs=2e-3)


def test_work_of_efforts_and_wrenches_is_counted() -> None:
    system = kg.dynamics.System.of(every_joint())
    engine = make_engine(system, "mujoco", 2e-4)
    rng = np.random.default_rng(5)
    loads = kg.dynamics.Loads.of(
        system.model,
        efforts=rng.normal(size=system.model.nv),
        wrenches=rng.normal(size=(2, 6)),
        links=np.array([3, 7]),
    )
    start = engine.advance(None, 0)
    end = engine.advance(loads, 1000)
    assert abs(end.work) > 0.1
    assert end.balance == pytest.approx(start.balance, abs=2e-4 * end.kinetic)


def test_dampers_and_friction_take_what_is_missing() -> None:
    mechanism = bob(friction="{viscous: 0.4, coulomb: 0.5}")
    engine = make_engine(kg.dynamics.System.of(mechanism), "mujoco", 1e-4)
    start = engine.advance(None, 0)
    end = engine.advance(None, 5000)
    assert end.work < -1
    assert end.balance == pytest.approx(start.balance, abs=2e-3)


def test_joints_stop_at_their_limits_unless_disabled() -> None:
    mechanism = bob(limits="[-30 deg, 30 deg]")
    stopped = make_engine(kg.dynamics.System.of(mechanism), "mujoco", 1e-3)
    stopped.advance(None, 2000)
    assert stopped.q[0] == pytest.approx(math.radians(-30), abs=0.01)
    free = make_engine(kg.dynamics.System.of(mechanism), "mujoco", 1e-3, stops=False)
    free.advance(None, 600)
    assert free.q[0] < math.radians(-60)


def test_a_ball_falls_onto_the_floor_and_rests_there() -> None:
    system = kg.dynamics.System.of(falling_ball(), objects=True, floor=0.0)
    engine = make_engine(system, "mujoco", 1e-3)
    first = engine.advance(None, 300)
    part = system.model.joint("ball").q
    assert first.contacts == 0
    assert engine.q[part][6] == pytest.approx(1 - 0.5 * 9.81 * 0.3**2, abs=2e-3)
    last = engine.advance(None, 2000)
    assert last.contacts == 1
    assert engine.q[part][6] == pytest.approx(0.1, abs=2e-3)


def test_a_stiff_damper_is_stepped_implicitly() -> None:
    mechanism = double_pendulum()
    system = kg.dynamics.System.of(mechanism)
    object.__setattr__(system.springs, "damping", np.array([1e4, 0.0]))
    engine = make_engine(system, "mujoco", 1e-2)
    end = engine.advance(None, 200)
    assert np.isfinite(end.kinetic) and end.kinetic < 100


def test_reactions_are_not_known_there() -> None:
    with pytest.raises(kg.errors.KinegenError, match="use 'reduced'"):
        make_engine(kg.dynamics.System.of(bob()), "mujoco", 1e-3).reactions()


def test_a_ball_stops_at_its_swing_limit_whatever_its_twist() -> None:
    text = """\
raff: 1
name: pendulum
joints:
  - {name: ball, type: spherical, parent: base, rpy: [180 deg, 0, 0], limits: 40 deg, mass: 1,
     centre: [0.2, 0, 1], inertia: [0.1, 0.1, 0.02]}
"""
    run = kg.Simulation(kg.load(text), engine="mujoco", step=1e-3, gravity=(9.81, 0, -2))
    assert run.remarks == ()
    run.reset(None, np.array([0.5, 1.0, 3.0]))
    most = turned = 0.0
    for _ in range(200):
        run.advance(0.01)
        quat = run.engine.q
        most = max(most, float(swing_angles(quat)))
        turned = max(turned, 2 * float(np.arccos(min(1.0, abs(quat[0])))))
    # it meets the stop, which gives way by what one step of a fast impact brings
    assert np.radians(40) - 0.01 < most < np.radians(40) + 0.03
    assert turned > np.radians(60)  # the twist is free
