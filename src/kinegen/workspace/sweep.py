"""The configurations of a sweep, on a grid or quasi-random, made chunk by chunk."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError, seed_number, whole_number
from kinegen.kernels import Floats
from kinegen.kernels.backend import module
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.mechanism.model import Model
from kinegen.workspace.ranges import JointRange

__all__ = ["CHUNK", "Sweep", "golden_stride", "grid_sweep", "random_sweep"]

CHUNK = 250_000
"""Configurations made together: some tens of MB, and a progress report every few hundredths of a
second."""

MOST_DRAWN = 10**15
"""Poses of a quasi-random sweep: what an index can count with room to spare."""
MOST_EVEN = 3_000_000_000
"""Poses of a grid that can be met in another order: their squares are counted in 64 bits."""


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """Which configurations are tried; pose i is the same whatever the chunks are."""

    model: Model
    ranges: tuple[JointRange, ...]
    """What moves; the last one fastest on a grid."""
    home: Floats
    """Values of what holds still, (nq,)."""
    count: int
    """Number of poses."""
    is_grid: bool
    seed: int = 0

    def chunk(self, first: int, count: int) -> Floats:
        """Configurations ``first`` … ``first + count - 1``, (nq, count)."""
        if not self.is_grid:
            return self._drawn(first, count)
        return self.at(np.arange(first, first + count))

    def chunks(self, size: int = CHUNK) -> Iterator[tuple[int, Floats]]:
        """First index and configurations of one chunk after the other."""
        for first in range(0, self.count, size):
            yield first, self.chunk(first, min(size, self.count - first))

    def even(self, first: int, count: int) -> tuple[npt.NDArray[np.int64], Floats]:
        """Poses ``first`` … in an order whose every beginning is spread over the whole sweep.

        Returns:
            Which poses they are, (count,), and their configurations, (nq, count).
        """
        order = np.arange(first, first + count)
        if not self.is_grid:
            return order, self._drawn(first, count)
        if self.count > MOST_EVEN:
            raise UsageError(f"a grid of {self.count:,} poses can only be swept in its own order")
        order = order * golden_stride(self.count) % self.count
        return order, self.at(order)

    def at(self, index: npt.NDArray[np.int64]) -> Floats:
        """Configurations of some poses of a grid, (nq, n)."""
        qs = np.repeat(self.home[:, None], len(index), axis=1)
        for one in reversed(self.ranges):
            index, place = np.divmod(index, one.count)
            qs[one.variable] = one.values[place]
        return qs

    def _drawn(self, first: int, count: int) -> Floats:
        lower, upper = self.home.copy(), self.home.copy()
        for one in self.ranges:
            lower[one.variable], upper[one.variable] = one.lower, one.upper
        qs, points = np.empty((self.model.nq, count)), np.empty((3, count))
        module().batch_random(
            self.model.ints, self.model.reals, lower, upper, self.seed, first,
            self.model.link_count - 1, points, qs, 0,
        )  # fmt: skip
        return qs


def golden_stride(count: int) -> int:
    """Steps of the golden section through so many things: each is met once, and evenly."""
    stride = max(1, round(count * (math.sqrt(5) - 1) / 2))
    while math.gcd(stride, count) != 1:
        stride += 1
    return stride


def grid_sweep(model: Model, ranges: Sequence[JointRange], q: Configuration = None) -> Sweep:
    """All combinations of the ranges' values."""
    if not ranges:
        raise UsageError("the sweep has no moving joint: give a range")
    count = math.prod(one.count for one in ranges)
    return Sweep(model, tuple(ranges), configuration(model, q), count, True)


def random_sweep(
    model: Model,
    ranges: Sequence[JointRange],
    count: int,
    q: Configuration = None,
    *,
    seed: int = 0,
) -> Sweep:
    """Configurations that fill the ranges evenly, as in :func:`kinegen.point_cloud`."""
    if not ranges:
        raise UsageError("the sweep has no moving joint: give a range")
    count = whole_number(count, "the number of poses", 1, MOST_DRAWN)
    seed = seed_number(seed)
    return Sweep(model, tuple(ranges), configuration(model, q), count, False, seed)
