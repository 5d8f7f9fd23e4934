"""Hands of a page: at a point or on the whole pose, firm or soft, never too strong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3
from kinegen.studio.live.hands import MOST_HANDS, MOST_OF_ALL, LiveHands
from kinegen.studio.wire.message import vec3
from kinegen.studio.wire.messages import LiveSettings, Touch

USUAL = LiveSettings()


def hands_on(name: str = "arm-6") -> tuple[kg.Simulation, LiveHands]:
    simulation = kg.Simulation(kg.load(name), gravity=(0, 0, 0), record=0)
    return simulation, LiveHands(lambda site: simulation)


def pose(simulation: kg.Simulation, site: str) -> SE3:
    return kg.pose(simulation.model, simulation.engine.q, site)


def given(X: SE3, *, whole: bool, hand: int = 1) -> Touch:
    w, x, y, z = X.pose[:4].tolist()
    quat = (w, x, y, z) if whole else None
    return Touch(hand, "tool", (0.0, 0.0, 0.0), vec3(X.translation), quat=quat)


def test_a_hand_on_the_whole_pose_turns_the_part_where_it_is() -> None:
    simulation, hands = hands_on()
    start = pose(simulation, "tool")
    goal = SE3(SO3.exp([0.0, 0.0, 0.4]) @ SO3.from_matrix(start.rotation), start.translation)
    hands.touch(given(start, whole=True), USUAL)
    simulation.advance(0.02)
    # where it is already, a pose asks for nothing
    assert np.abs(hands.rows()[0].moment).max() < 1e-9
    hands.touch(given(goal, whole=True), USUAL)
    simulation.advance(0.01)
    assert hands.rows()[0].moment[2] > 0
    simulation.advance(1.5)
    now = pose(simulation, "tool")
    left = SO3.from_matrix(goal.rotation @ now.rotation.T).log()
    assert np.linalg.norm(left) < 0.05
    assert np.linalg.norm(np.subtract(now.translation, start.translation)) < 0.02


def test_a_hand_on_a_point_leaves_the_part_free_to_turn() -> None:
    simulation, hands = hands_on()
    hands.touch(given(pose(simulation, "tool"), whole=True), USUAL)
    hands.touch(given(pose(simulation, "tool"), whole=False), USUAL)
    simulation.engine.v[:] = 0
    simulation.advance(0.01)
    assert not any(hands.rows()[0].moment)


def test_stiffness_follows_the_settings_in_all_six_directions() -> None:
    simulation, hands = hands_on()
    hands.touch(given(pose(simulation, "tool"), whole=True), USUAL)
    (hand,) = simulation.touches
    assert isinstance(hand, kg.dynamics.Pull)
    before = hand.impedance
    hands.tune(replace(USUAL, firmness=4.0, damping=0.5))
    after = hand.impedance
    assert np.allclose(after.stiffness, 4 * before.stiffness)
    assert np.allclose(after.damping, before.damping)
    hands.release(0, 1)
    assert simulation.touches == [] and hands.rows() == []


def test_more_hands_than_anybody_has_are_refused() -> None:
    simulation, hands = hands_on()
    at = pose(simulation, "tool")
    for number in range(MOST_HANDS):
        hands.touch(given(at, whole=False, hand=number), USUAL)
    with pytest.raises(UsageError, match="at most 10 hands"):
        hands.touch(given(at, whole=False, hand=99), USUAL)
    # pages repeat where a hand is: that is no new error, until the hand lets go
    hands.touch(given(at, whole=False, hand=99), USUAL)
    hands.release(0, 99)
    with pytest.raises(UsageError, match="at most 10 hands"):
        hands.touch(given(at, whole=False, hand=99), USUAL)
    # another page has hands of its own, up to what all may have together
    for client in (1, 2, 3):
        for number in range(MOST_HANDS):
            hands.touch(given(at, whole=False, hand=number), USUAL, client)
    with pytest.raises(UsageError, match="at most 40 hands"):
        hands.touch(given(at, whole=False, hand=0), USUAL, 4)
    assert len(hands.rows()) == MOST_OF_ALL


def test_pages_have_hands_of_their_own_and_let_go_of_these_alone() -> None:
    simulation, hands = hands_on()
    at = pose(simulation, "tool")
    far = SE3(SO3.from_matrix(at.rotation), at.translation + [0, 0, 1])
    for client in (1, 2):
        hands.touch(given(at, whole=False, hand=1), USUAL, client)
    hands.touch(given(at, whole=False, hand=2), USUAL, 1)
    hands.touch(given(far, whole=False, hand=1), USUAL, 2)  # it moves, and no other
    simulation.advance(1e-3)
    force = {(row.client, row.hand): np.linalg.norm(row.force) for row in hands.rows()}
    assert force[2, 1] > 10 and force[1, 1] < 1 and force[1, 2] < 1
    (moved,) = (row for row in hands.rows() if row.client == 2)
    assert moved.target == pytest.approx(far.translation)
    hands.release(1)
    assert [(row.client, row.hand) for row in hands.rows()] == [(2, 1)]
    assert len(simulation.touches) == 1
    hands.release()
    assert hands.rows() == [] and simulation.touches == []
