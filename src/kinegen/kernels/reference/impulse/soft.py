"""Rows that give way: rotors, dampers and springs by the implicit midpoint rule."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.protocols.impulse import RowAction
from kinegen.kernels.reference.base.rotation import cross, quat_multiply
from kinegen.kernels.reference.impulse.gaps import bond_variables
from kinegen.kernels.reference.impulse.joints import (
    DAMPING,
    NV,
    REST,
    ROTOR,
    SPRING,
    STIFFNESS,
    is_ball,
    log_of,
    rotation,
)
from kinegen.kernels.reference.impulse.loads import axis_stretch, push_at
from kinegen.kernels.reference.impulse.rows import axis_row, inverse_mass_rows
from kinegen.kernels.reference.impulse.world import World, bond_frames

__all__ = [
    "FULLY_SOFT",
    "SOFTNESS",
    "look_at_soft_rows",
    "push_late",
    "read_rotors",
    "set_soft_rows",
    "settle_soft_rows",
]

SOFTNESS = 1e-6
"""Part of a row's own compliance that keeps rows that repeat others from dividing by zero."""


FULLY_SOFT = 1e30
"""A compliance that lets a row do nothing."""


def set_soft_rows(w: World, *, starts: bool) -> None:
    """Compliance of all rows, and A; dampers and springs have theirs at a step's start."""
    A, h = w.J @ w.Y, w.step
    own = np.diag(A)
    w.own = own
    # along: that of the masses alone, which thin bodies do not stiffen
    mass = w.ease[:, 0] * w.inverse[:, 0]
    share = np.concatenate((mass[w.bonds[:, 1:3]].sum(axis=1), np.zeros(w.coupling_count)))
    along = np.array(
        [kind in {RowAction.ALONG, RowAction.THREAD} for kind in w.row_kind], dtype=bool
    )
    eased = (w.J * w.Y.T) @ np.repeat(w.ease.ravel(), 3)
    w.yields = SOFTNESS * np.where(along, share[w.row_bond], eased)
    w.keep = np.zeros(len(own))
    for row, (j, v) in enumerate(zip(w.row_bond, w.row_v, strict=True)):
        if v < 0:
            continue
        rotor, damping, stiffness = w.axes[v, [ROTOR, DAMPING, STIFFNESS]]
        across = w.bonds[j, 0] == SPRING and w.row_part[row] > 0
        mass = rotor
        if starts and across:
            mass += 0.25 * h * h * max(0.0, sideways_stiffness(w, j))
        elif starts:
            if damping > 0:
                free = rotor + (1 / own[row] if own[row] > 0 else 0)
                x = 0.5 * h * damping / free
                w.theta[v] = 5 / 9 - 0.5 / x if x > 9 else 0.5
            mass += 0.25 * h * h * max(0.0, stiffness) + w.theta[v] * h * damping
        yielding = mass > 1 / FULLY_SOFT
        w.yields[row] = 1 / mass if yielding else FULLY_SOFT
        w.keep[row] = rotor / mass if yielding else 0
    w.A = A + np.diag(w.yields)


def sideways_stiffness(w: World, j: int) -> float:
    """Stiffness across a spring: what it pulls at turns with it."""
    _, _, _, q, v = w.bonds[j]
    stiffness, rest, length = w.axes[v, STIFFNESS], w.axes[v, REST], w.q[q]
    if rest == 0:
        return float(stiffness)
    return float(stiffness * (1 - rest / length)) if length > 1e-9 else 0.0


def mean_speed(w: World, j: int, k: int, after: Floats) -> float:
    """Mean speed of a joint's variable over a step that ends with variables `after`."""
    type_, _, _, q, _ = w.bonds[j]
    before = w.q[q:]
    if not is_ball(type_):
        return float((after[k] - before[k]) / w.step)
    turn = log_of(quat_multiply(before[:4] * [1, -1, -1, -1], after[:4]))
    if len(after) == 4 or k >= 3:
        return float(turn[k % 3] / w.step)
    d = rotation(before[:4]).T @ (after[4:7] - before[4:7])
    t2 = float(turn @ turn)
    half = 0.5 * np.sqrt(t2)
    beta = 1 / 12 + t2 / 720 if t2 < 1e-4 else (1 - half / np.tan(half)) / t2
    turned = cross(turn, d)
    return float((d - turned / 2 + beta * cross(turn, turned))[k] / w.step)


