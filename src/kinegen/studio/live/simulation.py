"""Live simulation: a mechanism that runs while hands of a page push and pull it."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from kinegen.dynamics.engines.engine import StepReport
from kinegen.dynamics.motors.targets import Targets
from kinegen.dynamics.simulation.simulation import Simulation
from kinegen.dynamics.simulation.system import System
from kinegen.errors import KinegenError, UsageError
from kinegen.kernels import Floats
from kinegen.mechanism.model import Model
from kinegen.motion.recording import Recording
from kinegen.motion.steering import Steering
from kinegen.studio.live.clearance import LiveClearance
from kinegen.studio.live.force_devices import EXCHANGE, LiveDevices
from kinegen.studio.live.frames import LiveFacts, LiveFrame, LiveHand
from kinegen.studio.live.hands import LiveHands, hand_row
from kinegen.studio.live.world import MOTORS_OFF, LiveWorld, has_world, rates_of
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.wire import messages as wire
from kinegen.studio.wire.data.scene import motion_data
from kinegen.studio.wire.messages import LiveSettings
from kinegen.world.bodies.touching import has_touching, touching

__all__ = ["LiveSimulation"]

CONTROL = 4e-3
"""[s] Hands and motors are asked at most this often: a page sends a hand every 16 ms."""
SLICE = 4e-3
"""[s, real] Steps are run for about this long before anything else is looked at."""
LOOK = 0.02
"""[s] At least so often it is looked how wide gaps are and what is near."""
BUSY = 12e-3
"""[s, real] Steps take at most about this long between two frames: when they cannot keep up with
real time, the picture shall still be smooth."""
_TARGETS = {"position": "q", "velocity": "v", "effort": "effort"}
"""Quantities of a motor's target, and where the targets hold them."""
MOST_TOUCHES = 500
"""Contacts that a page gets, at most."""
_SUMS = ("kinetic", "potential", "work", "contacts")
_WIDEST = ("gap", "angle_gap", "velocity_gap")
"""Numbers of a report, as those of several engines are put together."""
HANDLED = 0.1
"""[s] While a hand acts, a moment that a world can be brought back to is kept so often."""
LATE = 0.1
"""[s, real] Time that was lost beyond this is not caught up with: the motion is slower then."""


