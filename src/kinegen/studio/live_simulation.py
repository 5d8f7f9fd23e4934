"""Live simulation: a mechanism that runs while hands of a page push and pull it."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kinegen.dynamics.engine import StepReport
from kinegen.dynamics.simulation import Simulation
from kinegen.dynamics.system import System
from kinegen.dynamics.targets import Targets
from kinegen.dynamics.touch import FORCE_MOST, Pull, Push, Touch
from kinegen.errors import KinegenError, UsageError
from kinegen.kernels import Floats
from kinegen.mechanism.model import Model
from kinegen.motion.recording import Recording
from kinegen.motion.steering import Steering
from kinegen.studio.live_frames import HAND, LiveFrame
from kinegen.studio.live_settings import LiveSettings
from kinegen.studio.scene_data import motion_data
from kinegen.studio.workpiece import Workpiece

__all__ = ["LiveSimulation"]

CONTROL = 4e-3
"""[s] Hands and motors are asked at most this often: a page sends a hand every 16 ms."""
SLICE = 4e-3
"""[s, real] Steps are run for about this long before anything else is looked at."""
BUSY = 12e-3
"""[s, real] Steps take at most about this long between two frames: when they cannot keep up with
real time, the picture shall still be smooth."""
LATE = 0.1
"""[s, real] Time that was lost beyond this is not caught up with: the motion is slower then."""
MOST_HANDS = 10
GRAVITY = 9.81
"""[m/s²]"""
STRONG = 2.0
"""Weights of the whole mechanism that a hand can lift, if need be."""
QUICK = 10.0
"""Weights with which a hand may pull where that is no more than a person can."""
SHORTEST = 0.05
"""Sizes of the mechanism by which a spring is drawn out, at least, at its greatest force."""


class LiveSimulation:
    """One run of a simulation under one set of settings; q in and out is the page's."""

    def __init__(
        self,
        piece: Workpiece,
        settings: LiveSettings,
        q: Floats,
        *,
        v: Mapping[str, Floats] | None = None,
        places: Mapping[str, Floats] | None = None,
        at: float = 0.0,
    ) -> None:
        """Set up a run.

        Args:
            piece: The mechanism as it is.
            settings: What it runs with.
            q: Where it starts, of the page's model.
            v: How fast, by joint name; None: at rest.
            places: Configurations of free objects by name, where not as in the file.
            at: Time to start with [s].
        """
        self.piece = piece
        self.settings = settings
        self.page: Model = piece.model
        self.hands: dict[int, Touch] = {}
        self._usual: dict[int, tuple[float, float]] = {}
        self.steering: Steering | None = None
        self.simulation = self._make(q, v or {}, places or {})
        self.model: Model = self.simulation.model
        if at:
            self.simulation.reset(self.simulation.engine.q, self.simulation.engine.v, at)
        self._joints = [
            (joint.q, self.model.joint(joint.name).q, joint.v, self.model.joint(joint.name).v)
            for joint in self.page.joints
        ]
        names = [joint.name for joint in self.model.joints]
        self._order = [names.index(joint.name) for joint in self.page.joints]
        self._start: StepReport = self.simulation.report
        self._drift = self._scale = self._widest = 0.0
        self._cost = 1e-4
        self._owed = 0.0
        self.pace = settings.speed
        """Simulated seconds per second, of late."""
        self._targets = Targets.at(self.model, self.simulation.engine.q)
        self.reactions_refused = ""
        """Why forces in the joints cannot be told, if they cannot."""

    def _make(self, q: Floats, v: Mapping[str, Floats], places: Mapping[str, Floats]) -> Simulation:
        settings, mechanism = self.settings, self.piece.mechanism
        known: dict[str, Any] = {
            "engine": settings.engine,
            "step": settings.step,
            "control_step": max(settings.step, CONTROL),
            "record": 0,
        }
        if settings.motion is not None:
            self.steering = self._steer(settings.motion, known)
            return self.steering.simulation
        system = System.of(
            mechanism, objects=settings.objects, floor=settings.floor, gravity=settings.gravity
        )
        full = {joint.name: q[joint.q] for joint in self.page.joints if len(q[joint.q])}
        full |= {name: place for name, place in places.items() if name in system.object_names}
        start = _filled(system.model, full)
        speeds = system.start_v if not v else _rates(system.model, v)
        return Simulation(
            system, **known, q=start, v=speeds if speeds.any() else None, hold=settings.hold
        )

    def _steer(self, name: str, known: Mapping[str, Any]) -> Steering:
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
        return Steering(
            self.piece.mechanism, plan, resume=settings.resume,  # type: ignore[arg-type]
            gravity=settings.gravity, floor=settings.floor, **known,
        )  # fmt: skip

    # Running

    @property
    def reason(self) -> str:
        """Why it ended; empty while it can go on."""
        return self.simulation.reason

    @property
    def is_done(self) -> bool:
        """Whether a motion that is followed is at its end."""
        return self.steering is not None and self.steering.is_done

    def step(self, count: int = 1) -> None:
        """Some steps."""
        self.simulation.advance(count * self.settings.step)
        self._look()

    def run(self, passed: float) -> None:
        """Let real time pass [s]: as many steps as belong to it, as far as they can be made."""
        self._owed += passed * self.settings.speed
        begun = time.perf_counter()
        made = 0.0
        step = self.settings.step
        while self._owed >= step and not self.reason:
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
        report = self.simulation.report
        self._widest = max(self._widest, report.gap)
        self._drift = max(self._drift, abs(report.balance - self._start.balance))
        moving = max(report.kinetic, abs(report.work))
        fallen = abs(report.potential - self._start.potential)
        self._scale = max(self._scale, moving, fallen)

    # What a page says

    def set(self, settings: LiveSettings) -> None:
        """Other settings that need no other engine."""
        if settings.speed != self.settings.speed:
            self.pace, self._owed = settings.speed, 0.0
        self.settings = settings
        for number, hand in self.hands.items():
            self._tune(number, hand)
        if self.steering is not None:
            self.steering.resume = settings.resume  # type: ignore[assignment]

    def target(self, joint: str, values: Sequence[float]) -> None:
        """Tell a motor where to be."""
        servos = self.simulation.servos
        if servos is None:
            raise UsageError("the motors are off: let them hold first")
        part = self.model.joint(joint).q
        given = np.array(values, dtype=np.float64)
        if given.shape != (part.stop - part.start,) or not np.isfinite(given).all():
            raise UsageError(f"a target of joint '{joint}' is {part.stop - part.start} numbers")
        q = self._targets.q.copy()
        q[part] = given
        self._targets = replace(self._targets, q=q)
        servos.tell(self._targets)

    def touch(self, given: Mapping[str, Any]) -> None:
        """A hand takes hold, presses, or has moved."""
        number = int(given["hand"])
        place = np.array(given["target"], dtype=np.float64)
        hand = self.hands.get(number)
        if hand is not None:
            hand.move(place)
            return
        if len(self.hands) >= MOST_HANDS:
            raise UsageError(f"at most {MOST_HANDS} hands at a time")
        where = (str(given["site"]), given["point"], place)
        most = self._strength()
        if given.get("normal") is not None:
            hand = self.simulation.push(*where, normal=given["normal"], force_most=most)
            usual = hand.stiffness, 0.0
        else:
            hand = self.simulation.pull(*where, force_most=most)
            usual = float(hand.stiffness[0, 0]), float(hand.damping[0, 0])
        # near singular poses a part may feel very heavy: no spring that kicks
        share = min(1.0, most / (SHORTEST * self.model.size * usual[0]))
        self._usual[number] = (usual[0] * share, usual[1] * math.sqrt(share))
        self.hands[number] = hand
        self._tune(number, hand)

    def release(self, number: int | None = None) -> None:
        """A hand lets go, or all of them."""
        for one in list(self.hands) if number is None else [number]:
            hand = self.hands.pop(one, None)
            self._usual.pop(one, None)
            if hand is not None:
                self.simulation.release(hand)

    def _strength(self) -> float:
        """Of a hand that suits the mechanism [N]: it lifts it, and does not break what is small."""
        weight = float(self.model.inertia[1:, 0].sum()) * GRAVITY
        return max(STRONG * weight, min(FORCE_MOST, QUICK * weight), 1e-3)

    def _tune(self, number: int, hand: Touch) -> None:
        k, b = self._usual[number]
        firm, damping = self.settings.firmness, self.settings.damping
        if isinstance(hand, Pull):
            hand.tune(k * firm, b * math.sqrt(firm) * damping)
        elif isinstance(hand, Push):
            hand.stiffness = k * firm

    # What it says

    def frame(self, *, reactions: bool = False) -> LiveFrame:
        """How it stands."""
        sim, page = self.simulation, self.page
        report = sim.report
        q, efforts, saturated = np.zeros(page.nq), np.zeros(page.nv), np.zeros(page.nv)
        last = sim.servos.report if sim.servos is not None else None
        given = sim.efforts if last is None else last.efforts
        for own_q, q_part, own_v, v_part in self._joints:
            q[own_q] = sim.last[0][q_part]
            efforts[own_v] = given[v_part]
            if last is not None:
                saturated[own_v] = last.saturated[v_part]
        facts = {
            "time": report.time,
            "pace": self.pace,
            "kinetic": report.kinetic,
            "potential": report.potential,
            "work": report.work,
            "drift": self._drift,
            "scale": self._scale,
            "gap": report.gap,
            "angle_gap": report.angle_gap,
            "velocity_gap": report.velocity_gap,
            "widest_gap": self._widest,
            "contacts": float(report.contacts),
        }
        objects = [sim.last[0][self.model.joint(name).q] for name in sim.system.object_names]
        return LiveFrame(
            facts, q, efforts, saturated,
            np.array([self._hand(*one) for one in self.hands.items()]).reshape(-1, HAND),
            np.array(objects).reshape(-1, 7),
            self._reactions() if reactions else np.zeros((0, 6)),
            int(self.steering is not None and self.steering.is_touched),
        )  # fmt: skip

    def _hand(self, number: int, hand: Touch) -> list[float]:
        spring = [0.0, 0.0, 0.0]
        if isinstance(hand, Push):
            spring = [hand.stiffness, hand.damping, max(0.0, hand.depth)]
        elif isinstance(hand, Pull):
            spring = [float(hand.stiffness[0, 0]), float(hand.damping[0, 0]), 0.0]
        return [number, *(-hand.force), *hand.place, *spring]

    def _reactions(self) -> Floats:
        if self.reactions_refused:
            return np.zeros((0, 6))
        try:
            return np.asarray(self.simulation.engine.reactions())[self._order]
        except KinegenError as error:
            self.reactions_refused = str(error)
            return np.zeros((0, 6))

    def moment(self) -> tuple[Floats, dict[str, Floats], dict[str, Floats], float]:
        """Page's q, velocities and places of objects by name, and time: to go on from."""
        q, v = self.simulation.last
        speeds = {j.name: v[j.v].copy() for j in self.model.joints if j.v.stop > j.v.start}
        names = self.simulation.system.object_names
        places = {name: q[self.model.joint(name).q].copy() for name in names}
        return self.frame().q, speeds, places, self.simulation.time


def _filled(model: Model, parts: Mapping[str, Floats]) -> Floats:
    q = model.start()
    for name, values in parts.items():
        q[model.joint(name).q] = values
    return q


def _rates(model: Model, parts: Mapping[str, Floats]) -> Floats:
    v = np.zeros(model.nv)
    for joint in model.joints:
        values = parts.get(joint.name)
        if values is not None and len(values) == joint.v.stop - joint.v.start:
            v[joint.v] = values
    return v
