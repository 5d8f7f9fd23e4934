"""Entrance: how pages come into a studio, and which session each of them finds."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from kinegen.errors import KinegenError, UsageError, reason
from kinegen.file_names import legible
from kinegen.studio.server.entry.guard import same_secret
from kinegen.studio.server.uploading.robot_files import open_suffixes
from kinegen.studio.session.files.library import library_entries
from kinegen.studio.session.files.sources import first_source
from kinegen.studio.session.room import Client, Room
from kinegen.studio.session.session import Session
from kinegen.studio.wire.data.registered import download_data, engine_data
from kinegen.studio.wire.messages import (
    EngineData,
    Hello,
    LibraryEntry,
    Notice,
    RecordSamples,
    Welcome,
)
from kinegen.studio.wire.typescript import schema_hash

if TYPE_CHECKING:
    from kinegen.studio.session.hub import Hub

__all__ = ["FIRST", "MOST_ROOMS", "Entrance"]

MOST_ROOMS = 500
FIRST = "stewart"
"""What is shown when nothing is asked for."""


class Entrance:
    """Lets pages in."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._numbers = itertools.count(1)
        self._library: asyncio.Task[list[LibraryEntry]] | None = None
        self._engines: asyncio.Task[list[EngineData]] | None = None
        self._placing = asyncio.Lock()
        self._promised = 0
        """Places of sessions that are being made."""
        self.warming: asyncio.Task[None] | None = None
        """The start of the first workers."""
        self.restoring: dict[str, asyncio.Task[Room | None]] = {}
        """Sessions that are on their way back from the journal."""

    def start(self) -> None:
        """Read what every page receives, while the browser starts."""
        self._library = asyncio.create_task(asyncio.to_thread(library_entries))
        self._engines = asyncio.create_task(asyncio.to_thread(engine_data))

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
        is_page = hello.program is None
        if only_watch is not None or (is_page and hello.session and not hello.secret):
            name = hello.session or next(iter(only_watch or ()))
            found = self._hub.rooms.get(name)
            allowed = only_watch is None or name in only_watch
            if found is None and allowed and name in self._hub.resting:
                found = await self._take_back(name, same=True)
            if found is None or not allowed:
                raise UsageError("this session is no longer open; ask for a new link")
            room, read_only = found, True
        elif hello.program is not None:
            room = await self._program_room(hello)
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
            if hello.program is not None:
                room.programs.enter(client, hello.program)
            await room.enter(client, read_only=read_only)
            if room.session.work.complaint:
                room.session.notices.clear()
                client.outbox.put(Notice("warning", room.session.work.complaint))
        room.send_notices()
        room.send_watchers()
        if self._hub.warm and self.warming is None:
            self.warming = asyncio.create_task(self._hub.workers.warm())
        self._hub.keep_spares()
        return client, room

    async def _program_room(self, hello: Hello) -> Room:
        """The session of a program that has the studio's own token.

        The one it names; a new one where it has something to open, or that of its last run while a
        page is still there; else the one in which a person did something last.
        """
        assert hello.program is not None
        if hello.session and hello.secret:
            return await self._resume(hello) or await self._begin(hello)
        if hello.session:
            if hello.session not in self._hub.rooms and hello.session in self._hub.resting:
                await self._take_back(hello.session, same=True)
            if hello.session not in self._hub.rooms:
                raise UsageError(f"there is no open session '{hello.session}' in this studio")
            return self._hub.rooms[hello.session]
        used = [
            (max(page.used_at for page in pages), number, room)
            for number, room in enumerate(self._hub.rooms.values())
            if (pages := [one for one in room.programs.pages() if not one.read_only])
            and (hello.open is None or room.programs.has_run(hello.program.name))
        ]
        return max(used)[2] if used else await self._begin(hello)

    async def _resume(self, hello: Hello) -> Room | None:
        """The session that a page continues with: one that is here, or one of the journal."""
        name, secret = hello.session or "", hello.secret or ""
        if name not in self._hub.rooms:
            record = await self._hub.look(self._hub.journal.load, name)
            if record is not None and same_secret(record.secret, secret):
                await self._take_back(name, same=True)
        room = self._hub.rooms.get(name)
        return room if room is not None and same_secret(room.session.secret, secret) else None

    async def _take_back(self, name: str, *, same: bool) -> Room | None:
        """The session of a journal of this folder that nobody has open; None when there is none.

        Several pages may ask at once: they come into the same one.
        """
        task = self.restoring.get(name)
        if task is None:
            task = self.restoring[name] = asyncio.create_task(self._restored(name, same=same))
            task.add_done_callback(lambda _: self.restoring.pop(name, None))
        return await asyncio.shield(task)

    async def _restored(self, name: str, *, same: bool) -> Room | None:
        with contextlib.suppress(UsageError, OSError):
            project = self._hub.project
            record = await self._hub.look(self._hub.journal.claim, name, str(project.folder))
            if record is None or name in self._hub.rooms:
                return None
            async with self._place():
                reader = self._hub.reader()
                session = await self._hub.in_thread(Session.restored, project, record, reader)
                if same:
                    session.id, session.secret = record.session, record.secret
                room = self._hub.add(session)
            self._hub.recordings[session.id].restore(record.recordings)
            for take, rows in () if same else record.recordings.items():
                self._hub.keep_samples(session.id, RecordSamples(take, True, **rows))
            await self._hub.keep_recordings(room)
            # the new session's own journal comes first: nothing is lost in between
            if not same and await asyncio.wrap_future(self._hub.keeper.written(session.id)):
                await self._hub.look(self._hub.journal.remove, name)
            return room
        return None

    async def _begin(self, hello: Hello) -> Room:
        """A new session: with recovered work, with what was asked for, or with the first."""
        notices = []
        if hello.recover:
            await self._hub.close_left(hello.recover)
            if hello.recover not in self._hub.rooms:
                back = await self._take_back(hello.recover, same=False)
                if back is not None:
                    return back
            gone = "this unsaved work is open elsewhere, or was dismissed"
            notices.append(Notice("warning", gone))
        async with self._place():
            session = None
            for wanted in (hello.open, self._hub.first, FIRST):
                if not wanted or session is not None:
                    continue
                try:
                    session = await self._hub.in_thread(self._open, wanted)
                except (KinegenError, OSError) as error:
                    notices.append(Notice("error", f"{legible(wanted)}: {reason(error)}"))
            session = session or Session(self._hub.project, reader=self._hub.reader())
            session.notices = notices + session.notices
            return self._hub.add(session)

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
        left = [(room.empty_since, room) for room in self._hub.rooms.values() if room.empty_since]
        for _, room in sorted(left, key=lambda one: one[0]):
            if len(self._hub.rooms) + self._promised < MOST_ROOMS:
                return
            await self._hub.close(room)  # one whose work is not on disk yet stays
        if len(self._hub.rooms) + self._promised >= MOST_ROOMS:
            raise UsageError(
                f"{MOST_ROOMS} sessions are open, which is the limit; close some pages and load "
                "this one again"
            )

    def _open(self, wanted: str) -> Session:
        source, value = first_source(wanted)
        return Session.opened(self._hub.project, source, value, self._hub.reader())

    async def _welcome(self, client: Client, room: Room) -> Welcome:
        import kinegen

        assert self._library is not None and self._engines is not None, "the hub was not started"
        files = client.files = await self._hub.look(self._hub.project.files)
        recovered = [] if client.read_only else await self._hub.recovered()
        return Welcome(
            schema=schema_hash(),
            version=kinegen.__version__,
            client=client.number,
            session=room.session.id,
            secret=None if client.read_only else room.session.secret,
            read_only=client.read_only,
            library=await self._library,
            engines=await self._engines,
            downloads=await self._hub.in_thread(download_data),
            suffixes=await self._hub.in_thread(open_suffixes),
            files=[] if client.read_only else files,
            folder="" if client.read_only else self._hub.project.name,
            recovered=recovered,
            watch_link=self._hub.watch_link(room.session.id),
            replay=None if client.read_only else self._hub.replay,
        )
