"""Smoothing of noisy measurements with little delay: the one-euro filter.

After G. Casiez, N. Roussel, D. Vogel, "1 € Filter" (CHI 2012): a low-pass filter whose cut-off
frequency grows with the speed, so that a head at rest does not tremble and a fast one does not lag.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Floats

__all__ = ["OneEuro"]


@dataclass(slots=True)
class OneEuro:
    """A filter for places; all coordinates share one cut-off frequency."""

    rest: float = 1.0
    """Cut-off frequency at rest [Hz]: lower trembles less."""
    beta: float = 4.0
    """How fast it grows with the speed [Hz per m/s]: higher lags less."""
    speed: float = 1.0
    """Cut-off frequency for the speed itself [Hz]."""
    _time: float = -math.inf
    _value: Floats | None = None
    _rate: Floats | None = None
    _measured: Floats | None = None

    def __call__(self, time: float, measured: Floats) -> Floats:
        """The smoothed value at a time [s]; the first measurement is taken as it is."""
        before, self._measured = self._measured, np.array(measured, dtype=float)
        if self._value is None or self._rate is None or before is None or not time > self._time:
            self._time, self._value = time, np.array(measured, dtype=float)
            self._rate = np.zeros_like(self._value)
            return self._value.copy()
        span, self._time = time - self._time, time
        rate = (self._measured - before) / span
        self._rate = self._rate + _share(self.speed, span) * (rate - self._rate)
        cutoff = self.rest + self.beta * float(np.linalg.norm(self._rate))
        self._value = self._value + _share(cutoff, span) * (measured - self._value)
        return self._value.copy()

    def forget(self) -> None:
        """Take the next measurement as it is."""
        self._value = self._rate = None


def _share(cutoff: float, span: float) -> float:
    """What a low-pass filter takes of a new value after a time [s]."""
    return 1.0 / (1.0 + 1.0 / (2 * math.pi * cutoff * span))
