"""Steps for springs and dampers that are stiff against the step: linearly implicit Euler."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.dynamics.measures import stretches
from kinegen.kernels.reference.reduced.engine import (
    ReducedEngine,
    damping,
    loop_rows,
    move_tree,
    of_tree,
    read_cuts,
)
from kinegen.kernels.reference.reduced.forces import find_bias, spring_rows
from kinegen.kernels.reference.reduced.step import State, settle_and_note
from kinegen.kernels.reference.reduced.stops import rest_on_stops
from kinegen.kernels.reference.reduced.system import factor_masses, settle, solve_system

__all__ = ["step_implicit", "stiffness_of_step"]


def euler(e: ReducedEngine, q: Floats, v: Floats, h: float) -> tuple[Floats, Floats, float]:
    """One linearly implicit step of order one, and its work."""
    e.stiff = h
    k, c = e.drive["stiffness"], damping(e)
    whole, speed, C = read_cuts(e, q, v)
    bias, power = find_bias(e, q, v)
    # loads and the tree's own springs and dampers, where the step leads them
    effort = of_tree(e, e.tau - c * v - k * (stretches(e.dynamics.masses, whole) + h * v))
    f = h * (effort + C.T @ e.tau - bias)
    springs = spring_rows(e, q)
    for spring in springs:
        slope = h * spring.stiffness + spring.damping
        push = spring.stiffness * spring.stretch + slope * (spring.row @ of_tree(e, v))
        f = f - h * push * spring.row
    change, _ = solve_system(e, q, f, -loop_rows(e, q)[0] @ of_tree(e, v))
    e.evaluations += 1
    change = rest_on_stops(e, q, of_tree(e, v), change, h)
    after = v + change
    work = h * (power + float((e.tau * speed)[~e.tree].sum()))
    work += h * float((e.tau * after - c * after * after)[e.tree].sum())
    for spring in springs:
        work -= h * spring.damping * float(spring.row @ of_tree(e, after)) ** 2
    return move_tree(e, q, after, h), after, work


def step_implicit(e: ReducedEngine, q: Floats, v: Floats, h: float) -> State:
    """Twice with half the step against once with the whole one, extrapolated to order two."""
    q_once, v_once, once = euler(e, q, v, h)
    q_half, v_half, first = euler(e, q, v, h / 2)
    q_half, v_half = settle(e, q_half, v_half)[:2]
    q_half, v_half, second = euler(e, q_half, v_half, h / 2)
    e.work += 2 * (first + second) - once
    apart = np.empty(e.nv)
    e.model.difference(q_once, q_half, apart)
    return settle_and_note(e, move_tree(e, q_half, apart), 2 * v_half - v_once)


def stiffness_of_step(e: ReducedEngine) -> float:
    """Largest h c / m and h² k / m of springs and dampers at the present place."""
    L = factor_masses(e, e.q)[2]
    k, c = e.drive["stiffness"], damping(e)
    rows = [(np.eye(e.nv)[i], k[i], c[i]) for i in np.flatnonzero(e.tree)]
    rows += [(row, k, c) for row, k, c, _ in spring_rows(e, e.q)]
    most, h = 0.0, e.step
    for row, stiff, damp in rows:
        y = np.linalg.solve(L, row[e.tree])
        most = max(most, max(h * damp, h * h * stiff) * float(y @ y))
    return most
