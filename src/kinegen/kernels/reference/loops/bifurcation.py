"""Branch points: the directions in which the ways of moving part where loops lose rank.

Part of the specification of ``native/kernel/singular/branches_beyond.hpp``.
"""

from __future__ import annotations

import math

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.loops.scaled_motion import ScaledMotion, fresh_part, signed
from kinegen.kernels.reference.singular.nearest import DIFFERENCE_STEP
from kinegen.kernels.reference.singular.probe import CLOSE_REACH
from kinegen.kernels.tolerances import BRANCH_RANK


def branch_directions(motion: ScaledMotion, q: Floats, came: Floats | None) -> list[Floats]:
    """Scaled directions of every way on from a branch point, largest part 1.

    A motion x leaves the point only if the loops can follow to second order too: what they would
    have to accelerate, d(J_phi)/dt x, must not be in the directions that they have lost. In the
    plane of two free motions that is a quadratic equation for the direction.
    """
    U, values, Vt = np.linalg.svd(motion.loops(q))
    rank = int((values > BRANCH_RANK * values[0]).sum())
    free, lost = Vt[rank:].T, U[:, rank:]
    if free.shape[1] < 2 or not lost.shape[1] or (free.shape[1] > 2 and came is None):
        return []
    if free.shape[1] > 2 and came is not None:
        # the direction that led here, and the one that is new at this point: the weakest
        first = free @ (free.T @ came)
        first /= np.linalg.norm(first)
        before = motion.close(motion.move(q, -CLOSE_REACH * came / np.abs(came).max()))
        if before is None:
            return []
        usual = np.linalg.svd(motion.loops(before))[2][rank + 1 :].T
        second = fresh_part(free, usual, 1)[:, 0]
        second -= first * (first @ second)
        free = np.column_stack([first, second / np.linalg.norm(second)])
    a, b = free.T

    def bend(x: Floats) -> Floats:
        ends = [motion.loops(motion.move(q, sign * DIFFERENCE_STEP * x)) @ x for sign in (1, -1)]
        return np.asarray(lost.T @ (ends[0] - ends[1]) / (2 * DIFFERENCE_STEP))

    # bend(cos t · a + sin t · b) = c² aa + 2 c s ab + s² bb in each lost direction
    aa, bb = bend(a), bend(b)
    _, sizes, patterns = np.linalg.svd(np.column_stack([aa, (bend(a + b) - bend(a - b)) / 2, bb]))
    if sizes[0] < 1e-9:
        return []
    aa1, ab2, bb1 = patterns[0]
    half = float(np.hypot((aa1 - bb1) / 2, ab2 / 2))
    mean, phase = (aa1 + bb1) / 2, math.atan2(ab2 / 2, (aa1 - bb1) / 2)
    # mean + half cos(2t - phase) = 0
    if half < abs(mean) * (1 - 1e-9):
        return []
    turn = math.acos(min(1.0, max(-1.0, -mean / half)))
    ways = []
    for t in dict.fromkeys([(phase + turn) / 2, (phase - turn) / 2]):
        x = math.cos(t) * a + math.sin(t) * b
        ways.append(signed((x / np.abs(x).max())[:, None])[:, 0])
    if came is not None:
        # the way that is most like the one that led here comes first
        ways.sort(key=lambda x: -abs(float(x @ came)) / float(np.linalg.norm(x)))
    return [sign * x for x in ways for sign in (1, -1)]
