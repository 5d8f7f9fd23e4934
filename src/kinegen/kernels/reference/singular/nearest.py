"""The nearest singular pose: going straight for it through the poses with closed loops.

The specification of ``native/kernel/singular/nearest.hpp``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.protocols.singular import SingularKind
from kinegen.kernels.reference.singular.heading import LOOK_STEP
from kinegen.kernels.reference.singular.probe import Probe

FOUND_VALUE = 1e-12
"""A measure below this is zero."""
FOUND_NEARLY = 1e-6
"""Good enough where nothing better comes: at branch points."""
NEAREST_STEPS = 250
"""Steps to the nearest singular pose at most: about a turn of a joint."""
NEAREST_PATIENCE = 8
"""Steps without gain before the best so far is taken."""
DIFFERENCE_STEP = 1e-5
"""Step of central differences: their error is its square."""


def weakness(probe: Probe, q: Floats, kind: SingularKind) -> Callable[[Floats], float]:
    """The smallest singular value as a smooth function near q that changes sign where it is zero.

    Its singular vectors are kept from q, so that value and derivative at q are exact.
    """
    if kind is SingularKind.GAIN:
        U, _, Vt = np.linalg.svd(probe.passive_rows(q))
        u, z = U[:, probe.gain_rank - 1], Vt[probe.gain_rank - 1]
        return lambda at: float(u @ probe.passive_rows(at) @ z)
    free = probe.free(q)
    U, _, Vt = np.linalg.svd(probe.watched.jacobian(q) @ free)
    u, x = U[:, probe.task_rank - 1], free @ Vt[probe.task_rank - 1]

    def value(at: Floats) -> float:
        there = probe.free(at)
        return float(u @ probe.watched.jacobian(at) @ there @ (there.T @ x))

    return value


def gradient(probe: Probe, q: Floats, measure: Callable[[Floats], float]) -> Floats | None:
    """Derivative of a measure over the free motion, (nv,), by central differences."""
    motion, total = probe.motion, np.zeros(probe.motion.nv)
    for x in probe.free(q).T:
        ends = [motion.close(motion.move(q, sign * DIFFERENCE_STEP * x)) for sign in (1, -1)]
        if ends[0] is None or ends[1] is None:
            return None
        total += (measure(ends[0]) - measure(ends[1])) / (2 * DIFFERENCE_STEP) * x
    return total


def nearest_singular(probe: Probe, q: Floats, kind: SingularKind) -> list[Floats]:
    """Closed poses from q to the nearest singular one of a kind; none when there is none."""
    path, best, best_count = [q], np.inf, 0
    while True:
        here = path[-1]
        distance = probe.distance(here, kind)
        if distance < best:
            best, best_count = distance, len(path)
        stands = best < FOUND_NEARLY and len(path) > best_count + NEAREST_PATIENCE
        if best < FOUND_VALUE or not np.isfinite(best) or stands or len(path) > NEAREST_STEPS:
            break
        measure = weakness(probe, here, kind)
        slope = gradient(probe, here, measure)
        if slope is None or float(slope @ slope) < 1e-12:
            break
        # Newton's step for the measure, shortened
        x = -measure(here) / float(slope @ slope) * slope
        length = float(np.abs(x).max())
        if length < 1e-13:
            break
        there = probe.motion.close(probe.motion.move(here, x * min(1.0, LOOK_STEP / length)))
        if there is None:
            break
        path.append(there)
    return path[:best_count] if best < FOUND_NEARLY else []
