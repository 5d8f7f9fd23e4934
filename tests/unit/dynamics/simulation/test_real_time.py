"""Steps that follow the clock, on a clock that the test moves."""

from __future__ import annotations

import pytest

from kinegen.dynamics.simulation.real_time import BUSY, LATE, RealTime


class Run:
    """Steps of a known cost, counted."""

    def __init__(self, cost: float, *, most: int = 10**9) -> None:
        self.now, self.cost, self.steps, self.most = 0.0, cost, 0, most

    def make(self, count: int) -> bool:
        self.now += self.cost * count
        self.steps += count
        return self.steps < self.most


def test_steps_follow_the_clock_at_the_speed_that_was_asked() -> None:
    run = Run(1e-5)
    real = RealTime(1e-3, 0.1, clock=lambda: run.now)
    for _ in range(100):
        real.pass_time(0.0133, run.make)
    assert run.steps == pytest.approx(133, abs=1) and real.pace == pytest.approx(0.1, rel=0.05)
    real.set_speed(2.0)
    for _ in range(100):
        real.pass_time(0.01, run.make)
    assert run.steps == pytest.approx(133 + 2000, abs=3)
    assert real.pace == pytest.approx(2.0, rel=0.01)


def test_long_steps_are_made_also_in_slow_motion() -> None:
    run = Run(1e-5)
    real = RealTime(0.02, 0.1, clock=lambda: run.now)
    for _ in range(50):
        real.pass_time(0.02, run.make)
    assert run.steps in (4, 5)


def test_steps_that_cannot_keep_up_leave_time_for_pictures() -> None:
    run = Run(2e-3)  # twice as long as real time allows
    real = RealTime(1e-3, clock=lambda: run.now)
    passed = 0.01
    for turn in range(200):
        before = run.now
        real.pass_time(passed, run.make)
        passed = run.now - before
        # what a step costs is learnt at first
        assert turn < 20 or passed <= BUSY + 2e-3 + 1e-9
    assert real.pace == pytest.approx(0.5, rel=0.1)


def test_lost_time_is_not_caught_up_with_and_an_end_is_an_end() -> None:
    run = Run(1e-6)
    real = RealTime(1e-3, clock=lambda: run.now)
    run.cost = 1.0  # the machine sleeps in one step
    real.pass_time(10.0, run.make)
    asleep = run.steps
    run.cost = 1e-6
    for _ in range(100):
        real.pass_time(0.0, run.make)
    assert run.steps - asleep <= round(LATE / 1e-3) + 1
    real.forget()
    run.most = run.steps + 1
    real.pass_time(0.05, run.make)
    assert run.steps - run.most < 50  # the first steps that were made were the last
