from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg


@pytest.mark.slow
def test_both_hands_lift_the_bar_level_and_feel_its_weight() -> None:
    with kg.World("two-arms", keyframes=0) as world:
        world.run(1.0)
        free = float(world.signals["carriers.load"].value)
        world.run(2.5)  # lifted, and at rest
        pose = world.node("bar").pose
        load = float(world.signals["carriers.load"].value)
        hands = [float(world.signals[f"{side}_hand.force"].value[2]) for side in ("left", "right")]
        assert world.report().events == ()
    assert pose.translation == pytest.approx([0.5, 0.0, 0.45], abs=4e-3)
    assert np.abs(pose.so3.rpy).max() < 0.01  # level
    assert free == pytest.approx(0, abs=1.5)
    assert load == pytest.approx(1.5 * 9.81, rel=0.05)
    assert hands[0] == pytest.approx(hands[1], rel=0.05)  # each carries its half


def test_modes_of_a_robot_are_those_of_its_motors() -> None:
    with kg.World("two-arms", keyframes=0, modes={"left.joint1": "velocity"}) as world:
        units = {name: world.signals[f"{name}.target"].unit for name in
                 ("left.joint1", "left.joint2", "right.joint1", "left.finger_left")}  # fmt: skip
    assert units == {"left.joint1": "rad/s", "left.joint2": "rad", "right.joint1": "rad",
                     "left.finger_left": "N"}  # fmt: skip
