from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import kinegen.gym  # noqa: F401  registers the environments
from kinegen.errors import UsageError


def many(count: int = 3, mode: str = "vector_entry_point", **options: Any) -> Any:
    return gymnasium.make_vec("kinegen/Reach-v0", count, mode, goals=10, **options)


def same(a: Any, b: Any) -> bool:
    """Whether nested values are equal bit for bit."""
    if isinstance(a, dict):
        return set(a) == set(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, tuple) or (isinstance(a, np.ndarray) and a.dtype == object):
        return all(same(x, y) for x, y in zip(a, b, strict=True))
    return np.array_equal(a, b)


@pytest.mark.parametrize(
    ("mechanism", "reset"),
    [("so101", "NextStep"), ("five-bar", "NextStep"), ("so101", "SameStep")],
)
def test_each_environment_is_that_of_its_seed_alone(mechanism: str, reset: str) -> None:
    kind = AutoresetMode(reset)
    # Gymnasium's own vector of single environments, ends of episodes included
    options = {"mechanism": mechanism, "max_episode_steps": 4, "frame_skip": 3}
    ours = many(**options, autoreset_mode=reset)
    alone = gymnasium.make_vec(
        "kinegen/Reach-v0", 3, "sync", vector_kwargs={"autoreset_mode": kind}, goals=10, **options
    )
    assert ours.metadata["autoreset_mode"] is kind
    assert same(ours.reset(seed=5), alone.reset(seed=5))
    ours.action_space.seed(1)
    for _ in range(11):
        actions = ours.action_space.sample()
        a, b = ours.step(actions), alone.step(actions)
        assert same(a, b)
        assert a[0] in ours.observation_space


def test_the_number_of_threads_changes_nothing() -> None:
    found = []
    for threads in (1, 3):
        envs = many(8, threads=threads)
        envs.reset(seed=1)
        envs.action_space.seed(2)
        found.append([envs.step(envs.action_space.sample())[0] for _ in range(3)])
    assert np.array_equal(*found)


def test_disabled_resets_are_left_to_the_caller() -> None:
    envs = many(autoreset_mode="Disabled", max_episode_steps=1)
    first, _ = envs.reset(seed=1)
    envs.step(envs.action_space.sample())
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.step(envs.action_space.sample())
    mask = np.array([True, True, True])
    again, _ = envs.reset(seed=[1, None, 3], options={"reset_mask": mask})
    assert np.array_equal(again[0], first[0]) and np.array_equal(again[2], first[2])
    envs.step(envs.action_space.sample())


def test_bad_arguments_are_named() -> None:
    with pytest.raises(UsageError, match="NextStep"):
        many(autoreset_mode="Never")
    with pytest.raises(UsageError, match="one environment"):
        many(render_mode="human")
    with pytest.raises(UsageError, match="number of simulations"):
        many(0)
    envs = many()
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.step(envs.action_space.sample())
    with pytest.raises(UsageError, match="3 seeds"):
        envs.reset(seed=[1, 2])
    with pytest.raises(UsageError, match="reset_mask"):
        envs.reset(options={"reset_mask": np.zeros(3, bool)})
    envs.reset(seed=1)
    with pytest.raises(UsageError, match="environment 2 is NaN"):
        envs.step(np.array([[0.0] * 5, [0.0] * 5, [np.nan] * 5]))


def test_engines_without_compiled_servos_work_too() -> None:
    envs = many(2, engine="impulse", frame_skip=2)
    assert not envs.task.batch.is_compiled
    envs.reset(seed=1)
    seen, rewards, *_ = envs.step(envs.action_space.sample())
    assert np.isfinite(seen).all() and np.isfinite(rewards).all()
    envs.close()
    envs.close()
