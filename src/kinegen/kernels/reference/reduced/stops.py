"""Ends of travel and dry friction of the reduced engine: impulses by projected Gauss-Seidel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.reduced_protocol import RunStatus
from kinegen.kernels.reference.base.rotation import swing_angle, swing_axis, swing_bend
from kinegen.kernels.reference.base.steps import FREE, NV, SPHERICAL
from kinegen.kernels.reference.reduced.system import Equations

__all__ = ["TOUCHING", "Stop", "Stops"]

SWEEPS, ACCURACY = 400, 1e-13
QUIET = 1e-3
"""Speed [m/s, rad/s] of an impact below which a stop does not throw back."""
TOUCHING, BEYOND = 1e-10, 1e-13
"""Room [m, rad] below which a stop is touched, and what may be left beyond it."""
AT_REST = 1e-9
"""Speed below which a joint that touches a stop rests on it."""
SWING_AT_REST = QUIET
"""The same of a swing, which the way around its limit and back onto it changes."""
FAR_BEYOND = 0.1
"""Share of a swing limit's sine beyond which an overrun of it is far."""
WAY_AROUND = 0.2
"""Way around a swing limit within a step [rad] beyond which steps do not follow it."""
BEGINS_BEYOND = 1e-6
"""A joint that begins further beyond a stop is only kept from going on."""
RETURNS, IDLE = 20, 4


class Stop(NamedTuple):
    """An end of travel."""

    variable: int
    """Of its variable in v."""
    place: int
    """Of its variable in q."""
    sign: int
    """1: a lower end, -1: an upper one."""
    swings: bool = False
    """Whether it ends the swing of a spherical joint, whose first variable is named."""


@dataclass(slots=True, eq=False)
class Held:
    """Impulses to be found, one row each."""

    Y: list[Floats] = field(default_factory=list)
    """L⁻¹ of the row, less what the loops take."""
    low: list[float] = field(default_factory=list)
    high: list[float] = field(default_factory=list)
    aim: list[float] = field(default_factory=list)
    speed: list[float] = field(default_factory=list)

    def add(self, y: Floats, low: float, high: float, aim: float, speed: float) -> None:
        """One more row: bounds of its impulse, the speed to reach and the one it has."""
        self.Y.append(y)
        for to, value in zip(
            (self.low, self.high, self.aim, self.speed), (low, high, aim, speed), strict=True
        ):
            to.append(value)

    def sweep(self) -> Floats:
        """The impulses."""
        Y, speed, p = np.array(self.Y), np.array(self.speed), np.zeros(len(self.Y))
        G = Y @ Y.T
        for _ in range(SWEEPS):
            change = 0.0
            for i in range(len(p)):
                if not G[i, i] > 1e-14:
                    continue  # the loops hold it already
                wanted = p[i] + (self.aim[i] - speed[i]) / G[i, i]
                by = min(max(wanted, self.low[i]), self.high[i]) - p[i]
                p[i] += by
                speed += by * G[:, i]
                change = max(change, abs(by))
            if change <= ACCURACY * np.abs(p).max(initial=0.0):
                break
        return p


