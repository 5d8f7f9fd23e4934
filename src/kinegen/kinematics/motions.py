"""Velocities and accelerations under the loops: how all joints and frames move for given inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kinegen import kernels
from kinegen.errors import UsageError
from kinegen.kernels import Floats, Ints
from kinegen.kernels.tolerances import MET
from kinegen.kinematics.configurations import Configuration, Velocity, configuration, velocity
from kinegen.kinematics.jacobians import jacobian, jacobian_dot
from kinegen.kinematics.mobility.scaled_motion import ScaledMotion, closed_configuration
from kinegen.kinematics.mobility.words import dof_text
from kinegen.kinematics.singular.words import listed, main_joints
from kinegen.kinematics.solving.locking import locked_variables
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.headings import q_columns, v_headings, variable_headings
from kinegen.mechanism.model import Model
from kinegen.results import Columns, Result
from kinegen.spatial.twist import Twist

__all__ = ["AccelerationState", "VelocityState", "accelerations", "loop_bias", "velocities"]

JointMotions: TypeAlias = Mapping[str, float | Sequence[float]]
"""By joint: one number per variable [rad or m, per s or s²]."""
FrameMotions: TypeAlias = Mapping[str, npt.ArrayLike | Twist]
"""By frame or link: 3 numbers (of its origin) or 6 (linear, then angular), world axes."""

_WEAK = 1e-3
"""Inputs that act on a motion by less than this (scaled) are said to hardly act on it."""


@dataclass(frozen=True, slots=True, eq=False)
class _MotionState(Result):
    """What is common to velocities and accelerations."""

    model: Model
    q: Floats
    """Configuration, (nq,)."""
    v: Floats
    """Velocity of all joints, (nv,) [rad/s, m/s]."""
    residual: float
    """How much of the inputs could not be met; per s or s², lengths in sizes of the mechanism."""
    free: Floats
    """Motions that loops and inputs leave undetermined, orthonormal, (nv, count)."""
    smallest: float
    """Smallest singular value of the inputs over the free motion: near 0 a small input asks for
    large joint motions; infinite where the inputs act on nothing."""
    reason: str
    """In words: determined, or what is left open or contradicts."""

    @property
    def is_consistent(self) -> bool:
        """Whether every input is met."""
        return not self.reason.startswith("the inputs contradict")

    @property
    def is_determined(self) -> bool:
        """Whether the inputs leave nothing open."""
        return not self.free.size

    def columns(self) -> Columns:
        """One row: joints, then their velocities."""
        rates = dict(zip(v_headings(self.model), self.v[:, None], strict=True))
        return q_columns(self.model, self.q) | rates


@dataclass(frozen=True, slots=True, eq=False)
class VelocityState(_MotionState):
    """How a mechanism moves; of several answers the one with the least motion."""

    def joint(self, name: str) -> Floats:
        """Velocity of a joint's variables [rad/s, m/s]."""
        return self.v[self.model.joint(name).v]

    def frame(self, name: str, *, point: npt.ArrayLike = (0, 0, 0)) -> Twist:
        """Twist V_WF_W of a frame or link, at a point given in it [m/s, rad/s]."""
        twist = jacobian(self.model, self.q, name, point=point) @ self.v
        return Twist(twist[:3], twist[3:])


@dataclass(frozen=True, slots=True, eq=False)
class AccelerationState(_MotionState):
    """How a mechanism's motion changes; of several answers the one with the least change."""

    vdot: Floats
    """Acceleration of all joints, (nv,) [rad/s², m/s²]."""

    def columns(self) -> Columns:
        """One row: joints, then their velocities and accelerations."""
        heads = variable_headings(self.model, {"angle": "rad/s²", "length": "m/s²"})
        rates = dict(zip(heads, self.vdot[:, None], strict=True))
        return {**_MotionState.columns(self), **rates}

    def joint(self, name: str) -> Floats:
        """Acceleration of a joint's variables [rad/s², m/s²]."""
        return self.vdot[self.model.joint(name).v]

    def frame(self, name: str, *, point: npt.ArrayLike = (0, 0, 0)) -> Floats:
        """Acceleration of a frame's point [m/s²], then angular [rad/s²], world axes, (6,)."""
        J = jacobian(self.model, self.q, name, point=point)
        J_dot = jacobian_dot(self.model, self.q, name, self.v, point=point)
        return np.asarray(J @ self.vdot + J_dot @ self.v)


def velocities(
    model: AnyModel,
    q: Configuration,
    inputs: JointMotions | None = None,
    *,
    frames: FrameMotions | None = None,
) -> VelocityState:
    """Velocities [rad/s, m/s] of all joints for given inputs, with the loops closed.

    Args:
        model: the compiled mechanism.
        q: configuration with closed loops.
        inputs: speeds of driven joints.
        frames: velocities of frames or links: the inverse problem.
    """
    model = model_of(model)
    here = closed_configuration(model, q)
    found, report = _solve(ScaledMotion(model), here, None, _asked(model, inputs, frames))
    return VelocityState(model, here, found, *report)


