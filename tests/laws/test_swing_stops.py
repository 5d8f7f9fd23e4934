"""Ball joints stop at their swing limits: nothing passes them, nothing else is held."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.kinematics.limits import past_swing, swing_angles
from tests.support.mechanisms.balls import BALL_LOOP, BALL_PENDULUM

pytestmark = pytest.mark.slow

SLACK = {"reduced": 1e-9, "impulse": 1e-5}
"""How far beyond a limit an engine may leave a joint [rad]."""
BOUNCE_SLACK = {"reduced": 1e-9, "impulse": 3e-3}
"""The same where stops throw back: 'impulse' does so in the step nearest to the meeting."""
ENGINES = list(SLACK)


def energy(run: kg.Simulation) -> float:
    return run.report.kinetic + run.report.potential


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("restitution", [0.0, 0.6])
@pytest.mark.parametrize(
    ("text", "limit"), [(BALL_PENDULUM, 40), (BALL_PENDULUM, 110), (BALL_LOOP, 40)]
)
def test_no_ball_passes_its_swing_limit_or_gains_by_it(
    text: str, limit: int, restitution: float, engine: str
) -> None:
    mechanism = kg.load(text.replace("limits: 40 deg", f"limits: {limit} deg"))
    run = kg.Simulation(
        mechanism, engine=engine, step=1e-3, gravity=(9.81, 0, -2), restitution=restitution
    )
    assert run.remarks == ()
    first = run.model.joints[0].name
    run.reset(None, {first: [0.3, 0.8, 1.0]})
    start, most = energy(run), -np.inf
    for _ in range(150):
        run.advance(0.01)
        most = max(most, *(float(past) for past in past_swing(run.model, run.engine.q).values()))
        # what the loops alone gain and lose at this step is not the stops'
        assert energy(run) < start + 1e-3
    assert run.reason == ""
    assert -0.05 < most < (BOUNCE_SLACK if restitution else SLACK)[engine]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_ball_comes_to_rest_on_its_cone_and_twists_freely(engine: str) -> None:
    # gravity pulls it beyond its limit, along x; it turns about its own axis all the while
    text = BALL_PENDULUM.replace("[0.2, 0, 1]", "[0, 0, 1]").replace(
        "40 deg,", "40 deg, friction: {viscous: 4},"
    )
    run = kg.Simulation(kg.load(text), engine=engine, step=1e-3, gravity=(9.81, 0, -2))
    run.reset(None, np.array([0.5, 1.0, 0.0]))
    run.control = lambda time, q, v: np.array([0.0, 0.0, 4.0])
    run.advance(8.0)
    q, v = run.engine.q, run.engine.v
    assert swing_angles(q) == pytest.approx(math.radians(40), abs=1e-4)
    assert np.linalg.norm(v[:2]) < 1e-3
    assert v[2] == pytest.approx(1.0, abs=1e-3)  # where the viscous friction equals the torque
    tip = kg.SE3.from_pose([*q, 0, 0, 0]).rotation[:, 2]
    assert abs(tip[1]) < 1e-2 and tip[0] > 0


@pytest.mark.parametrize("text", [BALL_PENDULUM, BALL_LOOP])
def test_sliding_along_the_cone_costs_no_energy(text: str) -> None:
    """The engine 'reduced' follows the cone as exactly as it follows anything."""
    ends = []
    for step in (1e-3, 2e-4):
        run = kg.Simulation(kg.load(text), step=step, gravity=(9.81, 0, -2))
        run.reset(None, {run.model.joints[0].name: [0.5, 1.0, 3.0]})
        run.advance(0.5)  # it has met its limit
        met = energy(run)
        for _ in range(10):
            run.advance(0.01)
            assert abs(float(*past_swing(run.model, run.engine.q).values())) < 1e-9
        assert energy(run) == pytest.approx(met, abs=1e-5)
        ends.append(np.concatenate((run.engine.q, run.engine.v)))
    np.testing.assert_allclose(*ends, atol=1e-5)


@pytest.mark.parametrize("text", [BALL_PENDULUM, BALL_LOOP])
def test_a_cone_narrower_than_what_a_step_moves_holds_too(text: str) -> None:
    run = kg.Simulation(
        kg.load(text.replace("limits: 40 deg", "limits: 0.01 deg")), gravity=(9.81, 0, -2)
    )
    run.reset(None, {run.model.joints[0].name: [0.5, 1.0, 3.0]})
    start = energy(run)
    for _ in range(30):
        run.advance(0.01)
        assert float(*past_swing(run.model, run.engine.q).values()) < SLACK["reduced"]
        assert energy(run) < start + 1e-6
    assert run.reason == ""


@pytest.mark.parametrize("engine", ENGINES)
def test_a_bounce_returns_the_share_that_restitution_says(engine: str) -> None:
    text = BALL_PENDULUM.replace("[0.2, 0, 1]", "[0, 0, 0]")
    for share in (0.5, 1.0):
        run = kg.Simulation(kg.load(text), engine=engine, restitution=share, gravity=(0, 0, 0))
        run.reset(None, np.array([0.0, 3.0, 0.0]))
        run.advance(0.3)
        np.testing.assert_allclose(run.engine.v, [0, -3 * share, 0], atol=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_ball_without_swing_meets_its_limit_within_one_step(engine: str) -> None:
    # at no swing every direction widens it alike, and the limit is nearer than a step leads
    text = BALL_PENDULUM.replace("40 deg,", "0.05 deg,").replace("[0.2, 0, 1]", "[0, 0, 0]")
    run = kg.Simulation(kg.load(text), engine=engine, step=5e-3, gravity=(0, 0, 0))
    run.reset(None, np.array([0.0, 3.0, 0.0]))
    run.advance(0.05)
    assert float(past_swing(run.model, run.engine.q)["ball"]) < max(SLACK[engine], 1e-9)
    assert abs(run.engine.v[1]) < 1e-6
