from __future__ import annotations

import numpy as np

import kinegen as kg


def tilt(world: kg.World) -> float:
    return float(np.arccos(np.clip(world.node("body").pose.so3.matrix[2, 2], -1, 1)))


def test_it_takes_a_ball_and_comes_back() -> None:
    worst, places = 0.0, []
    with kg.World("segway", keyframes=0) as world:
        for _ in range(35):
            world.run(0.1)
            worst = max(worst, tilt(world))
            places.append(float(world.node("body").pose.translation[0]))
        still = np.linalg.norm(world.node("first").pose.translation[:2]) > 0.2
        assert world.report().events == ()
    assert still  # the ball has hit it and is off again
    assert min(places) < -0.05 and worst > 0.03  # it was a real push
    assert worst < 0.4 and tilt(world) < 0.05
    assert abs(places[-1]) < 0.8 * abs(min(places))  # on its way back


def test_without_its_agent_it_falls_over() -> None:
    with kg.World("segway", keyframes=0, agents={"balancer": lambda time, seen: {}}) as world:
        world.run(1.6)
        assert tilt(world) > 0.5
