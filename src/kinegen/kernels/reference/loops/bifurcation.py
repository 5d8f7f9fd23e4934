"""Bifurcations: the few directions in which motions leave a pose where branches of motion cross."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.linalg.spectrum import free_motion
from kinegen.kernels.reference.loops.system import Draws, LoopSystem

__all__ = ["ways_out"]

MOST_CROSSING = 8
"""Free directions among which ways out of a crossing are looked for; with more there is none that
few starts would find."""
BEND_STEP = 1e-3
"""Scaled step over which second derivatives are taken: errors of about its square, and rounding."""
SECOND_ORDER = 1e-4
"""Share of the curvature that counts as none: above the errors of the derivatives."""
STRAIGHT = 1e-6
"""Curvatures below this are rounding."""
CROSSING_STARTS, CROSSING_STEPS = 4, 40


def ways_out(s: LoopSystem, q: Floats, basis: Floats, tolerance: float) -> list[Floats]:
    """Mixes of free directions along which the loops stay closed to second order as well.

    Where branches of motion cross, only these few directions lead out of the pose: those u with
    (I − J J⁺) H(u, u) = 0, H being the loops' second derivative. They are found by
    Gauss-Newton steps on the unit sphere from random starts.
    """
    count = len(basis)
    if count > MOST_CROSSING:
        return []
    J = s.jacobian(q)
    _, directions, rank, _ = free_motion(J, tolerance)
    reach = J @ directions[:rank].T  # spans what first-order steps can close

    def curvature(mix: Floats) -> Floats:
        step = BEND_STEP * (mix @ basis)
        gap = s.residual(s.move(q, step)) + s.residual(s.move(q, -step))
        gap /= 2 * BEND_STEP**2
        for column in reach.T:
            gap -= column * ((column @ gap) / (column @ column))
        return np.asarray(gap)

    axes = np.eye(count)
    bends = np.empty((count, count, len(J)))
    for i in range(count):
        bends[i, i] = curvature(axes[i])
    for i in range(count):
        for j in range(i):
            both = curvature(axes[i] + axes[j]) - bends[i, i] - bends[j, j]
            bends[i, j] = bends[j, i] = both / 2
    size = float(np.sqrt((bends**2).sum()))
    if size < STRAIGHT:
        return []
    draws, found = Draws(3), []
    for _ in range(CROSSING_STARTS * count):
        mix = draws.normal(count)
        for _ in range(CROSSING_STEPS):
            mix /= np.linalg.norm(mix)
            inner = np.einsum("ijr,j->ir", bends, mix)
            gap = mix @ inner
            if np.linalg.norm(gap) < SECOND_ORDER * size:
                found += [mix, -mix]
                break
            # steps along the mix itself would only shorten it
            A = 4 * inner @ inner.T + size**2 * (1e3 * np.outer(mix, mix) + 1e-9 * axes)
            mix = mix - np.linalg.solve(A, 2 * inner @ gap)
    return found
