"""Servos against what springs, dampers, limits and friction do on paper."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.motors.servos import Servos
from tests.support.contacts.touching import turntable

pytestmark = pytest.mark.slow


def response(t: np.ndarray, inertia: float, kp: float, kd: float) -> np.ndarray:
    """The step response of a damped spring that swings."""
    w = math.sqrt(kp / inertia)
    z = kd / (2 * inertia * w)
    wd = w * math.sqrt(1 - z * z)
    return np.asarray(1 - np.exp(-z * w * t) * (np.cos(wd * t) + z * w / wd * np.sin(wd * t)))


def test_a_step_of_place_is_the_second_order_response() -> None:
    errors = []
    for step in (2e-3, 1e-3, 5e-4):
        run = kg.simulate(turntable("{kp: 40, kd: 1.2}"), time=1.0, step=step, targets={"A": 1.0})
        errors.append(abs(run.joint("A") - response(run.times, 0.1, 40, 1.2)).max())
    # efforts are held for a step and fit its middle: of second order
    assert errors[0] < 1e-3
    assert errors[1] < 0.3 * errors[0] and errors[2] < 0.3 * errors[1]


def test_gains_from_inertia_settle_without_overshoot() -> None:
    run = kg.simulate(turntable(), time=0.5, targets={"A": 0.3})
    assert run.joint("A")[-1] == pytest.approx(0.3, abs=1e-6)
    assert run.joint("A").max() < 0.3 + 1e-6


def test_torque_saturates_and_says_so() -> None:
    simulation = kg.Simulation(turntable("{torque: 0.5}"), targets={"A": 3.0})
    simulation.advance(0.1)
    # constant torque: a parabola
    assert simulation.engine.q[0] == pytest.approx(0.5 * 5 * 0.1**2, rel=1e-6)
    assert simulation.servos is not None
    assert simulation.servos.saturation == {"A": 1.0}
    report = simulation.servos.report
    assert report is not None and report.saturated[0] and report.wanted[0] > 0.5


@pytest.mark.parametrize("mode", ["position", "velocity"])
def test_speed_stays_below_its_limit(mode: str) -> None:
    targets = {"A": 20.0}
    run = kg.simulate(turntable("{speed: 2}"), time=1.0, targets=targets, modes={"A": mode})
    assert run.v.max() == pytest.approx(2.0, abs=0.02)
    assert run.v.max() <= 2.0 + 1e-9


def test_a_velocity_is_reached_with_the_time_constant_of_its_gain() -> None:
    run = kg.simulate(turntable("{mode: velocity, kd: 1}"), time=0.5, step=1e-4, targets={"A": 2.0})
    expected = 2 * (1 - np.exp(-run.times / 0.1))
    np.testing.assert_allclose(run.v[:, 0], expected, atol=2e-3)


def test_a_torque_is_passed_on() -> None:
    run = kg.simulate(turntable("{mode: torque}"), time=0.5, targets={"A": 0.3})
    np.testing.assert_allclose(run.v[:, 0], 3 * run.times, atol=1e-9)


def test_a_motor_runs_up_along_its_curve() -> None:
    """Torque that falls with speed: an exponential towards the no-load speed."""
    motor = "{mode: torque, stall: 2, no_load: 10}"
    run = kg.simulate(turntable(motor), time=1.5, step=1e-4, targets={"A": 100.0})
    expected = 10 * (1 - np.exp(-run.times * 2 / (10 * 0.1)))
    np.testing.assert_allclose(run.v[:, 0], expected, atol=5e-3)


def test_static_friction_sticks_and_slips() -> None:
    """A slow ramp through a soft servo: with Stribeck's curve it moves in jerks, else evenly."""
    jerky = "{coulomb: 0.5, static: 1.0, stribeck: 0.05}"
    runs = {}
    for word, friction in (("jerky", jerky), ("even", "{coulomb: 0.5}")):
        mechanism = turntable("{kp: 10, kd: 0.2}", friction=friction)
        runs[word] = kg.simulate(
            mechanism,
            time=6.0,
            step=1e-3,
            targets=lambda t: {"A": kg.dynamics.Target(0.1 * t, 0.1)},
        )
    moving = runs["jerky"].v[:, 0]
    late = runs["jerky"].times > 1
    assert (abs(moving[late]) < 1e-9).mean() > 0.3  # it sticks
    assert moving.max() > 0.3  # and slips, faster than the ramp
    # it breaks loose where the spring pulls with the static friction
    first = np.argmax(moving > 1e-6)
    ramp = 0.1 * runs["jerky"].times[first]
    assert 10 * ramp + 0.2 * 0.1 == pytest.approx(1.0, abs=0.03)
    even = runs["even"].v[runs["even"].times > 5, 0]
    np.testing.assert_allclose(even, 0.1, atol=2e-3)


