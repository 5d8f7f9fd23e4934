"""TaskEnv: one environment of a task, with Gymnasium's interface."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.gym.drawing import MODES, Drawing
from kinegen.gym.reach import Reach
from kinegen.gym.task import Task

__all__ = ["ReachEnv", "TaskEnv"]

Observation = npt.NDArray[np.float32]


class TaskEnv(gymnasium.Env[Observation, npt.NDArray[np.float32]]):
    """A task with one simulation.

    Actions are targets of motors within their limits, in SI units; observations are in single
    precision, while the simulation runs in double precision. Nothing but the seed, the actions and
    the arguments decides what happens.
    """

    metadata: dict[str, Any] = {"render_modes": list(MODES), "render_fps": 50}  # noqa: RUF012

    def __init__(
        self,
        task: Task,
        *,
        render_mode: str | None = None,
        width: int = 480,
        height: int = 360,
    ) -> None:
        """Wrap a task.

        Args:
            task: With one simulation.
            render_mode: 'rgb_array' (drawn by MuJoCo), 'human' (in the studio) or None.
            width: Of pictures [pixels].
            height: Of pictures [pixels].
        """
        self.task = task
        self.render_mode = render_mode
        fps = max(1, round(1 / task.period))
        self.metadata = {**type(self).metadata, "render_fps": fps}
        self._drawing = Drawing(render_mode, task.batch.system, task.model, width, height)
        self.action_space = gymnasium.spaces.Box(
            task.actions.low.astype(np.float32), task.actions.high.astype(np.float32)
        )
        self.observation_space = gymnasium.spaces.Box(
            task.low.astype(np.float32), task.high.astype(np.float32)
        )
        self._began = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; the same seed gives the same episode, bit for bit."""
        super().reset(seed=seed)
        self.task.begin(0, self.np_random, options or {})
        self._began = True
        if self.render_mode == "human":
            self.render()
        return self.task.observations()[0], self._info()

    def step(
        self, action: npt.NDArray[np.float32]
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Let the motors follow an action for one period.

        An episode whose simulation cannot continue is truncated, with the reason in ``info``.
        """
        if not self._began:
            raise gymnasium.error.ResetNeeded("call reset() before step()")
        self.task.act(np.asarray(action)[None])
        judged = self.task.judge()
        if self.render_mode == "human":
            self.render()
        info, reason = self._info(), self.task.batch.reasons[0]
        if reason:
            info["reason"] = reason
        reward, ended = float(judged.rewards[0]), bool(judged.ended[0])
        return self.task.observations()[0], reward, ended, bool(reason), info

    def render(self) -> Any:
        """A picture (height, width, 3), or None if the studio shows it."""
        return self._drawing.draw(self.task.batch.q[0], self.task.drawn(0), self.task.period)

    def close(self) -> None:
        """Release the resources for drawing."""
        self._drawing.close()

    def _info(self) -> dict[str, Any]:
        return {name: values[0].item() for name, values in self.task.judge().info.items()}


class ReachEnv(TaskEnv):
    """``kinegen/Reach-v0``: bring a frame to a goal."""

    def __init__(
        self,
        mechanism: Any = "so101",
        *,
        render_mode: str | None = None,
        width: int = 480,
        height: int = 360,
        **options: Any,
    ) -> None:
        """Set up the environment.

        Args:
            mechanism: A library name, a file, a RAFF text, a mechanism or a model.
            render_mode: 'rgb_array', 'human' or None.
            width: Of pictures [pixels].
            height: Of pictures [pixels].
            options: Of :class:`~kinegen.gym.reach.Reach`.
        """
        super().__init__(
            Reach(mechanism, 1, **_alone(options)),
            render_mode=render_mode, width=width, height=height,
        )  # fmt: skip


def _alone(options: dict[str, Any]) -> dict[str, Any]:
    if "count" in options or "num_envs" in options:
        raise UsageError("one environment has no number: use gymnasium.make_vec for several")
    return options
