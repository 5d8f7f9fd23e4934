"""Jobs: heavy work in processes of its own, so that it can be stopped and never blocks a page."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from typing import Any, Protocol

import orjson

from kinegen.errors import KinegenError

__all__ = ["JobError", "Workers"]

_LONGEST = 512 * 2**20
"""[bytes] of an answer's line."""


class Report(Protocol):
    """Who hears of a job while it runs."""

    def progress(self, label: str, share: float | None) -> None:
        """Take a label and a share of 0 … 1, None where it cannot be told."""

    async def piece(self, head: dict[str, Any], data: bytes) -> None:
        """Take a piece of the result; the job goes on when it has been taken."""


class JobError(KinegenError):
    """A job failed; its text is for people."""


class _Worker:
    """One process that does one job after the other; ended to stop a job."""

    def __init__(self) -> None:
        self._process: Process | None = None

    async def start(self) -> Process:
        """The process, which takes half a second to be ready when it is new."""
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                # -P: nothing that lies in the present folder is taken for a module
                sys.executable, "-P", "-m", "kinegen.studio.worker",
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=_LONGEST,
            )  # fmt: skip
        return self._process

    async def run(self, job: dict[str, Any], report: Report) -> Any:
        process = await self.start()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(orjson.dumps(job) + b"\n")
            await process.stdin.drain()
            while True:
                line = await process.stdout.readline()
                if not line:
                    raise ConnectionError("its output ended")
                answer = orjson.loads(line)
                if "progress" in answer:
                    report.progress(answer["progress"], answer["share"])
                elif "piece" in answer:
                    data = await process.stdout.readexactly(answer["bytes"])
                    await report.piece(answer["piece"], data)
                elif "error" in answer:
                    raise JobError(answer["error"])
                else:
                    return answer["result"]
        except (ConnectionError, EOFError, orjson.JSONDecodeError):
            await self.stop()
            raise JobError("the work ended unexpectedly; the studio goes on") from None
        except asyncio.CancelledError:
            await self.stop()
            # ready for the next job, which most often follows at once
            with contextlib.suppress(OSError):
                await self.start()
            raise

    async def stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        # the pipe's transport is closed by the process's end; stdin must be told
        if process.stdin is not None:
            process.stdin.close()


class Workers:
    """A few processes that jobs wait for in turn; each is started when first needed."""

    def __init__(self, count: int) -> None:
        self._idle: asyncio.LifoQueue[_Worker] | None = None
        self._all = [_Worker() for _ in range(count)]

    async def run(self, job: dict[str, Any], report: Report) -> Any:
        """Do a job (see ``worker.py``); cancelling the caller ends its process."""
        async with self._worker() as worker:
            return await worker.run(job, report)

    async def warm(self) -> None:
        """Start one process, so that the first job need not wait for it."""
        async with self._worker() as worker:
            await worker.start()

    @contextlib.asynccontextmanager
    async def _worker(self) -> AsyncIterator[_Worker]:
        """One that has nothing to do, as soon as there is one; the one used last comes first."""
        if self._idle is None:
            self._idle = asyncio.LifoQueue()
            for worker in self._all:
                self._idle.put_nowait(worker)
        found = await self._idle.get()
        try:
            yield found
        finally:
            self._idle.put_nowait(found)

    async def close(self) -> None:
        """End all processes."""
        for worker in self._all:
            await worker.stop()
