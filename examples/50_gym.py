"""Environments for learning: eight arms at once, driven by a simple rule instead of a network."""

from __future__ import annotations

import gymnasium
import numpy as np

import kinegen as kg
import kinegen.gym

envs = gymnasium.make_vec(
    "kinegen/Reach-v0", num_envs=8, mechanism="so101", control="velocity", normalized=False
)
observations, infos = envs.reset(seed=1)
task = envs.unwrapped.task  # type: ignore[attr-defined]
first = infos["distance"].mean()

for _ in range(99):
    # v = Jᵀ e, scaled; e, the vector to the goal, is the last three numbers of an observation
    actions = np.array(
        [
            60 * kg.jacobian(task.model, q, task.frame)[:3, :5].T @ seen[-3:]
            for q, seen in zip(task.batch.q, observations, strict=True)
        ]
    )
    observations, rewards, terminated, truncated, infos = envs.step(actions.astype(np.float32))

envs.close()
last = infos["distance"].mean()
print(f"mean distance from the goal: {1000 * first:.0f} mm, after 2 s {1000 * last:.0f} mm")
print(f"{int(infos['is_success'].sum())} of 8 have reached it")

assert last < first / 2
