"""Free motion: the motions that a group of loops leaves, and how many of them last."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.loop_system import CLOSED, LoopSystem

__all__ = [
    "LARGEST_TOLERANCE",
    "RANK_TOLERANCE",
    "FreeMotion",
    "free_motion",
    "lasting_freedoms",
]

RANK_TOLERANCE = 1e-6
"""Singular values below this share of the largest count as zero: closing a loop in a singular pose
leaves errors of about the root of rounding, 1e-8."""
_CLEAR = 10.0
"""Singular values that are this factor above or below the tolerance are clear cases; between, the
widest gap decides."""
LARGEST_TOLERANCE = 1 / _CLEAR
"""A larger one would not leave even the largest value as clear."""
_STEP = 0.02
"""Largest scaled step of a trial motion: small against the bars, large against every tolerance."""
_EPSILON = float(np.finfo(float).eps)


@dataclass(frozen=True, slots=True, eq=False)
class FreeMotion:
    """The motions that the loop rows leave to first order, and those that they forbid."""

    basis: Floats
    """Orthonormal scaled steps, (variables, count)."""
    forbidden: Floats
    """Orthonormal scaled steps by falling resistance, (variables, rank)."""
    singular_values: Floats
    """Of the scaled rows, largest first."""
    rank_gap: float
    """Last singular value that counts by the first that does not; inf where all count."""

    @property
    def count(self) -> int:
        """How many freedoms there are."""
        return int(self.basis.shape[1])

    @property
    def resistance(self) -> Floats:
        """How strongly each forbidden step is resisted: its singular value by the largest."""
        values = self.singular_values[: self.forbidden.shape[1]]
        return np.asarray(values / self.singular_values[0]) if len(values) else values


def free_motion(system: LoopSystem, q: Floats, tolerance: float = RANK_TOLERANCE) -> FreeMotion:
    """Null space of the scaled loop rows at q, with the rank decided by the gap in the spectrum."""
    J = system.jacobian(q)
    if not J.size:
        eye = np.eye(J.shape[1])
        return FreeMotion(eye, eye[:, :0], np.zeros(0), np.inf)
    _, values, Vt = np.linalg.svd(J, full_matrices=True)
    relative = np.maximum(values / (values[0] or 1.0), _EPSILON)
    rank = _rank(relative, tolerance) if values[0] > 0 else 0
    rank_gap = float(relative[rank - 1] / relative[rank]) if 0 < rank < len(values) else np.inf
    return FreeMotion(Vt[rank:].T, Vt[:rank].T, values, rank_gap)


def _rank(relative: Floats, tolerance: float) -> int:
    """How many singular values count, of those by the largest, largest first."""
    sure = int((relative > _CLEAR * tolerance).sum())
    possible = int((relative > tolerance / _CLEAR).sum())
    if possible == len(relative):
        # nothing below shows where rounding begins
        return int((relative > tolerance).sum())
    drops = relative[sure - 1 : possible] / relative[sure : possible + 1]
    return sure + int(drops.argmax())


def lasting_freedoms(
    system: LoopSystem, q: Floats, motion: FreeMotion, tolerance: float = RANK_TOLERANCE
) -> int:
    """How many freedoms survive a finite motion: the largest number on any way out of the pose.

    Mixed motions in all free directions are tried first; if they go on as they began, all survive.
    Otherwise every direction is tried, and freedoms are counted in the poses that were reached.
    """
    rng = np.random.default_rng(0)
    if not motion.count or _goes_on(system, q, motion, rng, tolerance):
        return motion.count
    trials = [side * axis for axis in np.eye(motion.count) for side in (1.0, -1.0)]
    trials += list(rng.normal(size=(2 * motion.count, motion.count)))
    most = 0
    for trial in trials:
        there, made = _try(system, q, motion, trial)
        if there is None or np.linalg.norm(made) < 0.3:
            continue
        ahead = free_motion(system, there, tolerance)
        if ahead.count > most:
            lasts = _goes_on(system, there, ahead, rng, tolerance)
            most = max(most, ahead.count if lasts else _surviving(system, there, ahead))
    return most


def _try(
    system: LoopSystem, q: Floats, motion: FreeMotion, mix: Floats
) -> tuple[Floats | None, Floats]:
    """The pose that a small step leads to, if the loops close there, and how much of it was made.

    The second is the step made along the free directions by the length of the one asked for.
    """
    step = motion.basis @ mix
    step *= _STEP / np.abs(step).max()
    there, gap = system.close(system.move(q, step))
    made = motion.basis.T @ system.moved(q, there) / np.linalg.norm(step)
    return (there if gap <= CLOSED else None), made


def _goes_on(
    system: LoopSystem, q: Floats, motion: FreeMotion, rng: np.random.Generator, tolerance: float
) -> bool:
    """Whether mixed motions in all free directions survive, and lead to poses with as many."""
    # a single lost direction must show in a mix of many
    allowed = 0.5 / np.sqrt(motion.count)
    for _ in range(2):
        mix = rng.normal(size=motion.count)
        there, made = _try(system, q, motion, mix)
        if there is None or np.linalg.norm(made - mix / np.linalg.norm(mix)) > allowed:
            return False
        if free_motion(system, there, tolerance).count != motion.count:
            return False
    return True


def _surviving(system: LoopSystem, q: Floats, motion: FreeMotion) -> int:
    """Rank of the map from steps asked for to steps made."""
    made = [_try(system, q, motion, axis)[1] for axis in np.eye(motion.count)]
    return int((np.linalg.svd(np.array(made), compute_uv=False) > 0.5).sum())