def pull_of(w: World, j: int, k: int, after: Floats) -> tuple[float, float, float]:
    """Mean speed, and the impulses of a spring and damper at a step's start and end."""
    _, _, _, q, v0 = w.bonds[j]
    v, h = v0 + k, w.step
    u = mean_speed(w, j, k, after)
    half, drag = 0.0, h * w.axes[v, DAMPING] * u
    if w.axes[v, STIFFNESS]:
        both = axis_stretch(w, j, k, w.q[q:]) + axis_stretch(w, j, k, after)
        half = 0.25 * h * w.axes[v, STIFFNESS] * both
    theta = w.theta[v]
    return u, float(-half - theta * drag), float(-half - (1 - theta) * drag)


def pull_direction(w: World, j: int, poses: Floats, after: Floats) -> Floats:
    """Of a spring over a step: from both its ends' places."""
    (F, M), (F1, M1) = bond_frames(w, j, w.poses), bond_frames(w, j, poses)
    both = float(w.q[w.bonds[j, 3]] + after[0])
    way = (M - F + M1 - F1)[:3, 3]
    return np.asarray(way / both if both > 1e-12 else 0 * way)


def look_at_soft_rows(w: World, j: int, poses: Floats) -> Floats:
    """Of a joint's soft rows where the step ends at poses."""
    rows = np.flatnonzero((w.row_bond == j) & (w.row_v >= 0))
    after, b, out = bond_variables(w, j, poses), w.bonds[j, 2], []
    for row in rows:
        v = w.row_v[row]
        u, start, _ = pull_of(w, j, v - w.bonds[j, 4], after)
        if w.bonds[j, 0] == SPRING:
            axis = w.J[row].reshape(-1, 6)[b, :3]
            miss = w.lam[row] - start * (axis @ pull_direction(w, j, poses, after))
        else:
            miss = w.lam[row] + w.axes[v, ROTOR] * (u - w.rotor[v]) - start
        out.append(w.yields[row] * miss)
    return np.array(out)


def settle_soft_rows(w: World, poses: Floats) -> None:
    """What dampers took, what is left for the step's end; rotors have what they did not give."""
    w.late = {}
    for j, vs in enumerate(w.soft):
        if not vs:
            continue
        type_, _, _, _, v0 = w.bonds[j]
        after, late = bond_variables(w, j, poses), np.zeros(NV[type_])
        for v in dict.fromkeys(vs):
            u, start, late[v - v0] = pull_of(w, j, v - v0, after)
            w.work -= w.step * w.axes[v, DAMPING] * u * u
            if w.axes[v, ROTOR] > 0:
                (row,) = np.flatnonzero((w.row_bond == j) & (w.row_v == v))
                w.rotor[v] += (start - w.lam[row]) / w.axes[v, ROTOR]
        spring = type_ == SPRING
        w.late[j] = late[0] * pull_direction(w, j, poses, after) if spring else late


def push_late(w: World, V: Floats) -> None:
    """The impulses of springs and dampers at a step's end."""
    for j, late in w.late.items():
        type_, a, b, _, _ = w.bonds[j]
        if type_ == SPRING:
            F, M = bond_frames(w, j, w.poses)
            push_at(w, V, a, F[:3, 3], -late, np.zeros(3))
            push_at(w, V, b, M[:3, 3], late, np.zeros(3))
            continue
        for k in np.flatnonzero(late):
            V += late[k] * inverse_mass_rows(w, axis_row(w, j, int(k))[None]).reshape(-1, 6)


def read_rotors(w: World, V: Floats) -> None:
    """Rotors as fast as their joints."""
    for row, (j, v) in enumerate(zip(w.row_bond, w.row_v, strict=True)):
        if v >= 0 and w.bonds[j, 0] != SPRING:
            w.rotor[v] = w.J[row] @ V.ravel()
