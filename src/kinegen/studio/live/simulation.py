"""Live simulation: a mechanism that runs while hands of a page push and pull it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.dynamics.contact.clearance import NOTHING, Clearance, ObjectClearance
from kinegen.dynamics.engines.engine import StepReport
from kinegen.dynamics.motors.targets import Target
from kinegen.dynamics.simulation.exactness import Exactness
from kinegen.dynamics.simulation.real_time import RealTime
from kinegen.dynamics.simulation.simulation import Simulation
from kinegen.dynamics.simulation.system import System
from kinegen.errors import KinegenError, UsageError
from kinegen.kernels import Floats
from kinegen.mechanism.model import Model
from kinegen.motion.clearance import MotionClearance, motion_clearance
from kinegen.motion.recording import Recording
from kinegen.motion.steering import Steering
from kinegen.studio.live.force_devices import EXCHANGE, LiveDevices
from kinegen.studio.live.frames import LiveFacts, LiveFrame, LiveHand
from kinegen.studio.live.hands import LiveHands, hand_row
from kinegen.studio.live.world import MOTORS_OFF, LiveWorld, has_world, rates_of
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.wire import messages as wire
from kinegen.studio.wire.data.scene import motion_data
from kinegen.studio.wire.messages import LiveSettings
from kinegen.world.bodies.joined import JoinedSimulations

__all__ = ["LiveSimulation", "Moment"]

CONTROL = 4e-3
"""[s] Hands and motors are asked at most this often: a page sends a hand every 16 ms."""
LOOK = 0.02
"""[s] At least so often it is looked how wide gaps are and what is near."""
MOST_TOUCHES = 500
"""Contacts that a page gets, at most."""
HANDLED = 0.1
"""[s] While a hand acts, a moment that a world can be brought back to is kept so often."""


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """What a simulation can continue from."""

    q: Floats
    """Of the page's model."""
    v: dict[str, Floats]
    """Velocities by joint name."""
    places: dict[str, Floats]
    """Poses of the objects that move by themselves, by name."""
    time: float
    """[s]"""


