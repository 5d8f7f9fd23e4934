"""Connection: one page's socket, from its hello to its end; its requests in the order they came."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from kinegen.errors import UsageError
from kinegen.studio.session.files.conflicts import ConflictError
from kinegen.studio.session.hub import Hub
from kinegen.studio.session.pages.jobs import PageJobs, words_of
from kinegen.studio.session.pages.outbox import Socket
from kinegen.studio.session.recordings import MOST_OF_ALL
from kinegen.studio.session.room import Client, Room
from kinegen.studio.session.session import Session
from kinegen.studio.wire import messages as wire
from kinegen.studio.wire.codec import WireError, decode, encode
from kinegen.studio.wire.frames import is_body
from kinegen.studio.wire.limits import GONE, NO_SESSION
from kinegen.studio.wire.message import Question, Result

__all__ = ["Connection", "PageSocket"]

FIRST_WORD = 30.0
"""[s] A page says hello within this time."""
MOST_WAITING = 256
"""Requests of one page that may wait; then nothing is read from it until some are done."""
MOST_BYTES = 16 * 2**20
"""Of requests of one page that wait; then, too, nothing is read from it."""
LONG = 2**16
"""[bytes] A longer message is taken apart in a thread: it may take as long as a thousand others."""
MOST_GARBAGE = 200
"""Frames that are no message after which a connection is given up."""
_BAD, _TOO_SLOW = 1008, 1013


_WHILE_IT_RUNS = (
    wire.Touch, wire.Release, wire.SetTarget, wire.SignalOverride, wire.ReleaseSignals,
    wire.SetAttribute,
)  # fmt: skip
_FOR_PROGRAMS = (
    wire.ShowItem, wire.HideItem, wire.InputItem, wire.PictureTaken, wire.Played,
)  # fmt: skip
"""What has no answer and no turn to wait for."""
_UNASKED = (wire.RecordSamples, wire.Hand)
"""What has no answer where it succeeds, but a turn: a hand lets go after its pose is kept."""
_UNNOTED = (
    wire.SimulationOrder,
    wire.DriveOrder,
    wire.TakePicture,
    wire.PlayMotion,
    wire.AskCode,
    wire.AskInvitation,
    wire.AskScreens,
    wire.SwitchTracker,
    wire.Hand,
)
"""What changes nothing that is kept."""
_AROUND = (*_UNNOTED, wire.EndProgram, wire.RecordSamples)
"""What changes no mechanism."""
_OPENING = (wire.OpenLibrary, wire.OpenFile, wire.OpenText)
ONLY_WATCHES = "this page is view-only; open the mechanism in a session of your own"


class PageSocket(Socket, Protocol):
    """A page's connection as Starlette gives it."""

    async def receive(self) -> Any: ...  # noqa: D102
    async def close(self, code: int = 1000, reason: str | None = None) -> None: ...  # noqa: D102