def test_a_joint_with_backlash_is_loose_by_its_backlash() -> None:
    """The motor holds; a load that changes sides moves the joint by the play and the flanks."""
    mechanism = turntable("{gear: 10, inertia: 0.0002}", backlash="2 deg", friction=0.3)
    load = 0.2

    def push(time: float, q: np.ndarray, v: np.ndarray) -> dict[str, float]:
        return {"A": load if time < 1 else -load}

    simulation = kg.Simulation(mechanism, hold=True, control=push)
    servos = simulation.servos
    assert servos is not None
    simulation.advance(1.0)
    high = simulation.engine.q[0]
    simulation.advance(1.0)
    low = simulation.engine.q[0]
    assert servos._backlash is not None
    give = load / servos._backlash.stiffness[0] + load / servos.motors.kp[0]
    assert high - low == pytest.approx(math.radians(2) + 2 * give, rel=1e-3)


def test_an_unloaded_joint_swings_within_its_play() -> None:
    """An unloaded joint swings freely within its play, and never beyond its flanks' give."""
    mechanism = turntable("{gear: 10, inertia: 0.0002}", backlash="2 deg")
    simulation = kg.Simulation(mechanism, hold=True, v={"A": 0.2})
    width = []
    for _ in range(2000):
        simulation.advance(1e-3)
        width.append(simulation.engine.q[0])
    assert simulation.is_running
    assert max(width) - min(width) == pytest.approx(math.radians(2), rel=0.05)


def track(model: kg.Model, names: list[str]) -> Callable[[float], dict[str, kg.dynamics.Target]]:
    """A smooth motion of some joints, each with its own rhythm."""
    start = kg.assemble(model).q if model.loops else model.start()

    def targets(time: float) -> dict[str, kg.dynamics.Target]:
        out = {}
        for k, name in enumerate(names):
            a, w = 0.2, 3.0 + 0.5 * k
            at = start[model.joint(name).q][0] + a * (1 - math.cos(w * time))
            out[name] = kg.dynamics.Target(
                at, a * w * math.sin(w * time), a * w * w * math.cos(w * time)
            )
        return out

    return targets


@pytest.mark.parametrize("name", ["arm-6", "five-bar"])
def test_computed_torque_follows_a_motion(name: str) -> None:
    mechanism = kg.load(name)
    model = mechanism.compile()
    names = [joint.name for joint in model.joints if joint.has_motor]
    targets = track(model, names)
    simulation = kg.Simulation(
        mechanism, targets=targets, modes=dict.fromkeys(names, "computed"), gravity=(0, -3, -9)
    )
    worst = 0.0
    for _ in range(1000):
        simulation.advance(1e-3)
        wanted = targets(simulation.time)
        q = simulation.engine.q
        for joint in names:
            worst = max(worst, abs(q[model.joint(joint).q][0] - wanted[joint].position))
    assert simulation.is_running
    assert simulation.servos is not None and not simulation.servos.saturation
    assert worst < 1e-4


def test_place_alone_lags_where_computed_torque_does_not() -> None:
    model = kg.load("arm-6").compile()
    names = [joint.name for joint in model.joints]
    targets = track(model, names)
    simulation = kg.Simulation(kg.load("arm-6"), targets=targets)
    simulation.advance(0.5)
    wanted = targets(0.5)
    error = [abs(simulation.engine.q[model.joint(n).q][0] - wanted[n].position) for n in names]
    assert max(error) > 1e-3


@pytest.mark.parametrize("step", [0.1, 0.2])
def test_stiff_gains_are_stable_at_any_step(step: float) -> None:
    simulation = kg.Simulation(turntable("{kp: 4000, kd: 20}"), step=step, targets={"A": 1.0})
    servos = simulation.servos
    assert servos is not None and servos.is_stiff and step > servos.stable_step
    simulation.advance(4.0)
    assert simulation.engine.q[0] == pytest.approx(1.0, abs=1e-3)


def test_a_stewart_platform_is_held() -> None:
    simulation = kg.Simulation(kg.load("stewart"), hold=True)
    start = simulation.engine.q.copy()
    simulation.advance(0.5)
    assert simulation.is_running
    assert abs(simulation.engine.q - start).max() < 5e-3
    assert simulation.report.gap < 1e-9


def test_a_target_that_is_no_number_is_refused_by_name() -> None:
    servos = Servos(kg.dynamics.System.of(kg.load("arm-6")))
    q, v = servos.model.start(), np.zeros(6)
    with pytest.raises(
        kg.errors.KinegenError, match="target position of joint 'elbow' is not a finite"
    ):
        servos.efforts(q, v, 0.0, {"elbow": math.nan})
    bad = kg.dynamics.Targets.at(servos.model, q)
    bad.v[1] = math.inf
    with pytest.raises(
        kg.errors.KinegenError, match="target v of joint 'shoulder' is not a finite"
    ):
        servos.efforts(q, v, 0.0, bad)
    run = kg.simulate(
        kg.load("arm-6"), time=1.0, targets=lambda t: {"elbow": math.nan if t > 0.5 else 0}
    )
    assert not run.complete and "elbow" in run.reason
    assert run.times[-1] == pytest.approx(0.5, abs=0.01)


