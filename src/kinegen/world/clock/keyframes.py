"""Keyframes: moments of a world that are kept, so that it can go back to any time."""

from __future__ import annotations

import math

from kinegen.world.clock.snapshot import Snapshot

__all__ = ["Keyframes"]

MOST = 64
"""Regular moments that are kept; when there are more, every other one goes."""
MOST_CHANGES = 256
"""Moments after somebody intervened that are kept."""


class Keyframes:
    """Moments at regular times, the distance growing with the time; and after interventions."""

    def __init__(self, period: float, step: float, most: int = MOST) -> None:
        """Nothing is kept yet.

        Args:
            period: Between two moments at first [s]; 0: none is kept.
            step: Of the world [s].
            most: Regular moments that are kept.
        """
        self.most = most
        self.every = math.ceil(period / step - 1e-9) if period > 0 else 0
        self._regular: dict[int, Snapshot] = {}
        self._changes: dict[int, Snapshot] = {}

    def is_due(self, count: int) -> bool:
        """Whether a moment should be kept before step ``count``."""
        return bool(self.every) and count % self.every == 0 and count not in self._changes

    def has_change(self, count: int) -> bool:
        """Whether somebody intervened before step ``count``."""
        return count in self._changes

    def add(self, moment: Snapshot) -> None:
        """Keep a regular moment."""
        self._regular[moment.count] = moment
        if len(self._regular) > self.most:
            self.every *= 2
            self._regular = {n: one for n, one in self._regular.items() if n % self.every == 0}

    def add_change(self, moment: Snapshot) -> None:
        """Keep a moment after somebody intervened: the way there could not be run again."""
        if self.every:
            self._regular.pop(moment.count, None)
            self._changes.pop(moment.count, None)  # the newest comes last
            self._changes[moment.count] = moment
            if len(self._changes) > MOST_CHANGES:
                del self._changes[min(self._changes)]

    def before(self, count: int) -> Snapshot | None:
        """The last moment that is kept at or before a step."""
        both = self._regular | self._changes
        found = [n for n in both if n <= count]
        return both[max(found)] if found else None

    @property
    def first(self) -> int | None:
        """The earliest step that is kept."""
        return min(self._regular | self._changes, default=None)

    def forget_before(self, count: int) -> None:
        """Steps before this one cannot be gone back to."""
        self._regular = {n: one for n, one in self._regular.items() if n >= count}
        self._changes = {n: one for n, one in self._changes.items() if n >= count}

    def forget_after(self, count: int) -> None:
        """What comes later may become different."""
        self._regular = {n: one for n, one in self._regular.items() if n <= count}
        self._changes = {n: one for n, one in self._changes.items() if n <= count}
