"""Free motion: the motions that a group of loops leaves, and how many of them last."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinegen import kernels
from kinegen.kernels import Floats
from kinegen.kernels.tolerances import RANK
from kinegen.kinematics.loop_system import LoopSystem

__all__ = [
    "LARGEST_TOLERANCE",
    "FreeMotion",
    "finite_mobility",
    "free_motion",
]

LARGEST_TOLERANCE = 0.1
"""A larger one would not leave even the largest singular value as a clear case."""


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
        """How many degrees of freedom there are."""
        return int(self.basis.shape[1])

    @property
    def resistance(self) -> Floats:
        """How strongly each forbidden step is resisted: its singular value by the largest."""
        values = self.singular_values[: self.forbidden.shape[1]]
        return np.asarray(values / self.singular_values[0]) if len(values) else values


def free_motion(system: LoopSystem, q: Floats, tolerance: float = RANK) -> FreeMotion:
    """Null space of the scaled loop rows at q, with the rank decided by the gap in the spectrum."""
    values, directions, rank, rank_gap = kernels.free_motion(system.jacobian(q), tolerance)
    return FreeMotion(directions[rank:].T, directions[:rank].T, values, rank_gap)


def finite_mobility(
    system: LoopSystem, q: Floats, motion: FreeMotion, tolerance: float = RANK
) -> int:
    """The finite mobility: the largest number of free motions on any way out of the pose.

    Mixed motions in all free directions are tried first; if they continue as they began, all
    count. Otherwise every direction is tried, and free motions are counted in the poses reached.
    """
    return system.kernels.finite_mobility(q, np.ascontiguousarray(motion.basis.T), tolerance)
