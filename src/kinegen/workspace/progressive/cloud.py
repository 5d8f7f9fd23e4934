"""Clouds a little at a time: an even overview that grows, and detail where one looks."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.kernels import Floats
from kinegen.workspace.clouds.cloud import Cloud, CloudPlan, EvenPoses, Points32
from kinegen.workspace.clouds.layers import Layer
from kinegen.workspace.clouds.sweep import CHUNK
from kinegen.workspace.progressive.cells import CellValues, density_cells, dexterity_cells

__all__ = ["OVERVIEW", "CloudLook", "CloudPart", "ProgressiveCloud"]

OVERVIEW = 300_000
"""Points of an overview at most, and again of a look for detail."""
FIRST = 3_000
"""Points of the first part: so few that they are seen at once."""
GROWTH = 4
"""How much larger each part is than the one before."""
KEPT = 20_000_000
"""Points that are kept for looks from nearby, 12 bytes each."""
PATIENCE = 0.25
"""[s] Time after which a look for detail ends with what it has."""

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class CloudPart:
    """Points of a cloud, as they are computed."""

    points: Points32
    """[m], (n, 3); none where the overview is complete and only the rest is swept."""
    tags: npt.NDArray[np.uint32]
    """Index of each point: the pose times the number of frames, plus the frame, (n,)."""
    values: npt.NDArray[Any] | None
    """The layer's values, (n,); None if the frame alone determines the colour."""
    share: float
    """Finished share of the sweep, 0 … 1."""


