"""Settings of a simulation as pages send them."""

from __future__ import annotations

import math
from typing import Any

import pytest

from kinegen.errors import UsageError
from kinegen.studio.live.settings import LiveSettings


def test_what_is_not_given_stays() -> None:
    made = LiveSettings().changed({"step": 0.002, "gravity": [0, -9.81, 0]})
    assert made.engine == "reduced" and made.step == 0.002 and made.gravity == (0, -9.81, 0)
    assert made.changed({"gravity": None}).gravity is None
    assert made.to_dict()["resume"] == "rejoin"


def test_speed_and_hands_need_no_other_engine() -> None:
    first = LiveSettings()
    assert first.same_engine(first.changed({"speed": 0.1, "firmness": 4, "reactions": True}))
    for change in ({"step": 0.002}, {"floor": 0.0}, {"hold": True}, {"engine": "impulse"}):
        assert not first.same_engine(first.changed(change))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"step": 0}, "'step' of a simulation must be a number from"),
        ({"step": math.nan}, "'step'"),
        ({"speed": True}, "'speed'"),
        ({"gravity": [0, 1]}, "three numbers"),
        ({"gravity": [0, 1, math.inf]}, "'gravity'"),
        ({"hold": 1}, "'hold' of a simulation must be true or false"),
        ({"engine": 3}, "'engine' of a simulation must be a name"),
        ({"resume": "fly"}, "keep, rejoin, stop"),
        ({"magic": 1}, "no setting 'magic'"),
    ],
)
def test_nonsense_is_told(change: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        LiveSettings().changed(change)
