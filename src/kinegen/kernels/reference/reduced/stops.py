"""Ends of travel and dry friction of the reduced engine: impulses by projected Gauss-Seidel."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.protocols.reduced import RunStatus
from kinegen.kernels.reference.base.manifold import swing_bend
from kinegen.kernels.reference.reduced.engine import ReducedEngine, move_tree, of_tree, read_cuts
from kinegen.kernels.reference.reduced.forces import energies, energy_of
from kinegen.kernels.reference.reduced.held import (
    TOUCHING,
    Held,
    change_of,
    dry_friction,
    each_stop_from_start,
    held_row,
    push_bounds,
    stop_direction,
    touches_swing_limit,
    tree_row,
    was_touching,
)
from kinegen.kernels.reference.reduced.system import close_loops, close_speeds, factor_masses
from kinegen.kernels.tolerances import QUIET

__all__ = ["keep_stops", "meet_stops", "rest_on_stops", "without_excess"]

BEYOND = 1e-13
"""Room [m, rad] that may be left beyond a stop."""
FAR_BEYOND = 0.1
"""Share of a swing limit's sine beyond which an overrun of it is far."""
RETURNS, IDLE = 20, 4
"""Corrections towards the stops, and how many in a row may gain less than half."""


def rest_on_stops(
    e: ReducedEngine, q: Floats, v: Floats, change: Floats, h: float | None
) -> Floats:
    """Changes of the tree without what would move joints through the stops they rest on.

    Accelerations (h None), or changes of the speeds over h.
    """
    if not e.rest:
        return change
    whole, speeds, C = read_cuts(e, q, v)
    drift = np.zeros(e.nv)
    for loop in range(e.cuts.count):
        drift[e.cuts.own(loop)] = e.cuts.axis_targets(q, of_tree(e, v), loop)
    _, Y, L = factor_masses(e, q)
    held = Held()
    for stop in e.rest:
        along = stop_direction(e, stop, whole)
        row = tree_row(e, C, along)
        speed = row @ change - along @ drift if h is None else row @ (change + v)
        if stop.swings and h is None:
            quat = whole[stop.place : stop.place + 4]
            speed += swing_bend(quat, speeds[stop.variable : stop.variable + 3])
        held.add(held_row(e, row, Y, L), *push_bounds(stop.sign), 0.0, float(speed))
    p = held.sweep()
    e.rest = {stop: abs(float(force)) / (h or 1.0) for stop, force in zip(e.rest, p, strict=True)}
    return change + change_of(e, L, held.Y, p)


def meet_stops(e: ReducedEngine, h: float, q: Floats, v: Floats) -> tuple[Floats, Floats]:
    """The state after impulses of touched stops and of friction over h; books their work."""
    q, v, C = read_cuts(e, q, v)
    rubs = e.with_friction and not e.meets_later
    dry = (e.drive["coulomb"] != 0) | (e.drive["breakaway"] != 0)
    _, Y, L = factor_masses(e, q)
    held, rests, which = Held(), [], []
    for stop, room in each_stop_from_start(e, q) if e.with_stops else ():
        if room <= TOUCHING:
            # a joint that was pressed against its stop does not bounce, and one that rests
            # there is pushed less before it is lifted off
            along, pull = stop_direction(e, stop, q), e.rest.get(stop, 0.0) * e.step
            speed = float(along @ v)
            bounces = stop.sign * speed < -QUIET and not was_touching(e, stop)
            aim = -e.restitution * speed if bounces else 0.0
            row = held_row(e, tree_row(e, C, along), Y, L)
            held.add(row, *push_bounds(stop.sign, pull), aim, speed)
            rests.append(pull != 0)
            which.append(along)
    stops = len(held.Y)
    for i in np.flatnonzero(dry) if rubs else ():
        most, along = h * dry_friction(e, int(i), v[i]), np.eye(e.nv)[i]
        held.add(held_row(e, tree_row(e, C, along), Y, L), -most, most, 0.0, v[i])
        which.append(along)
    if not held.Y:
        return q, v
    energy, swings = energy_of(e, q, v), touches_swing_limit(e, q)
    p = held.sweep()
    e.held_impulse += p @ np.array(which)
    e.stop_count += int(np.count_nonzero(p[stops:]))
    e.stop_count += int(np.count_nonzero(p[:stops][~np.array(rests, dtype=bool)]))
    v = v + change_of(e, L, held.Y, p)
    # friction's share of the place, then back onto the stops
    braked = bool(p[stops:].any())
    if braked:
        q = close_loops(e, move_tree(e, q, change_of(e, L, held.Y[stops:], p[stops:]), h / 2))[0]
    q, moved = return_to_stops(e, q) if e.with_stops else (q, False)
    if moved or braked:
        v = close_speeds(e, q, v)
    q, v, _ = read_cuts(e, q, v)
    if swings:
        v = without_excess(e, q, v, energy)
    e.work += energy_of(e, q, v) - energy
    return q, v


def without_excess(e: ReducedEngine, q: Floats, v: Floats, energy: float) -> Floats:
    """Speeds without what the state has beyond an energy.

    A joint that slides along a swing limit is stopped beyond it, on a curve: that may bring
    energy, the less the shorter the step.
    """
    kinetic, potential = energies(e, q, v)
    excess = kinetic + potential - energy
    if not (excess > 0 and kinetic > 0):
        return v
    return np.asarray(v * np.sqrt(max(0.0, 1 - excess / kinetic)))


def return_to_stops(e: ReducedEngine, q: Floats) -> tuple[Floats, bool]:
    """The place with joints that are beyond a stop back on it, and whether any was."""
    best, idle, moved = np.inf, 0, False
    for _ in range(RETURNS):
        q, _, C = read_cuts(e, q, np.zeros(e.nv))
        rooms = list(each_stop_from_start(e, q))
        least = min((room for _, room in rooms), default=np.inf)
        idle = idle + 1 if -least > 0.5 * best else 0
        if not least < -BEYOND or idle == IDLE or e.status != RunStatus.OK:
            break
        best, moved = min(best, -least), True
        _, Y, L = factor_masses(e, q)
        held = Held()
        for stop, room in rooms:
            if room <= TOUCHING:
                along = stop_direction(e, stop, q)
                row = held_row(e, tree_row(e, C, along), Y, L)
                held.add(row, *push_bounds(stop.sign), -stop.sign * room, 0.0)
                # from far beyond a swing limit straight back: its direction changes on the way
                radius = np.sin(e.drive["upper"][stop.variable])
                if stop.swings and -room > FAR_BEYOND * radius:
                    first = stop.variable
                    along[first : first + 2] = -along[first + 1], along[first]
                    row = held_row(e, tree_row(e, C, along), Y, L)
                    held.add(row, -np.inf, np.inf, 0.0, 0.0)
        q = close_loops(e, move_tree(e, q, change_of(e, L, held.Y, held.sweep())))[0]
    return q, moved


def keep_stops(e: ReducedEngine) -> None:
    """Bring joints back that contacts pushed beyond a stop."""
    if not e.with_stops:
        return
    energy = energy_of(e, e.q, e.v)
    swings = touches_swing_limit(e, e.q)
    q, moved = return_to_stops(e, e.q)
    if moved:
        e.q, e.v, _ = read_cuts(e, q, close_speeds(e, q, e.v))
        if swings:
            e.v = without_excess(e, e.q, e.v, energy)
        e.work += energy_of(e, e.q, e.v) - energy
