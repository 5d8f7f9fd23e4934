"""Health: how the studio is, in numbers, for people and for Prometheus."""

from __future__ import annotations

import asyncio
import os
import time
from collections import deque
from collections.abc import Mapping

from kinegen.studio.server.entry.visitors import Visitors
from kinegen.studio.session.hub import Hub

__all__ = ["Health", "memory"]

_ROUND = 0.25
"""[s] Between two looks at how late the event loop is."""
_LOOKS = 240
"""Looks that are remembered: a minute."""
_HELP = {
    "sessions": "Open sessions.",
    "pages": "Connected pages.",
    "watchers": "View-only pages.",
    "simulations": "Simulations that are running or paused.",
    "simulations_ready": "Processes that are waiting for a simulation.",
    "jobs_running": "Computations in progress.",
    "jobs_waiting": "Computations that are waiting for a process.",
    "uploads_present": "Uploads in progress or waiting.",
    "uploads_total": "Files received since the start.",
    "recording_numbers": "Numbers in recordings that are not stored yet.",
    "connections": "Open connections of any kind.",
    "connections_refused_total": "Connections rejected, or closed in favour of others.",
    "connections_expired_total": "Connections closed because they took too long.",
    "loop_lag_seconds": "Delay of the event loop at the last check.",
    "loop_lag_max_seconds": "Largest delay of the event loop within a minute.",
    "memory_bytes": "Memory in use by the studio process.",
    "uptime_seconds": "Time since the start.",
    "journal_lag_seconds": "Age of the oldest change that is not yet in the journal.",
}


class Health:
    """Looks after the event loop, and gathers what others know."""

    def __init__(self, hub: Hub, visitors: Visitors) -> None:
        self._hub = hub
        self._visitors = visitors
        self._lags: deque[float] = deque([0.0], maxlen=_LOOKS)
        self._begun = time.monotonic()

    async def keep_time(self) -> None:
        """Note how late the event loop is, for ever."""
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + _ROUND
            await asyncio.sleep(_ROUND)
            self._lags.append(max(0.0, loop.time() - due))

    def numbers(self) -> Mapping[str, float]:
        """All that is measured, by name."""
        return {
            **self._hub.metrics(),
            "connections": len(self._visitors),
            "connections_refused_total": self._visitors.refused,
            "connections_expired_total": self._visitors.expired,
            "loop_lag_seconds": self._lags[-1],
            "loop_lag_max_seconds": max(self._lags),
            "memory_bytes": memory(),
            "uptime_seconds": time.monotonic() - self._begun,
        }

    def text(self) -> str:
        """The numbers in Prometheus's text format."""
        lines = []
        for name, value in self.numbers().items():
            kind = "counter" if name.endswith("_total") else "gauge"
            lines.append(f"# HELP kinegen_{name} {_HELP.get(name, name)}")
            lines.append(f"# TYPE kinegen_{name} {kind}")
            lines.append(f"kinegen_{name} {value:.6g}")
        return "\n".join(lines) + "\n"


def memory() -> float:
    """Memory that this process has in use [bytes]; 0 where the system does not say so simply."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return float(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, AttributeError, IndexError):
        return 0.0
