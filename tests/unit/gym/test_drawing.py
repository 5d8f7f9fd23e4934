from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

import kinegen.gym
from kinegen.errors import UsageError


def test_a_picture_shows_the_arm_and_its_goal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MUJOCO_GL", raising=False)  # conftest.py turns MuJoCo's drawing off
    env = gymnasium.make("kinegen/Reach-v0", goals=10, render_mode="rgb_array", width=64, height=48)
    env.reset(seed=1, options={"goal": [0.2, 0.1, 0.2]})
    try:
        picture: Any = env.render()
    except UsageError as error:
        pytest.skip(f"no driver to draw with: {error}")
    assert picture.shape == (48, 64, 3) and picture.dtype == np.uint8
    env.reset(seed=1, options={"goal": [0.2, -0.2, 0.1]})
    assert (np.asarray(env.render()) != picture).any()  # the goal is drawn
    env.close()


class Page:
    """Stands for the view of a studio: what it is given."""

    def __init__(self) -> None:
        self.poses: list[Any] = []
        self.marks: list[Any] = []
        self.closed = False

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "q":
            self.poses.append(np.array(value))
        object.__setattr__(self, name, value)

    def points(self, xyz: Any, **_: Any) -> Page:
        self.marks.append(np.array(xyz))
        return self

    def update(self, xyz: Any) -> None:
        self.marks.append(np.array(xyz))

    def close(self) -> None:
        self.closed = True


def test_the_studio_follows_every_step(monkeypatch: pytest.MonkeyPatch) -> None:
    page = Page()
    monkeypatch.setattr("kinegen.live.entry.show", lambda *_, **__: page)
    monkeypatch.setattr("time.sleep", lambda _: None)
    env = gymnasium.make("kinegen/Reach-v0", goals=10, render_mode="human")
    env.reset(seed=1)
    env.step(env.action_space.sample())
    task = env.unwrapped.task  # type: ignore[attr-defined]
    assert len(page.poses) == 2 and np.array_equal(page.poses[-1], task.batch.q[0])
    assert np.array_equal(page.marks[-1], [task.goal[0]])
    env.close()
    assert page.closed


def test_bad_sizes_and_modes_are_named() -> None:
    with pytest.raises(UsageError, match="pixels"):
        gymnasium.make("kinegen/Reach-v0", goals=5, width=0)
    with pytest.raises(UsageError, match="rgb_array"):
        kinegen.gym.ReachEnv(goals=5, render_mode="film")