class LiveSimulation:
    """One run of a simulation under one set of settings; q in and out is the page's."""

    def __init__(
        self,
        piece: CompiledText,
        settings: LiveSettings,
        q: Floats,
        *,
        v: Mapping[str, Floats] | None = None,
        places: Mapping[str, Floats] | None = None,
        at: float = 0.0,
        agents: bool = False,
    ) -> None:
        """Set up a run.

        Args:
            piece: The mechanism as it is.
            settings: What it runs with.
            q: Where it starts, of the page's model.
            v: How fast, by joint name; None: at rest.
            places: Configurations of free objects by name, where not as in the file.
            at: Time to start with [s].
            agents: Whether agents may run that are programs of the file.
        """
        self.piece = piece
        self.settings = settings
        self.page: Model = piece.model
        self.steering: Steering | None = None
        self.agents = agents
        self.world = self._make_world(q, places or {})
        """Sensors and agents, where the file has any and no stored motion is followed."""
        self._alone = self._make(q, v or {}, places or {}) if self.world is None else None
        self.hands = LiveHands(self.simulation_of)
        self.devices: LiveDevices | None = None
        """Force devices of the file, where any are on."""
        owners = [
            {joint.name: (i, k, joint) for k, joint in enumerate(one.model.joints)}
            for i, one in enumerate(self.simulations)
        ]
        self._joints = [
            (joint, *next(found[joint.name] for found in owners if joint.name in found))
            for joint in self.page.joints
        ]
        """Joints of the page; which simulation moves each, and the same joint there."""
        self.clearance = LiveClearance(piece.mechanism, self.page)
        self._now = self.clearance.at(self._page_q(), self._places())
        self._nearest = [(self.report.time, self._now)]
        if self.world is not None:
            self.world.start_at(v, at)
        elif at and self.steering is None:  # a plan begins again
            self.simulation.reset(self.simulation.engine.q, self.simulation.engine.v, at)
        self._start: StepReport = self.report
        self._drift = self._scale = self._widest = 0.0
        self._handled = -math.inf
        self._cost = 1e-4
        self._owed = 0.0
        self.pace = settings.speed
        """Simulated seconds per second, recently."""
        self._targets = Targets.at(self.model, self.simulation.engine.q)
        self._held = self._targets.q
        self.reactions_refused = ""
        """Why forces in the joints are unknown, if they are."""

    @property
    def simulations(self) -> list[Simulation]:
        """What moves; a world may have several engines."""
        return [self._alone] if self._alone is not None else self._world.simulations

    @property
    def simulation(self) -> Simulation:
        """The first, which has all that has no engine of its own."""
        return self.simulations[0]

    @property
    def model(self) -> Model:
        """Of the first."""
        return self.simulation.model

    @property
    def _world(self) -> LiveWorld:
        assert self.world is not None
        return self.world

    def simulation_of(self, site: str) -> Simulation:
        """What moves a link or frame."""
        for one in self.simulations[1:]:
            if site in one.model.site_names[1:]:
                return one
        return self.simulation

    @property
    def report(self) -> StepReport:
        """Of all that moves together."""
        first, *others = (one.report for one in self.simulations)
        for one in others:
            first = replace(
                first,
                **{key: getattr(first, key) + getattr(one, key) for key in _SUMS},
                **{key: max(getattr(first, key), getattr(one, key)) for key in _WIDEST},
            )
        return first

    def _by_name(self, q: Floats) -> dict[str, Floats]:
        return {joint.name: q[joint.q] for joint in self.page.joints if len(q[joint.q])}

    def _make_world(self, q: Floats, places: Mapping[str, Floats]) -> LiveWorld | None:
        mechanism = self.piece.mechanism
        settings = self.settings
        if settings.motion is not None and settings.wires:
            raise UsageError("a motion is being followed: end it before other programs take over")
        if settings.motion is not None or not (has_world(mechanism) or settings.wires):
            return None
        start = {**self._by_name(q), **places}
        return LiveWorld(mechanism, self.settings, start, agents=self.agents)

    def _make(self, q: Floats, v: Mapping[str, Floats], places: Mapping[str, Floats]) -> Simulation:
        settings, mechanism = self.settings, self.piece.mechanism
        if settings.motion is not None:
            self.steering = self._steer(settings.motion)
            return self.steering.simulation
        full = self._by_name(q)
        system = System.of(
            mechanism, objects=settings.objects, floor=settings.floor, gravity=settings.gravity
        )
        full |= {name: place for name, place in places.items() if name in system.object_names}
        start = _filled(system.model, full)
        speeds = system.start_v if not v else rates_of(system.model, v)
        return Simulation(
            system, engine=settings.engine, step=settings.step,
            control_step=max(settings.step, CONTROL), record=0, q=start,
            v=speeds if speeds.any() else None, hold=settings.hold,
            modes=settings.modes if settings.hold else None,
        )  # fmt: skip

    def _steer(self, name: str) -> Steering:
        motions = {one.name: one for one in motion_data(self.piece.mechanism, self.page)}
        if name not in motions:
            raise UsageError(
                f"there is no motion '{name[:60]}'; motions: {', '.join(motions) or 'none'}"
            )
        data = motions[name]
        plan = Recording(
            self.page, tuple(data.joints), np.array(data.times), np.array(data.values), name
        )
        settings = self.settings
        system = System.of(
            self.piece.mechanism, objects=settings.objects, floor=settings.floor,
            gravity=settings.gravity,
        )  # fmt: skip
        return Steering(
            system, plan, resume=settings.resume, engine=settings.engine, step=settings.step,
            control_step=max(settings.step, CONTROL), record=0,
        )  # fmt: skip

    # Running

    @property
    def reason(self) -> str:
        """Why it ended; empty while it can continue."""
        return self.simulation.reason if self.world is None else self.world.world.reason

    def stop(self, reason: str) -> None:
        """End it here, for a reason in words."""
        for one in self.simulations:
            one.stop(reason)
        if self.world is not None:
            self.world.world.stop(reason)

    def go_to(self, time: float) -> None:
        """Go to a time that a world has passed [s]; hands let go."""
        if self.world is None:
            raise UsageError(
                "only a world can return to an earlier time: add sensors or agents to the file, or "
                "record the motion"
            )
        self.release()
        self.world.go_to(time)
        self._start = self.report
        self._drift = self._owed = 0.0
        self._look()

    @property
    def is_done(self) -> bool:
        """Whether a motion that is followed is at its end."""
        return self.steering is not None and self.steering.is_done

    @property
    def ending(self) -> str:
        """In what way a motion that is followed is done."""
        if self.steering is not None and self.steering.is_resting:
            return "stopped where the hand let go: press play to continue the motion"
        return "the motion is at its end"

    def step(self, count: int = 1) -> None:
        """Some steps."""
        devices = self.devices if self.devices is not None and self.devices.is_on else None
        most = max(1, int((LOOK if devices is None else EXCHANGE) / self.settings.step))
        for first in range(0, count, most):
            now = min(most, count - first)
            if devices is not None:
                devices.exchange()
            if self.world is not None:
                if self.hands.all and self.report.time >= self._handled + HANDLED:
                    self._intervened()
                self.world.step(now)
            else:
                self.simulation.advance(now * self.settings.step)
            self._look()
            if self.is_done:  # its last frame is that of its end, however late it is asked for
                return

    def _intervened(self) -> None:
        if self.world is not None:
            self.world.world.intervened()
            self._handled = self.report.time

    def run(self, passed: float) -> None:
        """Let real time pass [s]: as many steps as belong to it, as far as they can be made."""
        self._owed += passed * self.settings.speed
        begun = time.perf_counter()
        made = 0.0
        step = self.settings.step
        while self._owed >= step and not self.reason and not self.is_done:
            now = time.perf_counter()
            left = BUSY - (now - begun)
            if left <= 0:
                break
            count = max(1, min(int(self._owed / step), int(min(SLICE, left) / self._cost)))
            self.step(count)
            self._cost += 0.3 * ((time.perf_counter() - now) / count - self._cost)
            self._owed -= count * step
            made += count * step
        # a step may be longer than that in slow motion
        self._owed = min(self._owed, max(LATE * self.settings.speed, step))
        if passed > 0:
            self.pace += min(1.0, passed / 0.5) * (made / passed - self.pace)

    def _look(self) -> None:
        """Keep what is largest so far."""
        report = self.report
        self._widest = max(self._widest, report.gap)
        self._drift = max(self._drift, abs(report.balance - self._start.balance))
        moving = max(report.kinetic, abs(report.work))
        fallen = abs(report.potential - self._start.potential)
        self._scale = max(self._scale, moving, fallen)
        self._now = self.clearance.at(self._page_q(), self._places())
        if self._now < self._nearest[-1][1]:
            self._nearest.append((report.time, self._now))

    # What a page says

    def set(self, settings: LiveSettings) -> None:
        """Other settings that need no other engine."""
        if settings.speed != self.settings.speed:
            self.pace, self._owed = settings.speed, 0.0
        self.settings = settings
        self.hands.tune(settings)
        if self.steering is not None:
            self.steering.resume = settings.resume

    def target(self, joint: str, values: Sequence[float], what: str = "position") -> None:
        """Set a motor's target: 'position', 'velocity' or 'effort'."""
        if what not in _TARGETS:
            raise UsageError(f"the target of a motor is one of: {', '.join(_TARGETS)}")
        if self.world is not None:
            self.world.target(joint, list(values), what)
            return
        servos = self.simulation.servos
        if servos is None:
            raise UsageError(MOTORS_OFF)
        row = self.model.joint(joint)
        part = row.q if what == "position" else row.v
        given = np.array(values, dtype=np.float64)
        if given.shape != (part.stop - part.start,) or not np.isfinite(given).all():
            raise UsageError(
                f"a target of joint '{joint}' must be {part.stop - part.start} numbers"
            )
        numbers = getattr(self._targets, _TARGETS[what]).copy()
        numbers[part] = given
        self._targets = replace(self._targets, **{_TARGETS[what]: numbers})
        servos.set_targets(self._targets)

    def take_targets(self, old: LiveSimulation) -> None:
        """Take over the motors' targets of a run that this one continues."""
        if self.world is not None and old.world is not None:
            self.world.take_over(old.world)
            return
        if self.simulation.servos is None or old.simulation.servos is None:
            return
        targets = {key: getattr(self._targets, key).copy() for key in _TARGETS.values()}
        for one in self.page.joints:  # free objects may have come or gone, and have no motors
            joint, before = self.model.joint(one.name), old.model.joint(one.name)
            targets["v"][joint.v] = old._targets.v[before.v]
            targets["effort"][joint.v] = old._targets.effort[before.v]
            moved = old._targets.q[before.q] != old._held[before.q]
            targets["q"][joint.q] = np.where(moved, old._targets.q[before.q], targets["q"][joint.q])
        self._targets = replace(self._targets, **targets)
        self.simulation.servos.set_targets(self._targets)

    def touch(self, given: wire.Touch, client: int = 0) -> None:
        """A hand of a page takes hold, presses, or has moved."""
        is_new = (client, given.hand) not in self.hands.all
        self.hands.touch(given, self.settings, client)
        if is_new:
            self._intervened()

    def release(self, client: int | None = None, number: int | None = None) -> None:
        """A hand lets go, or all hands of a page, or all of them."""
        had = len(self.hands.all)
        self.hands.release(client, number)
        if len(self.hands.all) < had:
            self._intervened()

    def undo(self) -> bool:
        """A motion that is followed: back to before the last touch; False: there was none."""
        if self.steering is None or not self.steering.undo():
            return False
        self.release()
        # the engine counts again from there
        self._start = self.simulation.report
        kept = [one for one in self._nearest if one[0] <= self.simulation.time]
        self._nearest = kept or self._nearest[:1]
        self._look()
        return True

    # What it says

    def frame(self, *, reactions: bool = False) -> LiveFrame:
        """How it stands."""
        page, report = self.page, self.report
        q, efforts, saturated = self._page_q(), np.zeros(page.nv), np.zeros(page.nv)
        lasts = [one.servos.report if one.servos is not None else None for one in self.simulations]
        given = [
            one.efforts if last is None else last.efforts
            for one, last in zip(self.simulations, lasts, strict=True)
        ]
        for own, i, _, joint in self._joints:
            efforts[own.v] = given[i][joint.v]
            last = lasts[i]
            if last is not None:
                saturated[own.v] = last.saturated[joint.v]
        now, (_, least) = self._now, self._nearest[-1]
        facts = LiveFacts(
            time=report.time,
            pace=self.pace,
            kinetic=report.kinetic,
            potential=report.potential,
            work=report.work,
            drift=self._drift,
            scale=self._scale,
            gap=report.gap,
            angle_gap=report.angle_gap,
            velocity_gap=report.velocity_gap,
            widest_gap=self._widest,
            contacts=report.contacts,
            clearance=now.distance,
            near_link=now.link,
            near_object=now.thing,
            least=least.distance,
            least_object=least.thing,
            recorded_from=0.0 if self.world is None else self.world.world.recorded.first,
            recorded=0.0 if self.world is None else self.world.world.recorded.last,
        )
        objects = list(self._places().values())
        return LiveFrame(
            facts, q, efforts, saturated,
            [*self.hands.rows(), *self._scripted()],
            np.array(objects).reshape(-1, 7),
            *(self._reactions() if reactions else (np.zeros((0, 6)), np.zeros(0))),
            np.zeros(0) if self.world is None else self.world.numbers(),
            np.zeros((0, 9)) if self.world is None else self.world.rays(),
            self._touches(),
            self.steering is not None and self.steering.is_touched,
            [] if self.devices is None else self.devices.tips(),
        )  # fmt: skip

    def close(self) -> None:
        """End the programs that are agents."""
        if self.world is not None:
            self.world.close()

    def _scripted(self) -> list[LiveHand]:
        """Hands that the file of a world moves."""
        pulls = [] if self.world is None else list(self.world.world.pulls.values())
        held = [(number, pull.touch) for number, pull in enumerate(pulls)]
        return [hand_row((0, number), touch) for number, touch in held if touch is not None]

    def _touches(self) -> Floats:
        """Where bodies press on each other, and how hard, where the engines know."""
        found = [touching(one) for one in self.simulations if has_touching(one)]
        return np.concatenate(
            [np.zeros((0, 6)), *(np.hstack([one.points, one.forces]) for one in found)]
        )[:MOST_TOUCHES]

    def _reactions(self) -> tuple[Floats, Floats]:
        """What joints bear and couplings transmit, where the engines know."""
        engines = [one.engine for one in self.simulations]
        efforts = [getattr(engine, "coupling_efforts", None) for engine in engines]
        names = [coupling.name for one in self.simulations for coupling in one.model.couplings]
        found = [np.asarray(one()) for one in efforts if one is not None]
        transmitted = np.concatenate([np.zeros(0), *found])
        if len(engines) > 1 and len(names) == len(transmitted):
            order = [names.index(coupling.name) for coupling in self.page.couplings]
            transmitted = transmitted[order]
        if not self.reactions_refused:
            try:
                known = [np.asarray(engine.reactions()) for engine in engines]
                rows = [known[i][k] for _, i, k, _ in self._joints]
                return np.array(rows).reshape(-1, 6), transmitted
            except KinegenError as error:
                self.reactions_refused = str(error)
        return np.zeros((0, 6)), transmitted

    def moment(self) -> tuple[Floats, dict[str, Floats], dict[str, Floats], float]:
        """Page's q, velocities and places of objects by name, and time: to continue from."""
        speeds = {
            joint.name: one.last.v[joint.v].copy()
            for one in self.simulations
            for joint in one.model.joints
            if joint.v.stop > joint.v.start
        }
        return self._page_q(), speeds, self._places(), self.report.time

    def _page_q(self) -> Floats:
        """The page's configuration now."""
        q = np.zeros(self.page.nq)
        simulations = self.simulations
        for own, i, _, joint in self._joints:
            q[own.q] = simulations[i].last.q[joint.q]
        return q

    def _places(self) -> dict[str, Floats]:
        """Where objects are that move by themselves."""
        return {
            name: one.last.q[one.model.joint(name).q].copy()
            for one in self.simulations
            for name in one.system.object_names
        }


def _filled(model: Model, parts: Mapping[str, Floats]) -> Floats:
    q = model.start()
    for name, values in parts.items():
        q[model.joint(name).q] = values
    return q
