"""LiveLoop: carries out the orders to a live simulation, and lets time pass."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from kinegen.errors import KinegenError, UsageError
from kinegen.kinematics.collisions.meshes import report_dividing
from kinegen.studio.live.force_devices import LiveDevices
from kinegen.studio.live.orders import (
    Answered,
    ChangeText,
    Doing,
    HandLeaves,
    HandTouches,
    LogWritten,
    PersonBody,
    Source,
    Start,
    Started,
    Warn,
)
from kinegen.studio.live.replay import LiveReplay, LoggedWorld
from kinegen.studio.live.reporter import Answer, Live, LiveReporter
from kinegen.studio.live.simulation import LiveSimulation
from kinegen.studio.live.wires import LiveWires
from kinegen.studio.live.world import LiveWorld
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.files.project import Project
from kinegen.studio.wire.frames import unpack_body
from kinegen.studio.wire.message import Message
from kinegen.studio.wire.messages import (
    GoToTime,
    LiveSettings,
    LogData,
    PauseSimulation,
    PersonGone,
    PersonSeen,
    PlanCheck,
    PlaySimulation,
    ReleaseSignals,
    SetAttribute,
    SetSimulation,
    SetTarget,
    SignalOverride,
    SimulationOrder,
    StepSimulation,
    UndoTouch,
    WriteLog,
)
from kinegen.world.people.body_mesh import BodyMesh, body_mesh

__all__ = ["LiveLoop"]


class LiveLoop:
    """One simulation, or none; it knows nothing of processes."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.live: Live | None = None
        self.running = False
        self._settings = LiveSettings()
        self._start_q: list[float] = []
        self._reporter = LiveReporter(answer)
        self._people: dict[int, PersonSeen] = {}
        """Of the session, with bodies, by the number of their page."""
        self._meshes: dict[int, BodyMesh] = {}
        """Of those whom cameras see."""
        self._folder = ""
        self._log: LogData | None = None
        """The log that is being written."""
        self.wires = LiveWires(lambda what: self._answer(Doing(what), b""))
        self.devices = LiveDevices()
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
        if self.live is not None:
            self.send_news()
            self._reporter.send(self.live, is_running=self.running)

    def _send_devices(self) -> None:
        self._reporter.send_devices(self.devices.table(is_running=self.running))

    def _put_people(self) -> None:
        """Have the people of the session in the world, from its next step on."""
        world = None if self.live is None else self.live.world
        if isinstance(world, LiveWorld):
            refused = world.people.put(self._people, self._meshes)
            if refused:
                self._answer(Warn(refused), b"")

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
        compiled, settings = _read(order.source), order.settings
        self._folder = order.source.folder
        if settings.log is not None:
            return self._replay(order, compiled)
        agents = order.source.agents
        live = LiveSimulation(compiled, settings, compiled.checked(order.q), agents=agents)
        self._put(live)
        self._settings, self._start_q = replace(settings, wires=[]), order.q
        self.running = order.run
        self._reporter.forget_state()
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
        refused = [live.clearance_refused] if live.clearance_refused else []
        if live.world is not None:
            refused += live.world.remarks
        return Started(
            remarks=[*(remark for one in sims for remark in one.remarks), *refused],
            objects=[name for one in sims for name in one.system.object_names],
            motors=any(one.servos is not None for one in sims),
            plan=_plan_check(live),
        )

    def _replay(self, order: Start, compiled: CompiledText) -> Started:
        if order.settings.wires:
            raise UsageError("a log is being played: other programs cannot move it")
        self.devices.close()
        replay = LiveReplay(compiled, order.settings, Project.again(order.source.folder))
        self._put(replay)
        self._settings, self._start_q = order.settings, order.q
        self.running = order.run
        self._reporter.forget_state()
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
            q = live.compiled.checked(self._start_q)
            self.live = LiveSimulation(live.compiled, self._settings, q)
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
            self._reporter.send_wires(self.wires.table())
        if not same:
            self._answer(Warn("the robot has changed: its protocols were opened again"), b"")

    def _equip(self, settings: LiveSettings) -> None:
        """Have the force devices that the settings name."""
        live = self._must()
        if isinstance(live, LiveReplay):
            return
        if set(settings.devices) - {one.name for one in self._reporter.devices}:
            self._answer(Doing("starting the force device"), b"")
        live.devices = self.devices
        try:
            self.devices.put(live.compiled.mechanism, live, settings.devices)
        finally:
            self._send_devices()

    def _set(self, settings: LiveSettings) -> None:
        """Other settings; where they need another engine it continues from where it is."""
        live = self._must()
        if settings.same_engine(self._settings) or isinstance(live, LiveReplay):
            live.set(settings)
        else:
            self._put(self._again(live.compiled, settings))
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
        compiled = _read(source)
        if not compiled.same_joints(live.compiled):
            self.running = False
            raise UsageError("the joints of the mechanism have changed: restart the simulation")
        self._put(self._again(compiled, self._settings))
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

    def _put(self, live: Live) -> None:
        """Another run in the place of the one before, whose agents end."""
        self._end_run()
        self.live = live

    def _must(self) -> Live:
        if self.live is None:
            raise UsageError("there is no simulation; start one")
        return self.live

    def _world(self) -> LiveWorld | LoggedWorld:
        world = self._must().world
        if world is None:
            raise UsageError("there are no signals: the file has no sensors and no agents")
        return world

    def _again(self, compiled: CompiledText, settings: LiveSettings) -> LiveSimulation:
        old = self._must()
        if isinstance(old, LiveReplay):
            raise UsageError("a log is being played: end it first")
        moment = old.moment()
        closed = compiled.close(moment.q)
        if closed.complaint:
            raise UsageError(closed.complaint)
        fresh = LiveSimulation(
            compiled, settings, closed.q, v=moment.v, places=moment.places, at=moment.time,
            agents=old.agents,
        )  # fmt: skip
        fresh.take_targets(old)
        old.release()
        return fresh


def _read(source: Source) -> CompiledText:
    return CompiledText.read(source.text, Project.again(source.folder), source.file)


def _plan_check(live: LiveSimulation) -> PlanCheck | None:
    """What the motion that is followed would hit, as pages have it."""
    found = live.plan_clearance()
    if found is None:
        return None
    nearest = found.nearest
    distance = nearest.distance if math.isfinite(nearest.distance) else None
    return PlanCheck(distance, nearest.link, nearest.object, found.start, found.end)
