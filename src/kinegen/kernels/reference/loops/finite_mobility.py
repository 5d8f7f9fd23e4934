"""Degrees of freedom that last: how many free motions of loops survive a small finite motion."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.linalg.spectrum import free_motion
from kinegen.kernels.reference.loops.bifurcation import ways_out
from kinegen.kernels.reference.loops.system import Draws, LoopSystem
from kinegen.kernels.tolerances import SHUT

__all__ = ["finite_mobility"]

TRIAL_STEP = 0.02
"""Largest scaled step of a trial motion: small against the bars, large against every tolerance."""


def try_motion(
    s: LoopSystem, q: Floats, basis: Floats, mix: Floats
) -> tuple[Floats | None, Floats]:
    """The pose that a small step leads to, if the loops close there, and how much was made.

    The second is the step made along the free directions by the length of the one asked for.
    """
    step = mix @ basis
    step *= TRIAL_STEP / np.abs(step).max()
    there, gap = s.close(s.move(q, step))
    made = basis @ s.moved(q, there) / np.linalg.norm(step)
    return (there if gap <= SHUT else None), made


def goes_on(s: LoopSystem, q: Floats, basis: Floats, tolerance: float) -> bool:
    """Whether mixed motions in all free directions survive, and lead to poses with as many."""
    # a single lost direction must show in a mix of many
    allowed = 0.5 / np.sqrt(len(basis))
    draws = Draws(1)
    for _ in range(2):
        mix = draws.normal(len(basis))
        there, made = try_motion(s, q, basis, mix)
        if there is None or np.linalg.norm(made - mix / np.linalg.norm(mix)) > allowed:
            return False
        _, _, rank, _ = free_motion(s.jacobian(there), tolerance)
        if len(s.variables) - rank != len(basis):
            return False
    return True


def surviving(s: LoopSystem, q: Floats, basis: Floats) -> int:
    """Rank of the map from steps asked for to steps made."""
    made = [try_motion(s, q, basis, axis)[1] for axis in np.eye(len(basis))]
    return int((np.linalg.svd(np.array(made), compute_uv=False) > 0.5).sum())


def finite_mobility(s: LoopSystem, q: Floats, basis: Floats, tolerance: float) -> int:
    """How many of the free motions, (count, variables), survive a small finite motion."""
    count = len(basis)
    if not count or goes_on(s, q, basis, tolerance):
        return count
    trials = [side * axis for axis in np.eye(count) for side in (1.0, -1.0)]
    draws = Draws(2)
    trials += [draws.normal(count) for _ in range(2 * count)]
    trials += ways_out(s, q, basis, tolerance)
    most = 0
    for trial in trials:
        there, made = try_motion(s, q, basis, trial)
        if there is None or np.linalg.norm(made) < 0.3:
            continue
        _, directions, rank, _ = free_motion(s.jacobian(there), tolerance)
        ahead = directions[rank:]
        if len(ahead) > most:
            all_last = goes_on(s, there, ahead, tolerance)
            most = max(most, len(ahead) if all_last else surviving(s, there, ahead))
    return most
