"""Who goes first when processors are short: answers to clients before everything else."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

__all__ = ["prefer_this_process", "preferred"]

PREFERRED = -10
"""Niceness of a process that answers clients, where there is no better way."""
LEAST = 1
"""Of the priorities in real time: before all processes without one, after all others."""


def prefer_this_process() -> bool:
    """Let this process run before others; whether the system allows it.

    The process of the wires sleeps until a client asks, answers within a millisecond and sleeps
    again. Among processes that compute, such as the world or a page, it would wait for several
    slices of a processor at times, and clients give up after 34 ms. Systems allow it to
    administrators and to users with a limit for it (``rtprio`` in ``limits.conf``). Niceness does
    less: Linux counts it within a session only, and this process has one of its own.

    Processes that it starts, such as the world, run like all others.
    """
    try:
        policy = os.SCHED_RR | os.SCHED_RESET_ON_FORK
        os.sched_setscheduler(0, policy, os.sched_param(LEAST))
    except (AttributeError, OSError):
        pass
    else:
        return True
    try:
        if os.getpriority(os.PRIO_PROCESS, 0) > PREFERRED:
            os.setpriority(os.PRIO_PROCESS, 0, PREFERRED)
    except (AttributeError, OSError):
        return False
    return True


@contextmanager
def preferred() -> Iterator[bool]:
    """Let this process run before others for a while: a program that calls this continues later."""
    before = _priority()
    try:
        yield prefer_this_process()
    finally:
        _set_priority(before)


def _priority() -> tuple[int, int, int]:
    """Policy, priority in real time, niceness; none of them where there are no such things."""
    with suppress(AttributeError, OSError):
        niceness = os.getpriority(os.PRIO_PROCESS, 0)
        return os.sched_getscheduler(0), os.sched_getparam(0).sched_priority, niceness
    return -1, 0, 0


def _set_priority(before: tuple[int, int, int]) -> None:
    policy, level, niceness = before
    if policy < 0 or before == _priority():
        return
    with suppress(OSError):
        try:
            os.sched_setscheduler(0, policy, os.sched_param(level))
        except PermissionError:  # only administrators may let children inherit again
            policy |= os.SCHED_RESET_ON_FORK
            os.sched_setscheduler(0, policy, os.sched_param(level))
        os.setpriority(os.PRIO_PROCESS, 0, niceness)
