"""Goals never jump, keep to the speeds, and stop when nobody is there."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinegen.drive.pilot import RISE, Pilot

SPEEDS = np.array([1.0, 0.5])


def led(pilot: Pilot, start: float, steps: int, step: float = 0.02) -> np.ndarray:
    """Goals of some cycles with somebody there."""
    rows = []
    for i in range(1, steps + 1):
        pilot.hear(start + i * step)
        rows.append(pilot.advance(start + i * step).copy())
    return np.array(rows)


def test_it_begins_where_the_robot_is() -> None:
    pilot = Pilot(SPEEDS, 0.2)
    pilot.begin(np.array([0.3, -0.2]), 5.0)
    assert pilot.advance(5.02) == pytest.approx([0.3, -0.2])
    assert pilot.has_arrived


@settings(max_examples=25)
@given(st.lists(st.tuples(st.floats(-3, 3), st.floats(-3, 3)), min_size=1, max_size=4))
def test_goals_keep_to_the_speeds_and_arrive(targets: list[tuple[float, float]]) -> None:
    pilot = Pilot(SPEEDS, 0.2)
    pilot.begin(np.zeros(2), 0.0)
    now, last = 0.0, np.zeros(2)
    for target in targets:
        pilot.aim(np.array(target), now)
        rows = led(pilot, now, 30)
        now += 30 * 0.02
        steps = np.abs(np.diff(np.vstack([last, rows]), axis=0))
        assert np.all(steps <= SPEEDS * 0.02 + 1e-12)
        last = rows[-1]
    led(pilot, now, 1000)
    assert pilot.goals == pytest.approx(np.array(targets[-1]), abs=1e-12)


def test_it_speeds_up_and_slows_down() -> None:
    pilot = Pilot(SPEEDS, 0.2)
    pilot.begin(np.zeros(2), 0.0)
    pilot.aim(np.array([1.0, 0.5]), 0.0)
    rates = np.diff(np.vstack([np.zeros(2), led(pilot, 0.0, 100)]), axis=0)[:, 0] / 0.02
    assert rates[0] == pytest.approx(0.02 / RISE)
    assert max(rates) == pytest.approx(1.0)
    assert np.max(np.diff(rates)) <= 0.02 / RISE + 1e-9
    moving = rates[rates > 1e-9]
    assert moving[-1] < 0.2


def test_joints_arrive_together_on_a_straight_line() -> None:
    pilot = Pilot(SPEEDS, 0.2)
    pilot.begin(np.zeros(2), 0.0)
    pilot.aim(np.array([0.4, 0.1]), 0.0)
    rows = led(pilot, 0.0, 20)
    assert rows[:, 1] == pytest.approx(rows[:, 0] / 4)


def test_a_pause_does_not_make_it_leap() -> None:
    pilot = Pilot(SPEEDS, 100.0)
    pilot.begin(np.zeros(2), 0.0)
    pilot.aim(np.array([3.0, 0.0]), 0.0, tracks=True)
    assert pilot.advance(9.0)[0] == pytest.approx(0.05)


def test_a_moving_robot_without_commands_is_deserted() -> None:
    pilot = Pilot(SPEEDS, 0.2)
    pilot.begin(np.zeros(2), 0.0)
    assert not pilot.is_deserted(9.0)  # it stands still: there is nothing to stop
    pilot.aim(np.ones(2), 9.0)
    assert not pilot.is_deserted(9.19)
    assert pilot.is_deserted(9.21)
    pilot.hear(9.21)
    assert not pilot.is_deserted(9.4)


def test_where_heartbeats_count_commands_do_not() -> None:
    pilot = Pilot(SPEEDS, 0.2, hears_commands=False)
    pilot.begin(np.zeros(2), 0.0)
    pilot.aim(np.ones(2), 0.19)
    assert not pilot.is_deserted(0.2)
    pilot.aim(np.ones(2), 0.2)
    assert pilot.is_deserted(0.21)
    pilot.hear(0.21)
    assert not pilot.is_deserted(0.4)
