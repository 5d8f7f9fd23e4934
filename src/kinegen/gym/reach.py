"""Reach: bring a frame to a goal within its reach."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError, whole_number
from kinegen.gym.goals import reachable_goals
from kinegen.gym.motor_actions import position_range
from kinegen.gym.task import Judgement, Task
from kinegen.kernels import Floats
from kinegen.kinematics.batch import forward_many
from kinegen.mechanism.any_model import AnyModel

__all__ = ["Reach"]

Reward: TypeAlias = Literal["dense", "sparse"] | Callable[[Floats, Floats], Floats]
CLOSE = 0.05
"""Distance from the goal that counts as reached, as a share of the size of the goals' region."""


class Reach(Task):
    """Bring a frame to a goal.

    An observation is the position and velocity of each acting motor's joint, the frame's position
    and the way from there to the goal [m].
    """

    def __init__(
        self,
        mechanism: str | AnyModel = "so101",
        count: int = 1,
        *,
        goals: int | npt.ArrayLike | None = None,
        tolerance: float | None = None,
        reward: Reward = "dense",
        terminate: bool = False,
        random_start: bool = False,
        **options: Any,
    ) -> None:
        """Set up the task.

        Args:
            mechanism: A library name, a file, a RAFF text, a mechanism or a model.
            count: How many environments.
            goals: How many goals there are, found within the motors' ranges (None: 1000, or 200
                in mechanisms with loops, which take longer); or the goals themselves, (n, 3) [m].
            tolerance: Distance that counts as reached [m]; None: 5 % of the size of the goals'
                region.
            reward: 'dense': minus the distance [m]; 'sparse': 0 within the tolerance, else -1; or
                a function of distances [m] (n,) and efforts (n, nv) that returns (n,).
            terminate: Whether an episode ends where the goal is reached.
            random_start: Whether episodes begin in random poses instead of the file's.
            options: Of :class:`~kinegen.gym.task.Task`.
        """
        if not (callable(reward) or reward in ("dense", "sparse")):
            raise UsageError(f"reward must be 'dense', 'sparse' or a function, got {reward!r}")
        super().__init__(mechanism, count, **options)
        self._reward, self._terminate, self._random_start = reward, terminate, random_start
        self._poses, self.goals = self._find_goals(goals)
        centre = self.goals.mean(axis=0)
        region = float(np.linalg.norm(self.goals - centre, axis=1).max())
        if tolerance is not None and not tolerance > 0:
            raise UsageError(f"the tolerance must be a positive distance [m], got {tolerance!r}")
        self.tolerance = CLOSE * region if tolerance is None else float(tolerance)
        """Distance that counts as reached [m]."""
        far = 2 * max(region, self.model.size)
        self.low = np.concatenate([self.low, centre - far, np.full(3, -2 * far)])
        self.high = np.concatenate([self.high, centre + far, np.full(3, 2 * far)])
        self.goal: Floats = np.tile(self.goals[0], (count, 1))
        """Goals of the environments, (count, 3) [m]."""
        self._place()

    def begin(self, i: int, rng: np.random.Generator, options: Mapping[str, Any]) -> None:
        """Choose a goal; ``options={"goal": [x, y, z]}`` gives it [m]."""
        unknown = set(options) - {"goal"}
        if unknown:
            raise UsageError(f"reset has only the option 'goal', got {sorted(unknown)}")
        chosen = int(rng.integers(len(self.goals)))
        start = int(rng.integers(len(self._poses))) if self._random_start else None
        self.goal[i] = self.goals[chosen]
        if "goal" in options:
            given = np.asarray(options["goal"], dtype=np.float64)
            if given.shape != (3,) or not np.isfinite(given).all():
                raise UsageError(
                    f"a goal must be three finite numbers [m], got {options['goal']!r}"
                )
            self.goal[i] = given
        self.batch.reset(None if start is None else self._poses[start], which=[i])
        self._place()

    def act(self, actions: npt.ArrayLike) -> None:
        """Let the motors follow actions, and compute the positions of the frame."""
        super().act(actions)
        self._place()

    def observe(self) -> Floats:
        """Motors, position of the frame, and vector to the goal."""
        return np.hstack([super().observe(), self.tip, self.goal - self.tip])

    def judge(self) -> Judgement:
        """Reward by distance, with the further values ``distance`` and ``is_success``."""
        distance = np.sqrt(((self.goal - self.tip) ** 2).sum(axis=1))
        reached = distance < self.tolerance
        if callable(self._reward):
            reward = np.asarray(self._reward(distance, self.batch.efforts), dtype=np.float64)
            if reward.shape != distance.shape or not np.isfinite(reward).all():
                raise UsageError(
                    f"the reward must be {len(distance)} finite numbers, one per environment, got "
                    f"{reward!r}"
                )
        else:
            reward = -distance if self._reward == "dense" else reached - 1.0
        ended = reached if self._terminate else np.zeros_like(reached)
        return Judgement(reward, ended, {"distance": distance, "is_success": reached})

    def drawn(self, i: int) -> dict[str, Floats]:
        """The goal."""
        return {"goal": self.goal[i]}

    # Inside

    def _place(self) -> None:
        self.tip = np.array(forward_many(self.model, self.batch.q, [self.frame], threads=1)[:, 0])
        """Positions of the frame, (count, 3) [m]."""

    def _find_goals(self, goals: int | npt.ArrayLike | None) -> tuple[Floats, Floats]:
        if goals is None:
            goals = 200 if self.model.constraint_count else 1000
        start = self.batch.pattern.engine.q
        joints = [self.model.joint(name) for name in self.actions.names]
        plain = [joint for joint in joints if joint.q.stop - joint.q.start == 1]
        index = np.array([joint.q.start for joint in plain])
        bounds = np.array([position_range(self.model, joint, 0, start) for joint in plain])
        if isinstance(goals, int | np.integer):
            count = whole_number(goals, "goals", 2, 1_000_000)
            return reachable_goals(
                self.model, start, self.frame, index, bounds[:, 0], bounds[:, 1], count
            )
        given = np.array(goals, dtype=np.float64)
        if given.ndim != 2 or given.shape[1] != 3 or not len(given) or not np.isfinite(given).all():
            raise UsageError(
                f"goals must be a number, or positions of shape (n, 3) [m], got {given.shape}"
            )
        if not self._random_start:
            return start[None], given
        poses, _ = reachable_goals(
            self.model, start, self.frame, index, bounds[:, 0], bounds[:, 1], 200
        )
        return poses, given
