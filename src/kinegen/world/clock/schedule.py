"""Schedule: at which steps of the world something happens, in whole numbers."""

from __future__ import annotations

import math

from kinegen.errors import UsageError

__all__ = ["Schedule"]

_CLOSE = 1e-9
"""How far from a whole number a ratio may be: rounding of 1 / 0.001."""


class Schedule:
    """The steps at which a sensor or an agent has its turn.

    A rate must divide the rate of the steps, or be a whole number of hertz below it: then the turns
    are the first steps at or after the exact times (30 Hz over 1 kHz: 0, 34, 67, 100 ms), which
    never drifts.
    """

    def __init__(self, rate: float | None, step: float, who: str) -> None:
        """Check a rate.

        Args:
            rate: Turns per second [Hz]; None: every step.
            step: Of the world [s].
            who: Whose rate it is, for messages: "sensor 'eye'".
        """
        self.turns, self.steps = 1, 1
        if rate is None:
            return
        ratio, base = 1 / (rate * step), 1 / step
        if ratio >= 1 - _CLOSE and abs(ratio - round(ratio)) < _CLOSE * ratio:
            self.steps = round(ratio)
        elif rate <= base and _is_whole(rate) and _is_whole(base):
            self.turns, self.steps = round(rate), round(base)
        else:
            raise UsageError(_refusal(rate, base, step, who))

    def is_due(self, count: int) -> bool:
        """Whether it has its turn in step ``count``, counted from 0."""
        return (count * self.turns) % self.steps < self.turns

    def period(self, step: float) -> float:
        """Between two turns, on average [s]."""
        return step * self.steps / self.turns


def _is_whole(number: float) -> bool:
    return abs(number - round(number)) < _CLOSE * abs(number)


def _refusal(rate: float, base: float, step: float, who: str) -> str:
    if rate > base:
        return (
            f"the rate of {who} is {rate:g} Hz, but the world makes {base:g} steps per second: "
            f"use at most {base:g} Hz, or a step of {1 / rate:g} s"
        )
    fewer, more = base / math.ceil(base / rate), base / math.floor(base / rate)
    return (
        f"the rate of {who} is {rate:g} Hz, which does not divide the {base:g} Hz of steps of "
        f"{step:g} s: use {fewer:.6g} Hz or {more:.6g} Hz"
        + (", or a whole number of hertz" if _is_whole(base) else "")
    )