def accelerations(
    model: AnyModel,
    q: Configuration,
    v: Velocity | VelocityState,
    inputs: JointMotions | None = None,
    *,
    frames: FrameMotions | None = None,
) -> AccelerationState:
    """Accelerations [rad/s², m/s²] of all joints for given inputs, at the velocity v.

    Args:
        model: the compiled mechanism.
        q: configuration with closed loops.
        v: velocities that keep the loops closed, as from :func:`velocities`.
        inputs: accelerations of driven joints; 0 for constant speed.
        frames: accelerations of frames or links.
    """
    model = model_of(model)
    here = closed_configuration(model, q)
    motion = ScaledMotion(model)
    speed = v.v if isinstance(v, VelocityState) else velocity(model, v)
    opening = motion.loops(here) @ (speed / motion.scale)
    if np.abs(opening).max(initial=0.0) > 1e-6 * max(1.0, float(np.abs(speed).max(initial=0.0))):
        worst = model.constraint_text(int(np.abs(opening).argmax()) // 6)
        raise UsageError(f"v opens {worst}: compute v with velocities(model, q, inputs)")
    found, report = _solve(motion, here, speed, _asked(model, inputs, frames))
    return AccelerationState(model, here, speed, *report, vdot=found)


def loop_bias(model: Model, q: Configuration, v: Velocity) -> Floats:
    """The part of the loops' acceleration that v alone causes: d(J_phi)/dt · v, (6 · loop_count).

    J_phi · vdot must equal its negative. Exact where loops are closed and v keeps them so: then
    both ends of a cut joint have the same twist, and the rows' own axes make no difference.
    """
    bias = np.empty(6 * model.constraint_count)
    bound = kernels.motion(model.ints, model.reals)
    bound.loop_bias(configuration(model, q), velocity(model, v), bias)
    return bias


@dataclass(frozen=True, slots=True)
class _Asked:
    """Inputs as the kernels take them, and whose rows are whose."""

    driven: Ints
    """1 per v that is given."""
    values: Floats
    frames: Ints
    """Site and number of rows each."""
    frame_values: Floats
    parts: list[tuple[str, list[int]]]
    """Rows of each joint and frame."""


def _frame_motion(name: str, value: npt.ArrayLike | Twist) -> Floats:
    try:
        numbers = value.vector if isinstance(value, Twist) else np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        numbers = np.empty(0)
    if numbers.shape not in {(3,), (6,)} or not np.isfinite(numbers).all():
        raise UsageError(
            f"the motion of frame '{name}' takes 3 numbers (linear) or 6 (linear, angular), all "
            f"finite, got {value!r}"
        )
    return np.array(numbers)


def _asked(model: Model, inputs: JointMotions | None, frames: FrameMotions | None) -> _Asked:
    values = velocity(model, inputs or {})  # checks names and numbers
    driven = locked_variables(model, inputs or {})
    if driven is None:
        driven = np.zeros(model.nv, dtype=np.int32)
    row_of = np.cumsum(driven) - 1
    parts = [(name, row_of[model.joint(name).v].tolist()) for name in inputs or {}]
    sites, given, at = [], [], int(driven.sum())
    for name, value in (frames or {}).items():
        numbers = _frame_motion(name, value)
        sites.append((model.site(name), len(numbers)))
        given.append(np.append(numbers, np.zeros(6 - len(numbers))))
        parts.append((name, list(range(at, at + len(numbers)))))
        at += len(numbers)
    if not at:
        raise UsageError("specify the motion of at least one joint or frame")
    pairs = np.array(sites, dtype=np.int32).reshape(-1, 2)
    return _Asked(driven, values, pairs, np.array(given).reshape(-1, 6), parts)


def _solve(
    motion: ScaledMotion, q: Floats, v: Floats | None, asked: _Asked
) -> tuple[Floats, tuple[float, Floats, float, str]]:
    """The least motion with closed loops that comes nearest to what is asked; its report."""
    model = motion.model
    missed = np.empty(int(asked.driven.sum() + asked.frames[:, 1].sum()))
    found, free = np.empty(model.nv), np.empty((model.nv, model.nv))
    residual, smallest, count = kernels.motion(model.ints, model.reals).motion(
        q, v, asked.driven, asked.values, asked.frames, asked.frame_values, model.size, found,
        missed, free,
    )  # fmt: skip
    free = free[:count].T.copy()
    # what rounding leaves grows with what is asked for and with what it takes
    asking = np.abs(asked.values / motion.scale).max(initial=0.0)
    by_size = np.repeat([1 / model.size, 1.0], 3)
    framed = np.abs(asked.frame_values * by_size).max(initial=0.0)
    size = max(1.0, asking, framed, float(np.abs(found / motion.scale).max(initial=0.0)))
    left = np.linalg.qr(free / motion.scale[:, None])[0] if count else free
    reason = _reason(model, residual > MET * size, missed, asked, left, smallest)
    return found, (residual, free, smallest, reason)


def _reason(
    model: Model, contradicts: bool, missed: Floats, asked: _Asked, left: Floats, smallest: float
) -> str:
    if contradicts and smallest == np.inf:
        return "the inputs contradict the loops: the requested motion is impossible in this pose"
    if contradicts:
        lacks = {name: float(np.linalg.norm(missed[part])) for name, part in asked.parts}
        worst = sorted(lacks, key=lambda name: -lacks[name])
        named = [name for name in worst if lacks[name] > 0.1 * lacks[worst[0]] > 0][:4]
        whose = f": the motions requested of {listed(named)} cannot all be met" if named else ""
        return (
            f"the inputs contradict the loops or each other{whose}; the nearest motion is returned"
        )
    count = left.shape[1]
    if count:
        joints = listed(main_joints(model, np.linalg.norm(left, axis=1)))
        verb = "is" if count == 1 else "are"
        return (
            f"{dof_text(count)} {verb} left open (joints {joints}); the smallest motion is returned"
        )
    if smallest < _WEAK:
        return "determined, but near a singular pose: small inputs cause large motions"
    return "determined"
