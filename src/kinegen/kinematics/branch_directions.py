"""Branch points: the directions in which the ways of moving part where loops lose rank."""

from __future__ import annotations

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.scaled_motion import ScaledMotion, fresh_part
from kinegen.kinematics.velocities import loop_bias

__all__ = ["branch_directions"]

_RANK = 1e-5
"""Singular values of loop rows below this are zero at a branch point found by search."""


def branch_directions(motion: ScaledMotion, q: Floats, came: Floats | None) -> list[Floats]:
    """Scaled directions of all ways on from a branch point, largest part 1.

    A motion x leaves the point only if the loops can follow to second order too: what they would
    have to accelerate, d(J_phi)/dt x, must not be in the directions that they have lost. In the
    plane of two free motions that is a quadratic equation for the direction.

    Args:
        motion: the mechanism.
        q: the branch point.
        came: scaled direction of the motion that led there; needed where more than two free motions
            meet, to choose their plane.
    """
    J = motion.loops(q)
    U, values, Vt = np.linalg.svd(J)
    rank = int((values > _RANK * values[0]).sum())
    free, lost = Vt[rank:].T, U[:, rank:]
    if free.shape[1] > 2:
        if came is None:
            return []
        # the direction that led here, and the one that is new at this point: the weakest
        first = free @ (free.T @ came)
        first /= np.linalg.norm(first)
        second = _newest(motion, q, free, came)
        second -= first * (first @ second)
        free = np.column_stack([first, second / np.linalg.norm(second)])
    if free.shape[1] < 2:
        return []
    a, b = free.T

    def bend(x: Floats) -> Floats:
        return np.asarray(lost.T @ (loop_bias(motion.model, q, motion.scale * x) * motion.rows))

    # bend(cos t · a + sin t · b) = c² aa + 2 c s ab + s² bb in each lost direction
    aa, bb = bend(a), bend(b)
    ab = (bend(a + b) - bend(a - b)) / 4
    table = np.column_stack([aa, 2 * ab, bb])
    _, sizes, patterns = np.linalg.svd(table)
    if sizes[0] < 1e-9:
        return []
    aa1, ab2, bb1 = patterns[0]
    half = np.hypot((aa1 - bb1) / 2, ab2 / 2)
    mean, phase = (aa1 + bb1) / 2, np.arctan2(ab2 / 2, (aa1 - bb1) / 2)
    # mean + half cos(2t - phase) = 0
    if half < abs(mean) * (1 - 1e-9):
        return []
    turn = np.arccos(np.clip(-mean / half, -1, 1))
    found: list[Floats] = []
    for t in {(phase + turn) / 2, (phase - turn) / 2}:
        x = np.cos(t) * a + np.sin(t) * b
        found += [x / np.abs(x).max(), -x / np.abs(x).max()]
    return found


def _newest(motion: ScaledMotion, q: Floats, free: Floats, came: Floats) -> Floats:
    """The free motion that was not there just before q."""
    before = motion.close(motion.move(q, -1e-3 * came / np.abs(came).max()))
    usual = np.linalg.svd(motion.loops(before))[2][1 - free.shape[1] :].T
    return fresh_part(free, usual, 1)[:, 0]
