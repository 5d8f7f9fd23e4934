"""WorldEnv: any world as an environment; a learner takes an agent's place, or all motors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError, unknown_name
from kinegen.gym.drawing import MODES, Drawing
from kinegen.gym.signal_rules import Rule, SignalValues, rule_of
from kinegen.gym.world_bounds import observation_bounds, target_bounds
from kinegen.kernels import Floats
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.load import load_raff
from kinegen.world.world import World

__all__ = ["WorldEnv"]

Observation = npt.NDArray[np.float32]


class WorldEnv(gymnasium.Env[Observation, npt.NDArray[np.float32]]):
    """A world whose motors, or those of one of its agents, follow the actions of a learner.

    Everything else in the world is as its file says: sensors measure with their noise and at
    their rates, other agents decide. The seed of an episode is the seed of all noise.
    """

    metadata: dict[str, Any] = {"render_modes": list(MODES), "render_fps": 50}  # noqa: RUF012

    def __init__(
        self,
        world: Any,
        *,
        agent: str | None = None,
        joints: Sequence[str] | None = None,
        observations: Sequence[str] | None = None,
        reward: str | Callable[[World], float] = "0",
        terminated: str | Callable[[World], bool] | None = None,
        bounds: Mapping[str, tuple[float, float]] | None = None,
        start: Callable[[np.random.Generator], Mapping[str, Any]] | None = None,
        period: float = 0.02,
        normalized: bool = True,
        render_mode: str | None = None,
        width: int = 480,
        height: int = 360,
        **options: Any,
    ) -> None:
        """Set up the environment.

        Args:
            world: Name of a library world, a RAFF file or text, or a mechanism.
            agent: The agent of the file that the learner replaces; None: its only agent, or
                none if there is none.
            joints: Joints whose motors act; None: those that the agent drives, or all.
            observations: Names of signals; None: all sensors with up to 64 numbers, and positions
                and velocities of the acting joints.
            reward: A formula of signals, such as "cart.velocity - 0.1*abs(cart.effort)", or a
                function of the world; taken after every action.
            terminated: When an episode ends: a comparison, such as "nose.distance < 5 cm", or a
                function of the world; None: never.
            bounds: Least and greatest values by signal, instead of those that follow from limits
                and ranges.
            start: Where joints start: a function of a random generator that returns positions by
                joint name; None: as in the file.
            period: Time between actions [s].
            normalized: Whether actions are from -1 to 1, over the range of each motor's targets;
                else they are the targets themselves, in SI units.
            render_mode: 'rgb_array', 'human' or None.
            width: Of pictures [pixels].
            height: Of pictures [pixels].
            options: More arguments of :class:`~kinegen.world.world.World`, such as ``engine``.
        """
        self.mechanism: Mechanism = world if isinstance(world, Mechanism) else load_raff(world)
        self.render_mode, self._options = render_mode, {"keyframes": 0.0, **options}
        refused = {"seed", "agents", "q"} & set(options)
        if refused:
            raise UsageError(
                f"{', '.join(sorted(refused))}: seeds are given to reset(), starts by 'start', and "
                "other agents by the file"
            )
        self._start = start
        self._agent = self._slot(agent)
        self.world = self._made(None, 0)
        """The world of this episode."""
        self._steps = max(1, round(period / self.world.step_length))
        if abs(self._steps * self.world.step_length - period) > 1e-9 * period:
            raise UsageError(
                f"the period of {period:g} s is not a whole number of steps of "
                f"{self.world.step_length:g} s"
            )
        self.joints = self._driven_joints(joints)
        """Joints that follow the actions."""
        self._least, self._greatest = target_bounds(self.world, self.joints)
        self._normalized = normalized
        low, high = self._least, self._greatest
        if normalized:
            low, high = np.full(len(low), -1.0), np.full(len(low), 1.0)
        self.action_space = gymnasium.spaces.Box(low.astype(np.float32), high.astype(np.float32))
        self.observed = self._chosen(observations)
        """Names of the observed signals, in their order."""
        self._low, self._high = observation_bounds(self.world, self.observed, dict(bounds or {}))
        self.observation_space = gymnasium.spaces.Box(
            self._low.astype(np.float32), self._high.astype(np.float32)
        )
        names = SignalValues(self.world)
        self._reward: Rule = rule_of("reward", reward, names)
        self._ends: Rule | None = (
            None if terminated is None else rule_of("terminated", terminated, names)
        )
        self.metadata = {**type(self).metadata, "render_fps": max(1, round(1 / period))}
        island = self.world.islands[0]
        if render_mode is not None and len(self.world.islands) > 1:
            raise UsageError("a world whose robots have engines of their own cannot be drawn here")
        self._drawing = Drawing(render_mode, island.simulation.system, island.model, width, height)
        self._period = period
        self._began = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode: a new world, with a seed for its noise from the environment's."""
        super().reset(seed=seed)
        if options:
            raise UsageError(f"reset of a world has no options, got {sorted(options)}")
        chosen = int(self.np_random.integers(2**31))
        q = None if self._start is None else dict(self._start(self.np_random))
        self.world.close()
        self.world = self._made(q, chosen)
        # sensors measure at the first step; until then nothing is known
        for sensor in self.world.sensors.values():
            sensor.step(0)
        self._began = True
        if self.render_mode == "human":
            self.render()
        return self._seen(), self._info()

    def step(
        self, action: npt.NDArray[np.float32]
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """One action, held for one period; a world that stops truncates the episode."""
        if not self._began:
            raise gymnasium.error.ResetNeeded("call reset() before step()")
        self._command(action)
        for _ in range(self._steps):
            self.world.step()
        reward = float(self._reward(self.world))
        if not np.isfinite(reward):
            raise UsageError(
                f"the reward is {reward} at {self.world.time:g} s: it must be a finite number"
            )
        ended = self._ends is not None and bool(self._ends(self.world))
        if self.render_mode == "human":
            self.render()
        return self._seen(), reward, ended, bool(self.world.reason), self._info()

    def render(self) -> Any:
        """A picture (height, width, 3), or None if the studio shows it."""
        q = self.world.islands[0].state.q
        return self._drawing.draw(q, {}, self._period)

    def close(self) -> None:
        """End the world, and release the resources for drawing."""
        self.world.close()
        self._drawing.close()

    # Inside

    def _made(self, q: Mapping[str, Any] | None, seed: int) -> World:
        self._targets: dict[str, float] = {}
        agents = {self._agent: self._decide} if self._agent is not None else None
        return World(self.mechanism, q, seed=seed, agents=agents, **self._options)

    def _decide(self, time: float, seen: Mapping[str, Any]) -> dict[str, float]:
        """What the learner does in the place of an agent."""
        del time, seen
        return dict(self._targets)

    def _slot(self, agent: str | None) -> str | None:
        names = [row["name"] for row in self.mechanism.scene.get("agents", ())]
        if agent is None and len(names) > 1:
            raise UsageError(
                f"world '{self.mechanism.name}' has several agents: name the one that the "
                f"learner replaces, agent='{names[0]}'"
            )
        if agent is not None and agent not in names:
            raise unknown_name("agent", agent, f"world '{self.mechanism.name}'", names)
        return agent or (names[0] if names else None)

    def _driven_joints(self, joints: Sequence[str] | None) -> list[str]:
        world = self.world
        motors = [
            name
            for island in world.islands
            if island.actuators is not None
            for name in island.actuators.joints
        ]
        others = {
            joint: name
            for name, one in world.agents.items()
            if name != self._agent
            for joint in one.joints
        }
        mine = world.agents[self._agent].joints if self._agent is not None else motors
        chosen = [name for name in mine if name not in others] if joints is None else list(joints)
        for name in chosen:
            if name not in motors:
                raise unknown_name("motor", name, f"world '{world.name}'", motors)
            if name not in mine:
                raise UsageError(
                    f"joint '{name}' is not driven by agent '{self._agent}', which the "
                    "learner replaces"
                )
        if not chosen:
            raise UsageError(f"world '{world.name}' has no motors, so nothing can act")
        return chosen

    def _chosen(self, observations: Sequence[str] | None) -> list[str]:
        signals = self.world.signals
        if observations is None:
            measured = [one for sensor in self.world.sensors.values() for one in sensor.signals]
            names = [one.name for one in measured if _size(one) and _size(one) <= 64]
            return names + [
                f"{joint}.{key}" for joint in self.joints for key in ("position", "velocity")
            ]
        if isinstance(observations, str) or not observations:
            raise UsageError(f"observations must be a list of signals, got {observations!r}")
        for name in observations:
            if not _size(signals[name]):
                raise UsageError(f"signal '{name}' has no fixed count of numbers to observe")
        return [signals[name].name for name in observations]

    def _command(self, action: npt.NDArray[np.float32]) -> None:
        numbers = np.asarray(action, dtype=np.float64)
        if numbers.shape != self._least.shape or np.isnan(numbers).any():
            raise UsageError(
                f"an action has {len(self.joints)} finite numbers, one per motor "
                f"({', '.join(self.joints)}), got {action!r}"
            )
        if self._normalized:
            share = (np.clip(numbers, -1, 1) + 1) / 2
            numbers = self._least + share * (self._greatest - self._least)
        targets = np.clip(numbers, self._least, self._greatest)
        self._targets = dict(zip(self.joints, targets.tolist(), strict=True))
        if self._agent is None:
            self.world.command(self._targets)

    def _seen(self) -> Observation:
        values: list[Floats] = [
            np.ravel(np.asarray(self.world.signals[name].value, dtype=np.float64))
            for name in self.observed
        ]
        numbers = np.nan_to_num(np.concatenate(values), nan=0.0, posinf=np.inf, neginf=-np.inf)
        return np.clip(numbers, self._low, self._high).astype(np.float32)

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"time": self.world.time}
        if self.world.reason:
            info["reason"] = self.world.reason
        return info


def _size(signal: Any) -> int:
    """How many numbers a signal has; 0 where that is not known."""
    return 0 if signal.shape is None else int(np.prod(signal.shape))
