from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from kinegen.errors import KinegenError, NameNotFoundError, UsageError
from kinegen.gym.registry import IDS


def made(**options: Any) -> gymnasium.Env[Any, Any]:
    return gymnasium.make("kinegen/Reach-v0", **options)


@pytest.mark.parametrize("mechanism", ["so101", "five-bar"])
def test_gymnasium_finds_nothing_to_complain_about(mechanism: str) -> None:
    # warnings are errors here; drawing has tests of its own
    check_env(made(mechanism=mechanism, goals=20).unwrapped, skip_render_check=True)


def test_a_seed_decides_everything() -> None:
    env = made(goals=50, random_start=True)
    runs = []
    for _ in range(2):
        rows = [env.reset(seed=7)[0]]
        env.action_space.seed(1)
        for _ in range(5):
            rows.append(env.step(env.action_space.sample())[0])
        runs.append(np.array(rows))
        env.reset(seed=3)  # another episode between must leave no trace
        env.step(env.action_space.sample())
    assert np.array_equal(*runs)


def test_a_motor_reaches_the_target_that_an_action_stands_for() -> None:
    env = made(goals=[[0.2, 0, 0.2]], normalized=False)
    task = env.unwrapped.task  # type: ignore[attr-defined]
    assert env.action_space.low == pytest.approx(task.model.lower[:5].astype(np.float32))  # type: ignore[attr-defined]
    env.reset(seed=1)
    target = np.array([0.3, 0.2, -0.3, 0.1, 0.4], np.float32)
    for _ in range(60):
        seen, reward, ended, cut, info = env.step(target)
    # under gravity, servos err by torque / kp: 0.03 rad at the wrist
    assert seen[:5] == pytest.approx(target, abs=0.05)
    assert reward == pytest.approx(-info["distance"]) and not ended and not cut


def test_normalized_actions_span_the_range_of_the_file() -> None:
    actions = made(goals=5).unwrapped.task.actions  # type: ignore[attr-defined]
    ends = actions.targets(np.array([[-1.0] * 5, [1.0] * 5, [9.0] * 5]))
    assert ends[0] == pytest.approx(actions.least) and ends[1] == pytest.approx(actions.greatest)
    assert np.array_equal(ends[1], ends[2])
    assert actions.actions(ends[:2]) == pytest.approx(np.array([[-1.0] * 5, [1.0] * 5]))


@pytest.mark.parametrize("control", ["velocity", "torque"])
def test_other_modes_have_the_bounds_of_their_motors(control: str) -> None:
    env = made(goals=5, control=control, normalized=False)
    motors = env.unwrapped.task.batch.servos.motors  # type: ignore[attr-defined]
    most = motors.speed if control == "velocity" else motors.effort_at_rest
    assert env.action_space.high == pytest.approx(most[:5].astype(np.float32))  # type: ignore[attr-defined]
    env.reset(seed=1)
    assert np.isfinite(env.step(env.action_space.sample())[1])


def test_a_goal_that_is_reached_ends_the_episode_if_asked() -> None:
    env = made(goals=5, terminate=True, reward="sparse")
    tip = env.unwrapped.task.tip[0]  # type: ignore[attr-defined]
    _, info = env.reset(seed=1, options={"goal": tip})
    assert info["is_success"] and info["distance"] < 1e-12
    start = env.unwrapped.task.batch.q[0, :5]  # type: ignore[attr-defined]
    stay = env.unwrapped.task.actions.actions(start)  # type: ignore[attr-defined]
    _, reward, ended, _, _ = env.step(stay)
    assert ended and reward == 0


def test_a_simulation_that_fails_truncates_its_episode(monkeypatch: pytest.MonkeyPatch) -> None:
    env = made(goals=5)
    env.reset(seed=1)
    batch = env.unwrapped.task.batch  # type: ignore[attr-defined]
    monkeypatch.setattr(batch, "reasons", ["the engine stopped: not finite"])
    _, _, _, cut, info = env.step(env.action_space.sample())
    assert cut and "not finite" in info["reason"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"mechanism": "bricard"}, "no motors"),
        ({"mechanism": "so1O1"}, "so101"),
        ({"frame": "tol"}, "tool"),
        ({"motors": ["elbow"]}, "elbow_flex"),
        ({"motors": []}, "list of joint names"),
        ({"motors": ["gripper"]}, "does not move"),
        ({"control": "force"}, "position"),
        ({"reward": "much"}, "dense"),
        ({"tolerance": -1}, "positive"),
        ({"goals": [[1, 2]]}, "(n, 3)"),
        ({"frame_skip": 0}, "frame_skip"),
        ({"colour": "red"}, "colour"),
        ({"mechanism": "teachmover", "control": "torque"}, "torque"),
        ({"engine": "fast"}, "reduced"),
        ({"count": 2}, "make_vec"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_bad_arguments_are_named(options: dict[str, Any], words: str) -> None:
    with pytest.raises((KinegenError, TypeError)) as raised:
        made(**{"goals": 5, **options})
    assert words in str(raised.value)


def test_bad_actions_are_refused_by_motor() -> None:
    env = made(goals=5).unwrapped
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(np.zeros(5, np.float32))
    env.reset(seed=1)
    wrong = np.zeros(5, np.float32)
    wrong[1] = np.nan
    with pytest.raises(UsageError, match="shoulder_lift"):
        env.step(wrong)
    with pytest.raises(UsageError, match="5 numbers"):
        env.step(np.zeros(4, np.float32))
    with pytest.raises(UsageError, match="goal"):
        env.reset(options={"gaol": 1})
    with pytest.raises(NameNotFoundError):
        made(frame="nowhere")


def test_all_ids_are_registered() -> None:
    for name in IDS:
        assert name in gymnasium.registry