def test_unknown_joints_and_wrong_counts_are_refused() -> None:
    servos = Servos(kg.dynamics.System.of(kg.load("arm-6")))
    q, v = servos.model.start(), np.zeros(6)
    with pytest.raises(kg.errors.KinegenError, match="elbwo"):
        servos.efforts(q, v, 0.0, {"elbwo": 0.0})
    with pytest.raises(kg.errors.KinegenError, match="takes 1 number,"):
        servos.efforts(q, v, 0.0, {"elbow": [0.0, 1.0]})


def test_a_mechanism_without_motors_has_no_servos() -> None:
    with pytest.raises(kg.errors.KinegenError, match="has no motors"):
        Servos(
            kg.dynamics.System.of(
                kg.load("raff: 1\nname: x\njoints: [{name: A, parent: base, mass: 1}]")
            )
        )


def test_targets_may_change_while_it_runs() -> None:
    simulation = kg.Simulation(kg.load("arm-6"), targets={"elbow": 0.5}, gravity=(0, 0, 0))
    simulation.advance(0.5)
    assert simulation.servos is not None
    simulation.servos.set_targets({"wrist_1": 0.4})
    simulation.advance(0.5)
    elbow, wrist = (simulation.model.joint(n).q.start for n in ("elbow", "wrist_1"))
    assert simulation.engine.q[elbow] == pytest.approx(0.5, abs=1e-3)
    assert simulation.engine.q[wrist] == pytest.approx(0.4, abs=1e-3)


def test_targets_that_cannot_be_are_refused_at_once() -> None:
    five_bar = kg.load("five-bar")
    with pytest.raises(kg.errors.KinegenError, match=r"joint 'B' has no motor.*motors: A, E"):
        kg.simulate(five_bar, time=0.1, targets={"B": 1.0})
    for bad in ({"A": math.nan}, {"A": "up"}, {"Z": 1.0}, [1.0, 2.0]):
        with pytest.raises(kg.errors.KinegenError):
            kg.simulate(five_bar, time=0.1, targets=bad)  # type: ignore[arg-type]
    simulation = kg.Simulation(five_bar, hold=True)
    assert simulation.servos is not None
    with pytest.raises(kg.errors.KinegenError, match="no motor"):
        simulation.servos.set_targets({"D": 0.0})
    simulation.advance(0.01)
    assert simulation.is_running


def test_targets_beyond_limits_are_remarked() -> None:
    simulation = kg.Simulation(kg.load("stewart"), targets={"leg1": 2.0})
    assert "'leg1' is at 2 m, beyond its limits 2.4 m … 4 m" in simulation.remarks[-1]
    assert kg.Simulation(kg.load("stewart"), targets={"leg1": 3.0}).remarks == ()


def test_modes_go_by_name() -> None:
    with pytest.raises(kg.errors.KinegenError, match="by joint name"):
        kg.simulate(turntable(), time=0.1, hold=True, modes="torque")  # type: ignore[arg-type]


def test_static_friction_holds_where_no_stribeck_speed_is_given() -> None:
    text = """
raff: 1
name: slide
joints:
  - {name: x, type: prismatic, parent: base, mass: 2, inertia: [1, 1, 1],
     friction: {coulomb: 5, static: 25}}
"""
    held = kg.simulate(kg.load(text), time=0.5, engine="impulse")  # 19.62 N pull at it
    assert abs(held.joint("x")).max() < 1e-9
    slipping = kg.simulate(kg.load(text.replace("25", "15")), time=0.5, engine="impulse")
    assert slipping.final["x"] == pytest.approx(-0.5 * (9.81 - 2.5) * 0.5**2, rel=0.05)


def test_one_target_changes_and_a_run_that_continues_takes_them_over() -> None:
    arm = kg.load("arm-6")
    first, second, third = (joint.name for joint in arm.compile().joints[:3])
    old = Servos(arm)
    old.set_target(first, 0.3)
    old.set_target(second, kg.dynamics.Target(effort=2.0))
    assert isinstance(old.targets, kg.dynamics.Targets)
    assert old.targets.q[0] == 0.3 and old.targets.effort[1] == 2.0
    with pytest.raises(kg.errors.UsageError, match="is not a finite number"):
        old.set_target(third, math.nan)
    here = old.model.start() + 0.1
    new = Servos(arm, here)
    new.take_over(old)
    assert isinstance(new.targets, kg.dynamics.Targets)
    # what was never sent anywhere is held where it is now
    assert new.targets.q[0] == 0.3 and new.targets.q[2] == pytest.approx(here[2])
    assert new.targets.effort[1] == 2.0
