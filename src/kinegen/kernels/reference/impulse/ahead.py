"""Looking ahead: free flight, and impulses that close all joints at the step's end."""

from __future__ import annotations

import itertools

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.impulse.couplings import coupling_gap, is_length
from kinegen.kernels.reference.impulse.flight import fly
from kinegen.kernels.reference.impulse.gaps import bond_gap
from kinegen.kernels.reference.impulse.joints import rotation
from kinegen.kernels.reference.impulse.limits import (
    limit_speeds,
    look_at_limits,
    meet_limits,
    prepare_limits,
)
from kinegen.kernels.reference.impulse.soft import look_at_soft_rows
from kinegen.kernels.reference.impulse.world import World

__all__ = ["Look", "close_direct", "fly_bodies", "look_ahead", "look_at_tie", "turns_fast"]

Look = tuple[Floats, Floats, float, float, float, int]
"""Poses and twists at a step's end, widest gap, angle, miss of soft rows, iterations."""


def fly_bodies(w: World, V: Floats) -> tuple[Floats, Floats]:
    """Poses and twists of all bodies after free flight over a step."""
    poses, out, h = w.poses.copy(), V.copy(), w.step
    for b in np.flatnonzero(w.moves):
        R = rotation(w.poses[b, :4])
        poses[b, :4], turn = fly(w.bend[b], w.poses[b, :4], R.T @ V[b, 3:], h)
        poses[b, 4:] += h * V[b, :3] + h * h / 2 * w.gravity
        out[b, :3] += h * w.gravity
        out[b, 3:] = rotation(poses[b, :4]) @ turn
    return poses, out


def look_at_bond(w: World, j: int, poses: Floats) -> tuple[Floats, float, float, float]:
    """Of all a joint's rows at the step's end; its gap, angle, and miss of soft rows."""
    g, gap, angle = bond_gap(w, j, poses)
    rows = w.row_bond == j
    lam, own, yields = w.lam[rows], w.own[rows], w.yields[rows]
    soft = look_at_soft_rows(w, j, poses)
    rho = np.concatenate((g / w.step + yields[: len(g)] * lam[: len(g)], soft))
    own, yields = own[len(g) :], yields[len(g) :]
    # as ways that bodies miss; stiff springs turn small ones into energy, and must miss less
    share = own / np.sqrt((own + yields) * yields)
    return rho, gap, angle, float(np.max(w.step * np.abs(soft) * share, initial=0))


def look_at_coupling(w: World, c: int, poses: Floats) -> tuple[Floats, float, float, float]:
    """Of a coupling's row at the step's end; its gap and angle."""
    row = int(np.flatnonzero(w.row_bond == len(w.bonds) + c)[0])
    gap = coupling_gap(w, c, poses)
    rho = np.array([gap / w.step + w.yields[row] * w.lam[row]])
    return (rho, abs(gap), 0.0, 0.0) if is_length(w, c) else (rho, 0.0, abs(gap), 0.0)


def look_at_tie(w: World, tie: int, poses: Floats) -> tuple[Floats, float, float, float]:
    """Of a joint or, behind all joints, a coupling."""
    if tie < len(w.bonds):
        return look_at_bond(w, tie, poses)
    return look_at_coupling(w, tie - len(w.bonds), poses)


def look_ahead(w: World, poses: Floats) -> tuple[Floats, float, float, float]:
    """Residuals of all rows at the step's end, widest gap, angle, miss of soft rows."""
    found = [look_at_tie(w, tie, poses) for tie in range(len(w.bonds) + w.coupling_count)]
    return (
        np.concatenate([np.zeros(0), *(f[0] for f in found)]),
        max((f[1] for f in found), default=0.0),
        max((f[2] for f in found), default=0.0),
        max((f[3] for f in found), default=0.0),
    )


def close_direct(w: World, V: Floats) -> Look:
    """Impulses at the start that close all joints ahead, all at once, until they do."""
    respond = prepare_limits(w)
    for turn in itertools.count():
        poses, speeds = fly_bodies(w, V)
        rho, gap, angle, miss = look_ahead(w, poses)
        done = turn > (1 if w.limits else 0) and max(gap, angle, miss) <= w.gap_limit
        if done or turn == w.iteration_limit or not np.isfinite(gap):
            break
        look = look_at_limits(w, poses) - limit_speeds(w, V)
        by = -np.linalg.solve(w.A, rho)
        w.lam += by
        V += (w.Y @ by).reshape(-1, 6)
        w.lam += meet_limits(w, look + limit_speeds(w, V), respond, V)
    return poses, speeds, gap, angle, miss, turn


def turns_fast(w: World, V: Floats, most: float) -> bool:
    """Whether a body turns by more than that [rad] in a step."""
    spin = np.linalg.norm(V[w.moves, 3:], axis=1).max(initial=0)
    return bool(spin * w.step > most)
