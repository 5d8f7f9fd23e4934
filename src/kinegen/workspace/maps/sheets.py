"""Sheets: branches of the inverse kinematics followed over a grid of places, where no formula is.

A search gives every answer at a few places; from there each is followed from place to place, so
that a branch stays the same one wherever it gets.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

import numpy as np

from kinegen.kernels import Floats, Outcome
from kinegen.kinematics.handles import Handle
from kinegen.kinematics.solving.dragging import Dragger
from kinegen.kinematics.solving.inverse import Solution, solve_all
from kinegen.mechanism.model import Model
from kinegen.spatial.rotation import SO3

__all__ = ["Progress", "Sheets"]

Progress = Callable[[int, int], bool | None]
"""Called with the work done and all work; returns False to end it."""

MOST = 16
"""Branches that are followed."""
SEARCHES = 12
"""Places beside the first one at which answers are looked for."""
TICKS = 12
"""Solver ticks from one place to the next: one is usual."""
LEAP = 1.0
"""Joints move less than this between neighbours, else it is another branch [rad, sizes]."""
SAME = 1e-4
"""Answers that differ by less are one."""


class Sheets:
    """Branches over a grid, each with its joint values (nq, n), NaN where it does not get."""

    def __init__(
        self,
        model: Model,
        frame: str,
        rotation: SO3 | None,
        points: Floats,
        shape: tuple[int, int, int],
        home: Floats,
    ) -> None:
        self.model, self.frame, self.rotation, self.home = model, frame, rotation, home
        self.points, self.shape = points, shape
        self.found: list[Floats] = []
        self._tried: list[int] = []
        handle = Handle(frame, points[:, 0], rotation)
        self._dragger = Dragger(model, home, [handle], limits=False, tolerance=1e-8)
        self._v = np.empty(model.nv)

    def run(self, here: Floats, attempts: int, progress: Progress | None) -> list[Floats]:
        """Search at the place nearest to ``here``, then where nothing has got yet."""
        count = self.points.shape[1]
        away = np.linalg.norm(self.points - here[:, None], axis=0)
        first = int(away.argmin())
        goes_on = self._begin(first, attempts, progress)
        for _ in range(SEARCHES if goes_on else 0):
            left = ~np.any([np.isfinite(qs[0]) for qs in self.found] or [np.zeros(count, bool)], 0)
            left[self._tried] = False
            if not left.any():
                break
            # where most is still to be found: far from every place that was searched
            seeds = self.points[:, self._tried]
            far = np.linalg.norm(self.points[:, :, None] - seeds[:, None], axis=0).min(axis=1)
            if not self._begin(int(np.where(left, far, -1.0).argmax()), attempts, progress):
                break
        return self.found

    def _begin(self, place: int, attempts: int, progress: Progress | None) -> bool:
        """Follow every new answer at a place; whether to continue."""
        self._tried.append(place)
        handle = Handle(self.frame, self.points[:, place], self.rotation)
        answers: Sequence[Solution] = solve_all(
            self.model, handle, start=self.home, limits=False, attempts=attempts, most=MOST
        )
        if answers and answers[0].dof_left > 0:
            answers = answers[:1]  # a family of answers: the nearest stands for it
        for n, answer in enumerate(answers):
            if len(self.found) >= MOST:
                break
            known = any(
                np.isfinite(qs[0, place]) and self._step(qs[:, place], answer.q) < SAME
                for qs in self.found
            )
            if known:
                continue
            self._follow(place, answer.q)
            if progress is not None and progress(n + 1, len(answers)) is False:
                return False
        return True

    def _follow(self, place: int, q: Floats) -> None:
        """Spread one answer over the places that can be reached from it, ring by ring."""
        qs = np.full((self.model.nq, self.points.shape[1]), np.nan)
        qs[:, place] = q
        tried = np.zeros(qs.shape[1], dtype=bool)
        tried[place] = True
        edge = deque([place])
        while edge:
            at = edge.popleft()
            for near in self._neighbours(at):
                if tried[near]:
                    continue
                made = self._go(qs[:, at], near)
                if made is None:
                    continue  # perhaps from another side
                tried[near] = True
                qs[:, near] = made
                edge.append(near)
        self.found.append(qs)

    def _neighbours(self, place: int) -> list[int]:
        at = np.unravel_index(place, self.shape)
        found = []
        for axis in range(3):
            for step in (-1, 1):
                to = [int(k) for k in at]
                to[axis] += step
                if 0 <= to[axis] < self.shape[axis]:
                    found.append(int(np.ravel_multi_index(to, self.shape)))
        return found

    def _go(self, q: Floats, place: int) -> Floats | None:
        """From a pose to a neighbouring place; None when that is not possible."""
        dragger = self._dragger
        dragger.q = q
        dragger.move(0, self.points[:, place])
        outcome = Outcome.MOVING
        for _ in range(TICKS):
            outcome = dragger.tick().outcome
            if outcome is not Outcome.MOVING:
                break
        if outcome is not Outcome.REACHED or self._step(q, dragger.q) > LEAP:
            return None
        return dragger.q.copy()

    def _step(self, q0: Floats, q1: Floats) -> float:
        """The largest move of a joint between two poses."""
        self.model.kernels.difference(np.ascontiguousarray(q0), np.ascontiguousarray(q1), self._v)
        return float(np.abs(self._v).max(initial=0.0))
