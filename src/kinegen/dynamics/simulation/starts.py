"""Where a run starts: loops closed, velocities that keep them closed."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

import numpy as np

from kinegen.errors import AssemblyError, UsageError
from kinegen.kernels import Floats, Ints
from kinegen.kernels.tolerances import RANK, SINGULAR
from kinegen.kinematics.closure import loop_gap, loop_jacobian, loop_residual
from kinegen.kinematics.configurations import (
    Configuration,
    Velocity,
    configuration,
    difference,
    integrate,
    velocity,
)
from kinegen.kinematics.limits import past_limits
from kinegen.kinematics.mobility.mobility import mobility
from kinegen.kinematics.motions import velocities
from kinegen.kinematics.singular.singularity import Probe, examine
from kinegen.kinematics.singular.words import listed
from kinegen.kinematics.solving.assembling.assembly import assemble, close
from kinegen.kinematics.solving.assembling.order import Closing
from kinegen.kinematics.solving.assembling.words import value_text, values_text
from kinegen.kinematics.solving.locking import locked_variables
from kinegen.kinematics.tolerances import is_closed, relative_gap, variable_scale
from kinegen.mechanism.model import Model

__all__ = [
    "beyond_limits",
    "closed_pose",
    "closed_start",
    "contradiction",
    "project_velocity",
    "start_remarks",
    "velocity_gap",
]

MOVED = 1e-3
"""How far loops may move a joint that was given a value [rad, sizes of the mechanism]."""
NEARLY = 1e-3
"""Gap below which a whole pose counts as closed but for drift and rounding [sizes, rad]."""
BESIDE = 1e-5
"""How far from a pose in which branches meet a run starts [rad, sizes]: near enough to count as the
pose, far enough that rounding does not choose the branch."""
POLISH = 3
"""Newton steps that close the loops of a start fully: each doubles the digits."""
OUT = 0.02
"""How far from there branches are well apart [rad, sizes]."""
BEYOND = 0.02
"""How far beyond its limits a joint may start [rad, sizes]: stops give way a little."""


def closed_start(model: Model, q: Configuration, v: Velocity | None) -> tuple[Floats, Floats]:
    """A configuration near q with closed loops, and velocities that keep them closed.

    Velocities by joint name are met where the loops allow, the other joints follow; a full v is
    projected onto what the loops allow. Where branches meet, the start is beside that pose by
    ``BESIDE``, on the branch that leads there from the file's start.

    Raises:
        AssemblyError: When the loops cannot be closed from q.
    """
    closed = _beside_meeting(model, q, v, closed_pose(model, q))
    for joint in model.quaternion_joints:
        part = closed[joint.q.start : joint.q.start + 4]
        part /= np.linalg.norm(part)
    if v is None:
        return closed, np.zeros(model.nv)
    if isinstance(v, Mapping) and model.constraint_count:
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
    if not model.constraint_count:
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
            f"{', '.join(named)}; they close nearest to these values with "
            f"{values_text(model, moved, closed)}: specify fewer joints and let the others follow",
            gap=loop_gap(model, start).distance,
        )
    return closed


def start_remarks(model: Model, q: Floats, *, driven: bool) -> tuple[str, ...]:
    """What to know of a singular start: branches that meet there, joints that motors do not hold.

    Args:
        model: The compiled mechanism.
        q: Where the run starts, loops closed.
        driven: Whether the motors have targets.
    """
    if not model.constraint_count:
        return ()
    probe = Probe(model, q, None)
    found = examine(probe, q)
    remarks = []
    if _is_meeting(model, q, SINGULAR):
        remarks.append(
            "the start is a singular pose in which several branches meet: specify joint values to "
            "choose the branch that the run starts on; otherwise rounding decides"
        )
    if driven and probe.inputs and found.gain_distance < SINGULAR and found.gained.size:
        loose = np.abs(found.gained).max(axis=1)
        names = [joint.name for joint in model.joints if loose[joint.v].max(initial=0.0) > 0.1]
        remarks.append(
            f"the start is a singular pose: {listed(names[:4])} can move while all motors "
            "stand still"
        )
    return tuple(remarks)


def _is_meeting(model: Model, q: Floats, tolerance: float = RANK) -> bool:
    """Whether the loops lose rank at a closed pose: several ways of moving meet there."""
    if Probe(model, q, None).monitor.examine(q)[1]:
        return True
    found = mobility(model, q, tolerance=tolerance)  # poses nearby may all be singular too
    return found.instantaneous > found.finite


def _beside_meeting(model: Model, q: Configuration, v: Velocity | None, closed: Floats) -> Floats:
    """A closed pose; where branches meet, the one beside it on the branch that is wanted.

    In the very pose the loops let the joints move in more ways than they really can. The branch is
    the one that leads there from the file's start, or one on which named joints move as v says.
    """
    if not model.constraint_count or not (isinstance(q, Mapping) or isinstance(v, Mapping)):
        return closed
    if not _is_meeting(model, closed):
        return closed
    closing, scale = Closing(model, None, limits=False, seed=0), variable_scale(model)
    found = None
    if isinstance(q, Mapping) and q:
        with contextlib.suppress(AssemblyError):
            home, held = assemble(model).q, _held(model, q)
            way = np.where(held, difference(model, home, closed), 0.0)
            longest = float(np.abs(way / scale).max())
            if longest > OUT:
                found = closing.follow(home, (1 - BESIDE / longest) * way, held)
    if found is None and isinstance(v, Mapping) and v:
        held, way = _held(model, v), np.zeros(model.nv)
        for name, speed in v.items():
            way[model.joint(name).v] = speed
        way /= max(float(np.abs(way / scale).max()), 1e-300)
        out = closing.follow(closed, OUT * way, held) if way.any() else None
        found = None if out is None else closing.follow(out, (BESIDE - OUT) * way, held)
    return closed if found is None else _shut(model, found, held)


def _held(model: Model, names: Mapping[str, object]) -> Ints:
    held = locked_variables(model, names)
    assert held is not None
    return held


def _shut(model: Model, q: Floats, held: Ints) -> Floats:
    """A closed pose with its gaps at rounding: near a meeting they say which branch it is on."""
    free = held == 0
    for _ in range(POLISH):
        step = np.zeros(model.nv)
        J = loop_jacobian(model, q)[:, free]
        step[free] = np.linalg.lstsq(J, -loop_residual(model, q), rcond=1e-9)[0]
        q = integrate(model, q, step)
    return q


def contradiction(reason: str) -> str:
    """Why velocities cannot be met, where the nearest ones are of no use."""
    return reason.removesuffix("; the nearest motion is returned")


def beyond_limits(model: Model, q: Floats) -> str:
    """Which joint is beyond its limits, where it is and what they are; nothing when none is."""
    past = past_limits(model, q)
    for joint in model.joints:
        for k in np.flatnonzero(past[joint.v] > BEYOND):
            low, high = (float(ends[joint.v.start + k]) for ends in (model.lower, model.upper))
            if joint.type.info.swings:
                angle = value_text(high + float(past[joint.v.start]), "angle")
                limit = value_text(high, "angle")
                return f"joint '{joint.name}' swings by {angle}, beyond its limit {limit}"
            kind = joint.type.info.variables[k][1]
            return (
                f"joint '{joint.name}' is at {value_text(float(q[joint.q.start + k]), kind)}, "
                f"beyond its limits {value_text(low, kind)} … {value_text(high, kind)}"
            )
    return ""


def _moved(model: Model, name: str, start: Floats, closed: Floats) -> bool:
    joint = model.joint(name)
    most = float(np.abs(start[joint.q] - closed[joint.q]).max(initial=0.0))
    slides = any(kind == "length" for _, kind in joint.type.info.variables)
    return most > MOVED * (model.size if slides else 1.0)


def project_velocity(model: Model, q: Floats, v: Floats) -> Floats:
    """The velocity nearest to v that keeps the loops closed (least squares over all joints)."""
    if not model.constraint_count:
        return v.copy()
    J = loop_jacobian(model, q)
    return np.asarray(v - np.linalg.pinv(J, rcond=1e-9) @ (J @ v))


def velocity_gap(model: Model, q: Floats, v: Floats) -> float:
    """How fast the widest loop opens [m/s]."""
    if not model.constraint_count:
        return 0.0
    opening = (loop_jacobian(model, q) @ v).reshape(-1, 6)[:, :3]
    return float(np.linalg.norm(opening, axis=1).max())
