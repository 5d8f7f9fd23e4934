from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.world.library.line_follower import follow

pytest.importorskip("mujoco")


@pytest.mark.usefixtures("drawing")
def test_it_stays_on_the_line() -> None:
    off, angles = [], []
    with kg.World("line-follower", keyframes=0) as world:
        for _ in range(24):
            world.run(0.1)
            x, y, _ = world.node("body").pose.translation
            angle = np.arctan2(y, x)
            off.append(float(np.hypot(x, y) - (0.8 + 0.18 * np.cos(3 * angle))))
            angles.append(angle)
        assert world.report().events == ()
        assert world.signals["driver.sees"].value == 1
    assert np.abs(off).max() < 0.03
    assert angles[-1] - angles[0] > 0.45  # it drives along it


def test_it_turns_towards_the_dark_side() -> None:
    white = np.full((8, 32, 3), 200, np.uint8)
    left, nothing = white.copy(), white
    left[:, 2:6] = 10
    command = follow(0.0, {"eye": left})
    assert command["wheel1"] < command["wheel2"]  # wheel1 is on the left
    assert follow(0.0, {"eye": nothing})["sees"] == 0.0
