"""Velocities and accelerations under the loops: how all joints and frames move for given inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.closure import loop_jacobian, loop_poses
from kinegen.kinematics.configurations import Configuration, Velocity, configuration, velocity
from kinegen.kinematics.jacobians import jacobian, jacobian_dot
from kinegen.kinematics.positions import forward
from kinegen.kinematics.scaled_motion import (
    RANK,
    ScaledMotion,
    closed_configuration,
    null_basis,
)
from kinegen.kinematics.singularity_words import listed, main_joints
from kinegen.mechanism.joint_types import JointType
from kinegen.mechanism.model import Model
from kinegen.spatial import SE3, SO3, Twist

__all__ = ["AccelerationState", "VelocityState", "accelerations", "loop_bias", "velocities"]

JointMotions: TypeAlias = Mapping[str, float | Sequence[float]]
"""By joint: one number per freedom [rad or m, per s or s²]."""
FrameMotions: TypeAlias = Mapping[str, npt.ArrayLike | Twist]
"""By frame or link: 3 numbers (of its origin) or 6 (linear, then angular), world axes."""

_MET = 1e-9
"""Scaled inputs that are missed by less than this share of their size are met."""
_WEAK = 1e-3
"""Inputs that act on a motion by less than this (scaled) are said to hardly act on it."""


@dataclass(frozen=True, slots=True, eq=False)
class _MotionState:
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

    def joint(self, name: str) -> Floats:
        """Acceleration of a joint's variables [rad/s², m/s²]."""
        return self.vdot[self.model.joint(name).v]

    def frame(self, name: str, *, point: npt.ArrayLike = (0, 0, 0)) -> Floats:
        """Acceleration of a frame's point [m/s²], then angular [rad/s²], world axes, (6,)."""
        J = jacobian(self.model, self.q, name, point=point)
        J_dot = jacobian_dot(self.model, self.q, self.v, name, point=point)
        return np.asarray(J @ self.vdot + J_dot @ self.v)


def velocities(
    model: Model,
    q: Configuration,
    inputs: JointMotions | None = None,
    *,
    frames: FrameMotions | None = None,
) -> VelocityState:
    """Velocities of all joints for given ones, loops staying closed.

    Args:
        model: the compiled mechanism.
        q: configuration with closed loops.
        inputs: speeds of driven joints.
        frames: velocities of frames or links: the inverse problem.
    """
    here = closed_configuration(model, q)
    motion = ScaledMotion(model)
    asked = _asked(motion, here, inputs, frames)
    x, report = _solve(motion, motion.loops(here), np.zeros(6 * len(model.loops)), asked)
    return VelocityState(model, here, motion.scale * x, *report)