class Stops(Equations):
    """The equations with ends of travel and dry friction."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._with_stops = self._with_friction = True
        self._meets_later = False
        self._restitution = self._step = self._work = self._time = 0.0
        self._stop_count = 0
        self._held_impulse = np.zeros(self.nv)
        """Of stops and dry friction over the last step, (nv,)."""
        self._room_before: dict[Stop, float] = {}
        """Room to every stop where the step began."""
        self._rest: dict[Stop, float] = {}
        """Stops that joints rest on, and the forces with which they push."""

    def _all_stops(self, q: Floats) -> Iterator[tuple[Stop, float]]:
        """Every end of travel and the room to it; q with its cut joints."""
        lower, upper = self._drive["lower"], self._drive["upper"]
        for kind, first, at in self._variables:
            if kind == SPHERICAL and upper[at] < np.pi:
                swing = swing_angle(q[first : first + 4])
                yield Stop(at, first, -1, True), float(upper[at]) - swing
            if kind in {SPHERICAL, FREE}:
                continue
            for k in range(NV[kind]):
                i, place = at + k, first + k
                if lower[i] > -np.inf:
                    yield Stop(i, place, 1), float(q[place] - lower[i])
                if upper[i] < np.inf:
                    yield Stop(i, place, -1), float(upper[i] - q[place])

    def _stops(self, q: Floats) -> Iterator[tuple[Stop, float]]:
        """The same; a joint that began beyond a stop has it where it began."""
        for stop, room in self._all_stops(q):
            before = self._room_before.get(stop, 0.0)
            yield stop, room - before if before < -BEGINS_BEYOND else room

    def _touches_swing_limit(self, q: Floats) -> bool:
        if not self._with_stops:
            return False
        return any(stop.swings and room <= TOUCHING for stop, room in self._stops(q))

    def _was_touching(self, stop: Stop) -> bool:
        return self._room_before[stop] <= TOUCHING

    def _least_room(self, q: Floats) -> float:
        """To all stops that were not touched when the step began."""
        return min(
            (room for stop, room in self._all_stops(q) if not self._was_touching(stop)),
            default=np.inf,
        )

    def _note_stops(self, q: Floats, v: Floats) -> None:
        """Remember where a step begins, and which joints rest on stops there."""
        self._room_before = dict(self._all_stops(q))
        self._rest = {
            stop: 0.0
            for stop, room in self._room_before.items()
            if room <= TOUCHING and self._rests(stop, q, v)
        }

    def _rests(self, stop: Stop, q: Floats, v: Floats) -> bool:
        speed = abs(float(self._along(stop, q) @ v))
        if not stop.swings:
            return speed <= AT_REST
        way = self._step * float(np.hypot(*v[stop.variable : stop.variable + 2]))
        slope = abs(float(np.tan(swing_angle(q[stop.place : stop.place + 4]))))
        return speed <= SWING_AT_REST and way < WAY_AROUND * slope

    def _along(self, stop: Stop, q: Floats) -> Floats:
        """What every variable does to what a stop ends, (nv,)."""
        out = np.zeros(self.nv)
        if stop.swings:
            out[stop.variable : stop.variable + 2] = swing_axis(q[stop.place : stop.place + 4])
        else:
            out[stop.variable] = 1.0
        return out

    def _row(self, C: Floats, along: Floats) -> Floats:
        """A speed along variables by those of the tree."""
        return np.asarray(self._of_tree(along) + along[~self._tree] @ C[~self._tree])

    def _held_row(self, row: Floats, Y: Floats, L: Floats) -> Floats:
        y = np.linalg.solve(L, row[self._tree])
        return np.asarray(y - Y @ self._loop_solve(Y, Y.T @ y) if Y.shape[1] else y)

    def _change(self, L: Floats, Y: list[Floats], p: Floats) -> Floats:
        """What impulses do to the tree, (nv,)."""
        out = np.zeros(self.nv)
        if len(p):
            out[self._tree] = np.linalg.solve(L.T, p @ np.array(Y))
        return out

    @staticmethod
    def _bounds(sign: int, pull: float = 0.0) -> tuple[float, float]:
        return (-pull, np.inf) if sign > 0 else (-np.inf, pull)

    def _rest_on_stops(self, q: Floats, v: Floats, change: Floats, h: float | None) -> Floats:
        """Changes of the tree without what would move joints through the stops they rest on.

        Accelerations (h None), or changes of the speeds over h.
        """
        if not self._rest:
            return change
        whole, speeds, C = self._full(q, v)
        drift = np.zeros(self.nv)
        for loop in range(self._cuts.count):
            drift[self._cuts.own(loop)] = self._cuts.axis_targets(q, self._of_tree(v), loop)
        _, Y, L = self._factors(q)
        held = Held()
        for stop in self._rest:
            along = self._along(stop, whole)
            row = self._row(C, along)
            speed = row @ change - along @ drift if h is None else row @ (change + v)
            if stop.swings and h is None:
                quat = whole[stop.place : stop.place + 4]
                speed += swing_bend(quat, speeds[stop.variable : stop.variable + 3])
            held.add(self._held_row(row, Y, L), *self._bounds(stop.sign), 0.0, float(speed))
        p = held.sweep()
        self._rest = {
            stop: abs(float(force)) / (h or 1.0) for stop, force in zip(self._rest, p, strict=True)
        }
        return change + self._change(L, held.Y, p)

    def _dry(self, index: int, speed: float) -> float:
        """Dry friction at a speed: Coulomb's, more below Stribeck's speed."""
        drive = self._drive
        dry, most, fade = (drive[name][index] for name in ("coulomb", "breakaway", "stribeck"))
        if most > dry:
            if fade > 0:
                dry += (most - dry) * np.exp(-((speed / fade) ** 2))
            elif abs(speed) < 1e-9:
                dry = most
        return float(dry)

    def _meet_stops(self, h: float, q: Floats, v: Floats) -> tuple[Floats, Floats]:
        """The state after impulses of touched stops and of friction over h; books their work."""
        q, v, C = self._full(q, v)
        rubs = self._with_friction and not self._meets_later
        dry = (self._drive["coulomb"] != 0) | (self._drive["breakaway"] != 0)
        _, Y, L = self._factors(q)
        held, rests, which = Held(), [], []
        for stop, room in self._stops(q) if self._with_stops else ():
            if room <= TOUCHING:
                # a joint that was pressed against its stop does not bounce, and one that rests
                # there is pushed less before it is lifted off
                along, pull = self._along(stop, q), self._rest.get(stop, 0.0) * self._step
                speed = float(along @ v)
                bounces = stop.sign * speed < -QUIET and not self._was_touching(stop)
                aim = -self._restitution * speed if bounces else 0.0
                row = self._held_row(self._row(C, along), Y, L)
                held.add(row, *self._bounds(stop.sign, pull), aim, speed)
                rests.append(pull != 0)
                which.append(along)
        stops = len(held.Y)
        for i in np.flatnonzero(dry) if rubs else ():
            most, along = h * self._dry(int(i), v[i]), np.eye(self.nv)[i]
            held.add(self._held_row(self._row(C, along), Y, L), -most, most, 0.0, v[i])
            which.append(along)
        if not held.Y:
            return q, v
        energy, swings = self._energy_of(q, v), self._touches_swing_limit(q)
        p = held.sweep()
        self._held_impulse += p @ np.array(which)
        self._stop_count += int(np.count_nonzero(p[stops:]))
        self._stop_count += int(np.count_nonzero(p[:stops][~np.array(rests, dtype=bool)]))
        v = v + self._change(L, held.Y, p)
        # friction's share of the place, then back onto the stops
        braked = bool(p[stops:].any())
        if braked:
            q = self._close(self._moved(q, self._change(L, held.Y[stops:], p[stops:]), h / 2))[0]
        q, moved = self._return_to_stops(q) if self._with_stops else (q, False)
        if moved or braked:
            v = self._close_speeds(q, v)
        q, v, _ = self._full(q, v)
        if swings:
            v = self._without_excess(q, v, energy)
        self._work += self._energy_of(q, v) - energy
        return q, v

    def _without_excess(self, q: Floats, v: Floats, energy: float) -> Floats:
        """Speeds without what the state has beyond an energy.

        A joint that slides along a swing limit is stopped beyond it, on a curve: that may bring
        energy, the less the shorter the step.
        """
        kinetic, potential = self._energies(q, v)
        excess = kinetic + potential - energy
        if not (excess > 0 and kinetic > 0):
            return v
        return np.asarray(v * np.sqrt(max(0.0, 1 - excess / kinetic)))

    def _return_to_stops(self, q: Floats) -> tuple[Floats, bool]:
        """The place with joints that are beyond a stop back on it, and whether any was."""
        best, idle, moved = np.inf, 0, False
        for _ in range(RETURNS):
            q, _, C = self._full(q, np.zeros(self.nv))
            rooms = list(self._stops(q))
            least = min((room for _, room in rooms), default=np.inf)
            idle = idle + 1 if -least > 0.5 * best else 0
            if not least < -BEYOND or idle == IDLE or self._status != RunStatus.OK:
                break
            best, moved = min(best, -least), True
            _, Y, L = self._factors(q)
            held = Held()
            for stop, room in rooms:
                if room <= TOUCHING:
                    along = self._along(stop, q)
                    row = self._held_row(self._row(C, along), Y, L)
                    held.add(row, *self._bounds(stop.sign), -stop.sign * room, 0.0)
                    # from far beyond a swing limit straight back: its direction changes on the way
                    radius = np.sin(self._drive["upper"][stop.variable])
                    if stop.swings and -room > FAR_BEYOND * radius:
                        first = stop.variable
                        along[first : first + 2] = -along[first + 1], along[first]
                        row = self._held_row(self._row(C, along), Y, L)
                        held.add(row, -np.inf, np.inf, 0.0, 0.0)
            q = self._close(self._moved(q, self._change(L, held.Y, held.sweep())))[0]
        return q, moved

    def _keep_stops(self) -> None:
        """Bring joints back that contacts pushed beyond a stop."""
        if not self._with_stops:
            return
        energy = self._energy_of(self._q, self._v)
        swings = self._touches_swing_limit(self._q)
        q, moved = self._return_to_stops(self._q)
        if moved:
            self._q, self._v, _ = self._full(q, self._close_speeds(q, self._v))
            if swings:
                self._v = self._without_excess(self._q, self._v, energy)
            self._work += self._energy_of(self._q, self._v) - energy
