"""Hands of programs on a world: springs that hold, and that come back with the time."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import NameNotFoundError, UsageError

BAR = """raff: 1
name: bar
gravity: [0, 0, -9.81]
world: {step: 2 ms}
joints:
  - {name: A, parent: base, xyz: [2, 0, 0], mass: 1, shape: {sphere: 0.1}}
objects:
  - {name: bar, shape: {box: [0.04, 1, 0.04]}, mass: 2, at: {xyz: [0, 0, 0.5]}}
"""


def test_two_hands_carry_a_bar_and_share_its_weight() -> None:
    with kg.World(BAR) as world:
        hands = [
            world.pull("bar", (0, y, 0), target=(0, y, 0.5), stiffness=600, damping=40)
            for y in (-0.4, 0.2)
        ]
        world.run(3)
        lifts = [hand.force[2] for hand in hands]
        # the reaction on the hands: levers of 0.4 and 0.2 m to the centre of mass
        assert sum(lifts) == pytest.approx(-2 * 9.81, rel=1e-4)
        assert lifts[1] / lifts[0] == pytest.approx(2, rel=2e-2)
        # the work of the hands is what the bar lost: it hangs a little lower
        low = world.node("bar").pose.translation[2]
        assert 0 < 0.5 - low < 0.03
        assert all(hand.is_held for hand in hands)


def test_going_back_brings_back_who_held_what() -> None:
    with kg.World(BAR, keyframes=0.1) as world:
        world.run(0.1)
        hand = world.pull("bar", target=lambda t: (0, 0, 0.5 + 0.1 * t), stiffness=600, damping=40)
        world.run(0.2)
        hand.move((0, 0.1, 0.5))
        world.run(0.15)
        force, place = hand.force, world.node("bar").pose.translation
        world.run(0.05)
        hand.release()
        world.run(0.1)
        assert not hand.is_held and not hand.force.any()
        world.go_to(0.45)
        assert hand.is_held
        assert np.array_equal(hand.force, force)
        assert np.array_equal(world.node("bar").pose.translation, place)
        world.go_to(0.05)
        assert not hand.is_held
        with pytest.raises(UsageError, match=r"'hand 1' does not hold anything at 0.05 s"):
            hand.move((0, 0, 1))


def test_a_hand_pushes_and_what_cannot_be_is_said() -> None:
    with kg.World(BAR) as world:
        push = world.push("A", (0, 0.1, 0), normal=(0, 1, 0), depth=0.01, stiffness=500)
        world.run(0.01)
        assert push.force[1] > 1
        with pytest.raises(UsageError, match="only a pull has a spring"):
            push.tune(100)
        with pytest.raises(NameNotFoundError, match=r"'brr' is not in world 'bar'.*bar"):
            world.pull("brr")
