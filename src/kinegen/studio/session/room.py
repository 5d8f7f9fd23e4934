"""Room: a session with the pages that are in it; changes in turn, poses relayed at display rate."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from typing import Any, TypeVar

from kinegen.kernels import Floats
from kinegen.studio.live.process import Live
from kinegen.studio.server.uploading.meshes import meshes_of
from kinegen.studio.session.driving import Driving
from kinegen.studio.session.journals.log import Record
from kinegen.studio.session.pages.outbox import Outbox
from kinegen.studio.session.people import People
from kinegen.studio.session.programs import Program, Programs
from kinegen.studio.session.screens import Screens
from kinegen.studio.session.session import Session
from kinegen.studio.session.trackers import Trackers
from kinegen.studio.session.wall import Wall
from kinegen.studio.wire.codec import WireError, encode
from kinegen.studio.wire.frames import pack_live_frame, pack_picture, pack_pose, unpack_pose
from kinegen.studio.wire.messages import (
    ConflictData,
    Disk,
    Files,
    Keeping,
    Message,
    Notice,
    PictureHead,
    Refused,
    Snapshot,
    Traffic,
    Watchers,
)

__all__ = ["Client", "Room"]

RELAY = 1 / 60
"""[s] Poses of pages are passed on at most this often."""
PROGRAM_RELAY = 1 / 500
"""[s] Poses of programs, which are to be seen in the next picture."""
_SNAPSHOT, _POSE, _LIVE = "snapshot", "pose", "live"

T = TypeVar("T")


class Client:
    """A page or a program: its number, its rights, what waits to be sent to it."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.read_only = True
        self.outbox = Outbox()
        self.pose: bytes | None = None
        """Its latest pose frame that has not been looked at."""
        self.must_take_pose = True
        """Whether the next snapshot it gets brings a pose it does not have."""
        self.files: list[str] = []
        """The files of the project folder that it received last."""
        self.base = 0
        """Version after its own last change: it has seen the text until then."""
        self.program: Program | None = None
        """Which program it is, None for a page."""
        self.used_at = 0.0
        """[s, loop time] When something came from it last."""


