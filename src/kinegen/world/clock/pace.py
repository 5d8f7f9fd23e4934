"""Pace: a world that runs as fast as a clock on the wall, or a multiple of that."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from typing import TYPE_CHECKING

from kinegen.dynamics.simulation.system import is_number
from kinegen.errors import UsageError

if TYPE_CHECKING:
    from kinegen.world.world import World

__all__ = ["run_paced"]

SLOWEST = 0.01
"""Simulated seconds per real second at least."""
LATE = 0.5
"""A world that is behind by more real time than this does not try to catch up [s]."""


def run_paced(
    world: World, last: int, pace: float, progress: Callable[[float], object] | None = None
) -> None:
    """Run to a step, at most at a pace.

    Args:
        world: The world.
        last: The step to reach.
        pace: Simulated seconds per real second.
        progress: Called now and then with the time reached [s].
    """
    if not is_number(pace) or pace < SLOWEST:
        raise UsageError(f"the pace is {pace!r}: use {SLOWEST:g} or more; 1 is real time")
    begun, first = clock.perf_counter(), world.time
    next_look = begun
    periods = [agent.schedule.period(world.step_length) for agent in world.agents.values()]
    world.answer_within(min(periods, default=1.0) / pace)
    try:
        while world.count < last and world.is_running:
            ahead = (world.time - first) / pace - (clock.perf_counter() - begun)
            if ahead > 0:
                clock.sleep(min(ahead, 0.05))
                continue
            if ahead < -LATE:
                begun -= ahead + LATE
            world.step()
            if progress is not None and clock.perf_counter() > next_look:
                progress(world.time)
                next_look = clock.perf_counter() + 0.1
    finally:
        world.answer_within(None)
