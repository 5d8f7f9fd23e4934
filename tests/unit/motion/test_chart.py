"""Numbers of q and their rates, against finite differences of configurations."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.kinematics.configurations import difference, integrate
from kinegen.motion.chart import Chart, Rates

BALLS = """
raff: 1
name: balls
joints:
  - {name: body, parent: base, type: free}
  - {name: ball, parent: body, type: spherical, d: 0.3}
  - {name: turn, parent: ball, d: 0.2}
  - {name: cross, parent: turn, type: universal}
"""
H = 1e-5
"""Step of differences [s]: their error is about H²."""


def chart_and_rates(seed: int) -> tuple[Chart, Rates]:
    model = kg.load(BALLS).compile()
    rng = np.random.default_rng(seed)
    y = rng.normal(size=model.nq) + 0.5
    return Chart(model), (y, rng.normal(size=model.nq), rng.normal(size=model.nq))


def later(rates: Rates, time: float) -> Rates:
    y, y1, y2 = rates
    return y + time * y1 + time**2 / 2 * y2, y1 + time * y2, y2


@pytest.mark.parametrize("seed", range(4))
def test_rates_give_velocities_and_accelerations(seed: int) -> None:
    chart, rates = chart_and_rates(seed)
    q, v, vdot = chart.state(rates)
    before, after = (chart.state(later(rates, time)) for time in (-H, H))
    assert np.allclose(difference(chart.model, before[0], after[0]) / (2 * H), v, atol=1e-7)
    assert np.allclose((after[1] - before[1]) / (2 * H), vdot, atol=1e-7)
    assert all(
        np.linalg.norm(q[joint.q][:4]) == pytest.approx(1)
        for joint in chart.model.quaternion_joints
    )


@pytest.mark.parametrize("seed", range(4))
def test_velocities_give_rates(seed: int) -> None:
    chart, rates = chart_and_rates(seed)
    q, v, _ = chart.state(rates)
    ahead = integrate(chart.model, q, v, dt=H) - integrate(chart.model, q, v, dt=-H)
    assert np.allclose(chart.rates(q, v), ahead / (2 * H), atol=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_an_offset_brings_a_motion_to_a_state(seed: int) -> None:
    chart, rates = chart_and_rates(seed)
    q, v, _ = chart.state(chart_and_rates(seed + 10)[1])
    offset, drift = chart.offset(rates, q, v)
    found = chart.state(chart.shifted(rates, (offset, drift, np.zeros(len(q)))))
    assert np.allclose(difference(chart.model, q, found[0]), 0, atol=1e-12)
    assert np.allclose(found[1], v, atol=1e-12)


def test_no_offset_changes_nothing_and_one_that_moves_is_differentiated() -> None:
    chart, rates = chart_and_rates(1)
    none = np.zeros(chart.model.nq)
    same = chart.shifted(rates, (chart.still, none, none))
    assert all(np.allclose(a, b) for a, b in zip(same, rates, strict=True))
    by = chart_and_rates(2)[1]
    shifted = [chart.shifted(later(rates, time), later(by, time)) for time in (-H, 0, H)]
    assert np.allclose((shifted[2][0] - shifted[0][0]) / (2 * H), shifted[1][1], atol=1e-6)
    assert np.allclose((shifted[2][1] - shifted[0][1]) / (2 * H), shifted[1][2], atol=1e-6)
