"""Incremental rotation: a handle that turns a little turns the tool on and on."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.spatial.rotation import SO3

__all__ = ["IncrementalRotation"]


class IncrementalRotation:
    """Orientation of a tool from small deflections of a handle: the deflection is a speed.

    CINEGEN's own device is absolute in translation and incremental in rotation: the wrist of the
    hand never reaches its limit.
    """

    def __init__(
        self, *, gain: float = 3.0, dead: float = math.radians(2), start: SO3 | None = None
    ):
        """Set up at an orientation.

        Args:
            gain: Speed of the tool per deflection of the handle [1/s].
            dead: Deflections up to this turn nothing [rad].
            start: Orientation of the tool.
        """
        if not (0 < gain < math.inf and 0 <= dead < math.inf):
            raise UsageError(
                f"gain must be positive and dead must not be negative, got {gain!r} and {dead!r}"
            )
        self.gain, self.dead = gain, dead
        self.orientation = SO3.identity() if start is None else start

    def turn(self, deflection: npt.ArrayLike, seconds: float) -> SO3:
        """The orientation after some time with a deflection (rotation vector, world axes [rad])."""
        w = np.asarray(deflection, dtype=np.float64)
        size = float(np.linalg.norm(w))
        if w.shape != (3,) or not math.isfinite(size * seconds):
            raise UsageError(
                f"a deflection must be three finite numbers over a finite time, got {deflection!r} "
                f"and {seconds!r}"
            )
        if size > self.dead:
            step = w / size * (size - self.dead) * self.gain * seconds
            self.orientation = SO3.exp(step) @ self.orientation
        return self.orientation
