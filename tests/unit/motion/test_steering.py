"""Motions that hands change while they run."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import KinegenError
from kinegen.motion.recording import Recording

HELD = 1e-4
"""Torques are held for a millisecond: the arm lags by about vdot h / (2 rate) [rad]."""


def plan() -> kg.Recording:
    model = kg.load("arm-6").compile()
    times = np.linspace(0, 2, 41)
    s = times / 2
    rise = 10 * s**3 - 15 * s**4 + 6 * s**5
    values = model.start() + rise[:, None] * np.array([0.8, -0.3, 0.2, 0.3, 0.1, 0.5])
    return Recording.of(model, times, values, name="plan")


def steered(resume: str, after: float = 1.8) -> kg.Steering:
    """Pulled upwards by 10 cm from 0.5 to 0.9 s."""
    arm = kg.Steering(kg.load("arm-6"), plan(), resume=resume)  # type: ignore[arg-type]
    arm.advance(0.5)
    start = kg.pose(arm.simulation.model, arm.simulation.engine.q, "tool").translation
    arm.pull("tool", target=lambda t: start + [0, 0, 0.25 * min(t - 0.5, 0.4)], stiffness=800)
    arm.advance(0.4)
    arm.release()
    arm.advance(after)
    assert arm.simulation.is_running, arm.simulation.reason
    return arm


def test_untouched_it_follows_its_plan() -> None:
    arm = kg.Steering(kg.load("arm-6"), plan())
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
    arm.go_on()
    arm.advance(2.0)
    assert arm.is_done and np.abs(arm.q[-1] - plan().values[-1]).max() < 1e-6


def test_an_undone_touch_has_never_been() -> None:
    arm = steered("keep", after=0.3)
    assert arm.undo()
    assert arm.time == pytest.approx(arm.times[-1] + 1e-3, abs=1.1e-3) and arm.edits == []
    arm.advance(2.3 - arm.time)
    untouched = kg.Steering(kg.load("arm-6"), plan())
    untouched.advance(2.3)
    assert np.abs(arm.q[-1] - untouched.q[-1]).max() < 1e-6
    assert (np.diff(arm.times) > 0).all()


def test_what_was_done_is_a_motion_to_keep_and_to_play() -> None:
    arm = steered("rejoin")
    done = arm.recording("around")
    assert done.name == "around" and len(done.times) == pytest.approx(271, abs=2)
    again = Recording.from_data(done.model, done.to_data())
    replay = kg.Steering(kg.load("arm-6"), again)
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


def test_unknown_choices_are_refused() -> None:
    with pytest.raises(KinegenError, match="keep, rejoin, stop"):
        kg.Steering(kg.load("arm-6"), plan(), resume="wait")  # type: ignore[arg-type]
