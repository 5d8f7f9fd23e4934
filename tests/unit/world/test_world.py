from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import KinegenError, UsageError
from tests.support.worlds import ARM, WHEEL, world

SENSED = "sensors: [{name: e, type: encoder, parent: A, noise: 0.01, rate: 100}]\n"


def swing(time: float, seen: Any) -> dict[str, float]:
    """A target that depends on noise: what differs once differs for good."""
    position = seen["e.position"]
    return {"A": float(np.sin(3 * time)) + (0.1 * position if np.isfinite(position) else 0.0)}


def values(one: kg.World) -> bytes:
    return b"".join(np.asarray(signal.value).tobytes() for signal in one.signals.values())


def test_an_agent_drives_a_motor_to_its_target() -> None:
    with world(ARM, agents={"driver": lambda time, seen: {"A": 0.5}}) as one:
        one.run(1.0)
        assert one.time == 1.0
        # servos are critically damped at 10 Hz: after a second exp(-60) is left
        assert one.signals["A.position"].value == pytest.approx(0.5, abs=1e-3)
        assert one.signals["A.target"].value == 0.5


def test_a_world_without_agents_holds_and_takes_commands() -> None:
    with world(WHEEL) as one:
        one.run(0.1)
        assert one.signals["W.velocity"].value == 0.0
        one.command({"W": 5.0})
        one.run(0.5)
        assert one.signals["W.velocity"].value == pytest.approx(5.0, rel=1e-3)
        with pytest.raises(UsageError, match=r"target of 'W' must be finite .*rad/s"):
            one.command({"W": float("nan")})


def test_the_same_seed_gives_the_same_bits_and_another_does_not() -> None:
    def run(seed: int) -> bytes:
        with world(ARM, SENSED, agents={"driver": swing}, seed=seed) as one:
            one.run(0.3)
            return values(one)

    assert run(1) == run(1)
    assert run(1) != run(2)


def test_noise_of_a_sensor_does_not_depend_on_other_sensors() -> None:
    more = SENSED[:-2] + ", {name: f, type: encoder, parent: A, noise: 1}]\n"
    found = []
    for text in (SENSED, more):
        with world(ARM, text) as one:
            one.run(0.05)
            found.append(one.signals["e.position"].value)
    assert found[0] == found[1] != 0.0


def test_a_snapshot_comes_back_bit_for_bit() -> None:
    with world(ARM, SENSED, agents={"driver": swing}) as one:
        one.run(0.1)
        moment = one.snapshot()
        one.run(0.1)
        first = values(one)
        one.restore(moment)
        assert one.time == moment.time == 0.1
        one.run(0.1)
        assert values(one) == first


class Counter:
    """An agent with a memory."""

    def __init__(self) -> None:
        self.count = 0

    def step(self, time: float, seen: Any) -> dict[str, float]:
        self.count += 1
        return {"A": 0.01 * self.count}


def test_the_memory_of_an_agent_comes_back_too() -> None:
    with world(ARM, agents={"driver": Counter}) as one:
        one.run(0.1)
        moment = one.snapshot()
        one.run(0.1)
        first = one.signals["A.target"].value
        one.restore(moment)
        one.run(0.1)
        assert one.signals["A.target"].value == first == pytest.approx(0.1)


def test_any_time_that_has_passed_can_be_gone_to() -> None:
    with world(ARM, SENSED, agents={"driver": swing}, keyframes=0.1) as one:
        one.run(0.25)
        there = values(one)
        one.run(0.1)
        one.signals["e.position"].force(1.0)
        one.run(0.1)
        forced = values(one)
        one.go_to(0.25)
        assert one.time == 0.25 and values(one) == there
        one.run(0.1)
        one.signals["e.position"].force(1.0)
        one.run(0.1)
        assert values(one) == forced


def test_going_back_keeps_what_somebody_did_between_two_keyframes() -> None:
    with world(WHEEL, keyframes=1.0) as one:
        one.run(0.1)
        one.command({"W": 5.0})
        one.run(0.1)
        there = values(one)
        one.run(0.1)
        one.go_to(0.2)
        assert values(one) == there


def test_what_came_later_can_be_gone_to_again_until_somebody_intervenes() -> None:
    with world(WHEEL, keyframes=0.1) as one:
        one.run(0.15)
        one.command({"W": 5.0})
        one.run(0.3)
        end, (first, reached) = values(one), one.recorded
        assert first == 0.0
        one.go_to(0.05)
        assert one.recorded.last == reached == pytest.approx(0.45)
        one.go_to(reached)  # over the command, which nobody gives again
        assert values(one) == end
        one.go_to(0.05)
        one.command({"W": -5.0})
        one.go_to(reached)
        assert one.signals["W.target"].value == -5.0
        # running on past where somebody intervened, without doing it again, is another way too
        one.go_to(0.02)
        one.run(0.1)
        assert one.recorded.last == pytest.approx(0.12) and one.signals["W.target"].value == 0.0


