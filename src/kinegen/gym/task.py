"""Task: what is observed, rewarded and ended in an environment, for many simulations at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kinegen.dynamics.simulation.batch import SimulationBatch
from kinegen.errors import UsageError, whole_number
from kinegen.formats.load import load
from kinegen.gym.motor_actions import MotorActions, check_motors, motors_of, position_range
from kinegen.kernels import Floats
from kinegen.mechanism.any_model import AnyModel
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import ModelJoint

__all__ = ["Judgement", "Task"]

FASTER = 2.0
"""Bound of observed speeds against the motor's own limit: gravity and impacts may add to it."""
REFINE = 1e-3
"""Opening of loops, against the mechanism's size, at which a step is repeated in halves: a tenth of
it changes the error of steps of 2 ms by nothing that shows."""
FAR = 20.0
"""Bound of observed positions without limits, against what actions can ask for."""
ANY_SPEED = 100.0
"""Bound of observed speeds where the motor has no limit [rad/s; m/s]."""


class Judgement(NamedTuple):
    """How well all environments of a task do at one time."""

    rewards: Floats
    """(count,)"""
    ended: npt.NDArray[np.bool_]
    """Whether episodes end now, (count,)."""
    info: Mapping[str, npt.NDArray[Any]] = {}
    """Further values by name, (count,) each."""


class Task:
    """A mechanism whose motors follow actions; rows are environments.

    A task of your own overrides :meth:`begin`, :meth:`observe` and :meth:`judge`, and appends the
    bounds of what it observes to :attr:`low` and :attr:`high`.
    """

    def __init__(
        self,
        mechanism: str | AnyModel,
        count: int,
        *,
        frame: str | None = None,
        motors: Sequence[str] | None = None,
        control: str | Mapping[str, str] | None = None,
        normalized: bool = True,
        step: float = 2e-3,
        frame_skip: int = 10,
        engine: str = "reduced",
        threads: int = 0,
        **options: Any,
    ) -> None:
        """Set up simulations, actions, and the observation of motors.

        Args:
            mechanism: A library name, a file, a RAFF text, a mechanism or a model.
            count: How many environments.
            frame: The frame that the task is about; None: the last of the file.
            motors: Joints whose motors act; None: all that move the frame. Others hold.
            control: 'position', 'velocity' or 'torque' for all motors, or by joint name; None: as
                the file says.
            normalized: Whether actions are from -1 to 1, over the range of each motor's targets;
                else they are the targets themselves, in SI units.
            step: Of the simulation [s].
            frame_skip: Steps per action.
            engine: 'reduced', 'impulse', 'mujoco' or a plug-in's name.
            threads: 0 for all cores.
            options: More options of the simulation and its engine.
        """
        source = load(mechanism) if isinstance(mechanism, str) else mechanism
        model = source if isinstance(source, Model) else source.compile()
        driven = [joint.name for joint in model.joints if joint.has_motor]
        if not driven:
            raise UsageError(
                f"mechanism '{model.name}' has no motors, so nothing can act: add "
                "'motor: true' or motor data to a joint"
            )
        self.frame_skip = whole_number(frame_skip, "frame_skip", 1, 100_000)
        """Steps of the simulation per action."""
        self.frame = frame or model.site_names[-1]
        """The frame of the task."""
        model.site(self.frame)
        if motors is not None:
            check_motors(model, motors, driven)
        acting = list(motors) if motors is not None else motors_of(model, self.frame, driven)
        if not acting:
            raise UsageError(f"no motor of mechanism '{model.name}' moves frame '{self.frame}'")
        modes = dict.fromkeys(driven, control) if isinstance(control, str) else dict(control or {})
        if engine == "reduced":
            options = {"integrator": "semi-implicit", "refine": REFINE, **options}
        self.batch = SimulationBatch(
            source,
            count=count,
            engine=engine,
            step=step,
            modes=modes or None,
            threads=threads,
            **options,
        )
        """The simulations."""
        self.model = self.batch.model
        self.actions = MotorActions(self.batch, acting, normalized=normalized)
        """Meaning of the actions."""
        parts = [self.model.joint(name) for name in acting]
        self._q = np.concatenate([np.arange(j.q.start, j.q.stop) for j in parts])
        self._v = np.concatenate([np.arange(j.v.start, j.v.stop) for j in parts])
        places = _place_bounds(self.model, parts, self.batch.pattern.engine.q)
        speed = self.batch.servos.motors.speed[self._v]
        speed = np.where(np.isfinite(speed), FASTER * speed, ANY_SPEED)
        self.low: Floats = np.concatenate([places[0], -speed])
        """Lowest values of an observation, (observations,)."""
        self.high: Floats = np.concatenate([places[1], speed])
        """Highest values of an observation."""

    @property
    def period(self) -> float:
        """Time between actions [s]."""
        return self.frame_skip * self.batch.step

    # For tasks to override

    def begin(self, i: int, rng: np.random.Generator, options: Mapping[str, Any]) -> None:
        """Begin an episode of environment i."""
        if options:
            raise UsageError(f"reset of this environment has no options, got {sorted(options)}")
        self.batch.reset(which=[i])

    def observe(self) -> Floats:
        """Observations of all environments, (count, observations)."""
        return np.hstack([self.batch.q[:, self._q], self.batch.v[:, self._v]])

    def judge(self) -> Judgement:
        """How well all environments do now."""
        count = self.batch.count
        return Judgement(np.zeros(count), np.zeros(count, dtype=bool))

    def drawn(self, i: int) -> dict[str, Floats]:
        """Points that a picture marks, by name [m]."""
        del i
        return {}

    # What environments call

    def act(self, actions: npt.ArrayLike) -> None:
        """Let the motors follow actions (count, actions) until the next ones."""
        try:
            numbers = np.asarray(actions, dtype=np.float64)
        except (TypeError, ValueError):
            raise UsageError(f"actions must be numbers, got {actions!r}") from None
        self.actions.write(self.batch, numbers)
        self.batch.advance(self.frame_skip)

    def observations(self) -> npt.NDArray[np.float32]:
        """As agents see them: single precision, within bounds, a new array."""
        return np.clip(self.observe(), self.low, self.high).astype(np.float32)


def _place_bounds(
    model: Model, parts: Sequence[ModelJoint], start: Floats
) -> tuple[Floats, Floats]:
    """Bounds of the positions of joints: their limits, or far beyond what happens."""
    low, high = [], []
    for joint in parts:
        if joint.type.info.has_quaternion:
            more = joint.q.stop - joint.q.start - 4
            low += [-1.0] * 4 + [-FAR * model.size] * more
            high += [1.0] * 4 + [FAR * model.size] * more
            continue
        for k in range(joint.q.stop - joint.q.start):
            least, most = position_range(model, joint, k, start, FAR)
            low.append(least)
            high.append(most)
    return np.array(low), np.array(high)
