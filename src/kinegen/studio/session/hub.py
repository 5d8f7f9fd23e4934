"""Hub: all sessions and pages of a studio, and what is kept of them."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import orjson

from kinegen.errors import KinegenError, UsageError
from kinegen.studio.jobs.processes.pool import Workers
from kinegen.studio.live.spares import Spares
from kinegen.studio.server.access_log import AccessLog
from kinegen.studio.server.downloads import Downloads
from kinegen.studio.server.invitations import Invitations
from kinegen.studio.server.processes.threads import Threads
from kinegen.studio.server.uploading.quota import QUOTA, Quota
from kinegen.studio.server.uploading.uploads import Uploads
from kinegen.studio.session.files.folder_watch import FolderWatch
from kinegen.studio.session.files.project import Project
from kinegen.studio.session.housekeeping import Housekeeping
from kinegen.studio.session.journals.autosave import Journal
from kinegen.studio.session.journals.writer import JournalWriter
from kinegen.studio.session.pages.entrance import FIRST, MOST_ROOMS, Entrance
from kinegen.studio.session.reading.readers import LONGEST, Reader, Readers
from kinegen.studio.session.recordings import Recordings
from kinegen.studio.session.room import Room
from kinegen.studio.session.session import Session
from kinegen.studio.wire.messages import (
    Invitation,
    Notice,
    RecordSamples,
    RecoveredData,
    ScreenLinks,
)

__all__ = ["Hub"]

MOST_SIMULATIONS = 64
"""At a time: each has a process of its own."""
_LOG = logging.getLogger(__name__)
_MCAP = "application/octet-stream"
"""Of logs of worlds: browsers know no better one."""

T = TypeVar("T")


class Hub:
    """Everything that runs in one studio. All methods run in the event loop."""

    def __init__(
        self,
        project: Project,
        journal: Journal,
        state: Path,
        *,
        first: str = FIRST,
        workers: int = 2,
        warm: bool = False,
        quota: int = QUOTA,
        reading: float = LONGEST,
        agents: bool = False,
        replay: str | None = None,
    ) -> None:
        self.project = project
        self.journal = journal
        self.first = first
        self.workers = Workers(workers)
        self.readers = Readers(longest=reading)
        self._threads = Threads(2 * MOST_ROOMS, "change")
        """One for each room that changes, so that none waits for another."""
        self.spares = Spares()
        self.warm = warm
        """Whether processes are started before they are needed."""
        self.replay = replay
        """A log of the project folder that pages show first."""
        self.agents = agents
        """Whether agents may run that are programs of a file."""
        self.downloads = Downloads()
        self.quota = Quota(project.folder, state, quota)
        self.uploads = Uploads(project, state, self.quota)
        self.rooms: dict[str, Room] = {}
        self.recordings: dict[str, Recordings] = {}
        self.entrance = Entrance(self)
        self._housekeeping = Housekeeping(self)
        self._running: list[asyncio.Task[None]] = []
        self.log = AccessLog(None)
        self.gauges: dict[str, Callable[[], float]] = {}
        """Other things that are measured, by name."""
        self._watch = FolderWatch(project, self.rooms, self.look)
        self.quit: Callable[[], None] | None = None
        """Ends the studio once nobody has been there for ``linger``; None: it stays."""
        self.linger = 0.0
        """[s]"""
        self.resting: set[str] = set()
        """Sessions that were here and can be again, for those who watch them."""
        self._disk = ThreadPoolExecutor(2, thread_name_prefix="disk")
        """Short looks at files, which do not wait for changes that take long."""
        self.keeper = JournalWriter(journal)
        self.gauges["journal_lag_seconds"] = lambda: max(
            map(self.keeper.lag, self.rooms), default=0.0
        )
        self.page_code: Callable[[], str] = str
        """A code that opens a page once."""
        self.watch_link: Callable[[str], str] = lambda session: f"?watch={session}"
        """Path and query under which others can watch a session."""
        self.invitations: Invitations | None = None
        """Links that open a session, by its name and secret, on other devices."""

    # Life

    def start(self) -> None:
        """Begin to keep house."""
        loop = asyncio.get_running_loop()

        def listen(session: str, error: OSError | None) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._journal_news, session, error)

        self.keeper.listener = listen
        work = (self._housekeeping.run(), self._watch.run())
        self._running = [asyncio.create_task(one) for one in work]
        self.entrance.start()

    async def stop(self) -> None:
        """End everything, the journals written; sessions in which nothing was done leave none."""
        restoring = self.entrance.restoring.values()
        tasks = [*self._housekeeping.tending.values(), *restoring, *self._running]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.workers.close()
        await self.spares.close()
        await self.uploads.close()
        self.readers.close()
        for room in list(self.rooms.values()):
            await room.live.close()
            await room.driving.close()
            room.trackers.close()
            room.write_journal()
        lost = await self.look(self.keeper.close)
        for name, room in self.rooms.items():
            if name in lost:
                _LOG.error("the last changes of session %s could not be written to disk", name)
            elif not self._is_unsaved(room) and not room.session.has_steps:
                self.journal.remove(name)
        self.journal.close()
        self._disk.shutdown(wait=False)
        self._threads.shutdown(wait=False)

    def _journal_news(self, session: str, error: OSError | None) -> None:
        """The journal of a session could not be written, or can be again."""
        room = self.rooms.get(session)
        if room is not None:
            room.journal_trouble(None if error is None else error.strerror or str(error))

    async def look(self, work: Callable[..., T], *arguments: Any) -> T:
        """A look at files in a thread of its own."""
        return await asyncio.get_running_loop().run_in_executor(self._disk, work, *arguments)

    def reader(self) -> Reader:
        """What a session reads its texts with."""
        return Reader(self.readers)

    async def in_thread(self, work: Callable[..., T], *arguments: Any) -> T:
        """Do something that may take long, in a thread that nobody else waits for."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)

    def add(self, session: Session) -> Room:
        """A room for a session."""
        room = self.rooms[session.id] = Room(session, self._threads)
        room.live.spares = self.spares
        room.live.agents = self.agents
        room.live.offer = lambda place: self.downloads.offer(place, _MCAP, session.id)
        room.keep = self.keeper.keep
        room.write_journal()
        self.recordings[session.id] = Recordings()
        return room

    def keep_spares(self) -> None:
        """A simulation starts at once where somebody may start one: a process waits for it."""
        if self.warm:
            pages = [client for room in self.rooms.values() for client in room.clients.values()]
            people = [one for one in pages if one.program is None and not one.read_only]
            self.spares.keep(len(people))

    async def recovered(self) -> list[RecoveredData]:
        """Unsaved work of this folder, of sessions that ended or were left, for pages to offer."""
        open_now = [name for name in self.rooms if not self._housekeeping.is_left(self.rooms[name])]
        found = await self.look(self.journal.recovered, open_now, str(self.project.folder))
        return [RecoveredData(one.session, one.name, one.saved_at, one.file) for one in found]

    async def close_left(self, session: str) -> None:
        """End a session that everybody left, so that its work can be taken over."""
        if session in self.rooms and self._housekeeping.is_left(self.rooms[session]):
            await self.close(self.rooms[session])

    # What is kept

    def metrics(self) -> dict[str, float]:
        """How much of everything there is, by name; ``health.py`` says what each is."""
        rooms = list(self.rooms.values())
        pages = [client for room in rooms for client in room.clients.values()]
        return {
            "sessions": len(rooms),
            "pages": len(pages),
            "watchers": sum(client.read_only for client in pages),
            "simulations": sum(room.live.is_on for room in rooms),
            "simulations_ready": self.spares.count,
            "jobs_running": self.workers.running,
            "jobs_waiting": self.workers.waiting,
            "uploads_present": self.uploads.present,
            "uploads_total": self.uploads.count,
            "recording_numbers": sum(one.written for one in self.recordings.values()),
            **{name: gauge() for name, gauge in self.gauges.items()},
        }

    def check_port(self, room: Room, port: str) -> None:
        """Refuse a serial port at which another session drives a robot."""
        if port and any(one.driving.port == port for one in self.rooms.values() if one is not room):
            raise UsageError(f"another session drives the robot at port '{port}'")

    def check_simulations(self, room: Room) -> None:
        """Refuse another simulation when there are too many."""
        others = sum(one.live.is_on for one in self.rooms.values() if one is not room)
        if others >= MOST_SIMULATIONS:
            raise UsageError(
                f"{MOST_SIMULATIONS} simulations are running, which is the limit; try again when "
                "one has been stopped"
            )

    def invitation(self, session: str, secret: str) -> Invitation:
        """Links that open a session on other devices."""
        if self.invitations is None:
            raise UsageError("this studio does not know its own address")
        return self.invitations(session, secret)

    def screens(self, session: str, names: Sequence[str]) -> ScreenLinks:
        """View-only links to the screens of a session's wall."""
        if self.invitations is None:
            raise UsageError("this studio does not know its own address")
        return self.invitations.screens(self.watch_link(session), names)

    async def dismiss(self, session: str) -> None:
        """Throw away the unsaved work of a session that ended or was left."""
        await self.close_left(session)
        if session in self.rooms or session in self.entrance.restoring:
            raise UsageError("this session is open; its work cannot be discarded")
        await self.look(self.journal.discard, session, str(self.project.folder))

    async def keep_recordings(self, room: Room) -> None:
        """Store the recordings that nobody finished as motions of the mechanism."""
        name = room.session.id
        recordings = self.recordings.get(name)
        if not recordings or room.session.problems or recordings.tried == room.session.version:
            return
        fresh = self.recordings[name] = Recordings()
        try:
            await room.change(None, lambda: room.session.keep(recordings))
        except KinegenError as error:
            # such as a text that would become too long: they stay in the journal
            fresh.put_back(recordings)
            fresh.tried = room.session.version
            room.notify(Notice("warning", f"a recording could not be kept as a motion: {error}"))
            return
        # the journal has the motion before its samples leave the disk
        if not fresh:
            self.keeper.drop_recordings(name)

    def keep_samples(self, session: str, part: RecordSamples) -> None:
        """Write a part of a recording to disk."""
        data = {"name": part.name, "start": part.start, "times": part.times, "values": part.values}
        self.keeper.samples(session, orjson.dumps(data) + b"\n")

    def _is_unsaved(self, room: Room) -> bool:
        return room.session.dirty or len(self.recordings[room.session.id]) > 0

    async def close(self, room: Room) -> None:
        """Forget a session that everybody left; unsaved work stays in the journal."""
        name = room.session.id
        await room.live.close()
        await room.driving.close()
        room.trackers.close()
        room.write_journal()
        on_disk = await asyncio.wrap_future(self.keeper.written(name))
        unsaved = self._is_unsaved(room)
        if (
            room.empty_since is None
            or self.rooms.get(name) is not room
            or (unsaved and not on_disk)
        ):
            return  # somebody came back, or it is here alone that the work is
        del self.rooms[name], self.recordings[name]
        self._housekeeping.to_give_back = True
        self.resting.add(name)
        self.downloads.drop(name)
        # the text and its steps stay where pages find them that come back
        gone = not unsaved and not room.session.has_steps
        await self.look(functools.partial(self.keeper.forget, name, remove=gone))
