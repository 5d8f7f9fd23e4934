"""Speeds that agree at every joint: after a step, and where bodies meet."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.protocols.impulse import RowAction
from kinegen.kernels.reference.impulse.couplings import coupled_efforts, is_length
from kinegen.kernels.reference.impulse.joints import FREED, HELD, NV, SPRING, axis_of
from kinegen.kernels.reference.impulse.limits import (
    limit_speeds,
    list_limits,
    meet_limits,
    prepare_limits,
)
from kinegen.kernels.reference.impulse.rows import bond_rows
from kinegen.kernels.reference.impulse.soft import FULLY_SOFT
from kinegen.kernels.reference.impulse.world import World, bond_frames
from kinegen.kernels.tolerances import QUIET

__all__ = ["add_flight_work", "agree", "collide", "is_looped", "reactions_of", "widest_opening"]


def is_looped(w: World) -> bool:
    """Whether joints form loops."""
    return len(w.bonds) > int(w.moves.sum())


def add_limit_work(w: World, was: Floats, V: Floats) -> None:
    """Each impulse times the mean of the speeds before and after."""
    p = np.array([limit.p for limit in w.limits])
    w.work += float(p @ (0.5 * (was + limit_speeds(w, V))))


def add_flight_work(w: World, was: Floats, V: Floats, flown: Floats, *, starts: bool) -> None:
    """The same at a step's start or end, given the velocities at the other end of its flight.

    Where a contact of loops rests the mean speed of the flight counts: bodies fly up and fall
    back.
    """
    now, other = limit_speeds(w, V), limit_speeds(w, flown)
    quiet = QUIET + 4 * w.step * float(np.linalg.norm(w.gravity))
    near, far = (now, was) if starts else (was, now)
    for i, limit in enumerate(w.limits):
        n = limit.normal if limit.normal >= 0 else i
        mean, ends = 0.5 * (near + other), far[i]
        rests = abs(mean[n]) < quiet and abs(far[n]) < quiet
        if is_looped(w) and rests and limit.kind in ("touch", "slide", "spin", "roll"):
            w.work += limit.p * 0.5 * float(mean[i] + ends)
            continue
        w.work += limit.p * 0.5 * float(near[i] + ends)


def agree(w: World, V: Floats) -> None:
    """Impulses that make all speeds agree."""
    rho = w.J @ V.ravel()
    for row, v in enumerate(w.row_v):
        if v >= 0:
            rho[row] = 0 if w.yields[row] >= FULLY_SOFT else (
                rho[row] - w.keep[row] * w.rotor[v]
            )  # fmt: skip
    w.last = np.asarray(-np.linalg.solve(w.A, rho), dtype=np.float64)
    V += (w.Y @ w.last).reshape(-1, 6)
    w.last += meet_limits(w, limit_speeds(w, V), prepare_limits(w), V)


def collide(w: World, V: Floats) -> int:
    """Throw back what meets; returns how many impulses there were."""
    list_limits(w, "impact", V)
    if not w.limits:
        return 0
    was = limit_speeds(w, V)
    meet_limits(w, was, prepare_limits(w), V)
    add_limit_work(w, was, V)
    return len(w.limits)


def widest_opening(w: World) -> float:
    """How fast the widest joint opens [m/s]."""
    speeds, widest, row = w.J @ w.twists.ravel(), 0.0, 0
    for j, (type_, *_) in enumerate(w.bonds):
        own = [
            speeds[row + i] for i, (kind, _) in enumerate(HELD[type_]) if kind != RowAction.ABOUT
        ]
        widest = max(widest, float(np.linalg.norm(own)))
        row += len(HELD[type_]) + len(w.soft[j])
    coupled = [abs(speeds[row + c]) for c in range(w.coupling_count) if is_length(w, c)]
    return max(widest, *map(float, coupled), 0.0)


def reactions_of(w: World) -> Floats:
    """Mean force and moment about M's origin on b through each joint, last step."""
    out = np.zeros((len(w.bonds), 6))
    p, late = w.carried
    coupled = coupled_efforts(w, p)
    for j, (type_, _, _, _, v0) in enumerate(w.bonds):
        F, M = bond_frames(w, j, w.poses)
        own = p[w.row_bond == j]
        for (kind, axis, _), size in zip(bond_rows(w, j, w.poses), own, strict=True):
            if kind != RowAction.ABOUT:
                out[j, :3] += size * axis
            if kind != RowAction.ALONG:
                out[j, 3:] += size * axis * (1 if kind == RowAction.ABOUT else -w.leads[j])
        if type_ == SPRING:
            out[j, :3] += late.get(j, np.zeros(3))
            continue
        here = slice(v0, v0 + NV[type_])
        known = w.step * w.efforts[here] + coupled[here] + late.get(j, 0)
        for k, (kind, name) in enumerate(FREED[type_]):
            part = slice(3, 6) if kind == RowAction.ABOUT else slice(0, 3)
            out[j, part] += known[k] * axis_of(name, F, M)
    return out / w.step
