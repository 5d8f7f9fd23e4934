from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import kinegen as kg

TEXT = """raff: 1
name: paced
joints: [{name: A, parent: base, mass: 1, shape: {box: [0.1, 0.1, 0.1]}, motor: {mode: velocity}}]
"""


def test_a_late_answer_is_dropped_and_the_agent_drives_again() -> None:
    late, answered = threading.Event(), threading.Event()

    def agent(time: float, seen: Mapping[str, Any]) -> dict[str, float]:
        if 0.03 < time < 0.05:  # its third turn: it answers when the test lets it
            late.wait(20)
            answered.set()
            return {"A": 5.0}
        return {"A": 1.0}

    with kg.World(TEXT, agents={"driver": agent}) as world:
        world.run(0.055, pace=1)
        assert any("has not returned" in str(one) for one in world.events)
        assert world.signals["A.target"].value == 1.0  # the last command is held
        late.set()
        assert answered.wait(20)
        world.run(1.0)  # without a pace the world waits for answers
        said = [str(one) for one in world.events]
    assert any("a late answer was discarded" in one for one in said)
    assert any("sends commands again" in one for one in said)
    assert world.signals["A.target"].value == 1.0  # never the late 5
