"""Route: where a scripted hand is over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kinegen.kernels import Floats

__all__ = ["Route"]


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """Places at times; each move between two of them starts and ends at rest."""

    times: Floats
    """Increasing [s], (n,)."""
    places: Floats
    """In the world [m], (n, 3)."""

    @classmethod
    def of(cls, times: npt.ArrayLike, places: Sequence[npt.ArrayLike]) -> Route:
        """A route of lists of numbers."""
        return cls(np.array(times, dtype=np.float64), np.array(places, dtype=np.float64))

    @property
    def start(self) -> float:
        """When it begins [s]."""
        return float(self.times[0])

    def __call__(self, time: float) -> Floats:
        """Where the hand is [m], (3,); before and after the route at its ends."""
        next_ = int(np.searchsorted(self.times, time, side="right"))
        if next_ in (0, len(self.times)):
            return np.array(self.places[min(next_, len(self.times) - 1)])
        begin, end = self.times[next_ - 1 : next_ + 1]
        share = (time - begin) / (end - begin)
        from_, to = self.places[next_ - 1 : next_ + 1]
        return np.asarray(from_ + share**2 * (3 - 2 * share) * (to - from_))
