"""Resumption: how a motion continues beside its plan after a hand has led it, or comes to rest."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Floats
from kinegen.motion.chart import Chart, Rates
from kinegen.motion.plan import Plan

__all__ = ["Resumption"]


@dataclass(frozen=True, slots=True, eq=False)
class Resumption:
    """By an offset from the plan that began at some time, or resting."""

    since: float = 0.0
    """When it began [s]."""
    offset: Floats | None = None
    """From the plan, in numbers of q, when it began; None: none."""
    drift: Floats | None = None
    """Rate of the offset; of a motion that stops, all of its own."""
    how: str = "keep"
    """'keep', 'rejoin' or 'stop'."""
    clock: float = 0.0
    """By how much the plan is behind the time [s]."""
    rest: Floats | None = None
    """Where it left off, when it stops."""

    @classmethod
    def after(
        cls, plan: Plan, time: float, q: Floats, v: Floats, *, how: str, before: Resumption
    ) -> Resumption:
        """How a motion that is at q and v now continues."""
        if how == "stop":
            return cls(time, None, plan.chart.rates(q, v), how, before.clock, q.copy())
        clock = before.clock if before.rest is None else before.clock + time - before.since
        offset, drift = plan.chart.offset(plan.rates(time - clock), q, v)
        return cls(time, offset, drift, how, clock)

    def rates(self, plan: Plan, time: float, *, blend: float, rate: float) -> Rates:
        """Where it should be, in numbers of q with their rates.

        Args:
            plan: The plan.
            time: [s]
            blend: In which it rejoins or stops [s].
            rate: At which the extra speed of a course that is kept dies away [1/s].
        """
        since = time - self.since
        if self.rest is not None and self.drift is not None:
            # braked evenly: the way to rest is what the speed makes in the time of a blend
            made, slope, bend = _braked(since, blend)
            return self.rest + self.drift * made, self.drift * slope, self.drift * bend
        planned = plan.rates(time - self.clock)
        if self.offset is None or self.drift is None:
            return planned
        if self.how == "rejoin":
            shares = _quintic(since, blend)
        else:
            # the extra speed dies away, the way that it made stays
            dying = math.exp(-rate * since)
            shares = ((1.0, (1 - dying) / rate), (0.0, dying), (0.0, -rate * dying))
        return plan.chart.shifted(planned, _blended(plan.chart, self.offset, self.drift, shares))


def _blended(
    chart: Chart, offset: Floats, drift: Floats, shares: tuple[tuple[float, float], ...]
) -> Rates:
    """What is left of an offset; none at all is the chart's own."""
    still = chart.still
    away = offset - still
    first, second, third = (a * away + b * drift for a, b in shares)
    return np.asarray(still + first), second, third


def _braked(time: float, span: float) -> tuple[float, float, float]:
    """Way of a speed 1 that falls evenly to 0 within the span, with its rates."""
    s = min(time / span, 1.0)
    return span * (s - s * s / 2), 1 - s, -1 / span if s < 1 else 0.0


def _quintic(time: float, span: float) -> tuple[tuple[float, float], ...]:
    """What is left of an offset and of an extra speed: value, slope, second derivative."""
    s = min(time / span, 1.0)
    # offset: 1, 0, 0 to 0, 0, 0; speed: slope 1 at first
    a = (1 - s**3 * (10 - 15 * s + 6 * s * s), -30 * s * s * (1 - s) ** 2,
         -60 * s * (1 - s) * (1 - 2 * s))  # fmt: skip
    b = (
        s - 6 * s**3 + 8 * s**4 - 3 * s**5,
        1 - 18 * s**2 + 32 * s**3 - 15 * s**4,
        -36 * s + 96 * s**2 - 60 * s**3,
    )
    return (
        (a[0], b[0] * span),
        (a[1] / span, b[1]),
        (a[2] / span**2, b[2] / span),
    )
