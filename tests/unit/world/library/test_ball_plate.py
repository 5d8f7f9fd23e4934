from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.world.library.ball_plate import leg_lengths


@pytest.mark.parametrize("tilt", [(0.0, 0.0), (0.1, -0.2)])
def test_leg_lengths_are_those_of_the_mechanism(tilt: tuple[float, float]) -> None:
    model = kg.load("stewart").compile()
    lengths = {f"leg{i + 1}": length for i, length in enumerate(leg_lengths(*tilt))}
    q = kg.assemble(model, lengths, locked=list(lengths)).q
    roll, pitch, yaw = kg.pose(model, q, "handle").so3.rpy
    assert (roll, pitch) == pytest.approx(tilt, abs=1e-6)
    assert yaw == pytest.approx(0, abs=1e-6)


def test_the_ball_finds_its_circle_and_stays_on_it() -> None:
    off = []
    with kg.World("ball-plate", keyframes=0) as world:
        world.run(3.0)
        for _ in range(10):
            world.run(0.1)
            off.append(float(np.hypot(*world.node("ball").pose.translation[:2])) - 0.5)
        height = float(world.node("ball").pose.translation[2])
    assert np.abs(off).max() < 0.06  # of the circle's 0.5 m
    assert 2.2 < height < 2.6  # on the plate