def test_without_keyframes_going_back_is_refused() -> None:
    with world(WHEEL, keyframes=0) as one:
        one.run(0.01)
        with pytest.raises(UsageError, match="keyframes=1"):
            one.go_to(0.0)


def test_an_override_is_reported_and_acts_on_the_motor() -> None:
    with world(WHEEL, agents={"driver": lambda time, seen: {"W": 5.0}}) as one:
        one.signals["W.target"].force(-3.0)
        one.run(0.5)
        assert one.signals["W.velocity"].value == pytest.approx(-3.0, rel=1e-3)
        assert [event.message for event in one.events] == ["signal 'W.target' forced to -3 rad/s"]
        assert one.report().overridden == ("W.target is forced to -3 rad/s",)


def test_a_motor_whose_target_is_cut_brakes() -> None:
    with world(WHEEL, agents={"driver": lambda time, seen: {"W": 5.0}}) as one:
        one.run(0.3)
        one.signals["W.target"].cut()
        one.run(0.3)
        assert one.signals["W.velocity"].value == pytest.approx(0.0, abs=1e-3)
        one.signals["W.target"].release()
        one.run(0.3)
        assert one.signals["W.velocity"].value == pytest.approx(5.0, rel=1e-3)


def test_two_agents_cannot_drive_one_joint() -> None:
    with pytest.raises(UsageError, match="agents 'a' and 'b' both drive joint 'A'"):
        world(ARM, agents={"a": swing, "b": swing})


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("agents: [{name: a}]\n", "agent 'a' has no 'program', 'command' or 'fmu'"),
        (
            "agents: [{name: a, program: 'no_such_module:f'}]\n",
            "agent 'a': 'no_such_module' cannot",
        ),
        ("agents: [{name: a, program: 'json:lods'}]\n", "function 'lods' is not in 'json'"),
        ("sensors: [{name: e, type: encoder, parent: A, rate: 33.3}]\n", "use 32.2581 Hz or"),
        ("sensors: [{name: e, type: encoder, parent: base}]\n", "joint 'base' is not in world"),
        ("world: {engine: reducd}\n", "engine 'reducd' is not"),
        ("sensors: [{name: e, type: encodr, parent: A}]\n", "did you mean 'encoder'"),
        ("sensors: [{name: e, type: imu, parent: B}]\n", "parent 'B' is not known"),
        ("sensors: [{name: A, type: imu, parent: A}]\n", "the name 'A' is already used"),
        ("agents: [{name: a, command: x, joints: [B]}]\n", "joints 'B' is not known|joint"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(more: str, message: str) -> None:
    with pytest.raises(KinegenError, match=message):
        world(ARM, more)


def test_a_joint_without_a_motor_cannot_be_driven() -> None:
    text = ARM + "  - {name: B, parent: A, d: 0.4, mass: 1, shape: {box: [0.1, 0.02, 0.02]}}\n"
    with pytest.raises(UsageError, match="cannot drive joint 'B', which has no motor; motors: A"):
        world(text, "agents: [{name: a, program: 'os:getcwd', joints: [B]}]\n")


def test_a_run_in_real_time_takes_that_time() -> None:
    import time

    with world(WHEEL) as one:
        begun = time.perf_counter()
        one.run(0.1, pace=1.0)
        assert time.perf_counter() - begun >= 0.09  # never faster
        assert one.time == pytest.approx(0.1)


def test_a_world_that_cannot_go_on_stops_with_a_reason() -> None:
    with world(WHEEL) as one:
        one.stop("enough")
        one.run(0.1)
        assert (one.time, one.report().reason, one.report().complete) == (0.0, "enough", False)


def test_nodes_take_attributes_which_are_signals_when_they_are_numbers(tmp_path: Path) -> None:
    with world(ARM) as one:
        node = one.node("A")
        node["mood"] = "bright"
        node.set("load", 0.7, "kg")
        assert dict(node) == {"mood": "bright", "load": 0.7}
        assert one.signals["A.load"].value == 0.7 and one.signals["A.load"].unit == "kg"
        node["load"] = 0.9
        assert one.signals["A.load"].value == 0.9
        with pytest.raises(UsageError, match=r"'A\.position' is a signal already"):
            node["position"] = 1.0
        with pytest.raises(KinegenError, match="node 'B' is not in world 'arm'"):
            one.node("B")
        assert node.pose.translation.tolist() == [0, 0, 0]
        assert one.node("A").kind == "link" and not one.node("arm").has_place