class Connection:
    """A page while it is connected."""

    def __init__(
        self,
        hub: Hub,
        socket: PageSocket,
        *,
        only_watch: frozenset[str] | None = None,
        address: str = "-",
    ) -> None:
        self._hub = hub
        self._socket = socket
        self._only_watch = only_watch
        self._address = address
        self._waiting: deque[tuple[wire.Message, int]] = deque()
        """Requests, and how many bytes each was."""
        self._weight = 0
        """[bytes] Of all of them."""
        self._arrived = asyncio.Event()
        self._taken = asyncio.Event()
        self._jobs = PageJobs(hub)
        self._garbage = 0
        self._typed_over: dict[int, list[int]] = {}
        """Edits that a later one replaced before their turn came, by that one."""
        self._request = 0
        """Number of the request that is being carried out."""
        self._client: Client
        self._room: Room

    async def run(self) -> None:
        """Serve the page until it is gone."""
        hello = await self._hello()
        if hello is None:
            return
        try:
            self._client, self._room = await self._hub.entrance.join(
                hello, only_watch=self._only_watch
            )
        except Exception as error:
            await self._socket.send_text(encode(wire.Refused(0, words_of(error))))
            await self._socket.close(NO_SESSION, "no such session")
            return
        outbox = self._client.outbox
        tasks = [
            asyncio.create_task(work)
            for work in (self._read(), self._work(), outbox.run(self._socket))
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            jobs = self._jobs.end()
            for task in tasks:
                task.cancel()
            self._room.leave(self._client)
            await self._hub.in_thread(self._hub.uploads.folders.leave, self._client.number)
            await asyncio.gather(*tasks, *jobs, return_exceptions=True)
        if outbox.overflowed or self._garbage > MOST_GARBAGE:
            code = _TOO_SLOW if outbox.overflowed else _BAD
            with contextlib.suppress(Exception):
                await self._socket.close(code, "too slow" if outbox.overflowed else "garbage")
        elif outbox.ending is not None:
            with contextlib.suppress(Exception):
                await self._socket.close(GONE, outbox.ending)

    async def _hello(self) -> wire.Hello | None:
        """The first message; None when the page is gone or says something else."""
        try:
            async with asyncio.timeout(FIRST_WORD):
                frame = await self._socket.receive()
        except TimeoutError:
            await self._socket.close(_BAD, "no hello")
            return None
        if frame["type"] == "websocket.disconnect":
            return None
        try:
            message = await _decoded(frame.get("text") or frame.get("bytes") or "")
            if isinstance(message, wire.Hello):
                return message
            problem = f"the first message must be hello, got {message.KIND}"
        except WireError as error:
            problem = str(error)
        await self._socket.send_text(encode(wire.Refused(0, problem)))
        await self._socket.close(_BAD, "no hello")
        return None

    async def _read(self) -> None:
        """Take in frames: poses at once, requests to the queue."""
        while self._garbage <= MOST_GARBAGE:
            frame = await self._socket.receive()
            if frame["type"] == "websocket.disconnect":
                return
            try:
                await self._take_in(frame.get("text") or "", frame.get("bytes"))
            except Exception as error:
                # a defect of ours must not cost the page its connection either
                self._garbage += 1
                self._client.outbox.put(wire.Refused(getattr(error, "request", 0), words_of(error)))
            while len(self._waiting) >= MOST_WAITING or self._weight > MOST_BYTES:
                self._taken.clear()
                await self._taken.wait()

    async def _take_in(self, text: str, data: bytes | None) -> None:
        self._client.used_at = asyncio.get_running_loop().time()
        if data is not None:
            if is_body(data):
                self._room.people.take_body(self._client, data)  # being seen changes nothing
            else:
                self._room.pose(self._client, data)
            return
        message = await _decoded(text)
        if isinstance(message, wire.PersonPose):
            self._room.people.take(self._client, message)  # being seen changes nothing
            return
        if isinstance(message, wire.ScreenDrawn):
            self._room.screens.drew(self._client, message.number)  # screens are view-only pages
            return
        if self._client.read_only:
            # whatever it is, and whatever kinds there will be
            raise WireError(ONLY_WATCHES, request=getattr(message, "request", 0))
        if isinstance(message, wire.Cancel):
            if not self._jobs.cancel(message.request) and message.request == self._request:
                self._room.cancel(self._client)
        elif isinstance(message, _WHILE_IT_RUNS):
            self._room.live.touch(self._client, message)
        elif isinstance(message, wire.DriveBeat):
            self._room.driving.beat(self._client)
        elif isinstance(message, wire.DriveStop):
            self._room.driving.stop(message.reason or "by the user")
        elif isinstance(message, wire.PlaceWall):
            self._room.wall.place(self._client, message)
        elif isinstance(message, wire.HeadPose):
            self._room.wall.head(self._client, message)
        elif isinstance(message, _FOR_PROGRAMS):
            self._room.programs.take(self._client, message, len(text))
        else:
            self._queue(message, len(text))

    def _queue(self, message: wire.Message, size: int) -> None:
        last, replaced = self._waiting[-1] if self._waiting else (None, 0)
        if (
            isinstance(message, wire.EditText)
            and isinstance(last, wire.EditText)
            and last.base == message.base
            and len(before := self._typed_over.get(last.request, [])) < MOST_WAITING
        ):
            # only the latest text matters: earlier ones were typed over before their turn came;
            # what becomes of it is the answer to all of them
            self._typed_over.pop(last.request, None)
            before.append(last.request)
            self._typed_over[message.request] = before
            self._waiting[-1] = (message, size)
            self._weight -= replaced
        else:
            self._waiting.append((message, size))
        self._weight += size
        self._arrived.set()

    async def _work(self) -> None:
        """Carry out requests one after the other; heavy ones run beside."""
        while True:
            while not self._waiting:
                self._arrived.clear()
                await self._arrived.wait()
            message, size = self._waiting.popleft()
            self._weight -= size
            self._taken.set()
            if isinstance(message, Question):
                self._jobs.start(message, self._client, self._room)
                continue
            request = self._request = getattr(message, "request", 0)
            answer: wire.Done | wire.Refused
            try:
                answer = wire.Done(request, await self._carry_out(message))
            except ConflictError as error:
                if error.data.where == "session":
                    self._client.base = int(error.data.version)  # it hears what is there now
                answer = wire.Refused(request, words_of(error), error.data)
            except Exception as error:
                answer = wire.Refused(request, words_of(error))
            if isinstance(answer, wire.Done):
                self._note(message)
            for number in self._typed_over.pop(request, []):
                self._client.outbox.put(dataclasses.replace(answer, request=number))
            unasked = isinstance(message, _UNASKED) and isinstance(answer, wire.Done)
            if request or not unasked:
                self._client.outbox.put(answer)

    def _note(self, message: wire.Message) -> None:
        """Write down who changed what; a recording counts once, an order to a simulation never."""
        if isinstance(message, _UNNOTED):
            return
        if isinstance(message, wire.RecordSamples) and not message.start:
            return
        session = self._room.session.id
        if isinstance(message, (wire.StartUpload, wire.CancelUpload)):
            return  # nothing is in the project yet
        file = message.file if isinstance(message, wire.Save) else ""
        self._hub.log.change(self._address, self._client.number, session, message.KIND, file)

    async def _act(self, message: wire.Message) -> Result | None:
        """What changes no mechanism: programs, links, trackers, simulations, drives, recordings."""
        hub, room = self._hub, self._room
        session = room.session
        match message:
            case wire.Hand():
                room.programs.hand(self._client, message)
            case wire.TakePicture():
                return await room.programs.picture(message)
            case wire.AskCode():
                return wire.PageCode(hub.page_code())
            case wire.AskInvitation():
                return hub.invitation(session.id, session.secret)
            case wire.AskScreens(screens=screens):
                return hub.screens(session.id, screens)
            case wire.SwitchTracker():
                await room.trackers.switch(self._client, message)
            case wire.PlayMotion():
                room.programs.play(message)
            case wire.EndProgram(program=program):
                room.programs.end(program)
            case wire.SimulationOrder():
                if isinstance(message, wire.StartSimulation):
                    hub.check_simulations(room)
                await room.live.obey(self._client, message)
            case wire.DriveOrder():
                if isinstance(message, wire.ConnectRobot):
                    hub.check_port(room, message.port)
                return await room.driving.obey(self._client, message)
            case wire.RecordSamples():
                if sum(one.written for one in hub.recordings.values()) > MOST_OF_ALL:
                    raise UsageError(
                        "the studio has too many unsaved recordings; save some as motions"
                    )
                hub.recordings[session.id].add(message, session.work.model.nq)
                hub.keep_samples(session.id, message)
        return None

    async def _carry_out(self, message: wire.Message) -> Result | None:
        if isinstance(message, wire.Hello):
            raise UsageError("hello has already been sent")
        hub, session = self._hub, self._room.session
        if isinstance(message, wire.Dismiss):
            await hub.dismiss(message.session)
            return None
        if isinstance(message, (wire.StartUpload, wire.FinishUpload, wire.CancelUpload)):
            return await hub.in_thread(self._upload, message)
        if isinstance(message, _AROUND):
            return await self._act(message)
        work = _change_of(message, session, self._client)
        with contextlib.ExitStack() as held:
            if isinstance(message, wire.Save):
                size = len(session.present.text)
                await asyncio.to_thread(held.enter_context, hub.quota.holding(size))
            result = await self._room.change(self._client, lambda: _quiet(work))
        if isinstance(message, (wire.Save, wire.TakeFromDisk, *_OPENING)):
            self._room.send_disk(None)
        if isinstance(message, wire.Save):
            await asyncio.to_thread(hub.quota.wrote, result)
            self._client.files = await asyncio.to_thread(hub.project.files)
            return wire.Saved(result, self._client.files)
        if isinstance(message, wire.StoreMotion):
            recordings = hub.recordings[session.id]
            recordings.drop(message.motion.name)
            if not len(recordings):
                hub.keeper.drop_recordings(session.id)
        return None

    def _upload(
        self, message: wire.StartUpload | wire.FinishUpload | wire.CancelUpload
    ) -> Result | None:
        """What concerns a folder on its way; in a thread."""
        folders, owner = self._hub.uploads.folders, self._client.number
        if isinstance(message, wire.StartUpload):
            return folders.start(owner, message.name, message.files)
        if isinstance(message, wire.FinishUpload):
            return folders.finish(owner, message.key)
        folders.cancel(owner, message.key)
        return None


async def _decoded(text: str | bytes) -> wire.Message:
    return decode(text) if len(text) <= LONG else await asyncio.to_thread(decode, text)


def _quiet(work: Callable[[], Any]) -> Any:
    """Do something without NumPy's warnings: what a page sends must not fill the log."""
    with np.errstate(all="ignore"):
        return work()


def _change_of(message: wire.Message, session: Session, client: Client) -> Callable[[], Any]:
    """What a request does to a session."""
    match message:
        case wire.OpenLibrary(name=name, q=q):
            return lambda: session.open("library", name, q)
        case wire.OpenFile(file=file):
            return lambda: session.open("file", file)
        case wire.OpenText(text=text, q=q, name=name):
            return lambda: session.open("text", text, q, name)
        case wire.EditText(text=text, base=base):
            return lambda: session.edit_text(text, client.base if base is None else base)
        case wire.SetNumbers(changes=changes, label=label):
            return lambda: session.set_numbers(changes, label)
        case wire.StructureEdit():
            return lambda: session.edit_structure(message)
        case wire.CommitPose(q=pose, label=label, version=version):
            return lambda: session.commit_pose(pose, label, version)
        case wire.Undo():
            return session.undo
        case wire.Redo():
            return session.redo
        case wire.Save(file=file, overwrite=overwrite):
            return lambda: session.save(file, overwrite=overwrite)
        case wire.TakeFromDisk(version=seen):
            return lambda: session.take_from_disk(seen)
        case wire.StoreMotion(motion=motion):
            return lambda: session.store_motion(motion)
        case wire.MotionEdit():
            return lambda: session.change_motion(message)
    raise UsageError(f"the studio cannot handle the message {message.KIND}")
