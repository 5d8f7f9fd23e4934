"""The process of a live simulation: takes orders as lines of JSON, answers with frames."""

from __future__ import annotations

import contextlib
import importlib
import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from kinegen.errors import KinegenError, UsageError
from kinegen.kinematics.collisions.meshes import report_dividing
from kinegen.studio.live.force_devices import LiveDevices
from kinegen.studio.live.frames import pack_live
from kinegen.studio.live.orders import (
    ORDERS,
    Answered,
    ChangeText,
    DeviceTable,
    Doing,
    Frame,
    HandLeaves,
    HandTouches,
    LogWritten,
    PersonBody,
    Phase,
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
from kinegen.studio.live.replay import LiveReplay, LoggedWorld
from kinegen.studio.live.simulation import LiveSimulation
from kinegen.studio.live.wires import LiveWires
from kinegen.studio.live.world import LiveWorld
from kinegen.studio.server.processes.worker_process import worker_process
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.files.project import Project
from kinegen.studio.wire.codec import decode_any, encode
from kinegen.studio.wire.frames import unpack_body
from kinegen.studio.wire.message import Message
from kinegen.studio.wire.messages import (
    ForceDeviceData,
    GoToTime,
    LiveSettings,
    LogData,
    PauseSimulation,
    PersonGone,
    PersonSeen,
    PlaySimulation,
    ReleaseSignals,
    SetAttribute,
    SetSimulation,
    SetTarget,
    SignalData,
    SignalOverride,
    SimulationOrder,
    StepSimulation,
    UndoTouch,
    WireData,
    WorldPeople,
    WorldPerson,
    WriteLog,
)
from kinegen.world.people.body_mesh import BodyMesh, body_mesh

__all__ = ["LiveLoop", "main"]

PERIOD = 1 / 75
"""[s] Between two frames: a little more often than pictures are drawn."""
WIRED = 1 / 250
"""[s] Between two turns of a robot with wires: other programs read it and move it in between."""
RESTING = 0.25
"""[s] What rests shows so often what goes over its wires, and how its force devices are."""
LISTED = 0.25
"""[s] So often it is looked whether nodes have other attributes."""
PEOPLE = 1 / 30
"""[s] People are sent at most this often."""
REACTIONS = 1 / 15
"""[s] Forces in the joints are sent at most this often."""

Answer = Callable[[Message, bytes], None]


_REHEARSAL = """raff: 1
joints:
  - {name: A, parent: base, start: 90 deg, motor: true, mass: 1, shape: {box: [0.3, 0.1, 0.1]}}
  - {name: B, parent: A, d: 0.3, start: -90 deg, mass: 1}
  - {name: D, parent: base, d: 0.4, start: 90 deg, mass: 1}
  - {name: C, parent: B, d: 0.4, start: 90 deg, closes: {onto: D, d: 0.3}}
objects:
  - {name: ball, shape: {sphere: 0.05}, at: {xyz: [0, 2, 0]}, mass: 1}
"""
"""A linkage and an object: nearly all that a simulation begins with."""


class LiveLoop:
    """Carries out orders and lets time pass; knows nothing of processes."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.live: LiveSimulation | LiveReplay | None = None
        self.running = False
        self._settings = LiveSettings()
        self._start_q: list[float] = []
        self._sent: State | None = None
        self._table: list[SignalData] = []
        self._parts: WorldParts | None = None
        self._listed = 0.0
        self._reacted = 0.0
        self._people: dict[int, PersonSeen] = {}
        """Of the session, with bodies, by the number of their page."""
        self._meshes: dict[int, BodyMesh] = {}
        """Of those whom cameras see."""
        self._shown: list[WorldPerson] = []
        self._peopled = 0.0
        self._folder = ""
        self._log: LogData | None = None
        """The log that is being written."""
        self.wires = LiveWires(lambda what: self._answer(Doing(what), b""))
        self._wired: list[WireData] = []
        self.devices = LiveDevices()
        self._equipped: list[ForceDeviceData] = []
        self._text = ""
        """That the wires were opened for."""

    def obey(self, order: Message, more: bytes = b"") -> None:
        """Carry out one order; ``more`` are the bytes that followed it."""
        match order:
            case PersonBody(client):
                self._meshes.pop(client, None)
                if more:
                    self._meshes[client] = body_mesh(unpack_body(more), f"page {client}")
                return
            case PersonSeen(client):
                self._people[client] = order
                return  # they act when time passes
            case PersonGone(client):
                self._people.pop(client, None)
                return
        number = order.request if isinstance(order, SimulationOrder) else 0
        client = order.client if isinstance(order, HandTouches) else 0
        try:
            with report_dividing(lambda what: self._answer(Doing(what), b"")):
                started = self._carry_out(order)
        except KinegenError as error:
            self._refuse(number, str(error), client)
        except (ArithmeticError, np.linalg.LinAlgError, MemoryError) as error:
            self._refuse(number, f"this could not be computed: {error}", client)
        except Exception as error:
            words = f"the simulation failed ({type(error).__name__}: {error})"
            self._refuse(number, words, client)
        else:
            if number:
                self._answer(Answered(number, started=started), b"")
        if not self.running or number:  # else the next frame comes soon enough
            self.report()

    def _refuse(self, number: int, words: str, client: int) -> None:
        if number:
            self._answer(Answered(number, words), b"")
        else:
            self._answer(Warn(words, client), b"")

    def pass_time(self, seconds: float, *, report: bool = True) -> None:
        """Let real time pass [s] and say how it stands, or only when it stands still."""
        if self.live is None or not self.running:
            return
        try:
            self._put_people()
            self.live.run(seconds)
        except Exception as error:
            self.live.stop(f"the engine failed: {error}")
        if self.live.is_done or self.live.reason:
            self.running = False
        if report or not self.running:
            self.report()

    def send_news(self) -> None:
        """Send what went over the wires and how force devices are, where that is new."""
        self._send_devices()
        news = self.wires.news()
        if news is not None:
            self._answer(news, b"")

    def report(self) -> None:
        """Send a frame, and the state when it has changed."""
        live = self.live
        if live is None:
            return
        now = time.perf_counter()
        # a frame that has no successor says all
        due = not self.running or now - self._reacted >= REACTIONS
        wanted = live.settings.reactions and due
        if wanted:
            self._reacted = now
        self._send_signals(live)
        self.send_news()
        body = pack_live(live.frame(reactions=wanted))
        self._answer(Frame(len(body)), body)
        self._send_pictures(live)
        self._send_people(live, now)
        phase: Phase = "stopped" if live.reason else "running" if self.running else "paused"
        reason = live.reason or (live.ending if live.is_done else "")
        state = State(phase, reason, live.reactions_refused)
        if state != self._sent:
            self._sent = state
            self._answer(state, b"")

    def _send_devices(self) -> None:
        table = self.devices.table(is_running=self.running)
        if table != self._equipped:
            self._equipped = table
            self._answer(DeviceTable(table), b"")

    def _send_signals(self, live: LiveSimulation | LiveReplay) -> None:
        """The signals of a world where they have changed, and what its agents had to report."""
        world = live.world
        table = [] if world is None else world.table()
        if table != self._table:
            self._table = table
            self._answer(SignalTable(table), b"")
        if world is None:
            return
        while world.news:
            self._answer(Warn(world.news.popleft()), b"")
        now = time.perf_counter()
        if self.running and now - self._listed < LISTED:
            return
        self._listed = now
        parts = WorldParts(world.sensors(), world.nodes())
        if parts != self._parts:
            self._parts = parts
            self._answer(parts, b"")

    def _send_pictures(self, live: LiveSimulation | LiveReplay) -> None:
        if live.world is not None:
            for head, data in live.world.pictures(live.settings.pictures):
                self._answer(PictureDrawn(head, len(data)), data)

    def _put_people(self) -> None:
        """Have the people of the session in the world, from its next step on."""
        world = None if self.live is None else self.live.world
        if isinstance(world, LiveWorld):
            refused = world.people.put(self._people, self._meshes)
            if refused:
                self._answer(Warn(refused), b"")

    def _send_people(self, live: LiveSimulation | LiveReplay, now: float) -> None:
        world = live.world
        if self.running and now - self._peopled < PEOPLE:
            return
        self._peopled = now
        shown = world.people.shown() if isinstance(world, LiveWorld) else []
        if shown != self._shown:
            self._shown = shown
            self._answer(WorldPeople(shown), b"")

    # Orders

    def _carry_out(self, order: Message) -> Started | None:
        match order:
            case Start():
                return self._start(order)
            case PlaySimulation():
                self._play()
            case PauseSimulation():
                self.running = False
                self._must().release()
            case StepSimulation(count=count):
                self.running = False
                self._put_people()
                self._must().step(count)
            case SetSimulation(settings=settings):
                self._set(settings)
            case ChangeText(source=source):
                self._change_text(source)
            case WriteLog(record=record):
                self._write_log(record=record)
            case GoToTime(time=to):
                self.running = False
                self._end_log()  # its times only grow
                self._must().go_to(to)
            case UndoTouch():
                if not self._must().undo():
                    raise UsageError("no hand has changed this motion yet")
            case SetTarget(joint, values, what):
                self._must().target(joint, values, what)
            case HandTouches(client, touch):
                self._must().touch(touch, client)
            case HandLeaves(client, hand):
                self._must().release(client, hand)
            case SignalOverride() | ReleaseSignals():
                self._world().override(order)
            case SetAttribute():
                self._world().set_attribute(order)
            case _:
                raise UsageError(f"{order.KIND} is not an order to a simulation")
        return None

    def _start(self, order: Start) -> Started:
        piece, settings = _read(order.source), order.settings
        self._folder = order.source.folder
        if settings.log is not None:
            return self._replay(order, piece)
        agents = order.source.agents
        live = LiveSimulation(piece, settings, piece.checked(order.q), agents=agents)
        self._put(live)
        self._settings, self._start_q = replace(settings, wires=[]), order.q
        self.running = order.run
        self._sent = None
        try:
            self._equip(settings)
            self._wire(settings, order.source.text)
        except KinegenError:
            self.running = False
            self.devices.close()
            self._send_devices()
            self._end_run()
            raise
        sims = live.simulations
        steering, clearance = live.steering, live.clearance
        refused = [clearance.refused] if clearance.refused else []
        if live.world is not None:
            refused += live.world.remarks
        return Started(
            remarks=[*(remark for one in sims for remark in one.remarks), *refused],
            objects=[name for one in sims for name in one.system.object_names],
            motors=any(one.servos is not None for one in sims),
            plan=None if steering is None else clearance.of_plan(steering.plan),
        )

    def _replay(self, order: Start, piece: CompiledText) -> Started:
        if order.settings.wires:
            raise UsageError("a log is being played: other programs cannot move it")
        self.devices.close()
        replay = LiveReplay(piece, order.settings, Project.again(order.source.folder))
        self._put(replay)
        self._settings, self._start_q = order.settings, order.q
        self.running = order.run
        self._sent = None
        return Started(remarks=[], objects=replay.objects, motors=False, plan=None)

    def _play(self) -> None:
        live = self._must()
        if isinstance(live, LiveReplay):
            if live.is_done:
                live.again()
            self.running = True
            return
        if live.reason:
            raise UsageError("the simulation has ended; reset it first")
        steering = live.steering
        if steering is not None and steering.is_resting:
            steering.continue_plan()
        elif live.is_done:
            q = live.piece.checked(self._start_q)
            self.live = LiveSimulation(live.piece, self._settings, q)
            self._equip(self._settings)
        self.running = True

    def _wire(self, settings: LiveSettings, text: str) -> None:
        """Have the wires that the settings name; where that fails, those of before stay."""
        live = self._must()
        world = live.world.world if isinstance(live.world, LiveWorld) else None
        try:
            same = self.wires.put(
                world, settings.wires, hold=settings.hold, keep=text == self._text
            )
            self._text = text
            self._settings = settings
        finally:
            table = self.wires.table()
            if table != self._wired:
                self._wired = table
                self._answer(WireTable(table), b"")
        if not same:
            self._answer(Warn("the robot has changed: its protocols were opened again"), b"")

    def _equip(self, settings: LiveSettings) -> None:
        """Have the force devices that the settings name."""
        live = self._must()
        if isinstance(live, LiveReplay):
            return
        if set(settings.devices) - {one.name for one in self._equipped}:
            self._answer(Doing("starting the force device"), b"")
        live.devices = self.devices
        try:
            self.devices.put(live.piece.mechanism, live, settings.devices)
        finally:
            self._send_devices()

    def _set(self, settings: LiveSettings) -> None:
        """Other settings; where they need another engine it continues from where it is."""
        live = self._must()
        if settings.same_engine(self._settings) or isinstance(live, LiveReplay):
            live.set(settings)
        else:
            self._put(self._again(live.piece, settings))
        self._settings = replace(
            settings, wires=self._settings.wires, devices=self._settings.devices
        )
        if not isinstance(live, LiveReplay):
            self._equip(settings)
            self._settings = replace(self._settings, devices=settings.devices)
            self._wire(settings, self._text)

    def _change_text(self, source: Source) -> None:
        """The mechanism's text has changed: continue with it from where it is."""
        live = self._must()
        piece = _read(source)
        if not piece.same_joints(live.piece):
            self.running = False
            raise UsageError("the joints of the mechanism have changed: restart the simulation")
        self._put(self._again(piece, self._settings))
        self._equip(self._settings)
        self._wire(self._settings, source.text)

    def _write_log(self, *, record: bool) -> None:
        world = self._world()
        if not isinstance(world, LiveWorld):
            raise UsageError("this is a log already")
        if not record:
            self._end_log()
            return
        self._log = world.begin_log(Project.again(self._folder))
        self._answer(LogWritten(self._log), b"")

    def _end_log(self) -> None:
        """Finish the log, if one is being written."""
        world, log, self._log = None if self.live is None else self.live.world, self._log, None
        if log is not None and isinstance(world, LiveWorld):
            self._answer(LogWritten(world.end_log(log)), b"")

    def close(self) -> None:
        """End what runs: logs are finished, agents end, wires are closed."""
        self.devices.close()
        self._end_run()
        self.wires.close()

    def _end_run(self) -> None:
        if self.live is not None:
            self._end_log()
            self.live.close()
            self.live = None

    def _put(self, live: LiveSimulation | LiveReplay) -> None:
        """Another run in the place of the one before, whose agents end."""
        self._end_run()
        self.live = live

    def _must(self) -> LiveSimulation | LiveReplay:
        if self.live is None:
            raise UsageError("there is no simulation; start one")
        return self.live

    def _world(self) -> LiveWorld | LoggedWorld:
        world = self._must().world
        if world is None:
            raise UsageError("there are no signals: the file has no sensors and no agents")
        return world

    def _again(self, piece: CompiledText, settings: LiveSettings) -> LiveSimulation:
        old = self._must()
        if isinstance(old, LiveReplay):
            raise UsageError("a log is being played: end it first")
        q, v, places, at = old.moment()
        closed, complaint = piece.close(q)
        if complaint:
            raise UsageError(complaint)
        fresh = LiveSimulation(
            piece, settings, closed, v=v, places=places, at=at, agents=old.agents
        )
        fresh.take_targets(old)
        old.release()
        return fresh


def _read(source: Source) -> CompiledText:
    return CompiledText.read(source.text, Project.again(source.folder), source.file)


def main() -> None:
    """Serve orders until the input ends."""
    np.seterr(all="ignore")  # what grows beyond all bounds ends the simulation with a reason
    orders: queue.SimpleQueue[tuple[Message, bytes] | None] = queue.SimpleQueue()

    def listen() -> None:
        for line in sys.stdin.buffer:
            order = decode_any(line, ORDERS)
            size = order.size if isinstance(order, PersonBody) else 0
            orders.put((order, sys.stdin.buffer.read(size)))
        orders.put(None)

    with worker_process() as answers:

        def answer(message: Message, more: bytes) -> None:
            answers.write(encode(message).encode() + b"\n" + more)
            answers.flush()

        threading.Thread(target=listen, daemon=True).start()
        if "spare" in sys.argv[1:]:
            # there is time for what only some simulations need
            with contextlib.suppress(ImportError):
                importlib.import_module("mujoco")
            _rehearse()
        loop = LiveLoop(answer)
        try:
            _serve(loop, orders)
        finally:
            with contextlib.suppress(OSError):  # nobody may listen any more
                loop.close()


def _rehearse() -> None:
    """Simulate something small for nobody: what is imported and compiled on the way stays."""
    loop = LiveLoop(lambda message, more: None)
    folder = os.path.dirname(os.path.abspath(__file__))
    piece = CompiledText.read(_REHEARSAL, Project.again(folder), None)
    source = Source(_REHEARSAL, folder, None)
    loop.obey(Start(0, source, piece.start.tolist(), LiveSettings(), run=True))
    loop.pass_time(PERIOD)
    loop.report()


def _serve(loop: LiveLoop, orders: queue.SimpleQueue[tuple[Message, bytes] | None]) -> None:
    before = framed = time.perf_counter()
    while True:
        period = WIRED if loop.wires.is_on or loop.devices.is_on else PERIOD
        wait = max(0.0, before + period - time.perf_counter()) if loop.running else None
        if wait is None and (loop.wires.is_on or loop.devices.is_on):
            wait = RESTING
        was = loop.running
        try:
            order = orders.get(timeout=wait)
        except queue.Empty:
            loop.send_news()
        else:
            if order is None:
                return
            loop.obey(*order)
        now = time.perf_counter()
        if not was:
            before = now
        elif now - before >= period:  # time passes also while orders keep coming
            is_due = now - framed >= PERIOD
            loop.pass_time(now - before, report=is_due)
            before, framed = now, now if is_due else framed


if __name__ == "__main__":
    main()