class Room:
    """One session and everybody in it. All methods run in the event loop."""

    def __init__(self, session: Session, threads: Executor | None = None) -> None:
        self.session = session
        self._threads = threads
        """Where changes are done; None for the event loop's own few."""
        self.clients: dict[int, Client] = {}
        self.driver = 0
        """Number of the client that moves the mechanism now, 0 for nobody."""
        self.empty_since: float | None = asyncio.get_running_loop().time()
        """[s, loop time] Since when nobody is here."""
        self.unattended_since: float | None = self.empty_since
        """[s, loop time] Since when nobody is here who may change something."""
        self._coming = 0
        """Clients that are on their way in."""
        self._lock = asyncio.Lock()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._relay: asyncio.TimerHandle | None = None
        self._passed = 0.0
        """[s, loop time] When poses were passed on last."""
        self._sequence = 0
        self._snapshot: tuple[int, Snapshot] | None = None
        self._encoded: dict[bool, str] = {}
        self.live = Live(self)
        self.programs = Programs(self)
        self.people = People(self)
        self.wall = Wall(self)
        self.screens = Screens()
        self.trackers = Trackers(self)
        self.driving = Driving(self)
        """The real robot."""
        self._simulated = 0.0
        """[s, loop time] When a simulated pose was passed on last."""
        self.touched = True
        """Whether something changed that the journal does not have yet."""
        self.keep: Callable[[Record], None] = lambda record: None
        """Takes what the journal is to have; returns at once."""
        self._is_changing = False
        """Whether a thread is at the session: then nobody else looks into it."""
        self.trouble: str | None = None
        """Why the journal cannot be written just now."""
        self._disk: ConflictData | None = None
        """What others wrote into the session's file, and somebody has to choose about."""
        self.disk_look: tuple[object, ...] = ()
        """How the session's file looked when it was compared last; see `FolderWatch`."""

    # Coming and going

    @contextlib.contextmanager
    def expecting(self) -> Iterator[None]:
        """Somebody is on the way in: nobody left the room for good meanwhile."""
        self._coming += 1
        self._count()
        try:
            yield
        finally:
            self._coming -= 1
            self._count()

    async def enter(self, client: Client, *, read_only: bool) -> None:
        """Let a client in and send it the state, between two changes."""
        async with self._lock:
            client.read_only = read_only
            client.must_take_pose = True
            client.base = self.session.version
            self.clients[client.number] = client
            self._count()
            await self._send_snapshot([client], author=None)
        if self.trouble is not None and not read_only:
            client.outbox.put(Keeping(self.trouble))
        if self._disk is not None and not read_only:
            client.outbox.put(Disk(self._disk))
        if client.program is None:
            self.live.entered(client)
            self.driving.entered(client)
            self.programs.page_entered(client)
            self.people.entered(client)
            self.wall.entered(client)
        elif self.live.is_on:
            client.outbox.put(self.live.state)

    def leave(self, client: Client) -> None:
        """A client is gone."""
        self.clients.pop(client.number, None)
        if self.driver == client.number:
            self.driver = 0
        if self._is_changing and self.session.author == client.number:
            self.session.reader.hurry()
        self.live.left(client)
        self.driving.left(client)
        self.programs.left(client)
        self.people.left(client)
        self.wall.left(client)
        self.screens.left(client)
        self.trackers.left(client)
        self._count()
        self.send_watchers()

    def _count(self) -> None:
        now = asyncio.get_running_loop().time()
        writers = [client for client in self.clients.values() if not client.read_only]
        self.empty_since = None if self.clients or self._coming else self.empty_since or now
        self.unattended_since = None if writers else self.unattended_since or now

    def send_watchers(self) -> None:
        """Send everybody how many are here and which page drives."""
        message = Watchers(sum(1 for _ in self.programs.pages()), self.driver)
        for client in self.clients.values():
            client.outbox.put(message)

    # Changes

    async def change(self, client: Client | None, work: Callable[[], T]) -> T:
        """Do a piece of work on the session in a thread, alone; then send everybody its outcome.

        It is done to its end even when the caller is gone: a thread cannot be stopped, and nobody
        else may touch the session meanwhile.
        """
        task = asyncio.create_task(self._change(client, work))
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return await asyncio.shield(task)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # looked at: a failure that nobody waits for is nothing for the log

    async def _change(self, client: Client | None, work: Callable[[], T]) -> T:
        async with self._lock:
            session = self.session
            before = session.version
            session.author = client.number if client else 0
            self.write_journal()  # poses since the last change: this one may take long
            self._is_changing = True
            try:
                return await self._in_thread(work)
            finally:
                self._is_changing = False
                if session.version != before:
                    if client:
                        client.base = session.version
                    # before anybody hears that it is done
                    self.touched = True
                    self.write_journal()
                    if self.driver and session.pose_changed:
                        self.driver = 0
                    await self._send_snapshot(list(self.clients.values()), author=client)
                    self.live.changed()
                    self.driving.changed()
                    self.wall.changed()
                    self.trackers.changed()
                self.send_notices()

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def cancel(self, client: Client) -> None:
        """End what a page has asked for, if that is still being read."""
        if self._is_changing and self.session.author == client.number:
            self.session.reader.stop()

    async def _send_snapshot(self, clients: Sequence[Client], *, author: Client | None) -> None:
        """Send the state; the author keeps its own pose where it may. The lock is held."""
        session = self.session
        if self._snapshot is None or self._snapshot[0] != session.version:
            made = await self._in_thread(session.snapshot)
            self._snapshot = (session.version, made)
            self._encoded = {}
        self.screens.flush()
        for client in clients:
            if client is not author or session.pose_changed:
                client.must_take_pose = True
            client.outbox.put_latest(_SNAPSHOT, self._snapshot_for(client))

    def _snapshot_for(self, client: Client) -> Callable[[], str]:
        """What makes the snapshot's text when its turn comes: then it is the latest."""

        def text() -> str:
            assert self._snapshot is not None
            take = client.must_take_pose
            client.must_take_pose = False
            if take:
                # the pose now, not that of the time of the change
                q = self.session.live.tolist()
                if q != self._snapshot[1].q or True not in self._encoded:
                    fresh = dataclasses.replace(self._snapshot[1], q=q, pose_changed=True)
                    self._snapshot = (self._snapshot[0], fresh)
                    self._encoded[True] = encode(fresh)
            elif False not in self._encoded:
                own = dataclasses.replace(self._snapshot[1], pose_changed=False)
                self._encoded[False] = encode(own)
            return self._encoded[take]

        return text

    def shown_meshes(self) -> frozenset[str]:
        """Mesh files that whoever is here sees, by their path in the project folder."""
        if self._snapshot is None:
            return frozenset()
        shown = self._snapshot[1]
        shapes = [*shown.model.link_shapes, *(one.shape for one in shown.objects)]
        return frozenset(meshes_of(shapes))

    def write_journal(self) -> None:
        """Hand what has changed to the journal; what a change is at comes when it is done."""
        if self.touched and not self._is_changing:
            self.touched = False
            self.keep(self.session.record())

    def journal_trouble(self, trouble: str | None) -> None:
        """Warn everybody with write access that the journal cannot be written."""
        if trouble != self.trouble:
            self.trouble = trouble
            self.send_writers(Keeping(trouble))

    async def look_at_disk(self) -> None:
        """Follow what others did to the session's file; pages hear where they have to choose."""
        self.send_disk(await self.change(None, self.session.look_at_disk))

    def send_disk(self, conflict: ConflictData | None) -> None:
        """Send everybody with write access what is in its file, unless they know."""
        if conflict != self._disk:
            self._disk = conflict
            self.send_writers(Disk(conflict))

    def send_files(self, files: list[str]) -> None:
        """Send the list of files to those who know another one."""
        for client in self.clients.values():
            if not client.read_only and client.files != files:
                client.files = files
                client.outbox.put(Files(files))

    def send_writers(self, message: Message) -> None:
        """Send something to all but those who only watch."""
        for client in self.clients.values():
            if not client.read_only:
                client.outbox.put(message)

    def send_notices(self) -> None:
        """Send the notices of the session."""
        notices, self.session.notices = self.session.notices, []
        for notice in notices:
            self.notify(notice)

    def notify(self, notice: Notice, number: int = 0) -> None:
        """Send everybody a notice, or only the client of this number."""
        for client in self.clients.values():
            if number in (0, client.number):
                client.outbox.put(notice)

    # Poses

    def pose(self, client: Client, frame: bytes) -> None:
        """A pose came: it is passed on at once after a pause, else at its turn; the latest wins."""
        client.pose = frame
        loop = asyncio.get_running_loop()
        due = self._passed + (PROGRAM_RELAY if client.program else RELAY)
        if due <= loop.time():
            self.pass_on()
        elif self._relay is None:
            self._relay = loop.call_at(due, self.pass_on)
        elif self._relay.when() > due:
            self._relay.cancel()
            self._relay = loop.call_at(due, self.pass_on)

    def pass_on(self) -> None:
        """Look at the poses that came, and send everybody where the mechanism is."""
        if self._relay is not None:
            self._relay.cancel()
            self._relay = None
        loop = asyncio.get_running_loop()
        self._passed = loop.time()
        if self._lock.locked():
            # a change is under way: its model decides whether the pose fits
            self._relay = loop.call_later(RELAY, self.pass_on)
            return
        moved = None
        for client in self.clients.values():
            if client.program is not None and self._is_held:
                continue  # a hand wins; the pose is shown once it lets go
            frame, client.pose = client.pose, None
            if frame is None:
                continue
            try:
                pose = unpack_pose(frame)
            except WireError as error:
                client.outbox.put_latest("bad pose", _refusal(str(error)))
                continue
            if not client.read_only and self.session.move(pose.version, pose.q):
                moved = client
        if moved is None:
            return
        self.touched = True
        self._sequence += 1
        frame = pack_pose(self._sequence, self.session.version, self.session.live)
        for client in self.clients.values():
            if client is not moved and client not in self.screens:
                client.outbox.put_latest(_POSE, frame)
        self.screens.put(_POSE, frame)
        if self.driver != moved.number:
            self.driver = moved.number
            self.send_watchers()

    @property
    def _is_held(self) -> bool:
        """Whether poses of programs have to wait: a person, or a simulation, moves it."""
        return bool(self.programs.hands) or self.live.state.phase in ("starting", "running")

    def show_live(self, client: Client, body: bytes) -> None:
        """Send a client how the simulation stands."""
        frame = pack_live_frame(self._sequence, self.session.version, body)
        client.outbox.put_latest(_LIVE, frame)

    def show_picture(self, owner: int, head: PictureHead, data: bytes) -> None:
        """Send the owner of the simulation a picture of a camera; only the latest waits."""
        client = self.clients.get(owner)
        if client is not None:
            client.outbox.put_latest(f"picture/{head.signal}", pack_picture(head, data))

    def show_traffic(self, owner: int, traffic: Traffic) -> None:
        """Send the owner of the simulation what goes over its wires; only the latest waits."""
        client = self.clients.get(owner)
        if client is not None:
            client.outbox.put(traffic)

    def simulated(self, q: Floats, body: bytes) -> bool:
        """The simulation has moved on: pages get all of it, programs the pose.

        False: a change is under way, and nobody got it.
        """
        session, now = self.session, asyncio.get_running_loop().time()
        # a change that is under way has the pose of its own
        if self._lock.locked() or not session.move(session.version, q):
            return False
        self._sequence += 1
        frame = pack_live_frame(self._sequence, session.version, body)
        for page in self.programs.pages():
            if page not in self.screens:
                page.outbox.put_latest(_LIVE, frame)
        self.screens.put(_LIVE, frame)
        if now - self._simulated < RELAY:
            return True
        self._simulated = now
        self.touched = True
        frame = pack_pose(self._sequence, session.version, q)
        for client in self.clients.values():
            if client.program is not None:
                client.outbox.put_latest(_POSE, frame)
        return True


def _refusal(message: str) -> Callable[[], str]:
    return lambda: encode(Refused(0, message))
