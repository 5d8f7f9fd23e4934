from __future__ import annotations

import math

import numpy as np

import kinegen as kg
from kinegen.world.library.walking_legs import SPEED, walk

STANCE = 0.47
"""How far a foot goes while the crank turns from 320 to 80 deg, near the floor [m]."""


def test_it_walks_level_and_as_fast_as_its_feet_go() -> None:
    with kg.World("walking-legs", keyframes=0) as world:
        body = world.node("body")
        world.run(1.2)
        start, heights, tilts = body.pose.translation.copy(), [], []
        for _ in range(8):
            world.run(0.1)
            heights.append(float(body.pose.translation[2]))
            tilts.append(math.acos(min(1.0, body.pose.so3.matrix[2, 2])))
        way = body.pose.translation - start
    # three steps a turn, of the third of the turn in which a foot is on the floor
    speed = 3 * STANCE * SPEED / (2 * math.pi)
    assert way[0] / 0.8 == np.clip(way[0] / 0.8, 0.85 * speed, 1.15 * speed)
    assert abs(way[1]) < 0.02
    assert max(heights) - min(heights) < 0.01  # what Jansen's numbers are for
    assert max(tilts) < 0.02


def test_front_cranks_turn_the_other_way() -> None:
    early, late = walk(2.0, {}), walk(3.0, {})
    moved = [late[f"crank{n}"] - early[f"crank{n}"] for n in range(1, 7)]
    assert np.allclose(moved, [-SPEED] * 3 + [SPEED] * 3)
