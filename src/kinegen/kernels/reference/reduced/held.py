"""What needs impulses in joints of the reduced engine: ends of travel and dry friction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.base.joint_types import FREE, NV, SPHERICAL
from kinegen.kernels.reference.base.manifold import swing_angle, swing_axis
from kinegen.kernels.reference.reduced.engine import ReducedEngine, Stop, of_tree
from kinegen.kernels.reference.reduced.system import solve_rows
from kinegen.kernels.tolerances import QUIET, STANDSTILL

__all__ = [
    "TOUCHING",
    "Held",
    "change_of",
    "dry_friction",
    "each_stop",
    "each_stop_from_start",
    "held_row",
    "least_room",
    "note_stops",
    "push_bounds",
    "stop_direction",
    "touches_swing_limit",
    "tree_row",
    "was_touching",
]

STOP_SWEEPS, STOP_ACCURACY = 400, 1e-13
"""Sweeps over all impulses, and the change against the largest at which they end."""
TOUCHING = 1e-10
"""Room [m, rad] below which a stop is touched."""
AT_REST = 1e-9
"""Speed below which a joint that touches a stop rests on it."""
SWING_AT_REST = QUIET
"""The same of a swing, which the way around its limit and back onto it changes."""
WAY_AROUND = 0.2
"""Way around a swing limit within a step [rad] beyond which steps do not follow it."""
BEGINS_BEYOND = 1e-6
"""A joint that begins further beyond a stop is only kept from moving further."""


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
        for _ in range(STOP_SWEEPS):
            change = 0.0
            for i in range(len(p)):
                if not G[i, i] > 1e-14:
                    continue  # the loops hold it already
                wanted = p[i] + (self.aim[i] - speed[i]) / G[i, i]
                by = min(max(wanted, self.low[i]), self.high[i]) - p[i]
                p[i] += by
                speed += by * G[:, i]
                change = max(change, abs(by))
            if change <= STOP_ACCURACY * np.abs(p).max(initial=0.0):
                break
        return p


def each_stop(e: ReducedEngine, q: Floats) -> Iterator[tuple[Stop, float]]:
    """Every end of travel and the room to it; q with its cut joints."""
    lower, upper = e.drive["lower"], e.drive["upper"]
    for kind, first, at in e.variables:
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


def each_stop_from_start(e: ReducedEngine, q: Floats) -> Iterator[tuple[Stop, float]]:
    """The same; a joint that began beyond a stop has it where it began."""
    for stop, room in each_stop(e, q):
        before = e.room_before.get(stop, 0.0)
        yield stop, room - before if before < -BEGINS_BEYOND else room


def touches_swing_limit(e: ReducedEngine, q: Floats) -> bool:
    """Whether a spherical joint swings as far as it may."""
    if not e.with_stops:
        return False
    return any(stop.swings and room <= TOUCHING for stop, room in each_stop_from_start(e, q))


def was_touching(e: ReducedEngine, stop: Stop) -> bool:
    """Where the step began."""
    return e.room_before[stop] <= TOUCHING


def least_room(e: ReducedEngine, q: Floats) -> float:
    """To all stops that were not touched when the step began."""
    return min(
        (room for stop, room in each_stop(e, q) if not was_touching(e, stop)),
        default=np.inf,
    )


def note_stops(e: ReducedEngine, q: Floats, v: Floats) -> None:
    """Remember where a step begins, and which joints rest on stops there."""
    e.room_before = dict(each_stop(e, q))
    e.rest = {
        stop: 0.0
        for stop, room in e.room_before.items()
        if room <= TOUCHING and rests_on(e, stop, q, v)
    }


def rests_on(e: ReducedEngine, stop: Stop, q: Floats, v: Floats) -> bool:
    """Whether a joint that touches a stop stays there."""
    speed = abs(float(stop_direction(e, stop, q) @ v))
    if not stop.swings:
        return speed <= AT_REST
    way = e.step * float(np.hypot(*v[stop.variable : stop.variable + 2]))
    slope = abs(float(np.tan(swing_angle(q[stop.place : stop.place + 4]))))
    return speed <= SWING_AT_REST and way < WAY_AROUND * slope


def stop_direction(e: ReducedEngine, stop: Stop, q: Floats) -> Floats:
    """What every variable does to what a stop ends, (nv,)."""
    out = np.zeros(e.nv)
    if stop.swings:
        out[stop.variable : stop.variable + 2] = swing_axis(q[stop.place : stop.place + 4])
    else:
        out[stop.variable] = 1.0
    return out


def tree_row(e: ReducedEngine, C: Floats, along: Floats) -> Floats:
    """A speed along variables by those of the tree."""
    return np.asarray(of_tree(e, along) + along[~e.tree] @ C[~e.tree])


def held_row(e: ReducedEngine, row: Floats, Y: Floats, L: Floats) -> Floats:
    """L⁻¹ of a row, less what the loops take."""
    y = np.linalg.solve(L, row[e.tree])
    return np.asarray(y - Y @ solve_rows(Y, Y.T @ y) if Y.shape[1] else y)


def change_of(e: ReducedEngine, L: Floats, Y: list[Floats], p: Floats) -> Floats:
    """What impulses do to the tree, (nv,)."""
    out = np.zeros(e.nv)
    if len(p):
        out[e.tree] = np.linalg.solve(L.T, p @ np.array(Y))
    return out


def push_bounds(sign: int, pull: float = 0.0) -> tuple[float, float]:
    """Of the impulse of a stop, which pushes, and pulls no more than ``pull``."""
    return (-pull, np.inf) if sign > 0 else (-np.inf, pull)


def dry_friction(e: ReducedEngine, index: int, speed: float) -> float:
    """Dry friction at a speed: Coulomb's, more below Stribeck's speed."""
    drive = e.drive
    dry, most, fade = (drive[name][index] for name in ("coulomb", "breakaway", "stribeck"))
    if most > dry:
        if fade > 0:
            dry += (most - dry) * np.exp(-((speed / fade) ** 2))
        elif abs(speed) < STANDSTILL:
            dry = most
    return float(dry)
