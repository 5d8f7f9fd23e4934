"""PageJobs: heavy work for one page, beside its other requests."""

from __future__ import annotations

import asyncio

from kinegen.errors import KinegenError, reason
from kinegen.studio.jobs.processes.protocol import Job, MadeFile
from kinegen.studio.session.hub import Hub
from kinegen.studio.session.pages.outbox import Outbox
from kinegen.studio.session.room import Client, Room
from kinegen.studio.wire import messages as wire
from kinegen.studio.wire.codec import encode
from kinegen.studio.wire.frames import pack_piece
from kinegen.studio.wire.message import Question

__all__ = ["PageJobs", "words_of"]

LONGEST_WORDS = 2000
"""Letters of a refusal; what a page sent is not sent back to it at full length."""
MOST_JOBS = 4
"""Heavy requests of one page at a time."""
SOON = 0.5
"""[s] Work that takes longer shows its progress."""


class PageJobs:
    """The questions of one page that are being worked on."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._tasks: dict[int, asyncio.Task[None]] = {}
        """By number of the request."""

    def start(self, message: Question, client: Client, room: Room) -> None:
        """Work on a question; too many at a time are refused."""
        if len(self._tasks) >= MOST_JOBS or message.request in self._tasks:
            text = f"at most {MOST_JOBS} long computations can run at once; cancel one or wait"
            client.outbox.put(wire.Refused(message.request, text))
            return
        task = asyncio.create_task(self._run(message, client.outbox, room))
        self._tasks[message.request] = task
        task.add_done_callback(lambda _: self._tasks.pop(message.request, None))

    def cancel(self, request: int) -> bool:
        """End the work on a question; False: there is none."""
        task = self._tasks.get(request)
        return task is not None and task.cancel()

    def end(self) -> list[asyncio.Task[None]]:
        """End all work; what is returned has ended soon."""
        tasks = [*self._tasks.values()]
        for task in tasks:
            task.cancel()
        return tasks

    async def _run(self, message: Question, outbox: Outbox, room: Room) -> None:
        request = message.request
        report = _Report(request, outbox)
        timer = asyncio.get_running_loop().call_later(SOON, report.show)
        try:
            session = room.session.id
            found = await self._hub.workers.run(_job_of(message, room), report, session)
            if isinstance(found, MadeFile):
                name, data = found.name, found.data
                link = self._hub.downloads.add(name, found.media_type, data, session)
                outbox.put(
                    wire.Done(request, wire.FileLink(name, link, len(data), list(found.notes)))
                )
            else:
                outbox.put(wire.Done(request, found))
        except asyncio.CancelledError:
            outbox.put(wire.Refused(request, "cancelled"))
            raise
        except Exception as error:
            outbox.put(wire.Refused(request, words_of(error)))
        finally:
            timer.cancel()


class _Report:
    """What a job reports while it runs, on its way to the page."""

    def __init__(self, request: int, outbox: Outbox) -> None:
        self._request = request
        self._outbox = outbox
        self._latest: tuple[str, float | None] = ("working", None)
        self._is_shown = False

    def progress(self, label: str, share: float | None) -> None:
        self._latest = (label, share)
        if self._is_shown:
            self.show()

    def show(self) -> None:
        """Report how far it is, now and whenever that changes."""
        self._is_shown = True
        message = wire.Progress(self._request, *self._latest)
        self._outbox.put(message, key=str(self._request))

    async def piece(self, head: bytes, data: bytes) -> None:
        await self._outbox.put_when_read(pack_piece(self._request, head, data))


def words_of(error: Exception) -> str:
    """What a page hears of a request that failed; the session is as before."""
    words = reason(error) if isinstance(error, (KinegenError, OSError)) else _defect(error)
    return words if len(words) <= LONGEST_WORDS else words[:LONGEST_WORDS] + "…"


def _defect(error: Exception) -> str:
    """What is said when the studio itself failed at something."""
    return f"the studio failed ({type(error).__name__}: {error})"


def _job_of(message: Question, room: Room) -> Job:
    step = room.session.present
    return Job(step.good_text, str(room.session.project.folder), step.file, encode(message))
