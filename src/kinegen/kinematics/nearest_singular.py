"""The nearest singular pose: going straight for it through the poses with closed loops."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kinegen.errors import AssemblyError, UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.singularity import SINGULAR, Probe

__all__ = ["distance_of", "nearest_kind", "nearest_singular", "weakness"]

_FOUND = 1e-12
"""A measure below this is zero."""
_STEPS = 250
"""Steps to the nearest singular pose at most: about a turn of a joint."""


def distance_of(probe: Probe, q: Floats, kind: str) -> float:
    """Distance of a pose from singularities of a kind; infinite where there are none."""
    values = probe.task_values(q) if kind == "task" else probe.gain_values(q)
    return float(values[-1]) if len(values) else np.inf


def nearest_kind(probe: Probe, q: Floats) -> str:
    """The kind of singularity that is nearer."""
    return min(("task", "gain"), key=lambda kind: distance_of(probe, q, kind))


def weakness(probe: Probe, q: Floats, kind: str) -> Callable[[Floats], float]:
    """The smallest singular value as a smooth function near q that changes sign where it is zero.

    Its singular vectors are kept from q, so that value and derivative at q are exact.
    """
    if kind == "gain":
        U, _, Vt = np.linalg.svd(probe.passive_rows(q))
        u, z = U[:, probe.gain_rank - 1], Vt[probe.gain_rank - 1]
        return lambda at: float(u @ probe.passive_rows(at) @ z)
    rows = probe.watched
    assert rows is not None
    free = probe.free(q)
    U, _, Vt = np.linalg.svd(rows.jacobian(q) @ free)
    u, x = U[:, probe.task_rank - 1], free @ Vt[probe.task_rank - 1]

    def value(at: Floats) -> float:
        there = probe.free(at)
        return float(u @ rows.jacobian(at) @ there @ (there.T @ x))

    return value


def nearest_singular(probe: Probe, q: Floats, kind: str | None, step: float) -> list[Floats]:
    """Closed poses from q to the nearest singular one, at most ``step`` (scaled) apart.

    Raises:
        UsageError: When none is found.
    """
    wanted = kind or nearest_kind(probe, q)
    if wanted not in {"task", "gain"}:
        raise UsageError(f"a singularity is of kind 'task' or 'gain', got '{kind}'")
    path = [q]
    for _ in range(_STEPS):
        here = path[-1]
        distance = distance_of(probe, here, wanted)
        if distance < _FOUND:
            return path
        if not np.isfinite(distance):
            break
        measure = weakness(probe, here, wanted)
        gradient = probe.motion.gradient(here, measure, probe.loop_rank)
        square = float(gradient @ gradient)
        if square < 1e-12:
            break
        x = -measure(here) / square * gradient
        length = float(np.abs(x).max())
        if length < 1e-13:
            break
        try:
            there = probe.motion.close(probe.motion.move(here, x * min(1.0, step / length)))
        except AssemblyError:
            break
        path.append(there)
    if distance_of(probe, path[-1], wanted) < 1e-3 * SINGULAR:
        return path
    raise UsageError(
        f"mechanism '{probe.model.name}' has no singular pose of kind '{wanted}' near this one"
    )
