"""Ids of the environments, registered once when the package is imported."""

from __future__ import annotations

from typing import Any

from kinegen.errors import UsageError

try:
    import gymnasium
except ImportError as error:
    raise UsageError(
        f"environments for learning need the package {error.name}: pip install 'kinegen[gym]'"
    ) from None

__all__ = ["IDS"]

_TASK = "kinegen.gym.task_env:ReachEnv", "kinegen.gym.task_vector_env:ReachVectorEnv"

IDS: dict[str, tuple[str, str | None, int, dict[str, Any]]] = {
    "kinegen/Reach-v0": (*_TASK, 100, {}),
    "kinegen/ReachFiveBar-v0": (*_TASK, 100, {"mechanism": "five-bar"}),
    "kinegen/ReachStewart-v0": (*_TASK, 100, {"mechanism": "stewart"}),
    "kinegen/World-v0": ("kinegen.gym.world_env:WorldEnv", None, 1000, {}),
}
"""Entry points (one environment, many at once), steps of an episode and arguments by id."""

for _id, (_one, _many, _steps, _arguments) in IDS.items():
    if _id not in gymnasium.registry:
        gymnasium.register(
            _id,
            entry_point=_one,
            vector_entry_point=_many,
            max_episode_steps=_steps,
            kwargs=_arguments,
        )
