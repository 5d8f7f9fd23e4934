"""Overrides: what stands between the writer of a signal and its readers, until it is released."""

from __future__ import annotations

from collections import deque
from typing import Any, Protocol

import numpy as np

from kinegen.kernels import Floats

__all__ = ["Cut", "Delay", "Force", "Freeze", "Noise", "Override", "Scale"]


class Override(Protocol):
    """Turns what was written into what is read."""

    @property
    def text(self) -> str:
        """What it does, for people: ``forced to 0.05 m``."""
        ...

    def __call__(self, written: Any, time: float) -> Any:
        """What readers get, for what was written at a time [s]."""
        ...


class Force:
    """Readers get a given value."""

    def __init__(self, value: Any, unit: str = "") -> None:
        self.value = value
        whole = np.asarray(value)
        shown = np.array2string(whole, precision=4, threshold=6) if whole.shape else f"{whole:.5g}"
        self.text = f"forced to {with_unit(shown, unit)}"

    def __call__(self, written: Any, time: float) -> Any:
        """The given value."""
        return self.value


class Freeze(Force):
    """Readers get the value that it had when it was frozen."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.text = "frozen"


class Scale:
    """Readers get a multiple of what is written, plus an offset."""

    def __init__(self, factor: float, offset: float = 0.0, unit: str = "") -> None:
        self.factor, self.offset = factor, offset
        more = f", plus {with_unit(f'{offset:g}', unit)}" if offset else ""
        self.text = f"scaled by {factor:g}{more}"

    def __call__(self, written: Floats, time: float) -> Any:
        """The multiple."""
        return self.factor * written + self.offset


class Delay:
    """Readers get what was written some time ago; at first, the oldest value there is."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.text = f"delayed by {seconds:g} s"
        self._kept: deque[tuple[float, Any]] = deque()

    def __call__(self, written: Any, time: float) -> Any:
        """What was written before."""
        if not self._kept or self._kept[-1][0] < time:
            self._kept.append((time, np.array(written)))
        # half a microsecond: times are multiples of the step, rounded
        while len(self._kept) > 1 and self._kept[1][0] <= time - self.seconds + 5e-7:
            self._kept.popleft()
        return self._kept[0][1]


class Noise:
    """Readers get what is written, plus normally distributed noise."""

    def __init__(self, deviation: float, random: np.random.Generator, unit: str = "") -> None:
        self.deviation = deviation
        self.text = f"with noise of {with_unit(f'{deviation:g}', unit)}"
        self._random = random

    def __call__(self, written: Floats, time: float) -> Any:
        """What is written, plus a new random number."""
        return written + self.deviation * self._random.standard_normal(np.shape(written))


class Cut:
    """Readers get nothing: a number that is none, as from a cut cable."""

    text = "cut"

    def __call__(self, written: Any, time: float) -> Any:
        """No number."""
        whole = np.asarray(written)
        return np.full(whole.shape, np.nan) if whole.dtype == np.float64 else None


def with_unit(number: str, unit: str) -> str:
    """A number for people."""
    return f"{number} {unit}" if unit else number
