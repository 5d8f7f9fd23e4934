"""Ticker: what a wire does by itself, cycle by cycle, whatever moves the clock."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from kinegen.bridges.robot import CYCLE, Robot

__all__ = ["Ticker"]


class Ticker:
    """Calls a function in every cycle: by the clock on the wall, or when clients advance time."""

    def __init__(self, robot: Robot, call: Callable[[], None], period: float = CYCLE) -> None:
        """Not started.

        Args:
            robot: Looked at before each call; commands are sent after it.
            call: What is done.
            period: Between two calls by the clock on the wall [s].
        """
        self._robot, self._call, self._period = robot, call, period
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin; within an event loop."""
        if self._robot.clock == "client":
            self._robot.controllers.append(self._call)
        else:
            self._task = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        """End; more than once is no harm."""
        if self._call in self._robot.controllers:
            self._robot.controllers.remove(self._call)
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            self._robot.look()
            self._call()
            self._robot.send()
            # after a delay the cycle continues from now: nothing is made up for
            due = max(due + self._period, loop.time())
            await asyncio.sleep(due - loop.time())
