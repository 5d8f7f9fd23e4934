"""The end of a process that the studio started."""

from __future__ import annotations

import contextlib
from asyncio.subprocess import Process

__all__ = ["end_process"]


async def end_process(process: Process) -> None:
    """Kill a process and wait until it is gone."""
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    await process.wait()
    # the pipe's transport is closed by the process's end; stdin must be closed here
    if process.stdin is not None:
        process.stdin.close()
