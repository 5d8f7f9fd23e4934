"""The careful robot: slow near a person, still for a flat hand, as fast as before afterwards."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.world.library.careful_robot import CarefulRobot, speed_near


def test_the_share_of_speed_falls_with_the_distance() -> None:
    assert [speed_near(one, 0) for one in (0.3, 0.5, 1.5, 2.5, 6)] == [0, 0, 0.5, 1, 1]
    assert speed_near(6, 2) == 0 and speed_near(6, 1) == 1
    assert speed_near(float("nan"), 0) == 0  # a cut cable


def test_its_job_waits_and_goes_on_where_it_was() -> None:
    agent = CarefulRobot()
    clear = {"guard.distance": 6.0, "guard.gesture": 0.0}
    stop = clear | {"guard.gesture": 2.0}
    targets = [agent.step(i / 100, clear) for i in range(100)]
    assert targets[-1]["speed"] == 1
    held = [agent.step(1 + i / 100, stop) for i in range(100)]
    assert held[-1] == held[-30] and held[-1]["speed"] == 0
    after = agent.step(2.0, clear)
    joint = "arm.shoulder_pan"
    assert abs(after[joint] - held[-1][joint]) < 0.01


@pytest.mark.slow
def test_the_robot_is_slow_near_the_visitor_and_still_for_their_hand() -> None:
    joints = [f"arm.{one}" for one in ("shoulder_pan", "shoulder_lift", "elbow")]
    with kg.World("careful-robot", keyframes=0, cameras=False) as world:

        def moved(span: float) -> float:
            """How far the arm goes in a time, on average [rad/s]."""
            total = 0.0
            for _ in range(round(span / 0.02)):
                world.run(0.02)
                total += 0.02 * sum(abs(world.signals[f"{one}.velocity"].value) for one in joints)
            return total / span

        world.run(0.8)  # it gets to where its job begins
        free = moved(2.2)
        world.run(2.2)  # the visitor is there
        near = moved(1.2)
        world.run(1.3)
        still = moved(0.5)
        assert world.signals["guard.gesture"].value == 2
        assert world.signals["careful.speed"].value == 0
        assert world.report().events == ()
    assert 0 < near < 0.6 * free
    assert still < 0.01 * free


@pytest.mark.slow
def test_it_continues_once_the_hand_is_down_and_nobody_is_near() -> None:
    with kg.World("careful-robot", keyframes=0, cameras=False) as world:
        name = "visitor"
        world.people.stand(name, (1.6, 0, 0), facing=np.pi, gesture="stop")
        world.run(1.0)
        assert world.signals["careful.speed"].value == 0
        world.people.stand(name, (4.2, 0, 0))
        world.run(1.0)
        assert world.signals["careful.speed"].value == 1
        assert abs(world.signals["arm.shoulder_pan.velocity"].value) > 0.05
