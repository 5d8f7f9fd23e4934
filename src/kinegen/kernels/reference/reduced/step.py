"""Explicit steps of the reduced engine: each leaves the loops closed."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.protocols.reduced import RunStatus
from kinegen.kernels.reference.reduced.engine import ReducedEngine, loop_targets, of_tree
from kinegen.kernels.reference.reduced.forces import find_efforts
from kinegen.kernels.reference.reduced.stops import rest_on_stops
from kinegen.kernels.reference.reduced.system import close_speeds, settle, solve_system

__all__ = ["State", "accelerate", "nystrom", "settle_and_note", "step_rk4", "step_semi_implicit"]

State = tuple[Floats, Floats]
"""q and v."""


def accelerate(e: ReducedEngine, q: Floats, v: Floats) -> tuple[Floats, Floats, float]:
    """Accelerations of the tree, forces in the rows, power of loads and dampers."""
    f, power = find_efforts(e, q, v)
    vdot, forces = solve_system(e, q, f, loop_targets(e, q, of_tree(e, v)))
    e.evaluations += 1
    return rest_on_stops(e, q, v, vdot, None), forces, power


def note_gaps(e: ReducedEngine, linear: float, angular: float) -> None:
    """Remember the widest of a run."""
    e.gap, e.angle = max(e.gap, linear), max(e.angle, angular)


def settle_and_note(e: ReducedEngine, q: Floats, v: Floats) -> State:
    """The state with loops closed; what is left open is remembered."""
    q, v, linear, angular = settle(e, q, v)
    note_gaps(e, linear, angular)
    return q, v


def nystrom(e: ReducedEngine, q: Floats, v: Floats, h: float) -> tuple[Floats, Floats, float]:
    """One step of order four, loops as open as it errs, and its work."""
    chart = e.chart

    def rate(xi: Floats, p: Floats) -> tuple[Floats, float]:
        at, speed = chart.leave(q, xi, p)
        vdot, _, power = accelerate(e, at, speed)
        return chart.accelerations(at, speed, xi, p, vdot), power

    p0, zero = chart.enter(q, v), np.zeros(e.nv)
    a1, w1 = rate(zero, p0)
    middle = h / 2 * p0 + h * h / 8 * a1
    a2, w2 = rate(middle, p0 + h / 2 * a1)
    a3, w3 = rate(middle, p0 + h / 2 * a2)
    a4, w4 = rate(h * p0 + h * h / 2 * a3, p0 + h * a3)
    xi = h * p0 + h * h / 6 * (a1 + a2 + a3)
    p = p0 + h / 6 * (a1 + 2 * (a2 + a3) + a4)
    return *chart.leave(q, xi, p), h / 6 * (w1 + 2 * (w2 + w3) + w4)


def step_rk4(e: ReducedEngine, q: Floats, v: Floats, h: float) -> State:
    """One step of order four."""
    q, v, work = nystrom(e, q, v, h)
    e.work += work
    return settle_and_note(e, q, v)


def step_semi_implicit(e: ReducedEngine, q0: Floats, v0: Floats, h: float) -> State:
    """Places by the old accelerations, speeds by the mean of old and new ones."""
    chart = e.chart
    p0, zero = chart.enter(q0, v0), np.zeros(e.nv)
    vdot, _, before = accelerate(e, q0, v0)
    a1 = chart.accelerations(q0, v0, zero, p0, vdot)
    xi, p = h * p0 + h * h / 2 * a1, p0 + h * a1
    q, v = settle_and_note(e, *chart.leave(q0, xi, p))
    if e.status != RunStatus.OK:
        return q, v
    vdot, _, after = accelerate(e, q, v)
    a2 = chart.accelerations(q, v, xi, p, vdot)
    v = chart.leave(q0, xi, p0 + h / 2 * (a1 + a2))[1]
    e.work += h / 2 * (before + after)
    return q, close_speeds(e, q, v)
