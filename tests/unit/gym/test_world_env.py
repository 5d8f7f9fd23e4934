from __future__ import annotations

import threading
import time
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import kinegen as kg
import kinegen.gym  # registers the environments
from kinegen.errors import KinegenError

SWING = """raff: 1
name: swing
world: {step: 2 ms}
joints:
  - {name: arm, parent: base, alpha: 90 deg, motor: {torque: 1, speed: 5, mode: torque}, mass: 0.5,
     centre: [0.2, 0, 0], inertia: [0.001, 0.001, 0.002, 0, 0, 0]}
sensors:
  - {name: angle, type: encoder, parent: arm, noise: {position: 0.01}}
  - {name: feel, type: imu, parent: arm}
"""


def made(world: str = SWING, **options: Any) -> Any:
    return gymnasium.make("kinegen/World-v0", world=world, **options)


def test_gymnasium_finds_nothing_to_complain_about() -> None:
    env = made("exploring-cart", reward="cart.eye.distance", observations=["left", "right"])
    check_env(env.unwrapped, skip_render_check=True)
    # the place of its agent: the joints that it drives
    assert env.unwrapped.joints[0] == "cart.steer_left"
    assert env.observation_space.high == pytest.approx([4, 4])
    env.close()


def test_reward_and_end_are_formulas_of_signals() -> None:
    env = made(
        reward="-abs(arm.position) + 0*feel.rate.z",
        terminated="arm.velocity > 0.05 rad/s",
        observations=["arm.position", "angle.position"],
    )
    env.reset(seed=1)
    total = 0
    for _ in range(20):
        seen, reward, ended, _, info = env.step(np.array([1.0], np.float32))
        assert reward == pytest.approx(-abs(seen[0]), abs=1e-6)
        total += 1
        if ended:
            break
    # 1 N m on 0.022 kg m² against gravity of about 1 N m: it begins to move soon
    assert env.unwrapped.world.signals["arm.velocity"].value > 0.05 or total == 20
    assert info["time"] == pytest.approx(0.02 * total)
    env.close()


def test_functions_do_as_well_and_noise_has_a_seed() -> None:
    env = made(reward=lambda world: world.time, terminated=lambda world: world.time > 0.05)
    rows = []
    for seed in (1, 1, 2):
        seen, _ = env.reset(seed=seed)
        after = [env.step(np.zeros(1, np.float32)) for _ in range(3)]
        assert [row[1] for row in after] == pytest.approx([0.02, 0.04, 0.06])
        assert [row[2] for row in after] == [False, False, True]
        rows.append(np.array([seen, *(row[0] for row in after)]))
    assert np.array_equal(rows[0], rows[1]) and not np.array_equal(rows[0], rows[2])
    first, _ = env.reset()
    second, _ = env.reset()
    assert not np.array_equal(first, second)  # episodes without a seed differ
    env.close()


def test_start_and_bounds_can_be_given() -> None:
    env = made(
        start=lambda rng: {"arm": rng.uniform(1, 2)}, bounds={"arm.position": (-3, 3)},
        observations=["arm.position"],
    )  # fmt: skip
    assert env.observation_space.high == pytest.approx([3])
    assert 1 < env.reset(seed=1)[0][0] < 2
    env.close()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"reward": "arm.postion"}, "arm.position"),
        ({"reward": "1 +"}, "reward"),
        ({"reward": 3}, "formula"),
        ({"observations": ["angel"]}, "angle"),
        ({"observations": []}, "list of signals"),
        ({"joints": ["leg"]}, "arm"),
        ({"agent": "driver"}, "driver"),
        ({"period": 0.003}, "whole number of steps"),
        ({"bounds": {"arm": (0, 1)}}, "arm.position"),
        ({"seed": 3}, "reset"),
        ({"world": "four-bar"}, "period"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_bad_arguments_are_named(options: dict[str, Any], words: str) -> None:
    if "world" in options:
        options = {**options, "period": 0.0205}
    with pytest.raises(KinegenError) as raised:
        made(**options)
    assert words in str(raised.value)


def test_bad_actions_and_rewards_are_refused() -> None:
    env = made(reward=lambda world: float("nan"))
    env.reset(seed=1)
    with pytest.raises(KinegenError, match="arm"):
        env.step(np.array([np.nan], np.float32))
    with pytest.raises(KinegenError, match="reward is nan"):
        env.step(np.zeros(1, np.float32))
    env.close()


def test_nothing_is_left_behind() -> None:
    before = set(threading.enumerate())
    env = made("exploring-cart")
    env.reset(seed=1)
    env.step(env.action_space.sample())
    env.close()
    last = time.monotonic() + 60
    while set(threading.enumerate()) - before and time.monotonic() < last:
        time.sleep(0.01)  # threads of closed agents end soon
    assert set(threading.enumerate()) == before
    assert isinstance(env.unwrapped.world, kg.World)
