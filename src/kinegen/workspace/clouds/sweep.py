"""The configurations of a sweep, on a grid or quasi-random, made chunk by chunk."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError, seed_number, whole_number
from kinegen.kernels import Floats
from kinegen.kernels.backend import module
from kinegen.kernels.tolerances import LIMIT_SLACK
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.kinematics.followers import Followers
from kinegen.mechanism.model import Model
from kinegen.workspace.clouds.ranges import JointRange

__all__ = ["CHUNK", "Sweep", "coupled_sweep", "golden_stride", "grid_sweep", "random_sweep"]

CHUNK = 250_000
"""Configurations made together: some tens of MB, and a progress report every few hundredths of a
second."""

MOST_DRAWN = 10**15
"""Poses of a quasi-random sweep: what an index can count with room to spare."""
MOST_EVEN = 3_000_000_000
"""Poses of a grid that can be met in another order: their squares are counted in 64 bits."""
MOST_TRIED = 50_000_000
"""Combinations of coupled values that are tried against the limits of what follows."""
MOST_DRAWS = 1000
"""Times a pose is drawn until what follows is within its limits."""


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
    followers: Followers | None = None
    """How coupled variables follow from those that move."""
    following: tuple[JointRange, ...] = ()
    """Coupled variables that follow and move a frame, with their limits."""
    bounds: tuple[JointRange, ...] = ()
    """Those of them whose limits not every combination of the ranges keeps."""
    kept: npt.NDArray[np.int64] | None = None
    """On a grid with bounds: combinations of the first ranges that keep them, in order."""
    bound_count: int = 0
    """How many of the ranges those are."""

    @property
    def shown_ranges(self) -> tuple[JointRange, ...]:
        """What moves, and what follows it."""
        return self.ranges + self.following

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
        for k, one in reversed(list(enumerate(self.ranges, 1))):
            if self.kept is not None and k == self.bound_count:
                index = self.kept[index]
            index, place = np.divmod(index, one.count)
            qs[one.variable] = one.values[place]
        return self.follow(qs)

    def follow(self, qs: Floats) -> Floats:
        """Configurations (nq, n) with what is coupled where it follows, in place."""
        return qs if self.followers is None else self.followers.fill(qs)

    def within(self, qs: Floats) -> npt.NDArray[np.bool_]:
        """Which configurations (nq, n) keep all bounds, (n,)."""
        good = np.ones(qs.shape[1], dtype=bool)
        for one in self.bounds:
            row = qs[one.variable]
            good &= (row >= one.lower - LIMIT_SLACK) & (row <= one.upper + LIMIT_SLACK)
        return good

    def again(self, count: int, ranges: Sequence[JointRange] | None = None) -> Sweep:
        """Quasi-random poses of the same ranges, or of others, with the same couplings."""
        count = whole_number(count, "the number of poses", 1, MOST_DRAWN)
        return replace(
            self, count=count, is_grid=False, kept=None, bound_count=0,
            ranges=self.ranges if ranges is None else tuple(ranges),
        )  # fmt: skip

    def _drawn(self, first: int, count: int) -> Floats:
        qs = self._draw(first, count)
        missing = np.flatnonzero(~self.within(qs)) if self.bounds else ()
        # a pose beyond a bound is drawn again, a whole sweep further on: the same in every chunk
        for again in range(1, MOST_DRAWS):
            if not len(missing):
                return qs
            others = self._draw(first + again * self.count, count)[:, missing]
            good = self.within(others)
            qs[:, missing[good]] = others[:, good]
            missing = missing[~good]
        raise _hardly(self)

    def _draw(self, first: int, count: int) -> Floats:
        lower, upper = self.home.copy(), self.home.copy()
        for one in self.ranges:
            lower[one.variable], upper[one.variable] = one.lower, one.upper
        qs, points = np.empty((self.model.nq, count)), np.empty((3, count))
        module().batch_random(
            self.model.ints, self.model.reals, lower, upper, self.seed, first,
            self.model.link_count - 1, points, qs, 0,
        )  # fmt: skip
        return self.follow(qs)


def golden_stride(count: int) -> int:
    """Steps of the golden section through so many things: each is met once, and evenly."""
    stride = max(1, round(count * (math.sqrt(5) - 1) / 2))
    while math.gcd(stride, count) != 1:
        stride += 1
    return stride


def grid_sweep(model: Model, ranges: Sequence[JointRange], q: Configuration = None) -> Sweep:
    """All combinations of the ranges' values."""
    if not ranges:
        raise UsageError("the sweep has no moving joint: specify a range")
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
        raise UsageError("the sweep has no moving joint: specify a range")
    count = whole_number(count, "the number of poses", 1, MOST_DRAWN)
    seed = seed_number(seed)
    return Sweep(model, tuple(ranges), configuration(model, q), count, False, seed)


def coupled_sweep(sweep: Sweep, followers: Followers, following: Sequence[JointRange]) -> Sweep:
    """A sweep of leading variables whose followers go along, and keep their limits.

    Args:
        sweep: Of the variables that lead.
        followers: How others follow.
        following: Those of them that move a frame, with their limits; infinite where they have
            none.
    """
    home = followers.fill(sweep.home[:, None].copy())[:, 0]
    swept = {one.variable: one for one in sweep.ranges}
    bounds = tuple(one for one in following if _can_leave(one, followers, swept))
    sweep = replace(
        sweep, home=home, followers=followers, following=tuple(following), bounds=bounds
    )
    if not bounds or not sweep.is_grid:
        return sweep
    leaders = set().union(*(followers.leaders(one.variable) for one in bounds))
    first = [one for one in sweep.ranges if one.variable in leaders]
    rest = [one for one in sweep.ranges if one.variable not in leaders]
    tried = math.prod(one.count for one in first)
    if tried > MOST_TRIED:
        raise UsageError(
            f"{tried:,} combinations of {', '.join(one.name for one in first)} are too many to "
            "compare with the limits of what follows them: use a larger factor, or count= (--count)"
        )
    part = replace(sweep, ranges=tuple(first), count=tried)
    kept = np.concatenate(
        [begin + np.flatnonzero(part.within(qs)) for begin, qs in part.chunks()]
    ).astype(np.int64)
    if not len(kept):
        raise _hardly(sweep)
    count = len(kept) * math.prod(one.count for one in rest)
    return replace(sweep, ranges=(*first, *rest), count=count, kept=kept, bound_count=len(first))


def _can_leave(one: JointRange, followers: Followers, swept: dict[int, JointRange]) -> bool:
    """Whether a follower may leave its limits although all that leads it keeps its range."""
    if not (math.isfinite(one.lower) or math.isfinite(one.upper)):
        return False
    if followers.leaders(one.variable).isdisjoint(swept):
        return False
    return followers.line(one.variable) is None  # else the leader's range was cut


def _hardly(sweep: Sweep) -> UsageError:
    names = ", ".join(one.name for one in sweep.bounds)
    return UsageError(
        f"hardly any values of {', '.join(one.name for one in sweep.ranges)} keep {names}, "
        "which follow, within their limits: use narrower ranges"
    )
