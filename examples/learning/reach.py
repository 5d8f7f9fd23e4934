"""Learning to reach: PPO of stable-baselines3 drives an SO-101 to goals, then shows it in the page.

Needs ``pip install 'kinegen[gym,plot,studio]' stable-baselines3``. 64 environments learn at once
in compiled code; the learning curve is drawn to learning-curve.svg. Options: ``--steps``,
``--seed``, ``--mechanism five-bar``, ``--no-show``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np

import kinegen.gym  # noqa: F401  registers the environments

try:
    import torch
    from stable_baselines3 import PPO
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.vec_env import VecEnv, VecNormalize
except ImportError as error:
    print(f"this example needs {error.name}: pip install stable-baselines3")
    raise SystemExit(0) from None


class Many(VecEnv):  # type: ignore[misc]
    """A vector environment of Gymnasium as stable-baselines3 expects it."""

    def __init__(self, envs: gymnasium.vector.VectorEnv[Any, Any, Any]) -> None:
        self.envs = envs
        self.render_mode = None
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """For the next reset."""
        self._seeds = [seed] * self.num_envs
        self.first = seed
        return self._seeds

    def reset(self) -> Any:
        """Begin all episodes."""
        return self.envs.reset(seed=getattr(self, "first", None))[0]

    def step_async(self, actions: Any) -> None:
        """Store the actions."""
        self.actions = actions

    def step_wait(self) -> Any:
        """Make the step; episodes that have ended begin again in the same step."""
        seen, rewards, ended, cut, info = self.envs.step(self.actions)
        done = ended | cut
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(done):
            infos[i] = {
                "terminal_observation": info["final_obs"][i],
                "TimeLimit.truncated": bool(cut[i] and not ended[i]),
                "is_success": bool(info["final_info"]["is_success"][i]),
                "distance": float(info["final_info"]["distance"][i]),
            }
        return seen, rewards, done, infos

    def close(self) -> None:
        """Close the environments."""
        self.envs.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute that all environments share."""
        return [getattr(self.envs, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Not for environments that share everything."""
        raise NotImplementedError

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> Any:
        """Not for environments that share everything."""
        raise NotImplementedError

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """No environment is wrapped."""
        return [False] * self.num_envs


class Curve(BaseCallback):  # type: ignore[misc]
    """How far from the goal episodes end, over the course of learning."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[tuple[int, float, float, float]] = []
        self.ended: list[tuple[float, bool]] = []
        self.began = time.perf_counter()

    def _on_step(self) -> bool:
        for info in self.locals["infos"]:
            if "distance" in info:
                self.ended.append((info["distance"], info["is_success"]))
        return True

    def _on_rollout_end(self) -> None:
        if not self.ended:
            return
        distance, success = np.mean(np.array(self.ended, dtype=float), axis=0)
        self.rows.append((self.num_timesteps, time.perf_counter() - self.began, distance, success))
        self.ended = []
        print(
            f"{self.num_timesteps:9,d} steps  {self.rows[-1][1]:5.0f} s  "
            f"{1000 * distance:6.1f} mm  {100 * success:5.1f} % reached"
        )

    def draw(self, file: str, title: str) -> None:
        """Write the learning curve."""
        from matplotlib.figure import Figure

        steps, _, distance, success = np.array(self.rows).T
        figure = Figure(figsize=(7, 3.4), layout="constrained")
        axes = figure.add_subplot()
        axes.plot(steps / 1e6, 1000 * distance, color="C0")
        axes.set(xlabel="steps [million]", ylabel="distance at the end [mm]", title=title)
        axes.set_ylim(0, None)
        other = axes.twinx()
        other.plot(steps / 1e6, 100 * success, color="C1")
        other.set_ylabel("reached [%]", color="C1")
        other.set_ylim(0, 100)
        figure.savefig(file)


def reward(distance: np.ndarray, efforts: np.ndarray) -> np.ndarray:
    """Lower for every centimetre of distance, with a bonus near the goal."""
    return -10 * distance + np.exp(-distance / 0.02)


def main() -> None:
    """Learn, draw, show."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--mechanism", default="so101")
    parser.add_argument("--steps", type=int, default=800_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--curve", default="learning-curve.svg")
    parser.add_argument("--no-show", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)  # small networks: more threads wait for each other
    raw = Many(
        gymnasium.make_vec(
            "kinegen/Reach-v0",
            num_envs=64,
            vectorization_mode="vector_entry_point",
            mechanism=options.mechanism,
            max_episode_steps=50,
            autoreset_mode="SameStep",
        )
    )
    envs = VecNormalize(raw)  # metres and radians per second become numbers of similar size
    learner = PPO(
        "MlpPolicy", envs, n_steps=50, batch_size=1600, n_epochs=6, gamma=0.9, gae_lambda=0.9,
        learning_rate=lambda left: 1e-3 * max(left, 0.1), seed=options.seed, device="cpu",
        policy_kwargs={"net_arch": [128, 128], "log_std_init": -0.7},
    )  # fmt: skip
    curve = Curve()
    learner.learn(options.steps, callback=curve)
    curve.draw(options.curve, f"{options.mechanism} learns to reach ({curve.rows[-1][1]:.0f} s)")
    envs.close()

    mode = None if options.no_show else "human"
    env = gymnasium.make(
        "kinegen/Reach-v0", mechanism=options.mechanism, control="velocity", render_mode=mode
    )
    distances = []
    for episode in range(20):
        seen, info = env.reset(seed=1000 + episode)
        for _ in range(100):
            action, _ = learner.predict(envs.normalize_obs(seen), deterministic=True)
            seen, _, _, _, info = env.step(action)
        distances.append(info["distance"])
    env.close()
    print(f"20 new goals: {1000 * np.median(distances):.1f} mm from the goal (median)")


if __name__ == "__main__":
    main()
