"""The robot that carries a bar with a person: level, following, gentle when left alone."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg

LEVEL = np.radians(3)


def test_the_arm_follows_the_person_and_lowers_the_bar_when_left_alone() -> None:
    tilts, gaps, times = [], [], []

    def watch(world: kg.World) -> None:
        bar = world.node("bar").pose
        tilts.append(np.arcsin(bar.rotation[2, 0]))
        end = bar.apply([0.55, 0, 0])
        gaps.append(np.linalg.norm(end - world.signals["person.hand"].value))
        times.append(world.time)

    with kg.World("carry-together", keyframes=0) as world:
        world.watchers.append(watch)
        before = world.node("arm.hand").pose.translation
        world.run(3.4)
        # the arm went where the person did: 0.2 m away and 0.15 m up
        moved = world.node("arm.hand").pose.translation - before
        assert moved == pytest.approx((0.2, 0, 0.15), abs=0.015)
        assert np.abs(tilts).max() < LEVEL
        # the person's spring of 800 N/m bears half of the weight, and leads the arm
        assert max(gaps) < 0.03
        weight = 2 * 9.81
        assert world.signals["person.force"].value[2] == pytest.approx(-weight / 2, rel=0.02)
        # and the arm the other half, beside its own hand
        assert not world.signals["follower.alone"].value

        # the person lets go
        world.signals["person.grip"].force(0)
        speeds, heights = [], []
        for _ in range(20):
            last = world.node("arm.hand").pose.translation
            world.run(0.1)
            now = world.node("arm.hand").pose.translation
            speeds.append(np.linalg.norm(now - last) / 0.1)
            heights.append(world.node("bar").pose.translation[2])
        assert world.signals["follower.alone"].value
        assert max(speeds) < 0.6 and np.mean(speeds[10:]) < 0.2
        # it swings down at its other end and is lowered: nothing is thrown
        assert max(heights) < 0.64 and heights[-1] < 0.4
        assert world.node("bar").pose.translation[0] < 1.1
        assert world.report().complete
