"""The anytime mode of the impulse engine: joints closed one by one."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.protocols.impulse import RowAction
from kinegen.kernels.reference.base.rotation import quat_multiply
from kinegen.kernels.reference.impulse.ahead import Look, fly_bodies, look_ahead, look_at_tie
from kinegen.kernels.reference.impulse.couplings import coupling_gap
from kinegen.kernels.reference.impulse.gaps import all_gaps, bond_gap
from kinegen.kernels.reference.impulse.joints import HELD
from kinegen.kernels.reference.impulse.limits import (
    limit_speeds,
    look_at_limits,
    meet_limits,
    prepare_limits,
)
from kinegen.kernels.reference.impulse.loads import bodies_energy, kinetic, potential
from kinegen.kernels.reference.impulse.rows import (
    bond_rows,
    inverse_mass_rows,
    side_row,
    turned_inertias,
)
from kinegen.kernels.reference.impulse.soft import SOFTNESS
from kinegen.kernels.reference.impulse.world import World, bond_frames

__all__ = [
    "FAST_TURN",
    "close_at_end",
    "close_by_sweeps",
    "foresee",
    "keep_passive",
    "scale_speeds",
    "slow_down",
]

FAST_TURN = 0.02
"""Turn of a body in a step [rad] beyond which joints are closed at the step's end."""
MOST_FORESEEN = 0.5
"""Share of the bodies' energy that impulses against what the flight would open may spend."""
MOST_COUPLED = 0.25
"""Turn of a body [rad] by which couplings may move it at a step's end."""
BRAKE = 10.0
"""How much more than the way of the fastest body a gap counts where the motion slows down."""
FORGETTING = 0.05
"""Share of lost energy that a step does not give back."""


def foresee(w: World, V: Floats) -> None:
    """Impulses at the start against all that the flight would open, within bounds."""
    respond = prepare_limits(w)
    poses, speeds = fly_bodies(w, V)
    rho, _, _, _ = look_ahead(w, poses)
    held = w.row_v < 0
    now = [coupling_gap(w, c, w.poses) for c in range(w.coupling_count)]
    rho[held] -= np.concatenate((all_gaps(w, w.poses)[0], now)) / w.step
    look = look_at_limits(w, poses) - limit_speeds(w, V)
    by = -np.linalg.solve(w.A, rho)
    give = (w.Y[:, ~held] @ by[~held]).reshape(-1, 6)
    hold = (w.Y[:, held] @ by[held]).reshape(-1, 6)
    most = MOST_FORESEEN * bodies_energy(w, speeds + give)
    spent = bodies_energy(w, hold)
    by[held] *= np.sqrt(most / spent) if spent > most else 1.0
    w.lam += by
    V += (w.Y @ by).reshape(-1, 6)
    w.lam += meet_limits(w, look + limit_speeds(w, V), respond, V)


def close_by_sweeps(w: World, V: Floats) -> Look:
    """Impulses at the start, joint by joint, each by itself."""
    sweep = 0
    while sweep < w.sweeps:
        sweep += 1
        widest = np.zeros(3)
        for j in w.order:
            rows = np.flatnonzero(w.row_bond == j)
            rho, *open_ = look_at_tie(w, j, fly_bodies(w, V)[0])
            widest = np.maximum(widest, open_)
            by = -np.linalg.solve(w.A[np.ix_(rows, rows)], rho)
            w.lam[rows] += by
            V += (w.Y[:, rows] @ by).reshape(-1, 6)
        for i, limit in enumerate(w.limits):
            change = inverse_mass_rows(w, limit.row[None]).ravel()
            own = float(limit.row @ change)
            if own <= 0:
                continue
            p = limit.p + (limit.aim - look_at_limits(w, fly_bodies(w, V)[0])[i]) / own
            low, high = limit.low, limit.high
            if limit.normal >= 0:
                high = limit.friction * w.limits[limit.normal].p
                low = -high
            p = max(low, min(high, p))
            V += (p - limit.p) * change.reshape(-1, 6)
            limit.p = p
        if widest.max() <= w.gap_limit:
            break
    poses, speeds = fly_bodies(w, V)
    return poses, speeds, *look_ahead(w, poses)[1:], sweep


