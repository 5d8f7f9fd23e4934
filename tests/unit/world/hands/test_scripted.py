"""Hands of a file: they take hold, follow their route, let go, and leave a part to people."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import RaffError
from tests.unit.world.hands.test_hand import BAR

PULLED = (
    BAR
    + """pulls:
  - {name: carrier, part: bar, xyz: [0, 0.4, 0], times: [0.1, 0.6], release: 1,
     route: [[0, 0.4, 0.5], [0.2, 0.4, 0.7]]}
  - {name: other, part: bar, xyz: [0, -0.4, 0], times: [0.1, 0.6],
     route: [[0, -0.4, 0.5], [0.2, -0.4, 0.7]]}
"""
)


def test_it_takes_hold_follows_its_route_and_lets_go() -> None:
    with kg.World(PULLED) as world:
        signals = world.signals
        world.run(0.09)
        assert signals["carrier.grip"].value == 0 and not signals["carrier.force"].value.any()
        world.run(0.86)
        assert signals["carrier.grip"].value == 1
        assert signals["carrier.hand"].value == pytest.approx((0.2, 0.4, 0.7))
        place = world.node("bar").pose.translation
        assert place == pytest.approx((0.2, 0, 0.7), abs=0.04)
        world.run(0.06)
        assert signals["carrier.grip"].value == 0 and signals["other.grip"].value == 1


def test_forced_open_it_lets_go_and_back_in_time_it_holds_again() -> None:
    with kg.World(PULLED, keyframes=0.1) as world:
        world.run(0.5)
        force = world.signals["carrier.force"].value.copy()
        world.signals["carrier.grip"].force(0)
        world.run(0.2)
        assert not world.signals["carrier.force"].value.any()
        world.go_to(0.5)
        assert np.array_equal(world.signals["carrier.force"].value, force)


def test_it_leaves_the_part_to_another_hand_for_good() -> None:
    with kg.World(PULLED) as world:
        world.run(0.3)
        hand = world.pull("bar", (0, 0.4, 0))
        world.run(0.05)
        assert world.signals["carrier.grip"].value == 0
        assert not world.signals["carrier.force"].value.any()
        hand.release()
        world.run(0.05)
        assert world.signals["carrier.grip"].value == 0


def test_what_is_wrong_in_a_file_is_named() -> None:
    for wrong, right, words in (
        ("[0.1, 0.6], release: 1", "[0.6, 0.1], release: 1", "times must increase"),
        ("[0.1, 0.6], release: 1", "[0.1], release: 1", "route has 2 places for 1 times"),
        ("release: 1", "release: 0.05", "the release must come after the first"),
        ("release: 1", "stiffness: 100", "'stiffness' needs 'damping' too"),
        ("part: bar, xyz: [0, 0.4", "part: bra, xyz: [0, 0.4", "'bra' is not known"),
    ):
        assert wrong in PULLED
        with pytest.raises(RaffError, match=words):
            kg.load(PULLED.replace(wrong, right, 1))
    assert kg.load(kg.load(PULLED).to_raff()).scene["pulls"][0]["part"] == "bar"
