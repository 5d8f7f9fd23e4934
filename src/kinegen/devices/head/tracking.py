"""Tracking: measured heads made smooth; a lost one stays for a moment, then returns gently."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from kinegen.devices.head.smoothing import OneEuro
from kinegen.kernels import Floats
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3

__all__ = ["HeadTracking"]

HOLD = 1.0
"""[s] A head that is not found stays where it was for so long: faces are missed now and then."""
RETURN = 0.8
"""[s] Then the way back to the rest place falls to 1/e in this time."""
ARRIVED = 2e-3
"""[m] Nearer to the rest place it is there."""


@dataclass(slots=True)
class HeadTracking:
    """Makes a steady head of measurements that come and go."""

    rest: Floats
    """Where the head is in the room while nobody is tracked [m], shape (3,)."""
    smoothing: OneEuro = field(default_factory=OneEuro)
    turning: OneEuro = field(default_factory=lambda: OneEuro(beta=1.0))
    """For the head's rotation vector, which has less to say."""
    _head: SE3 | None = None
    _seen: float = -math.inf
    _now: float = -math.inf

    @property
    def last(self) -> SE3 | None:
        """The head as it was last."""
        return self._head

    def __call__(self, time: float, measured: SE3 | None) -> SE3 | None:
        """X_RH at a time [s]; None once the head is back at its rest place, or was never seen."""
        span, self._now = max(0.0, time - self._now), time
        if measured is not None:
            self._seen = time
            place = self.smoothing(time, measured.translation)
            turn = self.turning(time, measured.so3.log())
            self._head = SE3(SO3.exp(turn), place)
        elif self._head is not None and time - self._seen > HOLD:
            share = math.exp(-span / RETURN)
            way = share * (self._head.translation - self.rest)
            turn = share * self._head.so3.log()
            self.smoothing.forget()
            self.turning.forget()
            is_there = float(np.linalg.norm(way)) < ARRIVED
            self._head = None if is_there else SE3(SO3.exp(turn), self.rest + way)
        return self._head