def close_at_end(w: World, V: Floats) -> Look:
    """Bodies moved at the step's end, from the held ones outward."""
    poses, speeds = fly_bodies(w, V)
    sweep, coupled = 0, np.inf
    while sweep < w.sweeps:
        sweep += 1
        if w.coupling_count:
            coupled = close_couplings(w, poses, coupled)
        for j, outer, in_loop in w.outward:
            if not HELD[w.bonds[j, 0]]:
                continue
            if in_loop:
                share_gap(w, j, poses)
            else:
                place_outer(w, j, outer, poses)
        _, gap, angle, miss = look_ahead(w, poses)
        if max(gap, angle, miss) <= w.gap_limit:
            break
    return poses, speeds, gap, angle, miss, sweep


def close_couplings(w: World, poses: Floats, before: float) -> float:
    """Move bodies as all joints together let them, by the rows of the step's start.

    Where these are too far away to halve the widest gap before, nothing moves; returns that gap.
    """
    gaps = np.zeros(len(w.J))
    for c in range(w.coupling_count):
        gaps[w.row_bond == len(w.bonds) + c] = coupling_gap(w, c, poses)
    widest = float(np.abs(gaps).max())
    if not widest < 0.5 * before:
        return 0.0
    shift = -(w.Y @ np.linalg.solve(w.A, gaps)).reshape(-1, 6)
    most = float(np.linalg.norm(shift[:, 3:], axis=1).max())
    if not np.isfinite(most):
        return 0.0
    shift *= MOST_COUPLED / most if most > MOST_COUPLED else 1.0
    for body, by in enumerate(shift):
        shift_body(w, poses, body, by)
    return widest


def shift_body(w: World, poses: Floats, body: int, by: Floats) -> None:
    """Move and turn a body that is not held."""
    if not w.moves[body]:
        return
    poses[body, 4:] += by[:3]
    angle = float(np.linalg.norm(by[3:]))
    turn = np.concatenate(([np.cos(angle / 2)], 0.5 * np.sinc(angle / 2 / np.pi) * by[3:]))
    quat = quat_multiply(turn, poses[body, :4])
    poses[body, :4] = quat / np.linalg.norm(quat)


def place_outer(w: World, j: int, outer: int, poses: Floats) -> None:
    """Put the outer body of a tree's joint where the inner one wants it: turned, then moved."""
    body, sign = w.bonds[j, 1 + outer], -1.0 if outer else 1.0
    for angular in (True, False):
        g, _, _ = bond_gap(w, j, poses)
        by = np.zeros(6)
        for size, (kind, axis, _) in zip(g, bond_rows(w, j, poses), strict=False):
            if (kind == RowAction.ABOUT) == angular:
                by[3 if angular else 0 :][:3] += sign * size / (axis @ axis) * axis
        shift_body(w, poses, body, by)


def share_gap(w: World, j: int, poses: Floats) -> None:
    """Close a joint of a loop: both bodies give way according to their masses."""
    _, a, b, _, _ = w.bonds[j]
    g, _, _ = bond_gap(w, j, poses)
    at, turns = bond_frames(w, j, poses)[1][:3, 3], turned_inertias(w, poses)
    held = bond_rows(w, j, poses)[: len(g)]
    J, Y = [], []
    for body, sign in ((a, -1.0), (b, 1.0)):
        arm = at - poses[body, 4:]
        own = sign * np.array([side_row(kind, x, arm, w.leads[j]) for kind, x, _ in held])
        J.append(own)
        Y.append(np.hstack((w.inverse[body, 0] * own[:, :3], own[:, 3:] @ turns[body])))
    A = J[0] @ Y[0].T + J[1] @ Y[1].T
    p = -np.linalg.solve(A + SOFTNESS * np.diag(np.diag(A)), g)
    for body, own in ((a, Y[0]), (b, Y[1])):
        shift_body(w, poses, body, p @ own)


def slow_down(w: World, gap: float) -> None:
    """Where sweeps cannot keep up, the motion slows down."""
    way = w.step * float(np.linalg.norm(w.twists[:, :3], axis=1).max())
    if gap > w.gap_limit:
        scale_speeds(w, way / (way + BRAKE * gap))


def scale_speeds(w: World, share: float) -> None:
    """Slow all bodies and rotors down alike."""
    w.twists *= share
    w.rotor *= share


def keep_passive(w: World) -> bool:
    """Take back energy that came of moving bodies; whether that could be done."""
    motion = kinetic(w)
    balance = motion + potential(w) - w.work
    excess = balance - w.balance
    if excess > 0 and motion > 0:
        scale_speeds(w, np.sqrt(1 - excess / motion) if excess < motion else 0.0)
    if excess < 0:
        w.balance += FORGETTING * excess
    else:
        w.balance = max(w.balance, balance - motion)
    return excess <= 0 or excess < motion
