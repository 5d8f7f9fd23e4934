from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.gym import Reach
from kinegen.kinematics.limits import outside_limits


@pytest.mark.parametrize("mechanism", ["so101", "five-bar", "stewart"])
def test_goals_are_where_the_frame_is_in_closed_poses_within_limits(mechanism: str) -> None:
    task = Reach(mechanism, goals=25)
    assert task.goals.shape == (25, 3)
    for q, goal in zip(task._poses, task.goals, strict=True):
        assert kg.kinematics.loop_gap(task.model, q).largest < 1e-9 * max(1.0, task.model.size)
        assert kg.pose(task.model, q, task.frame).translation == pytest.approx(goal, abs=1e-12)
        assert not outside_limits(task.model, q)
    # they differ, and every model gets the same ones
    assert np.ptp(task.goals, axis=0).max() > 0.05 * task.model.size
    assert np.array_equal(task.goals, Reach(mechanism, goals=25).goals)
