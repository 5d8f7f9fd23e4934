"""What a run reports."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from tests.support.mechanisms.simulated import bob


@pytest.fixture(scope="module")
def run() -> kg.dynamics.Run:
    return kg.simulate(kg.load("five-bar"), time=0.2, gravity=(0, -9.81, 0))


def test_final_values_go_by_name(run: kg.dynamics.Run) -> None:
    assert list(run.final) == ["A", "B", "E", "D", "C"]
    assert run.final["A"] == run.joint("A")[-1] == run.q[-1, 0]
    crawler = kg.simulate(kg.load("crawler"), time=0.01)
    assert len(crawler.final[crawler.model.joints[0].name]) == 7  # type: ignore[arg-type]


def test_drift_is_a_share_of_the_energy_in_motion(run: kg.dynamics.Run) -> None:
    assert run.energy_scale == run.kinetic.max() > 0.05
    assert run.energy_drift == np.abs(run.balance - run.balance[0]).max() / run.energy_scale
    assert run.energy_drift < 1e-6


def test_a_mechanism_at_rest_does_not_drift() -> None:
    still = kg.simulate(kg.load("five-bar"), time=0.1, gravity=(0, 0, -9.81))  # across its plane
    assert still.kinetic.max() < 1e-20 and still.energy_drift < 1e-6


def test_the_summary_has_what_programs_ask_for(run: kg.dynamics.Run) -> None:
    summary = run.summary()
    assert {"steps", "seconds", "max_gap", "max_velocity_gap", "energy_start", "energy_end",
            "energy_drift", "q"} <= set(summary)  # fmt: skip
    assert summary["steps"] == 200 and summary["seconds"] == pytest.approx(0.2)
    assert summary["max_gap"] < 1e-9 and summary["q"] == run.final


def test_the_nearest_moment_is_found(run: kg.dynamics.Run) -> None:
    np.testing.assert_array_equal(run.at(0.101), run.q[10])


def test_an_endless_pendulum_keeps_its_period() -> None:
    run = kg.simulate(bob(start="-85 deg"), time=4, record=None)
    crossings = np.flatnonzero(np.diff(np.sign(run.joint("A") + np.pi / 2)))
    period = 2 * np.diff(run.times[crossings]).mean()
    # a physical pendulum: I/(m g r) with I = 1.01; small swings of 5 degrees
    wanted = 2 * np.pi * np.sqrt(1.01 / 9.81) * (1 + np.radians(5) ** 2 / 16)
    assert period == pytest.approx(wanted, rel=1e-3)


@pytest.mark.parametrize("engine", ["reduced", "impulse"])
def test_a_balance_is_distinguished_from_a_drift(engine: str) -> None:
    still = kg.simulate(
        kg.load("four-bar"), time=0.1, engine=engine
    )  # upright, its weights in balance
    assert still.is_still and still.energy_drift < 0.01
    moving = kg.simulate(kg.load("four-bar"), time=0.2, engine=engine, q={"crank": 0.5})
    assert not moving.is_still and moving.energy_drift < 0.01


def test_a_run_writes_itself_in_a_line(run: kg.dynamics.Run) -> None:
    assert repr(run) == "Run('five-bar', engine 'reduced', 21 rows, reached 0.2 s)"
