"""Collisions on a motion: which bodies touch, from when to when, and how deep."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.collisions.checker import CollisionChecker, checker_of, depth_text
from kinegen.mechanism.model import Model
from kinegen.results import Result, ResultList

__all__ = ["CollisionSpan", "collision_spans"]


@dataclass(frozen=True, slots=True)
class CollisionSpan(Result):
    """Two bodies that touch on a stretch of a motion."""

    a: str
    b: str
    """Link, object, or "floor"."""
    first: int
    last: int
    """Rows of the motion, both included."""
    start: float
    end: float
    """Times of these rows [s]."""
    depth: float
    """Where they are deepest in each other [m]."""

    @property
    def text(self) -> str:
        """In words."""
        when = f"at {self.start:.3g} s"
        if self.last > self.first:
            when = f"from {self.start:.3g} s to {self.end:.3g} s"
        return f"{self.a} touches {self.b} {when}, {depth_text(-self.depth)}"


def collision_spans(
    model: Model, times: Floats, q: Floats, *, checker: CollisionChecker | None = None
) -> ResultList[CollisionSpan]:
    """Stretches of a motion on which bodies touch, the earliest first.

    Args:
        model: The compiled mechanism.
        times: (n,) [s].
        q: (n, nq); rows with NaN are not looked at.
        checker: What is checked; default: links and objects.
    """
    rows = np.flatnonzero(np.isfinite(q).all(axis=1))
    if not len(rows):
        return ResultList()
    found = (checker or checker_of(model)).measure(q[rows])
    by_pair: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for i in np.flatnonzero(found.touching).tolist():
        row = int(rows[found.poses[i]])
        by_pair.setdefault((found.a[i], found.b[i]), []).append((row, -float(found.distances[i])))
    spans = []
    for (a, b), hits in by_pair.items():
        where = np.array([row for row, _ in hits])
        for part in np.split(np.arange(len(hits)), np.flatnonzero(np.diff(where) > 1) + 1):
            first, last = int(where[part[0]]), int(where[part[-1]])
            depth = max(hits[k][1] for k in part.tolist())
            start, end = float(times[first]), float(times[last])
            spans.append(CollisionSpan(a, b, first, last, start, end, depth))
    return ResultList(sorted(spans, key=lambda span: (span.first, span.a, span.b)))
