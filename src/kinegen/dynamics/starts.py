"""Where a run starts: loops closed, velocities that keep them closed."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

import numpy as np

from kinegen.errors import AssemblyError, UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.assembly import assemble, close
from kinegen.kinematics.assembly_words import value_text, values_text
from kinegen.kinematics.closure import loop_gap, loop_jacobian
from kinegen.kinematics.configurations import Configuration, Velocity, configuration, velocity
from kinegen.kinematics.swing import past_swing
from kinegen.kinematics.tolerances import is_closed, relative_gap
from kinegen.kinematics.velocities import velocities
from kinegen.mechanism.model import Model

__all__ = [
    "beyond_limits",
    "closed_pose",
    "closed_start",
    "contradiction",
    "project_velocity",
    "velocity_gap",
]

MOVED = 1e-3
"""How far loops may move a joint that was given a value [rad, sizes of the mechanism]."""
NEARLY = 1e-3
"""Gap below which a whole pose counts as closed but for drift and rounding [sizes, rad]."""
BEYOND = 0.02
"""How far beyond its limits a joint may start [rad, sizes]: stops give way a little."""


def closed_start(model: Model, q: Configuration, v: Velocity | None) -> tuple[Floats, Floats]:
    """A configuration near q with closed loops, and velocities that keep them closed.

    Velocities by joint name are met where the loops allow, the other joints follow; a full v is
    projected onto what the loops allow.

    Raises:
        AssemblyError: When the loops cannot be closed from q.
    """
    closed = closed_pose(model, q)
    for joint in model.quaternion_joints:
        part = closed[joint.q.start : joint.q.start + 4]
        part /= np.linalg.norm(part)
    if v is None:
        return closed, np.zeros(model.nv)
    if isinstance(v, Mapping) and model.loops:
        state = velocities(model, closed, v)
        if not state.is_consistent:
            raise UsageError(f"these velocities open the loops: {contradiction(state.reason)}")
        return closed, state.v.copy()
    return closed, project_velocity(model, closed, velocity(model, v))


def closed_pose(model: Model, q: Configuration) -> Floats:
    """A configuration with its loops closed; joints that q names keep their values, others follow.

    Raises:
        AssemblyError: When the loops cannot be closed so; joints that would have to move are named.
    """
    start = configuration(model, q).copy()
    if not model.loops:
        return start
    if q is not None and not isinstance(q, Mapping) and relative_gap(model, start) < NEARLY:
        # a whole pose that drifted a little: every joint gives way, each by next to nothing
        nearest, _ = close(model, start)
        if is_closed(model, nearest):
            return nearest
    named = tuple(q) if isinstance(q, Mapping) else ()
    # within the limits where that is possible; who calls reports a start beyond them
    for limits in (True, False) if named else ():
        with contextlib.suppress(AssemblyError):  # they may be closed but for rounding
            return assemble(model, q, locked=named, limits=limits).q
    try:
        closed = assemble(model, q).q
    except AssemblyError:
        closed = assemble(model, q, limits=False).q
    moved = [n for n in named if _moved(model, n, start, closed)]
    if moved:
        raise AssemblyError(
            f"the loops of mechanism '{model.name}' do not close with these values of "
            f"{', '.join(named)}; nearest to them they do with "
            f"{values_text(model, moved, closed)}: give fewer joints, the others follow",
            gap=loop_gap(model, start)[0],
        )
    return closed


def contradiction(reason: str) -> str:
    """Why velocities cannot be met, where the nearest ones are of no use."""
    return reason.removesuffix("; the nearest motion is given")


def beyond_limits(model: Model, q: Floats) -> str:
    """Which joint is beyond its limits, where it is and what they are; nothing when none is."""
    for name, past in past_swing(model, q).items():
        if past > BEYOND:
            limit = float(model.upper[model.joint(name).v.start])
            return (
                f"joint '{name}' swings by {value_text(limit + float(past), 'angle')}, beyond its "
                f"limit {value_text(limit, 'angle')}"
            )
    for joint in model.joints:
        if joint.q.stop - joint.q.start != joint.v.stop - joint.v.start:
            continue  # quaternions
        for k, (_, kind) in enumerate(joint.type.info.variables):
            value = float(q[joint.q.start + k])
            low, high = (float(ends[joint.v.start + k]) for ends in (model.lower, model.upper))
            size = 1.0 if kind == "angle" else model.size
            if not low - BEYOND * size <= value <= high + BEYOND * size:
                return (
                    f"joint '{joint.name}' is at {value_text(value, kind)}, beyond its limits "
                    f"{value_text(low, kind)} … {value_text(high, kind)}"
                )
    return ""


def _moved(model: Model, name: str, start: Floats, closed: Floats) -> bool:
    joint = model.joint(name)
    most = float(np.abs(start[joint.q] - closed[joint.q]).max(initial=0.0))
    slides = any(kind == "length" for _, kind in joint.type.info.variables)
    return most > MOVED * (model.size if slides else 1.0)


def project_velocity(model: Model, q: Floats, v: Floats) -> Floats:
    """The velocity nearest to v that keeps the loops closed (least squares over all joints)."""
    if not model.loops:
        return v.copy()
    J = loop_jacobian(model, q)
    return np.asarray(v - np.linalg.pinv(J, rcond=1e-9) @ (J @ v))


def velocity_gap(model: Model, q: Floats, v: Floats) -> float:
    """How fast the widest loop opens [m/s]."""
    if not model.loops:
        return 0.0
    opening = (loop_jacobian(model, q) @ v).reshape(-1, 6)[:, :3]
    return float(np.linalg.norm(opening, axis=1).max())
