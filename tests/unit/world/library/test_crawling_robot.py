from __future__ import annotations

from itertools import pairwise

import pytest

import kinegen as kg
from kinegen.world.library.crawling_robot import GAIT, PERIOD, crawl


def test_every_period_pulls_it_forward_by_the_same_step() -> None:
    with kg.World("crawling-robot", keyframes=0) as world:
        body = world.node("robot.body")
        places = []
        for _ in range(3):
            world.run(PERIOD)
            places.append(body.pose.translation.copy())
    steps = [after[0] - before[0] for before, after in pairwise(places)]
    assert 0.15 < steps[0] < 0.211  # no longer than the stroke of the arm
    assert steps[1] == pytest.approx(steps[0], abs=1e-3)  # a gait, not a slide
    assert abs(places[1][1]) < 5e-3 and abs(places[1][2] - 0.05) < 5e-3


def test_the_gait_is_closed() -> None:
    assert GAIT[0][1] == GAIT[-1][1]
    assert crawl(0.0, {}) == crawl(PERIOD, {})
