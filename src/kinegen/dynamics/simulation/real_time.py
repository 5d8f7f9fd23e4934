"""RealTime: as many steps as belong to the real time that passes, as far as they can be made."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["BUSY", "RealTime"]

BUSY = 12e-3
"""[s, real] Steps take at most about this long in one go: when they cannot keep up with real time,
what shows them is still drawn often."""
SLICE = 4e-3
"""[s, real] Steps are made for about this long before the clock is looked at again."""
LATE = 0.1
"""[s, real] Time that is lost beyond this is not caught up with: the motion is slower then."""
LEARNT = 0.3
"""Share of the last steps in what a step is expected to cost."""
RECENT = 0.5
"""[s, real] over which the pace is averaged."""


class RealTime:
    """Lets a simulation follow the clock, for those who show it while it runs."""

    def __init__(
        self, step: float, speed: float = 1.0, *, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        """Begin now.

        Args:
            step: Length of a step [s].
            speed: Simulated seconds per real second.
            clock: Real time [s].
        """
        self.step = step
        self._clock = clock
        self._cost = 1e-4
        """[s, real] of a step, as learnt so far."""
        self.set_speed(speed)

    def set_speed(self, speed: float) -> None:
        """Follow the clock at another speed from now on."""
        self.speed = speed
        self.pace = speed
        """Simulated seconds per real second, recently."""
        self._owed = 0.0
        """[s] Simulated time that should have passed and has not."""

    def forget(self) -> None:
        """Owe nothing: the simulation was brought to another time."""
        self._owed = 0.0

    def pass_time(self, seconds: float, make_steps: Callable[[int], bool]) -> None:
        """Let real time pass.

        Args:
            seconds: That have passed [s].
            make_steps: Makes so many steps, and returns whether there can be more.
        """
        self._owed += seconds * self.speed
        begun, made, can_continue = self._clock(), 0.0, True
        while can_continue and self._owed >= self.step:
            now = self._clock()
            left = BUSY - (now - begun)
            if left <= 0:
                break
            count = max(1, min(int(self._owed / self.step), int(min(SLICE, left) / self._cost)))
            can_continue = make_steps(count)
            self._cost += LEARNT * ((self._clock() - now) / count - self._cost)
            self._owed -= count * self.step
            made += count * self.step
        # a step may be longer than that in slow motion
        self._owed = min(self._owed, max(LATE * self.speed, self.step))
        if seconds > 0:
            self.pace += min(1.0, seconds / RECENT) * (made / seconds - self.pace)
