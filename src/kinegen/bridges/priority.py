"""Who goes first when processors are short: answers to clients before everything else."""

from __future__ import annotations

import os

__all__ = ["prefer_this_process"]

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
    """
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(LEAST))
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
