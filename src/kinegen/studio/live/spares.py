"""Spares: processes that are started before a simulation needs them.

Most of a simulation's start is the start of its process: Python and what it imports. A spare has
that behind it and waits for its first order; it is used once, and another takes its place. Spares
that are no longer wanted stay for a while: a page that is loaded again wants them again.
"""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import Process

from kinegen.studio.server.processes.ending import end_process

__all__ = ["GRACE", "MOST", "Spares"]

MOST = 2
"""Processes that wait: each has about 100 MB."""
GRACE = 20.0
"""[s] for which a process waits although nobody wants it."""
_LONGEST = 2**24
"""[bytes] of an answer's line."""


class Spares:
    """Processes of live simulations, some of them ready. All methods run in the event loop."""

    def __init__(self, grace: float = GRACE) -> None:
        self.grace = grace
        """[s] for which those that nobody wants are kept."""
        self._unwanted_since = float("-inf")
        self._wanted = 0
        self._ready: list[Process] = []
        self._starting: asyncio.Task[None] | None = None

    @property
    def count(self) -> int:
        """How many wait."""
        return sum(process.returncode is None for process in self._ready)

    def keep(self, count: int) -> None:
        """Have so many ready from now on, at most ``MOST``."""
        self._wanted = min(count, MOST)
        now = asyncio.get_running_loop().time()
        if self.count <= self._wanted:
            self._unwanted_since = now
        is_due = self.count < self._wanted or now - self._unwanted_since > self.grace
        if is_due and (self._starting is None or self._starting.done()):
            self._starting = asyncio.create_task(self._fill())

    async def take(self) -> Process:
        """A process: one that is ready, else a new one."""
        while self._ready:
            process = self._ready.pop(0)
            if process.returncode is None:
                self.keep(self._wanted)
                return process
        return await _start()

    async def close(self) -> None:
        """End those that wait."""
        self._wanted = 0
        if self._starting is not None:
            await asyncio.gather(self._starting, return_exceptions=True)
        await self._fill()

    async def _fill(self) -> None:
        self._ready = [process for process in self._ready if process.returncode is None]
        while len(self._ready) < self._wanted:
            try:
                self._ready.append(await _start("spare"))
            except OSError:  # too many processes: a simulation that is asked for reports it
                return
        while len(self._ready) > self._wanted:
            await end_process(self._ready.pop())


async def _start(*arguments: str) -> Process:
    return await asyncio.create_subprocess_exec(
        # -P: nothing that lies in the present folder is taken for a module
        sys.executable, "-P", "-m", "kinegen.studio.live.worker", *arguments,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=_LONGEST,
        start_new_session=True,  # Ctrl-C in the terminal is for the studio
    )  # fmt: skip
