from __future__ import annotations

import threading
from typing import Any

import pytest

import kinegen as kg
from tests.support.worlds import WHEEL, world

HOLD = "agents: [{name: a, program: 'os:getcwd', hold: 0.1, timeout: 0.2, rate: 100}]\n"


def failing(agent: Any, time: float = 0.4) -> tuple[kg.World, list[str]]:
    """A world whose agent drives the wheel for a while and then fails."""
    one = world(WHEEL, HOLD, agents={"a": agent})
    one.run(time)
    one.close()
    return one, [event.message for event in one.events]


def test_one_that_raises_is_named_its_command_is_held_then_its_motors_brake() -> None:
    speeds: list[float] = []

    def agent(time: float, seen: Any) -> dict[str, float]:
        speeds.append(seen["W.velocity"])
        if time > 0.195:
            raise ValueError("no idea")
        return {"W": 5.0}

    one, told = failing(agent, 0.6)
    assert told[0].startswith("agent 'a' raised ValueError: no idea (test_agent.py:")
    assert told[1:] == ["agent 'a' sent no command: its motors brake"]
    assert speeds[-1] == pytest.approx(0.0, abs=1e-2)
    assert speeds[28] == pytest.approx(5.0, rel=1e-2)  # held for 0.1 s after 0.2 s
    assert one.is_running and one.time == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (float("nan"), "commands 'W' = nan, which is not finite"),
        ("fast", "commands 'W' = 'fast', which is not a number"),
        ([1.0, 2.0], r"commands 'W' with shape \(2,\); it has shape \(\)"),
    ],
)
def test_a_command_that_is_no_number_is_refused(answer: Any, message: str) -> None:
    _, told = failing(lambda time, seen: {"W": answer}, 0.05)
    assert len(told) == 1
    import re

    assert re.search(message, told[0]), told


def test_a_joint_that_it_does_not_drive_is_refused_with_the_nearest() -> None:
    _, told = failing(lambda time, seen: {"Wx.target": 1.0}, 0.02)
    assert told == ["agent 'a' commands 'Wx.target', which it does not drive; did you mean 'W'?"]


def test_what_is_no_mapping_is_refused() -> None:
    _, told = failing(lambda time, seen: 5.0, 0.02)
    assert told == ["agent 'a' returned 5.0 instead of values by name"]


def test_one_that_hangs_is_named_and_the_world_continues() -> None:
    release = threading.Event()

    def agent(time: float, seen: Any) -> dict[str, float]:
        if time > 0.1:
            release.wait(20)
        return {"W": 5.0}

    try:
        one, told = failing(agent, 0.5)
        assert told == [
            "agent 'a' has not returned within 0.2 s",
            "agent 'a' sent no command: its motors brake",
        ]
        assert one.signals["W.velocity"].value == pytest.approx(0.0, abs=1e-2)
    finally:
        release.set()


def test_one_that_recovers_drives_again() -> None:
    def agent(time: float, seen: Any) -> dict[str, float]:
        if 0.1 < time < 0.35:
            raise RuntimeError("busy")
        return {"W": 5.0}

    one, told = failing(agent, 0.8)
    assert told[-1] == "agent 'a' sends commands again"
    assert one.signals["W.velocity"].value == pytest.approx(5.0, rel=1e-2)


def test_other_names_become_signals_of_the_agent() -> None:
    one, told = failing(lambda time, seen: {"mood": [time, 1.0]}, 0.05)
    assert told == [] and one.signals["a.mood"].value.tolist() == [0.04, 1.0]


def test_an_agent_sees_its_sensors_by_their_short_names() -> None:
    seen_names: list[list[str]] = []

    def agent(time: float, seen: Any) -> None:
        seen_names.append(sorted(seen))
        assert seen["p.position"].shape == (3,)

    more = "sensors: [{name: p, type: pose, parent: W}]\n" + HOLD
    with world(WHEEL, more, agents={"a": agent}) as one:
        one.run(0.02)
        assert not one.events
    assert seen_names[0] == [
        "W.effort", "W.position", "W.target", "W.velocity", "p.orientation", "p.position",
    ]  # fmt: skip


def test_an_agent_of_an_included_robot_uses_the_names_of_its_file(tmp_path: Any) -> None:
    (tmp_path / "wheel.raff").write_text(WHEEL + "agents: [{name: a, program: 'a.py:go'}]\n")
    (tmp_path / "a.py").write_text(
        "def go(time, seen):\n    return {'W': 2 + seen['W.target'] * 0}\n"
    )
    (tmp_path / "two.raff").write_text(
        "raff: 1\nrobots: [{name: l, include: wheel.raff}, {name: r, include: wheel.raff,"
        " at: {xyz: [1, 0, 0]}}]\n"
    )
    with kg.World(tmp_path / "two.raff") as one:
        one.run(0.05)
        assert not list(one.events)
        assert one.signals["l.W.target"].value == one.signals["r.W.target"].value == 2.0


def test_what_it_has_read_is_known() -> None:
    one = world(
        WHEEL,
        "sensors: [{name: near, type: person, rate: 100}]\n"
        "agents: [{name: a, program: 'os:getcwd'}]\n",
        agents={"a": lambda time, seen: {"W": seen["near.distance"] * 0 + seen["W.velocity"]}},
    )
    assert one.agents["a"].read == set()
    one.run(0.1)
    one.close()
    assert one.agents["a"].read == {"near.distance", "W.velocity"}
