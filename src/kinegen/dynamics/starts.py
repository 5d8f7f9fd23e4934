"""Where a run starts: loops closed, velocities that keep them closed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.assembly import assemble
from kinegen.kinematics.closure import loop_jacobian
from kinegen.kinematics.configurations import Configuration, Velocity, configuration, velocity
from kinegen.kinematics.velocities import velocities
from kinegen.mechanism.model import Model

__all__ = ["closed_start", "project_velocity", "velocity_gap"]


def closed_start(model: Model, q: Configuration, v: Velocity | None) -> tuple[Floats, Floats]:
    """A configuration near q with closed loops, and velocities that keep them closed.

    Velocities by joint name are met where the loops allow, the other joints follow; a full v is
    projected onto what the loops allow.

    Raises:
        AssemblyError: When the loops cannot be closed from q.
    """
    closed = configuration(model, q).copy()
    if model.loops:
        closed = assemble(model, closed, limits=False).q
    for joint in model.quaternion_joints:
        part = closed[joint.q.start : joint.q.start + 4]
        part /= np.linalg.norm(part)
    if v is None:
        return closed, np.zeros(model.nv)
    if isinstance(v, Mapping) and model.loops:
        state = velocities(model, closed, v)
        if not state.is_consistent:
            raise UsageError(f"these velocities open the loops: {state.reason}")
        return closed, state.v.copy()
    return closed, project_velocity(model, closed, velocity(model, v))


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
