"""Jobs: heavy work in processes of its own, so that it can be stopped and never blocks a page."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Coroutine
from typing import Protocol

from kinegen.errors import KinegenError
from kinegen.studio.jobs.processes.protocol import (
    ANSWERS,
    Failed,
    FileMade,
    Found,
    MadeFile,
    Part,
    Said,
)
from kinegen.studio.server.processes.ending import end_process
from kinegen.studio.server.processes.watchdog import Watchdog
from kinegen.studio.wire.codec import EncodedResult, decode_any, encode
from kinegen.studio.wire.message import Message

__all__ = ["JobError", "Workers"]

_LONGEST = 512 * 2**20
"""[bytes] of an answer's line."""
FAIR = 120.0
"""[s] A job that has had a process for this long gives it up when jobs of other sessions wait."""
LOOK = 1.0
"""[s] Between two looks whether others wait."""
MOST_WAITING = 200
"""Jobs that may wait: four of each of fifty pages."""


Outcome = EncodedResult | MadeFile
"""What a job comes to."""


class Report(Protocol):
    """Who hears of a job while it runs."""

    def progress(self, label: str, share: float | None) -> None:
        """Take a label and a share of 0 … 1, None where it is unknown."""

    async def piece(self, head: bytes, data: bytes) -> None:
        """Take a piece of the result, its head as JSON; the job continues when it is taken."""


class JobError(KinegenError):
    """A job failed; its text is for people."""


class _Worker:
    """One process that does one job after the other; ended to stop a job."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._process: Process | None = None
        self._is_due = False
        """Whether an answer is awaited, and not a page that reads slowly."""

    async def start(self) -> Process:
        """The process, which takes half a second to be ready when it is new."""
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                # -P: nothing that lies in the present folder is taken for a module
                sys.executable, "-P", "-m", self._module,
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=_LONGEST,
                start_new_session=True,  # Ctrl-C in the terminal is for the studio
            )  # fmt: skip
        return self._process

    async def run(self, job: Message, report: Report) -> Outcome:
        process = await self.start()
        watchdog = Watchdog(process, lambda: self._is_due)
        try:
            return await self._run(process, job, report, watchdog)
        except (ConnectionError, EOFError, ValueError):
            await self.stop()
            how = watchdog.reason or "ended unexpectedly"
            raise JobError(
                f"the computation {how}; the studio continues with a new process, so try again"
            ) from None
        except asyncio.CancelledError:
            await self.stop()
            # ready for the next job, which most often follows at once
            with contextlib.suppress(OSError):
                await self.start()
            raise
        finally:
            self._is_due = False
            watchdog.end()

    async def _run(
        self, process: Process, job: Message, report: Report, watchdog: Watchdog
    ) -> Outcome:
        assert process.stdin is not None and process.stdout is not None
        self._is_due = True
        process.stdin.write(encode(job).encode() + b"\n")
        await process.stdin.drain()
        while True:
            line = await process.stdout.readline()
            if not line:
                raise ConnectionError("its output ended")
            watchdog.heard()
            match decode_any(line, ANSWERS):
                case Said(label, share):
                    report.progress(label, share)
                case Part(head=size, data=count):
                    head = await process.stdout.readexactly(size)
                    data = await process.stdout.readexactly(count)
                    self._is_due = False
                    await report.piece(head, data)
                    self._is_due = True
                case FileMade(name, media_type, count, notes):
                    data = await process.stdout.readexactly(count)
                    return MadeFile(name, media_type, data, tuple(notes))
                case Found(count):
                    return EncodedResult(await process.stdout.readexactly(count))
                case Failed(message):
                    raise JobError(message)

    async def stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await end_process(process)


class Workers:
    """A few processes that jobs wait for in turn; each is started when first needed.

    Args:
        count: How many.
        module: What they run; it speaks as ``protocol.py`` has it.
        longest: How long a job may take [s]; None for any time.
    """

    def __init__(
        self,
        count: int,
        *,
        module: str = "kinegen.studio.jobs.processes.worker",
        longest: float | None = None,
    ) -> None:
        self._idle: asyncio.LifoQueue[_Worker] | None = None
        self._all = [_Worker(module) for _ in range(count)]
        self._longest = longest
        self.running = 0
        """Jobs that are at work."""
        self._queue: list[str] = []
        """Owners of the jobs that wait for a process."""

    @property
    def waiting(self) -> int:
        """Jobs that wait for a process."""
        return len(self._queue)

    async def run(self, job: Message, report: Report, owner: str = "") -> Outcome:
        """Do a job; cancelling the caller ends its process.

        Args:
            job: What the process has to do, of the class that it works on.
            report: Who hears of it meanwhile.
            owner: The session it is for. A long job ends when others' jobs wait for its process.
        """
        if self.waiting >= MOST_WAITING:
            raise JobError(
                f"{self.waiting} computations are already waiting, which is the limit; try again "
                "when some are done"
            )
        async with self._worker(owner) as worker:
            self.running += 1
            try:
                async with asyncio.timeout(self._longest):
                    return await self._fairly(worker.run(job, report), owner)
            except TimeoutError:
                raise JobError(
                    f"this took longer than {self._longest:.0f} s and was stopped"
                ) from None
            finally:
                self.running -= 1

    async def _fairly(self, work: Coroutine[None, None, Outcome], owner: str) -> Outcome:
        """Await a job; it ends early when it takes long and other sessions wait."""
        loop = asyncio.get_running_loop()
        end, task = loop.time() + FAIR, asyncio.create_task(work)
        try:
            while not (await asyncio.wait({task}, timeout=LOOK))[0]:
                if loop.time() > end and any(one != owner for one in self._queue):
                    raise JobError(
                        f"this ran for more than {FAIR:.0f} s while others waited, and was "
                        "stopped; request less, or try again when the studio is less busy"
                    )
            return task.result()
        finally:
            if not task.done():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    async def warm(self) -> None:
        """Start one process, so that the first job need not wait for it."""
        async with self._worker() as worker:
            await worker.start()

    @contextlib.asynccontextmanager
    async def _worker(self, owner: str = "") -> AsyncIterator[_Worker]:
        """One that has nothing to do, as soon as there is one; the one used last comes first."""
        if self._idle is None:
            self._idle = asyncio.LifoQueue()
            for worker in self._all:
                self._idle.put_nowait(worker)
        self._queue.append(owner)
        try:
            found = await self._idle.get()
        finally:
            self._queue.remove(owner)
        try:
            yield found
        finally:
            self._idle.put_nowait(found)

    async def close(self) -> None:
        """End all processes."""
        for worker in self._all:
            await worker.stop()
