"""Hub: all sessions and pages of a studio; who comes in, who goes on, what is kept."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
import logging
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import orjson

from kinegen.errors import KinegenError, UsageError, reason
from kinegen.file_names import legible
from kinegen.formats.registry import readable_suffixes
from kinegen.studio.jobs.pool import Workers
from kinegen.studio.live.spares import Spares
from kinegen.studio.server.access_log import AccessLog
from kinegen.studio.server.downloads import Downloads
from kinegen.studio.server.guard import same_secret
from kinegen.studio.server.memory import Growth, give_back
from kinegen.studio.server.quota import QUOTA, Quota
from kinegen.studio.server.threads import Threads
from kinegen.studio.server.uploads import Uploads
from kinegen.studio.session.autosave import Journal
from kinegen.studio.session.folder_watch import FolderWatch
from kinegen.studio.session.journal_writer import JournalWriter
from kinegen.studio.session.library import library_entries
from kinegen.studio.session.project import Project
from kinegen.studio.session.readers import LONGEST, Reader, Readers
from kinegen.studio.session.recordings import Recordings
from kinegen.studio.session.room import Client, Room
from kinegen.studio.session.session import Session, first_source
from kinegen.studio.wire.engine_data import engine_data
from kinegen.studio.wire.messages import (
    EngineData,
    Hello,
    LibraryEntry,
    Notice,
    RecordSamples,
    RecoveredData,
    Welcome,
)
from kinegen.studio.wire.typescript import schema_hash

__all__ = ["Hub"]

KEEP = 60.0
"""[s] A session that everybody left stays in memory this long; then it rests in its journal, from
which pages that come back get it again."""
JOURNAL = 0.5
"""[s] Poses between two steps reach the journal at most this much later; steps do at once."""
LATE = 5.0
"""[s] A disk that takes longer is a reason to warn."""
GRACE = 10.0
"""[s] After which the recording of a page that is gone becomes a motion."""
MOST_ROOMS = 500
MOST_SIMULATIONS = 64
"""At a time: each has a process of its own."""
FIRST = "stewart"
"""What is shown when nothing is asked for."""
_LOG = logging.getLogger(__name__)

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
    ) -> None:
        self.project = project
        self.journal = journal
        self.first = first
        self.workers = Workers(workers)
        self.readers = Readers(longest=reading)
        self._threads = Threads(2 * MOST_ROOMS, "change")
        """One for each room that changes, so that none waits for another."""
        self.spares = Spares()
        self._warm = warm
        self._warming: asyncio.Task[None] | None = None
        self.downloads = Downloads()
        self.quota = Quota(project.folder, state, quota)
        self.uploads = Uploads(project, state, self.quota)
        self.rooms: dict[str, Room] = {}
        self.recordings: dict[str, Recordings] = {}
        self._numbers = itertools.count(1)
        self._library: asyncio.Task[list[LibraryEntry]] | None = None
        self._engines: asyncio.Task[list[EngineData]] | None = None
        self._housekeeping: asyncio.Task[None] | None = None
        self.log = AccessLog(None)
        self._placing = asyncio.Lock()
        self._promised = 0
        """Places of sessions that are being made."""
        self.gauges: dict[str, Callable[[], float]] = {}
        """Other things that are measured, by name."""
        self._watch = FolderWatch(project, self.rooms, self._look)
        self._watching: asyncio.Task[None] | None = None
        self._resting: set[str] = set()
        """Sessions that were here and can be again, for those who watch them."""
        self._to_give_back = False
        """Whether sessions were closed whose memory is still held."""
        self._growth = Growth()
        self._tending: dict[str, asyncio.Task[None]] = {}
        """What is done for single rooms, which may have to wait for them."""
        self._restoring: dict[str, asyncio.Task[Room | None]] = {}
        """Sessions that are on their way back from the journal."""
        self._disk = ThreadPoolExecutor(2, thread_name_prefix="disk")
        """Short looks at files, which do not wait for changes that take long."""
        self.keeper = JournalWriter(journal)
        self.gauges["journal_lag_seconds"] = lambda: max(
            map(self.keeper.lag, self.rooms), default=0.0
        )
        self.watch_link: Callable[[str], str] = lambda session: f"?watch={session}"
        """Path and query under which others can watch a session."""

    # Life

    def start(self) -> None:
        """Begin to keep house."""
        loop = asyncio.get_running_loop()

        def listen(session: str, error: OSError | None) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._journal_news, session, error)

        self.keeper.listener = listen
        self._housekeeping = asyncio.create_task(self._keep_house())
        self._watching = asyncio.create_task(self._watch.run())
        # read while the browser starts
        self._library = asyncio.create_task(asyncio.to_thread(library_entries))
        self._engines = asyncio.create_task(asyncio.to_thread(engine_data))

    async def stop(self) -> None:
        """End everything, the journals written; sessions in which nothing was done leave none."""
        tasks = [*self._tending.values(), *self._restoring.values()]
        tasks += [task for task in (self._housekeeping, self._watching) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.workers.close()
        await self.spares.close()
        await self.uploads.close()
        self.readers.close()
        for room in list(self.rooms.values()):
            await room.live.close()
            room.write_journal()
        lost = await self._look(self.keeper.close)
        for name, room in self.rooms.items():
            if name in lost:
                _LOG.error("the last changes of session %s could not be written to disk", name)
            elif not self._is_unsaved(room) and not room.session.has_steps:
                self.journal.remove(name)
        self.journal.close()
        self._disk.shutdown(wait=False)
        self._threads.shutdown(wait=False)

    async def _keep_house(self) -> None:
        while True:
            await asyncio.sleep(JOURNAL)
            for name, room in list(self.rooms.items()):
                room.write_journal()
                lag = self.keeper.lag(name)
                if lag == 0.0:
                    room.journal_trouble(None)
                elif lag > LATE and room.trouble is None:
                    room.journal_trouble("the disk is slow")
                # one room that is slow, or broken, must not hold up the others
                if name not in self._tending:
                    task = self._tending[name] = asyncio.create_task(self._tend(room))
                    task.add_done_callback(functools.partial(self._tended, name))
            self.downloads.forget()
            self._keep_spares()
            if (self._to_give_back and not self._tending) or self._growth.is_due():
                self._to_give_back = False
                await self._in_thread(give_back)
                self._growth.given()

    def _keep_spares(self) -> None:
        """A simulation starts at once where somebody may start one: a process waits for it."""
        if self._warm:
            pages = [client for room in self.rooms.values() for client in room.clients.values()]
            self.spares.keep(sum(not client.read_only for client in pages))

    def _tended(self, name: str, task: asyncio.Task[None]) -> None:
        self._tending.pop(name, None)
        if not task.cancelled() and task.exception() is not None:
            _LOG.error("session %s could not be maintained: %s", name, task.exception())

    async def _tend(self, room: Room) -> None:
        """What a room needs that nobody, or nobody who may change it, is in."""
        now = asyncio.get_running_loop().time()
        alone, since = room.unattended_since, room.empty_since
        if alone is not None and now - alone > GRACE:
            await room.live.close()
            await self.keep_recordings(room)
        if since is not None and now - since > KEEP:
            await self._close(room)

    def _journal_news(self, session: str, error: OSError | None) -> None:
        """The journal of a session could not be written, or can be again."""
        room = self.rooms.get(session)
        if room is not None:
            room.journal_trouble(None if error is None else error.strerror or str(error))

    async def _look(self, work: Callable[..., T], *arguments: Any) -> T:
        """A look at files in a thread of its own."""
        return await asyncio.get_running_loop().run_in_executor(self._disk, work, *arguments)

    # Who comes in

    async def join(
        self, hello: Hello, *, only_watch: frozenset[str] | None = None
    ) -> tuple[Client, Room]:
        """Let a page in.

        Args:
            hello: What it said.
            only_watch: The sessions that it may watch, when it may do nothing else.

        Raises:
            UsageError: When there is no such session.
        """
        client = Client(next(self._numbers))
        read_only = False
        if only_watch is not None or (hello.session and not hello.secret):
            name = hello.session or next(iter(only_watch or ()))
            found = self.rooms.get(name)
            allowed = only_watch is None or name in only_watch
            if found is None and allowed and name in self._resting:
                found = await self._take_back(name, same=True)
            if found is None or not allowed:
                raise UsageError("this session is no longer open; ask for a new link")
            room, read_only = found, True
        else:
            resumed = await self._resume(hello) if hello.session and hello.secret else None
            room = resumed or await self._begin(hello)
        client.read_only = read_only
        with room.expecting():
            # first the welcome: once the client is in the room, others' changes come at any moment
            client.outbox.put(await self._welcome(client, room))
            if hello.schema != schema_hash():
                client.outbox.put(
                    Notice(
                        "warning", "this page belongs to another version of the studio: reload it"
                    )
                )
            if hello.session and hello.session != room.session.id:
                client.outbox.put(
                    Notice(
                        "warning",
                        "the session had ended; this is a new session with the files that it saved",
                    )
                )
            await room.enter(client, read_only=read_only)
            if room.session.work.complaint:
                room.session.notices.clear()
                client.outbox.put(Notice("warning", room.session.work.complaint))
        room.send_notices()
        room.tell_watchers()
        if self._warm and self._warming is None:
            self._warming = asyncio.create_task(self.workers.warm())
        self._keep_spares()
        return client, room

    async def _resume(self, hello: Hello) -> Room | None:
        """The session that a page continues with: one that is here, or one of the journal."""
        name, secret = hello.session or "", hello.secret or ""
        if name not in self.rooms:
            record = await self._look(self.journal.load, name)
            if record is not None and same_secret(record.secret, secret):
                await self._take_back(name, same=True)
        room = self.rooms.get(name)
        return room if room is not None and same_secret(room.session.secret, secret) else None

    async def _take_back(self, name: str, *, same: bool) -> Room | None:
        """The session of a journal of this folder that nobody has open; None when there is none.

        Several pages may ask at once: they come into the same one.
        """
        task = self._restoring.get(name)
        if task is None:
            task = self._restoring[name] = asyncio.create_task(self._restored(name, same=same))
            task.add_done_callback(lambda _: self._restoring.pop(name, None))
        return await asyncio.shield(task)

    async def _restored(self, name: str, *, same: bool) -> Room | None:
        with contextlib.suppress(UsageError, OSError):
            record = await self._look(self.journal.claim, name, str(self.project.folder))
            if record is None or name in self.rooms:
                return None
            async with self._place():
                reader = self._reader()
                session = await self._in_thread(Session.restored, self.project, record, reader)
                if same:
                    session.id, session.secret = record.session, record.secret
                room = self._add(session)
            self.recordings[session.id].restore(record.recordings)
            for take, rows in () if same else record.recordings.items():
                self.keep_samples(session.id, RecordSamples(take, True, **rows))
            await self.keep_recordings(room)
            # the new session's own journal comes first: nothing is lost in between
            if not same and await asyncio.wrap_future(self.keeper.written(session.id)):
                await self._look(self.journal.remove, name)
            return room
        return None

    async def _begin(self, hello: Hello) -> Room:
        """A new session: with recovered work, with what was asked for, or with the first."""
        notices = []
        if hello.recover:
            await self._close_left(hello.recover)
            if hello.recover not in self.rooms:
                back = await self._take_back(hello.recover, same=False)
                if back is not None:
                    return back
            gone = "this unsaved work is open elsewhere, or was dismissed"
            notices.append(Notice("warning", gone))
        async with self._place():
            session = None
            for wanted in (hello.open, self.first, FIRST):
                if not wanted or session is not None:
                    continue
                try:
                    session = await self._in_thread(self._open, wanted)
                except (KinegenError, OSError) as error:
                    notices.append(Notice("error", f"{legible(wanted)}: {reason(error)}"))
            session = session or Session(self.project, reader=self._reader())
            session.notices = notices + session.notices
            return self._add(session)

    @contextlib.asynccontextmanager
    async def _place(self) -> AsyncIterator[None]:
        """A place for a session that is being made.

        When all are taken, the session that everybody left first is ended. Its unsaved work stays
        in the journal, and is offered like that of any session that ended.
        """
        async with self._placing:
            await self._end_left()
            self._promised += 1
        try:
            yield
        finally:
            self._promised -= 1

    async def _end_left(self) -> None:
        left = [(room.empty_since, room) for room in self.rooms.values() if room.empty_since]
        for _, room in sorted(left, key=lambda one: one[0]):
            if len(self.rooms) + self._promised < MOST_ROOMS:
                return
            await self._close(room)  # one whose work is not on disk yet stays
        if len(self.rooms) + self._promised >= MOST_ROOMS:
            raise UsageError(
                f"{MOST_ROOMS} sessions are open, which is the limit; close some pages and load "
                "this one again"
            )

    def _open(self, wanted: str) -> Session:
        source, value = first_source(wanted)
        return Session.opened(self.project, source, value, self._reader())

    def _reader(self) -> Reader:
        return Reader(self.readers)

    async def _in_thread(self, work: Callable[..., T], *arguments: Any) -> T:
        """Do something that may take long, in a thread that nobody else waits for."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)

    def _add(self, session: Session) -> Room:
        room = self.rooms[session.id] = Room(session, self._threads)
        room.live.spares = self.spares
        room.keep = self.keeper.keep
        room.write_journal()
        self.recordings[session.id] = Recordings()
        return room

    async def _welcome(self, client: Client, room: Room) -> Welcome:
        import kinegen

        assert self._library is not None and self._engines is not None, "the hub was not started"

        files = client.files = await self._look(self.project.files)
        recovered = [] if client.read_only else await self.recovered()
        return Welcome(
            schema=schema_hash(),
            version=kinegen.__version__,
            client=client.number,
            session=room.session.id,
            secret=None if client.read_only else room.session.secret,
            read_only=client.read_only,
            library=await self._library,
            engines=await self._engines,
            suffixes=await self._in_thread(readable_suffixes),
            files=[] if client.read_only else files,
            folder="" if client.read_only else self.project.name,
            recovered=recovered,
            watch_link=self.watch_link(room.session.id),
        )

    async def recovered(self) -> list[RecoveredData]:
        """Unsaved work of this folder, of sessions that ended or were left, for pages to offer."""
        open_now = [name for name in self.rooms if not self._left(name)]
        found = await self._look(self.journal.recovered, open_now, str(self.project.folder))
        return [RecoveredData(one.session, one.name, one.saved_at, one.file) for one in found]

    def _left(self, session: str) -> bool:
        """Whether everybody left a session that is here, and not just for a reload."""
        room = self.rooms[session]
        now = asyncio.get_running_loop().time()
        return room.empty_since is not None and now - room.empty_since > GRACE

    async def _close_left(self, session: str) -> None:
        """End a session that everybody left, so that its work can be taken over."""
        if session in self.rooms and self._left(session):
            await self._close(self.rooms[session])

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

    def check_simulations(self, room: Room) -> None:
        """Refuse another simulation when there are too many."""
        others = sum(one.live.is_on for one in self.rooms.values() if one is not room)
        if others >= MOST_SIMULATIONS:
            raise UsageError(
                f"{MOST_SIMULATIONS} simulations are running, which is the limit; try again when "
                "one has been stopped"
            )

    async def dismiss(self, session: str) -> None:
        """Throw away the unsaved work of a session that ended or was left."""
        await self._close_left(session)
        if session in self.rooms or session in self._restoring:
            raise UsageError("this session is open; its work cannot be discarded")
        await self._look(self.journal.discard, session, str(self.project.folder))

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
            room.tell(Notice("warning", f"a recording could not be kept as a motion: {error}"))
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

    async def _close(self, room: Room) -> None:
        """Forget a session that everybody left; unsaved work stays in the journal."""
        name = room.session.id
        await room.live.close()
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
        self._to_give_back = True
        self._resting.add(name)
        self.downloads.drop(name)
        # the text and its steps stay where pages find them that come back
        gone = not unsaved and not room.session.has_steps
        await self._look(functools.partial(self.keeper.forget, name, remove=gone))
