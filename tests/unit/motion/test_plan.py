"""Plans: recorded motions as smooth functions of time."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import KinegenError
from kinegen.motion.plan import Plan


def plan_of(times: np.ndarray) -> tuple[Plan, kg.Recording]:
    model = kg.load("arm-6").compile()
    s = (times - times[0]) / (times[-1] - times[0])
    rise = 10 * s**3 - 15 * s**4 + 6 * s**5
    values = model.start() + rise[:, None] * np.linspace(0.2, 1.2, 6)
    recording = kg.Recording.of(model, values, times)
    return Plan(recording), recording


def test_a_plan_goes_through_its_rows_and_rests_at_its_ends() -> None:
    plan, recording = plan_of(np.linspace(1, 3, 41))
    for time, row in zip(recording.times, recording.values, strict=True):
        assert np.allclose(plan.at(time)[0], row, atol=1e-12)
    for time, row in ((0.0, recording.values[0]), (9.0, recording.values[-1])):
        q, v, vdot = plan.at(time)
        assert np.array_equal(q, row) and not v.any() and not vdot.any()
    assert plan.duration == pytest.approx(2.0)


def test_speeds_are_those_of_the_motion() -> None:
    plan, _ = plan_of(np.sort(np.append(np.linspace(0, 2, 60), 0.7)))
    h = 1e-5
    for time in (0.3, 0.71, 1.5):
        _, v, vdot = plan.at(time)
        before, after = plan.at(time - h), plan.at(time + h)
        assert np.allclose(v, (after[0] - before[0]) / (2 * h), atol=1e-8)
        assert np.allclose(vdot, (after[1] - before[1]) / (2 * h), atol=1e-6)
        s = time / 2
        exact = (30 * s**2 - 60 * s**3 + 30 * s**4) / 2 * np.linspace(0.2, 1.2, 6)
        assert np.allclose(v, exact, atol=1e-4)


def test_motors_of_loops_go_through_their_rows_and_the_branch_stays() -> None:
    model = kg.load("five-bar").compile()
    start = kg.assemble(model).q
    both = [model.joint(name).q.start for name in ("A", "E")]
    values = start[both] + np.linspace(0, 1, 9)[:, None] * [0.3, -0.2]
    plan = Plan(kg.Recording(model, ("A", "E"), np.linspace(0, 2, 9), values))
    for time, row in zip(plan.times, values, strict=True):
        q = plan.at(time)[0]
        assert np.allclose(q[both], row, atol=1e-12)
        assert kg.kinematics.loop_gap(model, q).distance < 1e-9
    assert np.abs(np.diff(plan.values, axis=0)).max() < 0.3


def test_rows_whose_loops_cannot_close_are_refused() -> None:
    model = kg.load("four-bar").compile()
    start = kg.assemble(model).q
    recording = kg.Recording.of(model, [start, start], [0.0, 1.0], name="torn")
    model.parameters["ground"] = 2.0
    with pytest.raises(KinegenError, match=r"'torn' .* at 0 s its loops stay open by"):
        Plan(recording)
