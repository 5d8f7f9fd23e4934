"""The solver's equations at a pose: scaled rows and right sides of loops, handles and limits."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from kinegen.kernels.call_records import HandleInts, HandleReals
from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.protocols.solver import HandleKind
from kinegen.kernels.records import parts
from kinegen.kernels.reference.base.joint_types import FREE, NV, SPHERICAL
from kinegen.kernels.reference.base.manifold import swing_angle
from kinegen.kernels.reference.base.rotation import cross, quat_to_matrix, rotation_log
from kinegen.kernels.reference.loops.coupling import used_rows
from kinegen.kernels.reference.solver.state import Errors, Solver, Task

__all__ = [
    "PIN", "SITE", "errors_at", "handle_equations", "is_closed", "limit_excess", "loop_equations",
    "plain_variables", "swings",
]  # fmt: skip


SITE, KIND, PIN = parts(HandleInts)
REALS = parts(HandleReals)


def loop_equations(s: Solver, q: Floats) -> tuple[Floats, Floats]:
    """Scaled rows and right sides of all loops."""
    J, phi = np.zeros((6 * s.loops, s.nv)), np.zeros(6 * s.loops)
    s.model.loop_jacobian(q, J)
    s.model.loop_residual(q, phi)
    by_size = np.tile([1 / s.size] * 3 + [1.0] * 3, s.loops)
    used = used_rows(s.blocks)
    return (by_size[:, None] * J * s.scale)[used], (-by_size * phi)[used]


def handle_equations(s: Solver, q: Floats, ints: Ints, reals: Floats) -> tuple[Floats, Floats]:
    """Scaled, weighted rows and right side of one handle, world axes."""
    site, kind = int(ints[SITE]), HandleKind(int(ints[KIND]))
    point, axis, position, quat, weight, rotation_weight = (reals[part] for part in REALS)
    pose, J = np.zeros(7), np.zeros((6, s.nv))
    s.model.site_jacobian(q, site, np.ascontiguousarray(point), -1, pose, J)
    R = quat_to_matrix(pose[:4])
    J[:3] /= s.size
    J *= s.scale
    go = (position - pose[4:] - R @ point) / s.size
    rows, rhs = [weight * J[:3]], [weight * go]
    if kind is HandleKind.ROTATION:
        rows, rhs = [], []
    if kind in {HandleKind.POSE, HandleKind.ROTATION}:
        rows.append(rotation_weight * J[3:])
        rhs.append(rotation_weight * (R @ rotation_log(R.T @ quat_to_matrix(quat))))
    if kind is HandleKind.DIRECTION:
        a, wanted = R @ axis, quat[:3]
        across = np.linalg.svd(a[None])[2][1:]
        turn = cross(a, wanted)
        sine, cosine = float(np.linalg.norm(turn)), float(a @ wanted)
        if sine > 1e-12:
            turn = turn * (math.atan2(sine, cosine) / sine)
        elif cosine < 0:
            turn = math.pi * across[0]
        rows.append(rotation_weight * across @ J[3:])
        rhs.append(rotation_weight * across @ turn)
    return np.vstack(rows), np.concatenate(rhs)


def errors_at(s: Solver, q: Floats, task: Task) -> Errors:
    """How far loops, pins and handles are from being met."""
    _, rhs = loop_equations(s, q)
    loops, couplings = np.split(rhs, [6 * s.blocks.counts.cut])
    gap = float(np.linalg.norm(loops.reshape(-1, 6), axis=1).max(initial=0.0))
    gap = max(gap, float(np.abs(couplings).max(initial=0.0)))
    errors = Errors(gap, 0.0, 0.0)
    for handle, numbers in zip(task.handle_ints, task.handle_reals, strict=True):
        _, lack = handle_equations(s, q, handle, numbers)
        if handle[PIN]:
            errors.hard += float(lack @ lack)
        else:
            errors.soft += float(lack @ lack)
    return errors


def is_closed(now: Errors, task: Task) -> bool:
    """Whether loops are closed and pins met."""
    return now.gap <= task.gap and now.hard <= task.met**2


def plain_variables(s: Solver) -> Iterator[tuple[int, int]]:
    """Places in q and v of the variables that have limits of their own: not of quaternions."""
    for kind, at_q, at_v in s.joints:
        if kind not in {SPHERICAL, FREE}:
            for k in range(NV[kind]):
                yield at_q + k, at_v + k


def swings(s: Solver, q: Floats) -> Iterator[tuple[int, Floats]]:
    """Where each swing limit stands in v, and its joint's quaternion."""
    upper = s.blocks.real_part("upper")
    for kind, at_q, at_v in s.joints:
        if kind == SPHERICAL and upper[at_v] < math.pi:
            yield at_v, q[at_q : at_q + 4]


def limit_excess(s: Solver, q: Floats) -> float:
    """How far the variable furthest beyond its limits is out, scaled."""
    lower, upper = s.blocks.real_part("lower"), s.blocks.real_part("upper")
    excess = max((swing_angle(quat) - upper[v] for v, quat in swings(s, q)), default=0.0)
    excess = max(float(excess), 0.0)
    for at, i in plain_variables(s):
        out = max(float(q[at] - upper[i]), float(lower[i] - q[at]))
        excess = max(excess, out / float(s.scale[i]))
    return excess
