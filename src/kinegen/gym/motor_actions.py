"""MotorActions: actions of an agent as targets of motors, bounded by what the file allows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from kinegen.dynamics.motors.motor import Mode
from kinegen.dynamics.simulation.batch import SimulationBatch
from kinegen.errors import UsageError, unknown_name
from kinegen.kernels import Floats, Ints
from kinegen.kinematics.configurations import configuration
from kinegen.kinematics.jacobians import jacobian
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import ModelJoint

__all__ = ["MotorActions", "check_motors", "motors_of", "position_range"]

FREE_TURN = math.pi
"""How far from its start an angle without limits may be asked to go [rad]."""
FREE_SLIDE = 0.2
"""The same of a length, as a share of the mechanism's size."""
FREE_SPEED = 2 * math.pi
"""Largest target of a motor whose speed has no limit [rad/s, sizes/s]."""


class MotorActions:
    """One number per motor: its target position, velocity or torque, as its mode says.

    Actions from -1 to 1 cover the range from the least to the greatest target; that is what
    learning algorithms expect.
    """

    def __init__(
        self, batch: SimulationBatch, motors: Sequence[str], *, normalized: bool = True
    ) -> None:
        """Find bounds.

        Args:
            batch: The simulations.
            motors: Joints whose motors the actions drive; others hold the start.
            normalized: Whether actions are from -1 to 1; else they are targets in SI units.

        Raises:
            UsageError: A joint has no motor, or its torque has no limit.
        """
        model = batch.model
        self.names = tuple(motors)
        """Joints, one per motor."""
        index, low, high = [], [], []
        for name in motors:
            joint = model.joint(name)
            modes = batch.servos.motors.modes[joint.v]
            for k, mode in enumerate(modes):
                place, least, most = _bounds(batch, joint, k, mode)
                index.append(place)
                low.append(least)
                high.append(most)
        self._index: Ints = np.array(index, dtype=np.int64)
        self.least: Floats = np.array(low)
        """Least targets, (actions,) [rad, rad/s, N m; m, m/s, N]."""
        self.greatest: Floats = np.array(high)
        """Greatest targets, (actions,)."""
        self.normalized = normalized
        self.low: Floats = np.full(len(low), -1.0) if normalized else self.least
        """Least actions, (actions,)."""
        self.high: Floats = np.full(len(low), 1.0) if normalized else self.greatest
        """Greatest actions, (actions,)."""

    def targets(self, actions: Floats) -> Floats:
        """The motors' targets for actions (n, actions); beyond bounds: clipped."""
        clipped = np.clip(actions, self.low, self.high)
        if not self.normalized:
            return clipped
        return self.least + (clipped + 1) / 2 * (self.greatest - self.least)

    def actions(self, targets: Floats) -> Floats:
        """The actions that stand for targets of the motors, (n, actions)."""
        if not self.normalized:
            return targets
        return 2 * (targets - self.least) / (self.greatest - self.least) - 1

    def write(self, batch: SimulationBatch, actions: Floats) -> None:
        """Set the targets of all simulations from actions (n, actions).

        Raises:
            UsageError: A number is not one.
        """
        if actions.shape != (batch.count, len(self._index)):
            raise UsageError(
                f"an action has {len(self._index)} numbers per environment, one per motor "
                f"({', '.join(self.names)}), got an array of shape {actions.shape}"
            )
        if np.isnan(actions).any():
            row, column = np.argwhere(np.isnan(actions))[0]
            raise UsageError(
                f"the action for motor '{self.names[min(column, len(self.names) - 1)]}' of "
                f"environment {row} is NaN: use finite numbers"
            )
        batch.targets[:, self._index] = self.targets(actions)


def motors_of(model: Model, frame: str, driven: Sequence[str]) -> list[str]:
    """Those of the driven joints that move a frame; all of them where there are loops."""
    if model.constraint_count:
        return list(driven)
    rng = np.random.default_rng(0)
    moved = np.empty(model.nq)
    # no pose where a column vanishes by chance
    model.kernels.integrate(configuration(model, None), rng.uniform(0.1, 0.3, model.nv), moved)
    J = jacobian(model, moved, frame)
    return [name for name in driven if np.abs(J[:, model.joint(name).v]).max() > 1e-12]


def check_motors(model: Model, given: Sequence[str], driven: Sequence[str]) -> None:
    """Refuse joints without a motor."""
    if isinstance(given, str) or not given:
        raise UsageError(f"motors must be a list of joint names, got {given!r}")
    for name in given:
        model.joint(name)
        if name not in driven:
            raise unknown_name("motor", name, f"mechanism '{model.name}'", driven)


def _bounds(
    batch: SimulationBatch, joint: ModelJoint, k: int, mode: Mode
) -> tuple[int, float, float]:
    """Where the target stands in a row of targets, and its bounds."""
    model, motors = batch.model, batch.servos.motors
    i = joint.v.start + k
    size = 1.0 if joint.type.info.variables[k][1] == "angle" else model.size
    if mode is Mode.TORQUE:
        effort = float(motors.effort_at_rest[i])
        if not math.isfinite(effort):
            raise UsageError(
                f"the motor of joint '{joint.name}' has no largest torque to bound actions by: "
                "specify one, as in 'motor: {torque: 2 N m}'"
            )
        return model.nq + model.nv + i, -effort, effort
    if mode is Mode.VELOCITY:
        speed = float(motors.speed[i])
        speed = speed if math.isfinite(speed) else FREE_SPEED * size
        return model.nq + i, -speed, speed
    if joint.type.info.has_quaternion:
        raise UsageError(
            f"joint '{joint.name}' turns freely: drive it by velocity or torque "
            f"(modes={{'{joint.name}': 'velocity'}})"
        )
    low, high = position_range(model, joint, k, batch.pattern.engine.q)
    return joint.q.start + k, low, high


def position_range(
    model: Model, joint: ModelJoint, k: int, start: Floats, times: float = 1.0
) -> tuple[float, float]:
    """Limits of a joint's variable; where there are none, some way from the start, or times it."""
    is_angle = joint.type.info.variables[k][1] == "angle"
    far = times * (FREE_TURN if is_angle else FREE_SLIDE * model.size)
    low, high = float(model.lower[joint.v.start + k]), float(model.upper[joint.v.start + k])
    at = float(start[joint.q.start + k])
    return (
        low if math.isfinite(low) else at - far,
        high if math.isfinite(high) else at + far,
    )
