"""Settings of a simulation as pages send them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from kinegen.studio.wire.codec import WireError, decode
from kinegen.studio.wire.messages import LiveSettings, SetSimulation


def sent(settings: dict[str, Any]) -> LiveSettings:
    message = {"kind": "set_simulation", "request": 1, "settings": settings}
    made = decode(json.dumps(message))
    assert isinstance(made, SetSimulation)
    return made.settings


def test_settings_that_are_not_given_have_their_defaults() -> None:
    made = sent({"step": 0.002, "gravity": [0, -9.81, 0]})
    assert made == LiveSettings(step=0.002, gravity=(0.0, -9.81, 0.0))
    assert made.engine == "reduced" and made.resume == "rejoin"


def test_speed_and_hands_need_no_other_engine() -> None:
    first = LiveSettings()
    assert first.same_engine(replace(first, speed=0.1, firmness=4.0, reactions=True))
    for change in ({"step": 0.002}, {"floor": 0.0}, {"hold": True}, {"engine": "impulse"}):
        assert not first.same_engine(sent(change))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"step": 0}, "set_simulation.settings.step must be a number from 1e-06 to 0.1, got 0"),
        ({"speed": True}, "speed must be a number from 0.001 to 10, got true"),
        ({"gravity": [0, 1]}, "gravity must be a list of 3, got a list of 2"),
        (
            {"gravity": [0, 1, 1e9]},
            r"gravity\[2\] must be a number from -10000 to 10000, got",
        ),
        ({"floor": "low"}, 'floor must be a number from -1e\\+06 to 1e\\+06, got "low"'),
        ({"hold": 1}, "hold must be true or false, got 1"),
        ({"engine": 3}, "engine must be a string, got 3"),
        ({"engine": "x" * 300}, "engine must be a string of 1 to 200 characters"),
        ({"modes": {"A": "fast"}}, "modes.A must be one of position, velocity, torque, computed"),
        ({"resume": "fly"}, "one of keep, rejoin, stop"),
        ({"magic": 1}, "settings has no 'magic'; it takes: engine"),
    ],
)
def test_what_is_wrong_with_settings_is_said(change: dict[str, Any], words: str) -> None:
    with pytest.raises(WireError, match=words):
        sent(change)
