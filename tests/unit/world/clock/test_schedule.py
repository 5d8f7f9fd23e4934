from __future__ import annotations

import pytest

from kinegen.errors import UsageError
from kinegen.world.clock.schedule import Schedule


def turns(rate: float | None, step: float, count: int) -> list[int]:
    schedule = Schedule(rate, step, "sensor 'eye'")
    return [n for n in range(count) if schedule.is_due(n)]


def test_without_a_rate_every_step_is_a_turn() -> None:
    assert turns(None, 1e-3, 5) == [0, 1, 2, 3, 4]


def test_a_rate_that_divides_has_its_turn_every_so_many_steps() -> None:
    assert turns(50, 1e-3, 61) == [0, 20, 40, 60]
    assert turns(0.5, 0.1, 41) == [0, 20, 40]


def test_a_whole_number_of_hertz_never_drifts() -> None:
    found = turns(30, 1e-3, 100_000)
    assert found[:4] == [0, 34, 67, 100]
    assert len(found) == 3000
    # the first step at or after the exact time, for every turn
    assert all(n == -(-1000 * k // 30) for k, n in enumerate(found))


@pytest.mark.parametrize(
    ("rate", "message"),
    [
        (33.3, r"sensor 'eye' is 33.3 Hz, which does not divide .* use 32.2581 Hz or 33.3333 Hz"),
        (2000, r"2000 Hz, but the world makes 1000 steps per second: use at most 1000 Hz"),
    ],
)
def test_other_rates_are_refused_with_the_nearest_that_fit(rate: float, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Schedule(rate, 1e-3, "sensor 'eye'")


def test_the_rates_that_a_refusal_names_fit() -> None:
    for rate in (32.258064516129032, 33.333333333333336):
        assert Schedule(rate, 1e-3, "x").steps in (30, 31)


def test_the_period_is_that_of_the_rate() -> None:
    assert Schedule(30, 1e-3, "x").period(1e-3) == pytest.approx(1 / 30)