class LiveSimulation:
    """One run of a simulation under one set of settings; q in and out is the page's."""

    def __init__(
        self,
        compiled: CompiledText,
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
            compiled: The mechanism as it is.
            settings: What it runs with.
            q: Where it starts, of the page's model.
            v: How fast, by joint name; None: at rest.
            places: Configurations of free objects by name, where not as in the file.
            at: Time to start with [s].
            agents: Whether agents may run that are programs of the file.
        """
        self.compiled = compiled
        self.settings = settings
        self.page: Model = compiled.model
        self.steering: Steering | None = None
        self.agents = agents
        self.world = self._make_world(q, places or {})
        """Sensors and agents, where the file has any and no stored motion is followed."""
        self._alone = self._make(q, v or {}, places or {}) if self.world is None else None
        self.hands = LiveHands(self.simulation_of)
        self.devices: LiveDevices | None = None
        """Force devices of the file, where any are on."""
        self.joined = JoinedSimulations(self.page, lambda: self.simulations)
        """All that moves, in the order of the page."""
        self.clearance_refused = ""
        """Why distances from objects are not measured, if so."""
        self.clearance = self._measured_clearance()
        self._links = {name: i for i, name in enumerate(self.page.link_names)}
        objects = () if self.clearance is None else self.clearance.names
        self._things = {name: i for i, name in enumerate(objects)}
        self._now = self._nearest_object()
        self._nearest = [(self.report.time, self._now)]
        if self.world is not None:
            self.world.start_at(v, at)
        elif at and self.steering is None:  # a plan begins again
            self.simulation.reset(self.simulation.engine.q, self.simulation.engine.v, at)
        self._exactness = Exactness(self.report)
        self._real_time = RealTime(settings.step, settings.speed)
        self._handled = -math.inf
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
        return self.joined.owner(site)

    @property
    def report(self) -> StepReport:
        """Of all that moves together."""
        return self.joined.report

    @property
    def pace(self) -> float:
        """Simulated seconds per second, recently."""
        return self._real_time.pace

    def plan_clearance(self) -> MotionClearance | None:
        """How near the motion that is followed comes to objects; None: nobody looks."""
        if self.steering is None or self.clearance is None:
            return None
        return motion_clearance(self.steering.plan, clearance=self.clearance)

    def _by_name(self, q: Floats) -> dict[str, Floats]:
        return {joint.name: q[joint.q] for joint in self.page.joints if len(q[joint.q])}

    def _make_world(self, q: Floats, places: Mapping[str, Floats]) -> LiveWorld | None:
        mechanism = self.compiled.mechanism
        settings = self.settings
        if settings.motion is not None and settings.wires:
            raise UsageError("a motion is being followed: end it before other programs take over")
        if settings.motion is not None or not (has_world(mechanism) or settings.wires):
            return None
        start = {**self._by_name(q), **places}
        return LiveWorld(mechanism, self.settings, start, agents=self.agents)

    def _make(self, q: Floats, v: Mapping[str, Floats], places: Mapping[str, Floats]) -> Simulation:
        settings, mechanism = self.settings, self.compiled.mechanism
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
        motions = {one.name: one for one in motion_data(self.compiled.mechanism, self.page)}
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
            self.compiled.mechanism, objects=settings.objects, floor=settings.floor,
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
        self._exactness.begin_at(self.report)
        self._real_time.forget()
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

        def made(count: int) -> bool:
            self.step(count)
            return not (self.reason or self.is_done)

        if not (self.reason or self.is_done):
            self._real_time.pass_time(passed, made)

    def _look(self) -> None:
        """Keep what is largest so far."""
        self._exactness.add(self.report)
        self._now = self._nearest_object()
        if self._now.distance < self._nearest[-1][1].distance:
            self._nearest.append((self.report.time, self._now))

    def _measured_clearance(self) -> ObjectClearance | None:
        try:
            found = ObjectClearance(self.page)
        except KinegenError as error:
            self.clearance_refused = f"collisions with objects are not shown: {error}"
            return None
        return found if found.names else None

    def _nearest_object(self) -> Clearance:
        if self.clearance is None:
            return NOTHING
        return self.clearance.at(self.joined.q, self.joined.object_poses)

    # What a page says

    def set(self, settings: LiveSettings) -> None:
        """Other settings that need no other engine."""
        if settings.speed != self.settings.speed:
            self._real_time.set_speed(settings.speed)
        self.settings = settings
        self.hands.tune(settings)
        if self.steering is not None:
            self.steering.resume = settings.resume

    def target(self, joint: str, values: Sequence[float], what: str = "position") -> None:
        """Set a motor's target: 'position', 'velocity' or 'effort'."""
        targets = {
            "position": Target(position=values),
            "velocity": Target(velocity=values),
            "effort": Target(effort=values),
        }
        if what not in targets:
            raise UsageError(f"the target of a motor is one of: {', '.join(targets)}")
        if self.world is not None:
            self.world.target(joint, list(values), what)
            return
        servos = self.simulation.servos
        if servos is None:
            raise UsageError(MOTORS_OFF)
        servos.set_target(joint, targets[what])

    def take_targets(self, old: LiveSimulation) -> None:
        """Take over the motors' targets of a run that this one continues."""
        if self.world is not None and old.world is not None:
            self.world.take_over(old.world)
        elif self.simulation.servos is not None and old.simulation.servos is not None:
            self.simulation.servos.take_over(old.simulation.servos)

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
        self._exactness.begin_at(self.simulation.report)
        kept = [one for one in self._nearest if one[0] <= self.simulation.time]
        self._nearest = kept or self._nearest[:1]
        self._look()
        return True

    # What it says

    def frame(self, *, reactions: bool = False) -> LiveFrame:
        """How it stands."""
        joined, report, exact = self.joined, self.report, self._exactness
        now, (_, least) = self._now, self._nearest[-1]
        facts = LiveFacts(
            time=report.time,
            pace=self.pace,
            kinetic=report.kinetic,
            potential=report.potential,
            work=report.work,
            drift=exact.drift,
            scale=exact.energy_scale,
            gap=report.gap,
            angle_gap=report.angle_gap,
            velocity_gap=report.velocity_gap,
            widest_gap=exact.widest_gap,
            contacts=report.contacts,
            clearance=now.distance,
            near_link=self._links.get(now.link, -1),
            near_object=self._things.get(now.object, -1),
            least=least.distance,
            least_object=self._things.get(least.object, -1),
            recorded_from=0.0 if self.world is None else self.world.world.recorded.first,
            recorded=0.0 if self.world is None else self.world.world.recorded.last,
        )
        objects = list(joined.object_poses.values())
        return LiveFrame(
            facts, joined.q, joined.efforts, joined.saturated,
            [*self.hands.rows(), *self._scripted()],
            np.array(objects).reshape(-1, 7),
            *(self._reactions() if reactions else (np.zeros((0, 6)), np.zeros(0))),
            np.zeros(0) if self.world is None else self.world.numbers(),
            np.zeros((0, 9)) if self.world is None else self.world.rays(),
            joined.contact_forces(MOST_TOUCHES),
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

    def _reactions(self) -> tuple[Floats, Floats]:
        """What joints bear and couplings transmit, where the engines know."""
        reactions = np.zeros((0, 6))
        if not self.reactions_refused:
            try:
                reactions = self.joined.reactions()
            except KinegenError as error:
                self.reactions_refused = str(error)
        return reactions, self.joined.coupling_efforts()

    def moment(self) -> Moment:
        """What to continue from."""
        joined = self.joined
        return Moment(joined.q, joined.velocities, joined.object_poses, self.report.time)


def _filled(model: Model, parts: Mapping[str, Floats]) -> Floats:
    q = model.start()
    for name, values in parts.items():
        q[model.joint(name).q] = values
    return q