def accelerations(
    model: Model,
    q: Configuration,
    v: Velocity | VelocityState,
    inputs: JointMotions | None = None,
    *,
    frames: FrameMotions | None = None,
) -> AccelerationState:
    """Accelerations of all joints for given ones while the mechanism moves with v.

    Args:
        model: the compiled mechanism.
        q: configuration with closed loops.
        v: velocities that keep the loops closed, as from :func:`velocities`.
        inputs: accelerations of driven joints; 0 where they turn steadily.
        frames: accelerations of frames or links.
    """
    here = closed_configuration(model, q)
    motion = ScaledMotion(model)
    speed = v.v if isinstance(v, VelocityState) else velocity(model, v)
    opening = motion.loops(here) @ (speed / motion.scale)
    if np.abs(opening).max(initial=0.0) > 1e-6 * max(1.0, float(np.abs(speed).max(initial=0.0))):
        worst = model.joints[model.loops[int(np.abs(opening).argmax()) // 6].joint].name
        raise UsageError(
            f"v tears open the loop closed by '{worst}': take velocities from velocities(model, q, "
            "inputs)"
        )
    asked = _asked(motion, here, inputs, frames)
    for name, part in asked.frames:
        bias = jacobian_dot(model, here, speed, name) @ speed
        bias[:3] /= motion.size
        asked.wanted[part] -= bias[: part.stop - part.start]
    opening = -loop_bias(model, here, speed) * motion.rows
    x, report = _solve(motion, motion.loops(here), opening, asked)
    return AccelerationState(model, here, speed, *report, vdot=motion.scale * x)


def loop_bias(model: Model, q: Configuration, v: Velocity) -> Floats:
    """The part of the loops' acceleration that v alone causes: d(J_phi)/dt · v, (6 · loop_count).

    J_phi · vdot must equal its negative. Exact where loops are closed and v keeps them so: then
    both ends of a cut joint have the same twist, and the rows' own axes make no difference.
    """
    here, speed = configuration(model, q), velocity(model, v)
    sites, ends, J = forward(model, here), loop_poses(model, here), loop_jacobian(model, here)
    bias = np.empty(6 * len(model.loops))
    for i, loop in enumerate(model.loops):
        cut, rows = model.joints[loop.joint], slice(6 * i, 6 * i + 6)
        parent, child = model.link_names[cut.parent], model.link_names[cut.child]
        R_WK = SO3(ends[i, 1, :4])
        # the cut joint's own motion, variable by variable, in world axes
        own = [(R_WK.apply(J[rows][:3, k] * speed[k]), R_WK.apply(J[rows][3:, k] * speed[k]))
               for k in range(cut.v.start, cut.v.stop)]  # fmt: skip
        v_rel, w_rel = (np.sum([part[n] for part in own], axis=0) if own else np.zeros(3)
                        for n in (0, 1))  # fmt: skip
        # M: its parent's acceleration at that point, Coriolis, and the joint's own curvature
        p_P = SE3.from_pose(sites[cut.parent]).inverse().apply(ends[i, 0, 4:])
        a = jacobian_dot(model, here, speed, parent, point=p_P) @ speed
        w_P = (jacobian(model, here, parent) @ speed)[3:]
        a[:3] += 2 * np.cross(w_P, v_rel)
        a[3:] += np.cross(w_P, w_rel)
        if cut.type is JointType.UNIVERSAL:
            a[3:] += np.cross(own[0][1], own[1][1])
        elif cut.type is JointType.FREE:
            a[:3] += np.cross(w_rel, v_rel)
        # K: fixed on the link it lands on
        p_K = model.transforms[loop.placement, 9:]
        a -= jacobian_dot(model, here, speed, child, point=p_K) @ speed
        bias[rows][:3] = R_WK.inverse().apply(a[:3])
        bias[rows][3:] = R_WK.inverse().apply(a[3:])
    return bias


@dataclass(frozen=True, slots=True)
class _Asked:
    """Inputs as equations: rows · x = wanted, scaled."""

    rows: Floats
    wanted: Floats
    joints: list[tuple[str, slice]]
    """Whose rows they are."""
    frames: list[tuple[str, slice]]


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


def _asked(
    motion: ScaledMotion, q: Floats, inputs: JointMotions | None, frames: FrameMotions | None
) -> _Asked:
    model = motion.model
    values = velocity(model, inputs or {})  # checks names and numbers
    asked = _Asked(np.zeros((0, model.nv)), np.zeros(0), [], [])
    rows, wanted, at = [asked.rows], [asked.wanted], 0
    for name in inputs or {}:
        part = model.joint(name).v
        rows.append(np.eye(model.nv)[part])
        wanted.append(values[part] / motion.scale[part])
        asked.joints.append((name, slice(at, at := at + part.stop - part.start)))
    for name, value in (frames or {}).items():
        numbers = _frame_motion(name, value)
        J = jacobian(model, q, name)[: len(numbers)] * motion.scale
        J[:3] /= motion.size
        numbers[:3] /= motion.size
        rows.append(J)
        wanted.append(numbers)
        asked.frames.append((name, slice(at, at := at + len(numbers))))
    if not at:
        raise UsageError("give the motion of at least one joint or frame")
    return replace(asked, rows=np.vstack(rows), wanted=np.concatenate(wanted))


def _solve(
    motion: ScaledMotion, loops: Floats, opening: Floats, asked: _Asked
) -> tuple[Floats, tuple[float, Floats, float, str]]:
    """The least x with loops · x = opening that comes nearest to rows · x = wanted; its report."""
    least = np.zeros(motion.model.nv)
    if loops.size:
        least = np.linalg.pinv(loops, rcond=RANK) @ opening
    torn = float(np.linalg.norm(loops @ least - opening))
    free = null_basis(loops)
    lack = asked.wanted - asked.rows @ least
    U, values, Vt = np.linalg.svd(asked.rows @ free)
    rank = int((values > RANK).sum())
    y = Vt[:rank].T @ (U[:, :rank].T @ lack / values[:rank])
    missed = lack - asked.rows @ free @ y
    x = least + free @ y
    left = free @ Vt[rank:].T
    residual = float(np.hypot(np.linalg.norm(missed), torn))
    smallest = float(values[rank - 1]) if rank else np.inf
    size = max(1.0, float(np.abs(asked.wanted).max()), float(np.abs(x).max(initial=0.0)))
    reason = _reason(motion.model, residual > _MET * size, missed, asked, left, smallest)
    return x, (residual, np.linalg.qr(motion.scale[:, None] * left)[0], smallest, reason)


def _reason(
    model: Model, contradicts: bool, missed: Floats, asked: _Asked, left: Floats, smallest: float
) -> str:
    if contradicts and smallest == np.inf:
        return "the inputs contradict the loops: what they ask for cannot move at all in this pose"
    if contradicts:
        parts = asked.joints + asked.frames
        lacks = {name: float(np.linalg.norm(missed[part])) for name, part in parts}
        worst = sorted(lacks, key=lambda name: -lacks[name])
        named = [name for name in worst if lacks[name] > 0.1 * lacks[worst[0]] > 0][:4]
        whose = f": what is asked of {listed(named)} cannot all be met" if named else ""
        return f"the inputs contradict the loops or each other{whose}; the nearest motion is given"
    count = left.shape[1]
    if count:
        joints = listed(main_joints(model, np.linalg.norm(left, axis=1)))
        how_many = "1 freedom is" if count == 1 else f"{count} freedoms are"
        return f"{how_many} left open (joints {joints}); the least motion is given"
    if smallest < _WEAK:
        return "determined, but near a singular pose: small inputs cause large motions"
    return "determined"
