"""Motions that hands change while they run."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import KinegenError
from kinegen.kinematics.configurations import difference, integrate
from kinegen.kinematics.solving.assembling.assembly import inputs_of
from kinegen.motion.recording import Recording

pytestmark = pytest.mark.slow

HELD = 1e-4
"""Torques are held for a millisecond: the arm lags by about vdot h / (2 rate) [rad]."""


def plan() -> kg.Recording:
    model = kg.load("arm-6").compile()
    times = np.linspace(0, 2, 41)
    s = times / 2
    rise = 10 * s**3 - 15 * s**4 + 6 * s**5
    values = model.start() + rise[:, None] * np.array([0.8, -0.3, 0.2, 0.3, 0.1, 0.5])
    return Recording.of(model, values, times, name="plan")


def steered(resume: str, after: float = 1.8) -> kg.motion.Steering:
    """Pulled upwards by 10 cm from 0.5 to 0.9 s."""
    arm = kg.motion.Steering(kg.load("arm-6"), plan(), resume=resume)  # type: ignore[arg-type]
    arm.advance(0.5)
    start = kg.pose(arm.simulation.model, arm.simulation.engine.q, "tool").translation
    arm.pull("tool", target=lambda t: start + [0, 0, 0.25 * min(t - 0.5, 0.4)], stiffness=800)
    arm.advance(0.4)
    arm.release()
    arm.advance(after)
    assert arm.simulation.is_running, arm.simulation.reason
    return arm


def test_untouched_it_follows_its_plan() -> None:
    arm = kg.motion.Steering(kg.load("arm-6"), plan())
    arm.advance(2.2)
    wanted = np.array([arm.plan.at(t)[0] for t in arm.times])
    assert np.abs(arm.q - wanted).max() < HELD
    assert arm.edits == [] and arm.is_done and not arm.undo()


def test_while_touched_it_yields_and_then_rejoins() -> None:
    arm = steered("rejoin")
    (edit,) = arm.edits
    assert edit.start == pytest.approx(0.501) and edit.end == pytest.approx(0.93, abs=2e-3)
    assert edit.resume == "rejoin"
    wanted = np.array([arm.plan.at(t)[0] for t in arm.times])
    away = np.abs(arm.q - wanted).max(axis=1)
    assert away[arm.times < 0.5].max() < HELD
    assert away.max() > 0.1
    assert away[-1] < 1e-6
    # no leap where the hand lets go: speeds change by no more than forces allow
    assert np.abs(np.diff(arm.v, axis=0)).max() < 0.2


def test_a_touch_at_the_end_has_time_to_rejoin() -> None:
    arm = kg.motion.Steering(kg.load("arm-6"), plan(), resume="rejoin")
    arm.advance(1.9)
    at = kg.pose(arm.simulation.model, arm.q[-1], "tool").translation
    arm.pull("tool", target=at + [0, 0, 0.1])
    arm.advance(0.3)
    arm.release()
    arm.advance(0.1)
    assert arm.time > 2.2 and not arm.is_done
    arm.advance(1.3)
    assert arm.is_done and np.abs(arm.q[-1] - plan().values[-1]).max() < 1e-5


def test_a_kept_course_is_the_plan_shifted() -> None:
    arm = steered("keep")
    end = arm.edits[0].end
    late = arm.times > end + 0.7
    wanted = np.array([arm.plan.at(t)[0] for t in arm.times])
    shift = (arm.q - wanted)[late]
    assert np.abs(shift - shift[-1]).max() < 1e-3
    assert np.abs(shift[-1]).max() > 0.05


def test_it_stops_and_goes_on() -> None:
    arm = steered("stop", after=1.6)
    assert arm.is_done and np.abs(arm.v[-1]).max() < 1e-4
    rest = arm.q[-1]
    arm.advance(0.5)
    assert np.abs(arm.q[-1] - rest).max() < 1e-4
    arm.continue_plan()
    arm.advance(2.0)
    assert arm.is_done and np.abs(arm.q[-1] - plan().values[-1]).max() < 1e-6


def test_an_undone_touch_has_never_been() -> None:
    arm = steered("keep", after=0.3)
    assert arm.undo()
    assert arm.time == pytest.approx(arm.times[-1] + 1e-3, abs=1.1e-3) and arm.edits == []
    arm.advance(2.3 - arm.time)
    untouched = kg.motion.Steering(kg.load("arm-6"), plan())
    untouched.advance(2.3)
    assert np.abs(arm.q[-1] - untouched.q[-1]).max() < 1e-6
    assert (np.diff(arm.times) > 0).all()


def test_what_was_done_is_a_motion_to_keep_and_to_play() -> None:
    arm = steered("rejoin")
    done = arm.recording("around")
    assert done.name == "around" and len(done.times) == pytest.approx(271, abs=2)
    again = Recording.from_dict(done.model, done.to_dict())
    replay = kg.motion.Steering(kg.load("arm-6"), again)
    replay.advance(done.duration)
    for time in (0.4, 0.9, 1.3):
        made = replay.q[np.searchsorted(replay.times, time)]
        assert np.abs(made - arm.q[np.searchsorted(arm.times, time)]).max() < 0.02
    assert np.abs(replay.q[-1] - arm.q[-1]).max() < 1e-4


def test_forces_and_accelerations_show_the_touch() -> None:
    arm = steered("rejoin")
    force = np.linalg.norm(arm.forces, axis=1)
    inside = (arm.times > 0.502) & (arm.times < 0.9)
    assert (force[inside] > 0).all() and not force[arm.times < 0.5].any()
    assert not force[arm.times > 0.92].any()
    assert arm.accelerations.shape == arm.efforts.shape == arm.v.shape
    rise = (arm.v[10] - arm.v[9]) / (arm.times[10] - arm.times[9])
    assert np.allclose(arm.accelerations[10], rise)


def test_equal_hands_make_equal_motions() -> None:
    assert np.array_equal(steered("keep", 0.2).q, steered("keep", 0.2).q)


LOOPS = {
    # the hand's way: how far aside it leads the part [m], loops that it must not open
    "five-bar": ("handle", (0.03, 0.04, 0.0)),
    "stewart": ("platform", (0.05, 0.02, 0.03)),
}


def looped(name: str) -> kg.Recording:
    """A plan of all motors, loops closed."""
    model = kg.load(name).compile()
    motors = inputs_of(model)
    times = np.linspace(0, 1.6, 33)
    s = times / 1.6
    rise = 10 * s**3 - 15 * s**4 + 6 * s**5
    q = kg.assemble(model).q
    columns = [model.joint(motor).q.start for motor in motors]
    reach = 0.2 if name == "five-bar" else 0.05
    values = q[columns] + rise[:, None] * np.linspace(-reach, reach, len(motors))
    return Recording(model, motors, times, values, name="plan")


@pytest.mark.parametrize(
    ("name", "resume"),
    [("five-bar", "keep"), ("five-bar", "rejoin"), ("five-bar", "stop"), ("stewart", "rejoin")],
)
def test_loops_are_led_aside_and_stay_closed(name: str, resume: str) -> None:
    link, aside = LOOPS[name]
    arm = kg.motion.Steering(kg.load(name), looped(name), step=2e-3, resume=resume)  # type: ignore[arg-type]
    model = arm.simulation.model
    motors = [model.joint(motor).q.start for motor in inputs_of(model)]
    arm.advance(0.4)
    followed = np.array([arm.plan.at(t)[0] for t in arm.times])
    assert np.abs((arm.q - followed)[:, motors]).max() < 5e-4
    start = kg.pose(model, arm.simulation.engine.q, link).translation
    arm.pull(link, target=lambda t: start + np.array(aside) * min(1.0, (t - 0.4) / 0.3))
    arm.advance(0.4)
    led = kg.pose(model, arm.simulation.engine.q, link).translation
    arm.release()
    arm.advance(1.4)
    assert arm.simulation.is_running, arm.simulation.reason
    assert np.linalg.norm(led - start) > 0.3 * np.linalg.norm(aside)
    assert len(arm.edits) == 1 and arm.is_done
    assert max(kg.kinematics.loop_gap(model, q).distance for q in arm.q[::20]) < 1e-9
    away = (arm.q[-1] - arm.plan.at(arm.time)[0])[motors]
    if resume == "rejoin":
        assert np.abs(away).max() < 1e-4
    else:
        assert np.abs(away).max() > 5e-3
        assert np.abs(arm.v[-1]).max() < 1e-3
    # what was done is a motion whose loops are closed, to be played again
    done = Recording.from_dict(model, arm.recording("led").to_dict())
    again = kg.motion.Steering(kg.load(name), done, step=2e-3)
    again.advance(done.duration)
    assert np.abs((again.q[-1] - arm.q[-1])[motors]).max() < 1e-3
    # and it can be undone
    assert arm.undo() and arm.edits == [] and arm.time == pytest.approx(0.4)
    arm.advance(0.1)
    assert np.abs((arm.q[-1] - arm.plan.at(arm.times[-1])[0])[motors]).max() < 5e-4
    assert (np.diff(arm.times) > 0).all()


def test_a_ball_joint_is_led_aside_and_rejoins() -> None:
    mechanism = kg.load(
        "raff: 1\nname: ball-arm\njoints:\n"
        "  - {name: ball, parent: base, type: spherical, motor: true, mass: 2,\n"
        "     shape: {box: [0.4, 0.1, 0.1]}}\n"
        "  - {name: elbow, parent: ball, d: 0.4, motor: true, mass: 1, shape: {sphere: 0.08}}\n"
        "frames:\n  - {name: tip, parent: elbow, d: 0.3}\n"
    )
    model = mechanism.compile()
    times = np.linspace(0, 1.6, 33)
    s = times / 1.6
    rise = 10 * s**3 - 15 * s**4 + 6 * s**5
    qs = [integrate(model, model.start(), w * np.array([0.4, 0.6, -0.8, 0.5])) for w in rise]
    arm = kg.motion.Steering(mechanism, Recording.of(model, qs, times), step=2e-3)
    arm.advance(0.6)
    off = difference(model, arm.plan.at(arm.times[-1])[0], arm.q[-1])
    assert np.abs(off).max() < 5e-4
    at = kg.pose(model, arm.q[-1], "tip").translation
    arm.pull("tip", target=at + [0, 0, 0.2])
    arm.advance(0.3)
    assert np.abs(difference(model, arm.plan.at(arm.time)[0], arm.q[-1])).max() > 0.05
    arm.release()
    arm.advance(1.4)
    assert arm.is_done
    assert np.abs(difference(model, qs[-1], arm.q[-1])).max() < 1e-4


def test_free_objects_may_be_in_the_scene() -> None:
    mechanism = kg.load(
        "raff: 1\nname: push\nrobots: [{name: arm, include: arm-6}]\n"
        "objects:\n  - {name: ball, shape: {sphere: 0.05}, at: {xyz: [2, 0, 0.5]}}\n"
    )
    model = mechanism.compile()
    times = np.linspace(0, 0.6, 13)
    values = model.start() + (times / 0.6)[:, None] ** 2 * np.full(model.nq, 0.1)
    arm = kg.motion.Steering(mechanism, Recording.of(model, values, times), objects=True)
    arm.advance(0.3)
    assert np.abs(arm.q[-1][: model.nq] - arm.plan.at(arm.times[-1])[0]).max() < 1e-3
    assert arm.simulation.model.nv == model.nv + 6
    assert arm.recording().joints[-1] == "ball"


def test_a_plan_of_another_mechanism_is_refused() -> None:
    with pytest.raises(KinegenError, match="joint 'waist' of mechanism 'arm-6', which is not in"):
        kg.motion.Steering(kg.load("five-bar"), plan())


def test_loops_without_motors_are_refused() -> None:
    mechanism = kg.load(
        "raff: 1\nname: idle\njoints:\n  - {name: A, parent: base}\n"
        "  - {name: B, parent: A, d: 0.2}\n"
        "  - {name: C, parent: base, d: 0.3}\n"
        "  - {name: D, parent: B, d: 0.25, closes: {onto: C, d: 0.2}}\n"
    )
    model = mechanism.compile()
    q = kg.assemble(model).q
    still = Recording.of(model, [q, q], [0, 1])
    with pytest.raises(KinegenError, match="no motors to follow a plan"):
        kg.motion.Steering(mechanism, still)
    assert kg.motion.Steering(mechanism, still, motors=["A"]).is_touched is False


def test_unknown_choices_are_refused() -> None:
    with pytest.raises(KinegenError, match="keep, rejoin, stop"):
        kg.motion.Steering(kg.load("arm-6"), plan(), resume="wait")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "way", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))]
)
def test_a_copy_continues_bit_for_bit(way: Callable[[Any], Any]) -> None:
    arm = kg.load("arm-6")
    steering = kg.motion.Steering(arm, plan())
    steering.advance(0.05)
    steering.pull("wrist_2", target=[0.3, 0.3, 0.3])
    steering.advance(0.05)
    other = way(steering)
    assert other.simulation.control.__self__ is other
    for one in (steering, other):
        one.advance(0.05)
        one.release()
        one.advance(0.1)
    np.testing.assert_array_equal(other.q, steering.q)
    np.testing.assert_array_equal(other.efforts, steering.efforts)
    assert other.undo() and steering.undo() and other.time == steering.time
