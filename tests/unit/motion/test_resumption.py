"""How motions continue beside their plans: begun where they are, smooth, to the right end."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.kinematics.configurations import difference, integrate
from kinegen.motion.plan import Plan
from kinegen.motion.resumption import Resumption

BALL = """
raff: 1
name: ball-arm
joints:
  - {name: ball, parent: base, type: spherical, motor: true}
  - {name: elbow, parent: ball, d: 0.3, motor: true}
"""
BLEND, RATE, NOW = 0.6, 15.0, 0.8


def swung() -> Plan:
    model = kg.load(BALL).compile()
    times = np.linspace(0, 2, 21)
    s = times / 2
    way = 10 * s**3 - 15 * s**4 + 6 * s**5
    qs = [integrate(model, model.start(), w * np.array([0.5, -0.9, 1.2, 0.7])) for w in way]
    return Plan(kg.Recording.of(model, qs, times))


@pytest.mark.parametrize("how", ["keep", "rejoin", "stop"])
def test_a_course_begins_where_the_hand_left_it(how: str) -> None:
    plan = swung()
    model = plan.recording.model
    q = integrate(model, plan.at(NOW)[0], [0.3, 0.2, -0.6, 0.4])
    v = np.array([0.5, -0.7, 0.3, 1.1])
    resumption = Resumption.after(plan, NOW, q, v, how=how, before=Resumption())

    def at(time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return plan.chart.state(resumption.rates(plan, time, blend=BLEND, rate=RATE))

    first = at(NOW)
    assert np.allclose(difference(model, q, first[0]), 0, atol=1e-12)
    assert np.allclose(first[1], v, atol=1e-12)
    # speeds are those of the motion, accelerations those of the speeds
    h = 1e-5
    for time in (NOW + 0.1, NOW + 0.37, NOW + 1.0):
        before, here, after = at(time - h), at(time), at(time + h)
        moved = difference(model, before[0], after[0]) / (2 * h)
        assert np.allclose(moved, here[1], atol=1e-6)
        assert np.allclose((after[1] - before[1]) / (2 * h), here[2], atol=1e-4)
    late, planned = at(NOW + 2), plan.at(NOW + 2)
    away = difference(model, planned[0], late[0])
    if how == "rejoin":
        assert np.allclose(away, 0, atol=1e-12)
    elif how == "stop":
        assert np.allclose(late[1], 0) and np.allclose(late[2], 0)
        assert late[0][-1] == pytest.approx(q[-1] + v[-1] * BLEND / 2)
    else:
        # the plan, turned by what the hand turned it and the way that its speed still made
        assert 0.3 < np.linalg.norm(away[:3]) < 1.0
        assert np.allclose(late[1], planned[1], atol=1e-6)


def test_after_a_rest_the_plan_is_late_by_the_pause() -> None:
    plan = swung()
    q, v, _ = plan.at(NOW)
    resting = Resumption.after(plan, NOW, q, v, how="stop", before=Resumption())
    onward = Resumption.after(plan, NOW + 1.5, q, 0 * v, how="rejoin", before=resting)
    assert onward.clock == pytest.approx(1.5)
    late = plan.chart.state(onward.rates(plan, NOW + 2.5, blend=BLEND, rate=RATE))
    assert np.allclose(difference(plan.recording.model, late[0], plan.at(NOW + 1.0)[0]), 0)
