"""Runs that go wrong."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.engines.registry import make_engine
from kinegen.dynamics.simulation.watch import Watch
from tests.support.mechanisms.simulated import bob, double_pendulum


def watched(
    mechanism: kg.Mechanism, step: float = 1e-3
) -> tuple[Watch, kg.dynamics.StepReport, tuple]:  # type: ignore[type-arg]
    system = kg.dynamics.System.of(mechanism)
    engine = make_engine(system, "reduced", step)
    start = engine.advance(None, 0)
    return Watch(engine, system, start, {}), start, (engine.q.copy(), engine.v.copy(), 0.0)


def judged(
    watch: Watch, report: kg.dynamics.StepReport, before: tuple[Any, Any, float], count: int
) -> str:
    trouble = watch.judge(report)
    return watch.advise(trouble, before, None, count) if trouble else ""


def test_a_good_report_is_no_trouble() -> None:
    watch, start, before = watched(bob())
    assert judged(watch, start, before, 1) == ""
    assert judged(watch, replace(start, kinetic=3, potential=start.potential - 3), before, 1) == ""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kinetic": math.nan}, "the numbers diverged"),
        ({"gap": 0.5}, "a loop opened by 500 mm"),
        ({"kinetic": 1e3}, "J of energy appeared"),
        ({"potential": -1e3}, "J of energy vanished"),
    ],
)
def test_trouble_is_reported_in_words(change: dict[str, float], words: str) -> None:
    watch, start, before = watched(bob())
    reason = judged(watch, replace(start, time=0.25, **change), before, 10)
    assert words in reason and "0.25 s" in reason
    # the motion itself is harmless: half the step keeps its energy
    assert reason.endswith("the step of 0.001 s is too large; 0.0005 s would be small enough")


def test_work_from_outside_is_no_trouble() -> None:
    watch, start, before = watched(bob())
    assert judged(watch, replace(start, kinetic=1e3, work=1e3), before, 1) == ""


def test_a_hopeless_motion_is_called_so() -> None:
    watch, start, before = watched(double_pendulum(), 1.0)
    spun = before[0], np.array([1e9, -1e9]), 0.0
    reason = judged(watch, replace(start, kinetic=math.inf), spun, 1)
    assert reason.endswith("is too large, and no practical step is small enough")


def test_a_joint_that_leaps_through_its_stop_is_said() -> None:
    pytest.importorskip("mujoco")
    fast = {"waist": 50.0}
    run = kg.simulate(kg.load("puma560"), time=0.2, step=0.1, engine="mujoco", v=fast)
    assert not run.complete
    assert "joint 'waist' jumped through its stop" in run.reason
    assert "s would be small enough" in run.reason
    # this engine cuts the step where the stop is
    assert kg.simulate(kg.load("puma560"), time=0.2, step=0.1, engine="reduced", v=fast).complete


def test_a_trial_that_goes_wrong_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    watch, start, before = watched(bob())
    made: list[int] = []

    class Broken:
        model, q = watch.engine.model, watch.engine.q

        def reset(self, *_: object) -> None: ...

        def advance(self, loads: object, steps: int) -> kg.dynamics.StepReport:
            made.append(steps)
            return replace(start, kinetic=math.nan) if steps else start

    monkeypatch.setattr("kinegen.dynamics.simulation.watch.make_engine", lambda *_, **__: Broken())
    reason = judged(watch, replace(start, kinetic=math.inf), before, 80)
    assert reason.endswith("no practical step is small enough")
    # eight looks at a trial: halved steps would be 160, 320, … if all were made
    assert made[:4] == [0, 20, 0, 40]
