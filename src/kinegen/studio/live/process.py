"""Live: the studio's end of a running simulation, which has a process of its own."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import math
from asyncio.subprocess import Process
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinegen.errors import KinegenError, UsageError
from kinegen.studio.live.frames import unpack_live
from kinegen.studio.live.orders import (
    ANSWERS,
    Answered,
    ChangeText,
    DeviceTable,
    Doing,
    Frame,
    HandLeaves,
    HandTouches,
    LogWritten,
    PersonBody,
    PictureDrawn,
    SignalTable,
    Source,
    Start,
    Started,
    State,
    Warn,
    WireTable,
    WorldParts,
)
from kinegen.studio.live.spares import Spares
from kinegen.studio.server.processes.ending import end_process
from kinegen.studio.server.processes.watchdog import Watchdog
from kinegen.studio.wire.codec import decode_any, encode
from kinegen.studio.wire.message import Message
from kinegen.studio.wire.messages import (
    EndSimulation,
    LiveSettings,
    Notice,
    PauseSimulation,
    PersonGone,
    PersonSeen,
    Release,
    ReleaseSignals,
    SetAttribute,
    SetSimulation,
    SetTarget,
    SignalOverride,
    Simulation,
    SimulationOrder,
    StartSimulation,
    Touch,
    Traffic,
    WorldPeople,
    WriteLog,
)

if TYPE_CHECKING:
    from kinegen.studio.session.room import Client, Room

__all__ = ["Live", "LiveError"]

_PATIENCE = 60.0
"""[s] An order is answered within this time: the first one waits for the process to start."""
_BACKLOG = 1 << 18
"""[bytes] Orders that wait beyond this are those of a process that hangs."""
_MOST = 1 << 24
"""[bytes] A process that leaves so many orders unread is ended."""

_AGAIN = 0.05
"""[s] After which a frame that nobody got is given once more: a paused one has no successor."""


Said = Touch | Release | SetTarget | SignalOverride | ReleaseSignals | SetAttribute


class LiveError(KinegenError):
    """An order was refused; its text is for people."""


class Live:
    """The simulation of one room. All methods run in the event loop."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self.spares = Spares()
        """Where its process comes from: the hub gives all rooms the same."""
        self.agents = False
        """Whether agents may run that are programs of a file: who started the studio decides."""
        self.offer: Callable[[Path], str] = lambda place: ""
        """Makes a file of the project folder one that the page can fetch: its link."""
        self._process: Process | None = None
        self._reader: asyncio.Task[None] | None = None
        self._watchdog: Watchdog | None = None
        self._waiting: dict[int, asyncio.Future[Started | None]] = {}
        self._numbers = itertools.count(1)
        self._text: tuple[str, str | None] | None = None
        self._layout = 0
        self._frames = 0
        self._heard = -math.inf
        """When it last said that something takes long."""
        self._ending: asyncio.Task[None] | None = None
        self.owner = 0
        """Number of the client that runs it."""
        self._touching: set[int] = set()
        """Numbers of the pages that had a hand on it."""
        self._last = b""
        """The last frame."""
        self.state = _off()
        self._people = WorldPeople([])
        """Everybody in the world that runs."""

    @property
    def is_on(self) -> bool:
        """Whether there is a simulation, running or not."""
        return self.state.phase in ("starting", "running", "paused", "stopped")

    async def obey(self, client: Client, order: SimulationOrder) -> None:
        """Carry out an order of a page; LiveError when it is refused."""
        if isinstance(order, StartSimulation):
            await self._start(client, order)
            return
        if isinstance(order, EndSimulation):
            await self.close()
            return
        if not self.is_on:
            raise UsageError("there is no simulation; start one")
        self.owner = client.number
        await self._ask(order)
        if isinstance(order, SetSimulation):
            self._report(settings=order.settings)

    async def _start(self, client: Client, message: StartSimulation) -> None:
        session = self._room.session
        step = session.present
        q = message.q if message.q is not None else session.live.tolist()
        before = self.state
        self.owner = client.number
        self._last = b""
        self._report(phase="starting", reason="")
        try:
            await self._begin()
            for seen in self._room.people.present():
                self._write(seen)
            for number, mesh in self._room.people.meshes.items():
                self.mesh(number, mesh)
            found = await self._ask(Start(0, self._source(), q, message.settings, message.run))
        except KinegenError:
            self._report(phase=before.phase if before.phase != "starting" else "off")
            raise
        self._text, self._layout = (step.good_text, step.file), session.layout_version
        if found is not None:
            begun = "running" if message.run else "paused"
            # it may have stopped again already
            phase = self.state.phase if self.state.phase == "stopped" else begun
            self._report(settings=message.settings, phase=phase)

    def touch(self, client: Client, message: Said) -> None:
        """Pass on what a page's hand does; nothing when there is no simulation."""
        if not self.is_on or client.read_only:
            return
        match message:
            case Touch():
                self._touching.add(client.number)
                self._write(HandTouches(client.number, message))
            case Release(hand):
                self._write(HandLeaves(client.number, hand))
            case _:
                self._write(message)

    def person(self, message: PersonSeen | PersonGone) -> None:
        """Somebody with a body has moved, or has none any more: a world that runs detects it."""
        if self.is_on:
            self._write(message)

    def mesh(self, number: int, frame: bytes) -> None:
        """Cameras see somebody otherwise: a world that runs does, too; no bytes: no longer."""
        if self.is_on:
            self._write(PersonBody(number, len(frame)), frame)

    def changed(self) -> None:
        """The session has changed: the simulation continues with the new numbers."""
        session = self._room.session
        step = session.present
        if self.is_on and session.layout_version != self._layout:
            # another mechanism: nothing of this one continues, not even the frames under way
            if self._reader is not None:
                self._reader.cancel()
            self._frames += 1
            self._ending = asyncio.create_task(self.close())
            return
        if not self.is_on or self._text in (None, (step.good_text, step.file)):
            return
        self._text = (step.good_text, step.file)
        self._write(ChangeText(0, self._source()))

    def entered(self, client: Client) -> None:
        """A client has come: it hears of the simulation, and has it where nobody else does."""
        if not self.is_on:
            return
        client.outbox.put(self._people)
        if self.owner == 0 and not client.read_only:
            self.owner = client.number
            self._report()
            if self._last:
                self._room.show_live(client, self._last)
        else:
            client.outbox.put(self.state)
            if self._last:
                self._room.show_live(client, self._last)

    def left(self, client: Client) -> None:
        """A page is gone: its hands let go, and another page that may runs what it ran.

        Where there is none, the simulation rests. A robot with wires runs on: other programs use
        it.
        """
        if not self.is_on:
            return
        if client.number in self._touching:
            self._touching.discard(client.number)
            self._write(HandLeaves(client.number))
        if client.number != self.owner:
            return
        pages = [one for one in self._room.programs.pages() if not one.read_only]
        self.owner = min((one.number for one in pages), default=0)
        if self.owner:
            self._report()
        elif not self.state.wires:
            self._write(PauseSimulation(0))

    async def close(self) -> None:
        """End the simulation and its process; a log is finished first."""
        if self._process is not None and self.state.log and self.state.log.end is None:
            with contextlib.suppress(KinegenError):
                await self._ask(WriteLog(0, record=False))
        await self._end_process()
        self._refuse_waiting("the simulation was stopped")
        if self.is_on:
            log, self.state = self.state.log, _off()
            self.state.log = log
            self.owner = 0
            self._show(WorldPeople([]))
            self._send()

    # Inside

    def _source(self) -> Source:
        step = self._room.session.present
        folder = str(self._room.session.project.folder)
        return Source(step.good_text, folder, step.file, self.agents)

    async def _ask(self, order: SimulationOrder) -> Started | None:
        await self._begin()
        number = next(self._numbers)
        future: asyncio.Future[Started | None] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        try:
            self._write(replace(order, request=number))
            loop = asyncio.get_running_loop()
            # what takes long says so, and is waited for
            while not (await asyncio.wait({future}, timeout=_PATIENCE))[0]:
                if loop.time() - self._heard > _PATIENCE:
                    raise TimeoutError
            return future.result()
        except TimeoutError:
            await self._end_process()
            self._report(phase="stopped", reason="the simulation did not answer")
            raise LiveError("the simulation did not answer and was stopped") from None
        finally:
            self._waiting.pop(number, None)
            if self.state.doing:
                self._report(doing="")

    def _write(self, order: Message, more: bytes = b"") -> None:
        process = self._process
        if process is None or process.stdin is None or process.returncode is not None:
            return
        transport = process.stdin.transport
        # where hands and targets are comes again; what is said once must arrive
        waiting = transport.get_write_buffer_size()
        if waiting >= _MOST:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
        elif waiting < _BACKLOG or not (
            more or isinstance(order, HandTouches | SetTarget | PersonSeen)
        ):
            with contextlib.suppress(ConnectionError, RuntimeError):
                process.stdin.write(encode(order).encode() + b"\n" + more)

    async def _begin(self) -> None:
        if self._process is not None and self._process.returncode is None:
            return
        self._process = await self.spares.take()
        self._reader = asyncio.create_task(self._read(self._process))
        self._watchdog = Watchdog(self._process, self._is_due)

    def _is_due(self) -> bool:
        """Whether the process has something to do: an order to answer, or time to let pass."""
        return bool(self._waiting) or self.state.phase == "running"

    async def _read(self, process: Process) -> None:
        assert process.stdout is not None
        try:
            while line := await process.stdout.readline():
                if self._watchdog is not None:
                    self._watchdog.heard()
                match decode_any(line, ANSWERS):
                    case Frame(size):
                        self._frame(await process.stdout.readexactly(size))
                    case State(phase, reason, unknown):
                        self._report(phase=phase, reason=reason, unknown=unknown)
                    case SignalTable(signals):
                        self._report(signals=signals)
                    case WorldParts(sensors, nodes):
                        self._report(sensors=sensors, nodes=nodes)
                    case WireTable(wires):
                        self._report(wires=wires)
                    case DeviceTable(devices):
                        self._report(devices=devices)
                    case Traffic() as traffic:
                        self._room.show_traffic(self.owner, traffic)
                    case WorldPeople() as people:
                        self._show(people)
                    case LogWritten(log):
                        if log.end is not None:
                            place = self._room.session.project.path(log.file)
                            log.link = self.offer(place)
                        self._report(log=log)
                    case PictureDrawn(head, size):
                        data = await process.stdout.readexactly(size)
                        self._room.show_picture(self.owner, head, data)
                    case Doing(what):
                        self._heard = asyncio.get_running_loop().time()
                        self._report(doing=what)
                    case Warn(message, client):
                        self._room.notify(Notice("warning", message), client)
                    case Answered(number, error, started):
                        future = self._waiting.get(number)
                        if future is None or future.done():
                            continue
                        if error:
                            future.set_exception(LiveError(error))
                        else:
                            if started is not None:
                                # before the process reports that it runs, which may follow at once
                                self._report(
                                    remarks=started.remarks, objects=started.objects,
                                    plan=started.plan,
                                )  # fmt: skip
                            future.set_result(started)
        except Exception:  # whatever it sent, it is not to be understood any more
            with contextlib.suppress(ProcessLookupError):
                process.kill()
        if process is self._process:
            self._died()

    def _died(self) -> None:
        """The process is gone though nobody ended it."""
        reason = self._watchdog.reason if self._watchdog else ""
        words = f"the simulation {reason or 'ended unexpectedly'}; the studio is still running"
        self._refuse_waiting(words)
        self._process = None
        if self.is_on:
            self._report(phase="stopped", reason=words, wires=[], devices=[])
            self._show(WorldPeople([]))

    def _refuse_waiting(self, words: str) -> None:
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(LiveError(words))

    def _frame(self, body: bytes) -> None:
        self._last = body
        if self.state.phase == "starting":
            self.state.phase = "running"
        self._frames += 1
        self._deliver(body, self._frames)

    def _deliver(self, body: bytes, number: int) -> None:
        """Give a frame to the room; one that comes amid a change again, unless there is a newer."""
        if number != self._frames or not self.is_on:
            return
        if not self._room.simulated(unpack_live(body).q, body):
            asyncio.get_running_loop().call_later(_AGAIN, self._deliver, body, number)

    def _show(self, people: WorldPeople) -> None:
        """Show every page the people in the world."""
        self._people = people
        for page in self._room.programs.pages():
            page.outbox.put(people)

    def _report(self, **changes: Any) -> None:
        for key, value in changes.items():
            setattr(self.state, key, value)
        self._send()

    def _send(self) -> None:
        self.state.owner = self.owner
        for client in self._room.clients.values():
            client.outbox.put(self.state)

    async def _end_process(self) -> None:
        process, self._process = self._process, None
        reader, self._reader = self._reader, None
        if self._watchdog is not None:
            self._watchdog.end()
        if process is None:
            return
        await end_process(process)
        if reader is not None:
            reader.cancel()
            await asyncio.gather(reader, return_exceptions=True)


def _off() -> Simulation:
    return Simulation("off", "", LiveSettings(), [], [], 0)
