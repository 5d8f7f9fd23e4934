"""Hub: all sessions and pages of a studio; who comes in, who goes on, what is kept."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import itertools
from collections.abc import Callable

from kinegen.errors import KinegenError, UsageError, reason
from kinegen.file_names import legible
from kinegen.studio.autosave import Journal, Record
from kinegen.studio.downloads import Downloads
from kinegen.studio.jobs import Workers
from kinegen.studio.library import library_entries
from kinegen.studio.project import Project
from kinegen.studio.recordings import Recordings
from kinegen.studio.room import Client, Room
from kinegen.studio.session import Session, first_source
from kinegen.studio.typescript import schema_hash
from kinegen.studio.wire import Hello, LibraryEntry, Notice, RecoveredData, Welcome

__all__ = ["Hub"]

KEEP = 30 * 60.0
"""[s] A session that everybody left is kept this long, for pages that come back."""
JOURNAL = 0.5
"""[s] Changes reach the disk at most this much later, and the time it takes to write them."""
GRACE = 10.0
"""[s] After which the recording of a page that is gone becomes a motion."""
MOST_ROOMS = 500
FIRST = "stewart"
"""What is shown when nothing is asked for."""


class Hub:
    """Everything that runs in one studio. All methods run in the event loop."""

    def __init__(
        self,
        project: Project,
        journal: Journal,
        *,
        first: str = FIRST,
        workers: int = 2,
        warm: bool = False,
    ) -> None:
        self.project = project
        self.journal = journal
        self.first = first
        self.workers = Workers(workers)
        self._warm = warm
        self._warming: asyncio.Task[None] | None = None
        self.downloads = Downloads()
        self.rooms: dict[str, Room] = {}
        self.recordings: dict[str, Recordings] = {}
        self._numbers = itertools.count(1)
        self._library: asyncio.Task[list[LibraryEntry]] | None = None
        self._housekeeping: asyncio.Task[None] | None = None
        self.watch_link: Callable[[str], str] = lambda session: f"?watch={session}"
        """Path and query under which others can watch a session."""

    # Life

    def start(self) -> None:
        """Begin to keep house."""
        self._housekeeping = asyncio.create_task(self._keep_house())
        # read while the browser starts
        self._library = asyncio.create_task(asyncio.to_thread(library_entries))

    async def stop(self) -> None:
        """End everything, the journals written; sessions with nothing unsaved leave none."""
        if self._housekeeping is not None:
            self._housekeeping.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._housekeeping
        await self.workers.close()
        for room in list(self.rooms.values()):
            await room.live.close()
            await self._write(room)
            if not self._is_unsaved(room):
                self.journal.remove(room.session.id)
        self.journal.close()

    async def _keep_house(self) -> None:
        while True:
            await asyncio.sleep(JOURNAL)
            now = asyncio.get_running_loop().time()
            for room in list(self.rooms.values()):
                with contextlib.suppress(Exception):  # one broken session must not end all others
                    if room.touched:
                        await self._write(room)
                    alone, since = room.unattended_since, room.empty_since
                    if alone is not None and now - alone > GRACE:
                        await room.live.close()
                        await self.keep_recordings(room)
                    if since is not None and now - since > KEEP:
                        await self._close(room)
            self.downloads.forget()

    # Who comes in

    async def join(self, hello: Hello, *, only_watch: str | None = None) -> tuple[Client, Room]:
        """Let a page in.

        Args:
            hello: What it said.
            only_watch: The one session that it may watch, when it may do nothing else.

        Raises:
            UsageError: When there is no such session.
        """
        client = Client(next(self._numbers))
        read_only = False
        if only_watch is not None or (hello.session and not hello.secret):
            name = only_watch or hello.session or ""
            found = self.rooms.get(name)
            if found is None or (hello.session and hello.session != name):
                raise UsageError("this session is not open any more; ask for a new link")
            room, read_only = found, True
        else:
            resumed = await self._resume(hello) if hello.session and hello.secret else None
            room = resumed or await self._begin(hello)
        client.read_only = read_only
        # first the welcome: once the client is in the room, others' changes come at any moment
        client.outbox.put(await self._welcome(client, room))
        if hello.schema != schema_hash():
            client.outbox.put(
                Notice("warning", "this page is of another version than the studio: reload it")
            )
        if hello.session and hello.session != room.session.id:
            client.outbox.put(
                Notice("warning", "the session had ended; this is a new one beside what it saved")
            )
        await room.enter(client, read_only=read_only)
        if room.session.work.complaint:
            room.session.notices.clear()
            client.outbox.put(Notice("warning", room.session.work.complaint))
        room.send_notices()
        room.tell_watchers()
        if self._warm and self._warming is None:
            self._warming = asyncio.create_task(self.workers.warm())
        return client, room

    async def _resume(self, hello: Hello) -> Room | None:
        """The session that a page goes on with: one that is here, or one of the journal."""
        room = self.rooms.get(hello.session or "")
        secret = hello.secret or ""
        if room is not None:
            return room if hmac.compare_digest(room.session.secret, secret) else None
        record = self.journal.load(hello.session or "")
        if record is None or not hmac.compare_digest(record.secret, secret):
            return None
        return await self._restore(record, same=True) if self.journal.can_take(record) else None

    async def _begin(self, hello: Hello) -> Room:
        """A new session: with recovered work, with what was asked for, or with the first."""
        if len(self.rooms) >= MOST_ROOMS:
            raise UsageError("too many sessions are open; close some pages")
        if hello.recover:
            await self._close_left(hello.recover)
            record = self.journal.load(hello.recover)
            if record and hello.recover not in self.rooms and self.journal.can_take(record):
                room = await self._restore(record, same=False)
                # the new session's own journal comes first: nothing is lost in between
                await self._write(room)
                self.journal.remove(hello.recover)
                return room
        notices = []
        session = None
        for wanted in (hello.open, self.first, FIRST):
            if not wanted or session is not None:
                continue
            try:
                session = await asyncio.to_thread(self._open, wanted)
            except (KinegenError, OSError) as error:
                notices.append(Notice("error", f"{legible(wanted)}: {reason(error)}"))
        session = session or Session(self.project)
        session.notices = notices + session.notices
        return self._add(session)

    def _open(self, wanted: str) -> Session:
        source, value = first_source(wanted)
        return Session.opened(self.project, source, value)

    async def _restore(self, record: Record, *, same: bool) -> Room:
        session = await asyncio.to_thread(Session.restored, self.project, record)
        if same:
            session.id, session.secret = record.session, record.secret
        room = self._add(session)
        recordings = self.recordings[session.id]
        recordings.restore(record.recordings)
        await self.keep_recordings(room)
        return room

    def _add(self, session: Session) -> Room:
        room = self.rooms[session.id] = Room(session)
        self.recordings[session.id] = Recordings()
        return room

    async def _welcome(self, client: Client, room: Room) -> Welcome:
        import kinegen

        assert self._library is not None, "the hub was not started"

        files = await asyncio.to_thread(self.project.files)
        recovered = [] if client.read_only else await self.recovered()
        return Welcome(
            schema=schema_hash(),
            version=kinegen.__version__,
            client=client.number,
            session=room.session.id,
            secret=None if client.read_only else room.session.secret,
            read_only=client.read_only,
            library=await self._library,
            files=[] if client.read_only else files,
            folder=self.project.name,
            recovered=recovered,
            watch_link=self.watch_link(room.session.id),
        )

    async def recovered(self) -> list[RecoveredData]:
        """Unsaved work of sessions that ended or were left, for pages to offer."""
        folder = str(self.project.folder)
        open_now = [name for name in self.rooms if not self._left(name)]
        records = await asyncio.to_thread(self.journal.recovered, open_now)
        return [
            RecoveredData(
                record.session,
                record.name,
                record.saved_at,
                record.file if record.folder == folder else None,
            )
            for record in records
        ]

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

    async def dismiss(self, session: str) -> None:
        """Throw away the unsaved work of a session that ended or was left."""
        await self._close_left(session)
        if session in self.rooms:
            raise UsageError("this session is open; its work cannot be thrown away")
        try:
            self.journal.remove(session)
        except ValueError as error:
            raise UsageError(str(error)) from None

    async def keep_recordings(self, room: Room) -> None:
        """Store the recordings that nobody finished as motions of the mechanism."""
        recordings = self.recordings[room.session.id]
        if not len(recordings) or room.session.problems:
            return
        self.recordings[room.session.id] = Recordings()
        with contextlib.suppress(KinegenError):
            await room.change(None, lambda: room.session.keep(recordings))
        await asyncio.to_thread(self.journal.drop_recordings, room.session.id)

    async def _write(self, room: Room) -> None:
        room.touched = False
        record = await room.record()
        try:
            await asyncio.to_thread(self.journal.write, record)
        except OSError as error:
            room.tell(Notice("error", f"the work could not be kept on disk: {reason(error)}"))

    def _is_unsaved(self, room: Room) -> bool:
        return room.session.dirty or len(self.recordings[room.session.id]) > 0

    async def _close(self, room: Room) -> None:
        """Forget a session that everybody left; unsaved work stays in the journal."""
        await room.live.close()
        await self._write(room)
        if not self._is_unsaved(room):
            self.journal.remove(room.session.id)
        del self.rooms[room.session.id], self.recordings[room.session.id]