class ProgressiveCloud:
    """A cloud that can be examined while it is computed.

    First :meth:`overview`; then the bounds are known, and :meth:`look` shows more points in a part
    of the cloud.
    """

    def __init__(self, plan: CloudPlan, *, most: int = OVERVIEW, keep: int = KEPT) -> None:
        """Begin.

        Args:
            plan: What is swept.
            most: Points of the overview at most.
            keep: Clouds of up to this many points are kept for looks; others are swept again.
        """
        k = len(plan.frames)
        self.plan = plan
        self.shown = max(1, min(plan.sweep.count, most // k))
        """Poses of the overview."""
        self.bounds = np.stack([np.full((k, 3), np.inf), np.full((k, 3), -np.inf)], axis=1)
        """Lowest and highest x, y, z of each frame [m], (k, 2, 3)."""
        self.ends: tuple[float, float] | None = None
        """Lowest and highest value of the overview."""
        self.seconds = 0.0
        """Time that the work took [s]."""
        self.place_values: npt.NDArray[Any] | None = None
        """Values of the overview's points by their place, (n,), after it; None for other layers."""
        self._keep = keep
        self._kept: Points32 | None = None
        """All points in even order, (poses, k, 3)."""
        self._cells: CellValues | None = None

    def overview(self) -> Iterator[CloudPart]:
        """The whole cloud: an even selection of points, and the bounds of all of them."""
        plan, k, total = self.plan, len(self.plan.frames), self.plan.sweep.count
        kept = np.empty((total, k, 3), np.float32) if plan.point_count <= self._keep else None
        parts: list[Points32] = []
        low, high = self.bounds[:, 0], self.bounds[:, 1]
        for first, count in self._steps():
            begin = time.perf_counter()
            made = plan.poses(first, count)
            index, points = made.index, made.points
            np.minimum(low, points.min(axis=0), out=low)
            np.maximum(high, points.max(axis=0), out=high)
            if kept is not None:
                kept[first : first + count] = points
            self.seconds += time.perf_counter() - begin
            share = (first + count) / total
            if first >= self.shown:
                yield CloudPart(np.zeros((0, 3), np.float32), _tags(index[:0], k), None, share)
                continue
            assert made.qs is not None
            values = plan.values(made.qs)
            self._widen(values)
            parts.append(points)
            yield CloudPart(points.reshape(-1, 3), _tags(index, k), values, share)
        self._kept = kept
        if plan.is_by_place:
            begin = time.perf_counter()
            shown = np.concatenate(parts)
            self.place_values = self._make_cells(shown).at(shown).ravel()
            self._widen(self.place_values)
            self.seconds += time.perf_counter() - begin

    def look(
        self, planes: Floats, first: int = 0, most: int = OVERVIEW, patience: float = PATIENCE
    ) -> CloudLook:
        """Points within planes, as many as can be computed in time.

        Args:
            planes: Rows n, d: inside where n·p + d ≥ 0, (m, 4).
            first: The pose to begin with: 0, or the last look's ``next``.
            most: Largest number of points.
            patience: Time after which the look ends [s].
        """
        return CloudLook(self, planes, first, most, patience)

    def whole(self) -> Cloud:
        """All points, in the order of the sweep, in single precision."""
        begin = time.perf_counter()
        plan, k, total = self.plan, len(self.plan.frames), self.plan.sweep.count
        points, values = np.empty((total, k, 3), np.float32), np.empty((total, k))
        for first in range(0, total, CHUNK):
            made = plan.poses(first, min(CHUNK, total - first))
            found = None if made.qs is None else plan.values(made.qs)
            points[made.index] = made.points
            values[made.index] = np.arange(k) if found is None else found.reshape(-1, k)
        if plan.is_by_place:
            values = self._make_cells(points).at(points).astype(float)
        return Cloud(
            plan.sweep.model, plan.frames, plan.sweep, points, values, plan.layer, None,
            time.perf_counter() - begin, complete=True,
        )  # fmt: skip

    def poses_again(self, first: int, count: int) -> EvenPoses:
        """As :meth:`CloudPlan.poses`; without configurations if they are not needed."""
        kept, plan = self._kept, self.plan
        if kept is None:
            return plan.poses(first, count)
        part = kept[first : first + count]
        if (plan.layer == Layer.LINK or plan.is_by_place) and not plan.sweep.is_grid:
            return EvenPoses(np.arange(first, first + count), None, part)
        index, qs = plan.sweep.even(first, count)
        return EvenPoses(index, qs.T, part)

    def values_at(self, made: EvenPoses, inside: Indices) -> npt.NDArray[Any] | None:
        """Values of some points; NaN for layers by cell until the overview is complete."""
        plan, k = self.plan, len(self.plan.frames)
        if plan.is_by_place:
            if self._cells is None:
                return np.full(inside.size, np.nan)
            return self._cells.at(made.points).ravel()[inside]
        if plan.layer == Layer.LINK or made.qs is None:
            return None
        wanted, place = np.unique(inside // k, return_inverse=True)
        values = plan.values(made.qs[wanted])
        return None if values is None else values.reshape(-1, k)[place, inside % k]

    @property
    def step(self) -> int:
        """Number of poses that a look tries at a time."""
        k = len(self.plan.frames)
        return max(1, CHUNK // k) if self._kept is None else max(1, 4 * CHUNK // k)

    def _make_cells(self, points: Points32) -> CellValues:
        plan = self.plan
        if plan.layer == Layer.DENSITY:
            self._cells = density_cells(plan, points)
        else:
            self._cells = dexterity_cells(plan)
        return self._cells

    def _steps(self) -> Iterator[tuple[int, int]]:
        """Parts of the sweep: a small one, then larger ones; the overview ends with a part."""
        k, total = len(self.plan.frames), self.plan.sweep.count
        first, size = 0, max(1, FIRST // k)
        while first < total:
            count = min(size, (self.shown if first < self.shown else total) - first)
            yield first, count
            first += count
            largest = max(1, OVERVIEW // 3 // k)
            size = min(GROWTH * size, largest) if first < self.shown else CHUNK

    def _widen(self, values: npt.NDArray[Any] | None) -> None:
        if values is None or not np.isfinite(values).any():
            return
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        if self.ends is not None:
            low, high = min(self.ends[0], low), max(self.ends[1], high)
        self.ends = low, high


class CloudLook:
    """A look at a part of a cloud: yields its points in pieces and can be continued."""

    def __init__(
        self, cloud: ProgressiveCloud, planes: Floats, first: int, most: int, patience: float
    ) -> None:
        self.next: int | None = first
        """The pose with which another look continues; None when there is nothing more."""
        self.sent = 0
        """Points so far."""
        self._cloud, self._planes, self._most, self._patience = cloud, planes, most, patience

    def __iter__(self) -> Iterator[CloudPart]:
        cloud, first = self._cloud, self.next or 0
        total, k = cloud.plan.sweep.count, len(cloud.plan.frames)
        end = time.perf_counter() + self._patience
        while first < total and self.sent < self._most and time.perf_counter() < end:
            count = min(cloud.step, total - first)
            made = cloud.poses_again(first, count)
            first += count
            flat = made.points.reshape(-1, 3)
            inside = _inside(self._planes, flat)[: self._most - self.sent]
            if not inside.size:
                continue
            self.sent += inside.size
            values = cloud.values_at(made, inside)
            tags = (made.index[inside // k] * k + inside % k).astype(np.uint32)
            yield CloudPart(flat[inside], tags, values, first / total)
        done = first >= total or self.sent >= self._most
        self.next = None if done else first


def _inside(planes: Floats, points: Points32) -> Indices:
    """Which points (n, 3) lie within all planes."""
    x, y, z = points.T
    good = np.ones(len(points), dtype=bool)
    for a, b, c, d in planes.astype(np.float32):
        good &= a * x + b * y + c * z + d >= 0
    return np.flatnonzero(good)


def _tags(index: Indices, k: int) -> npt.NDArray[np.uint32]:
    return (index[:, None] * k + np.arange(k)).ravel().astype(np.uint32)
