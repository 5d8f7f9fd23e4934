"""TaskVectorEnv: many environments of a task, stepped together in compiled code on all cores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from kinegen.errors import UsageError, whole_number
from kinegen.gym.drawing import MODES, Drawing
from kinegen.gym.reach import Reach
from kinegen.gym.task import Task

__all__ = ["ReachVectorEnv", "TaskVectorEnv"]

Flags = npt.NDArray[np.bool_]


class TaskVectorEnv(VectorEnv[npt.NDArray[np.float32], npt.NDArray[np.float32], Any]):
    """A task with many simulations, each bit for bit that of a single environment with its seed."""

    def __init__(
        self,
        task: Task,
        *,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        width: int = 480,
        height: int = 360,
    ) -> None:
        """Wrap a task.

        Args:
            task: With any number of simulations.
            max_episode_steps: After which episodes are truncated; None: never.
            autoreset_mode: When an environment whose episode has ended begins the next: at its
                next step ('NextStep', as Gymnasium does by default), in the same step ('SameStep')
                or when ``reset`` is called with ``options={"reset_mask": …}`` ('Disabled').
            render_mode: 'rgb_array' for pictures of all environments, or None.
            width: Of pictures [pixels].
            height: Of pictures [pixels].
        """
        try:
            self._mode = AutoresetMode(autoreset_mode)
        except ValueError:
            words = ", ".join(f"'{mode.value}'" for mode in AutoresetMode)
            raise UsageError(
                f"autoreset_mode must be one of {words}, got {autoreset_mode!r}"
            ) from None
        if max_episode_steps is not None:
            whole_number(max_episode_steps, "max_episode_steps", 1, 10**9)
        if render_mode == "human":
            raise UsageError("the studio shows one environment: use gymnasium.make for it")
        self.task, self.num_envs = task, task.batch.count
        self.render_mode = render_mode
        self.metadata = {
            "render_modes": [mode for mode in MODES if mode != "human"],
            "render_fps": max(1, round(1 / task.period)),
            "autoreset_mode": self._mode,
        }
        self._drawing = Drawing(render_mode, task.batch.system, task.model, width, height)
        self.single_action_space = gymnasium.spaces.Box(
            task.actions.low.astype(np.float32), task.actions.high.astype(np.float32)
        )
        self.single_observation_space = gymnasium.spaces.Box(
            task.low.astype(np.float32), task.high.astype(np.float32)
        )
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._limit = max_episode_steps
        self._random: list[np.random.Generator | None] = [None] * self.num_envs
        self._steps = np.zeros(self.num_envs, dtype=np.int64)
        self._over: Flags = np.zeros(self.num_envs, dtype=bool)
        self._began = False

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[npt.NDArray[np.float32], dict[str, Any]]:
        """Begin episodes; environment i has seed + i, as with Gymnasium's own vectors.

        Args:
            seed: A number, or one for each environment.
            options: For every environment; ``reset_mask`` (num_envs,) says which begin.
        """
        given = dict(options or {})
        mask = given.pop("reset_mask", None)
        which = self._masked(mask)
        seeds: Sequence[int | None]
        if seed is None or isinstance(seed, int | np.integer):
            seeds = [None if seed is None else int(seed) + i for i in range(self.num_envs)]
        else:
            seeds = seed
        if len(seeds) != self.num_envs:
            raise UsageError(
                f"specify {self.num_envs} seeds, one per environment, got {len(seeds)}"
            )
        for i in which.tolist():
            if seeds[i] is not None or self._random[i] is None:
                self._random[i] = seeding.np_random(seeds[i])[0]
            self._begin(i, given)
        self._began = True
        done = np.zeros(self.num_envs, dtype=bool)
        done[which] = True
        return self.task.observations(), self._infos(done)

    def step(
        self, actions: npt.NDArray[np.float32]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float64], Flags, Flags, dict[str, Any]]:
        """One action for every environment, (num_envs, actions)."""
        if not self._began:
            raise gymnasium.error.ResetNeeded("call reset() before step()")
        waiting, infos = self._over.copy(), {}
        if self._mode is AutoresetMode.DISABLED and waiting.any():
            raise gymnasium.error.ResetNeeded(
                f"the episode of environment {int(np.flatnonzero(waiting)[0])} is over: reset it "
                "with options={'reset_mask': …}"
            )
        self.task.act(actions)
        self._steps += 1
        judged = self.task.judge()
        rewards = np.array(judged.rewards, dtype=np.float64)
        reasons = self.task.batch.reasons
        cut = np.array([bool(reason) for reason in reasons])
        if self._limit is not None:
            cut |= self._steps >= self._limit
        terminated, truncated = np.array(judged.ended), cut
        # an environment whose episode was over begins instead of acting
        for i in np.flatnonzero(waiting).tolist():
            self._begin(i, {})
            rewards[i], terminated[i], truncated[i] = 0.0, False, False
        self._over = terminated | truncated
        every = np.ones(self.num_envs, dtype=bool)
        stopped = self._over & np.array([bool(reason) for reason in reasons])
        words = np.array([reasons[i] if stopped[i] else None for i in range(self.num_envs)], object)
        if self._mode is AutoresetMode.SAME_STEP and self._over.any():
            infos = self._final(words, stopped)
            for i in np.flatnonzero(self._over).tolist():
                self._begin(i, {})
            self._over = np.zeros(self.num_envs, dtype=bool)
        elif stopped.any():
            infos = {"reason": words, "_reason": stopped}
        return self.task.observations(), rewards, terminated, truncated, {
            **self._infos(every), **infos
        }  # fmt: skip

    def render(self) -> tuple[Any, ...] | None:
        """A picture of each environment."""
        if self.render_mode is None:
            return None
        task = self.task
        return tuple(
            self._drawing.draw(task.batch.q[i], task.drawn(i), task.period)
            for i in range(self.num_envs)
        )

    def close_extras(self, **kwargs: Any) -> None:
        """Release the resources for drawing."""
        del kwargs
        self._drawing.close()

    # Inside

    def _begin(self, i: int, options: dict[str, Any]) -> None:
        random = self._random[i]
        assert random is not None
        self.task.begin(i, random, options)
        self._steps[i], self._over[i] = 0, False

    def _infos(self, which: Flags) -> dict[str, Any]:
        """Values by name, each with the mask of those that have it."""
        infos: dict[str, Any] = {}
        for name, values in self.task.judge().info.items():
            infos[name] = np.where(which, values, np.zeros_like(values))
            infos[f"_{name}"] = which.copy()
        return infos

    def _final(self, words: npt.NDArray[Any], stopped: Flags) -> dict[str, Any]:
        """What was seen and known at the end of the episodes that are over."""
        seen = self.task.observations()
        rows = np.full(self.num_envs, None, dtype=object)
        for i in np.flatnonzero(self._over).tolist():
            rows[i] = seen[i]
        info = self._infos(self._over)
        if stopped.any():
            info |= {"reason": words, "_reason": stopped}
        over = self._over.copy()
        return {
            "final_obs": rows, "_final_obs": over, "final_info": info, "_final_info": over.copy()
        }  # fmt: skip

    def _masked(self, mask: Any) -> npt.NDArray[np.int64]:
        """Which environments a reset is about."""
        if mask is None:
            return np.arange(self.num_envs)
        flags = np.asarray(mask)
        if flags.dtype != np.bool_ or flags.shape != (self.num_envs,) or not flags.any():
            raise UsageError(
                f"reset_mask must be {self.num_envs} booleans, at least one of them true, got "
                f"{mask!r}"
            )
        return np.flatnonzero(flags)


class ReachVectorEnv(TaskVectorEnv):
    """``kinegen/Reach-v0``, many at once."""

    def __init__(
        self,
        num_envs: int = 1,
        mechanism: Any = "so101",
        *,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        width: int = 480,
        height: int = 360,
        **options: Any,
    ) -> None:
        """Set up the environments.

        Args:
            num_envs: How many.
            mechanism: A library name, a file, a RAFF text, a mechanism or a model.
            max_episode_steps: After which episodes are truncated.
            autoreset_mode: 'NextStep', 'SameStep' or 'Disabled'.
            render_mode: 'rgb_array' or None.
            width: Of pictures [pixels].
            height: Of pictures [pixels].
            options: Of :class:`~kinegen.gym.reach.Reach`.
        """
        super().__init__(
            Reach(mechanism, num_envs, **options),
            max_episode_steps=max_episode_steps, autoreset_mode=autoreset_mode,
            render_mode=render_mode, width=width, height=height,
        )  # fmt: skip
