"""Many steps of the reduced engine, none of which leads a joint beyond its stops."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinegen.errors import KernelError
from kinegen.kernels.layout import Floats
from kinegen.kernels.protocols.reduced import Integrator, ReducedReport, RunStatus
from kinegen.kernels.reference.reduced.engine import (
    ReducedEngine,
    loop_rows,
    move_tree,
    of_tree,
    read_cuts,
)
from kinegen.kernels.reference.reduced.forces import energies
from kinegen.kernels.reference.reduced.held import (
    TOUCHING,
    each_stop,
    least_room,
    note_stops,
    stop_direction,
    was_touching,
)
from kinegen.kernels.reference.reduced.implicit import step_implicit
from kinegen.kernels.reference.reduced.servos import Servos, push_servos
from kinegen.kernels.reference.reduced.step import (
    State,
    nystrom,
    settle_and_note,
    step_rk4,
    step_semi_implicit,
)
from kinegen.kernels.reference.reduced.stops import meet_stops
from kinegen.kernels.reference.reduced.system import close_loops, settle

__all__ = ["run_reduced"]

REFINEMENTS = 7
"""How often a step that opens the loops too far is halved."""
SHORTEST_STEP = 1e-9
"""Share of a step below which adaptive ones are given up."""
STEP_TRIALS = 20000
"""Adaptive steps within one step after which it is given up."""
ROUNDING_ERROR = 1e-6
"""Errors that may be rounding: where shorter steps do not make them smaller, they are."""
IMPACTS, IMPACT_TRIALS = 16, 30
"""Impacts within one step, and trials for the moment of one."""


def run_reduced(
    e: ReducedEngine,
    steps: int,
    tau: Floats,
    wrenches: Floats | None,
    servos: Servos | None = None,
) -> ReducedReport:
    """Run steps under loads and what servos push with on top; see the protocol."""
    e.tau, e.wrenches = np.array(tau), wrenches
    e.status, e.culprit = RunStatus.OK, -1
    e.closings = e.evaluations = e.refined = e.stop_count = 0
    e.stiff = e.step / 2 if e.integrator == Integrator.IMPLICIT else 0.0
    start, done = e.time, 0
    # numbers of the model may have changed: loops are closed again
    e.q, e.gap, e.angle = close_loops(e, e.q)
    while done < steps and e.status == RunStatus.OK:
        try:
            if servos is not None:
                e.tau = push_servos(e, servos)
            q, v = step_to_stops(e, e.q, e.v, e.step)
            e.q, e.v, _ = read_cuts(e, q, v)
        except KernelError:
            e.status = RunStatus.NOT_FINITE
        done += 1
        e.time = start + done * e.step
    e.stiff = 0.0
    return report(e, done)


def report(e: ReducedEngine, done: int) -> ReducedReport:
    """What a run of so many steps reports."""
    kinetic, potential = energies(e, e.q, e.v)
    opening = loop_rows(e, e.q)[0] @ of_tree(e, e.v)
    return ReducedReport(
        steps=done,
        status=int(e.status),
        time=e.time,
        gap=e.gap,
        angle_gap=e.angle,
        velocity_gap=float(np.abs(opening).max(initial=0.0)),
        kinetic=kinetic,
        potential=potential,
        work=e.work,
        stops=e.stop_count,
        closings=e.closings,
        evaluations=e.evaluations,
        refined=e.refined,
        left_out=0,
        weakest=1.0,
        culprit=e.culprit,
    )


def step_to_stops(e: ReducedEngine, q: Floats, v: Floats, h: float) -> State:
    """One step with its impacts: cut wherever a joint meets a stop."""
    left, impacts = h, 0
    e.held_impulse = np.zeros(e.nv)
    while left > 0 and e.status == RunStatus.OK:
        work, trial, e.rest = e.work, e.trial, {}
        if e.with_stops:
            note_stops(e, q, v)
        # the rest of the step, or as much of it as leads to the first stop
        start, part = (q, v), left
        q, v = step_refined(e, q, v, left)
        if impacts < IMPACTS and passes_stop(e, q, v):
            e.trial = trial
            (q, v), part = cut_step(e, start, (q, v), left, work)
        # what stops pushed that joints rest on, then impulses of those that are met
        note_rest(e, q, v, part)
        if e.status == RunStatus.OK:
            q, v = meet_stops(e, part, q, v)
        left = left - part if part < left else 0.0
        impacts += 1
    e.rest = {}
    return q, v


def passes_stop(e: ReducedEngine, q: Floats, v: Floats) -> bool:
    """Whether a step led through a stop that was not touched where it began."""
    if not e.with_stops or e.status != RunStatus.OK:
        return False
    return least_room(e, read_cuts(e, q, v)[0]) < -TOUCHING


def note_rest(e: ReducedEngine, q: Floats, v: Floats, part: float) -> None:
    """Add the impulses over a part of the step of stops that joints rest on."""
    e.stop_count += sum(force != 0 for force in e.rest.values())
    whole = read_cuts(e, q, v)[0]
    for stop, force in e.rest.items():
        e.held_impulse += stop.sign * force * part * stop_direction(e, stop, whole)


def step_refined(e: ReducedEngine, q: Floats, v: Floats, h: float, level: int = 0) -> State:
    """One step; in halves if it opens the loops by more than it should."""
    work = e.work
    q_end, v_end = step_once(e, q, v, h)
    bad = e.status == RunStatus.OPEN or not e.opening <= e.refine
    if (
        not bad
        or e.integrator == Integrator.ADAPTIVE
        or level == REFINEMENTS
        or e.status not in {RunStatus.OK, RunStatus.OPEN}
    ):
        return q_end, v_end
    e.work, e.status = work, RunStatus.OK
    e.refined += 1
    for _ in range(2):
        if e.status == RunStatus.OK:
            q, v = step_refined(e, q, v, h / 2, level + 1)
    return q, v


def guess_impact(e: ReducedEngine, q: Floats, v: Floats, h: float) -> float:
    """Share of a step after which the first stop was met, by parabolas."""
    q, v, _ = read_cuts(e, q, v)
    first = 1.0
    for stop, room in each_stop(e, q):
        if was_touching(e, stop) or not room < 0:
            continue
        slope = stop.sign * float(stop_direction(e, stop, q) @ v) * h
        bend = e.room_before[stop] - room + slope
        low, high = -1.0, 0.0
        for _ in range(40):
            x = (low + high) / 2
            low, high = (x, high) if room + slope * x + bend * x * x > 0 else (low, x)
        first = min(first, 1 + low)
    return first


def cut_step(
    e: ReducedEngine, start: State, end: State, h: float, work: float
) -> tuple[State, float]:
    """The step repeated so that it ends where the first stop is met, and its length."""
    trial, side, part = e.trial, 0, h
    early, late = 0.0, h
    above, below = least_room(e, start[0]), least_room(e, read_cuts(e, *end)[0])
    guess = h * guess_impact(e, *end, h)
    for _ in range(IMPACT_TRIALS):
        part = guess if early < guess < late else (early + late) / 2
        e.work = work
        end = step_refined(e, *start, part)
        e.trial = trial
        if e.status != RunStatus.OK:
            break
        room = least_room(e, read_cuts(e, *end)[0])
        if abs(room) <= TOUCHING:
            break
        # Illinois' method: the end that stays twice counts half
        if room < 0:
            late, below, above = part, room, above / 2 if side < 0 else above
            side = -1
        else:
            early, above, below = part, room, below / 2 if side > 0 else below
            side = 1
        guess = early + (late - early) * above / (above - below)
    return end, part


def step_once(e: ReducedEngine, q: Floats, v: Floats, h: float) -> State:
    """One step by the chosen method."""
    match e.integrator:
        case Integrator.RK4:
            return step_rk4(e, q, v, h)
        case Integrator.SEMI_IMPLICIT:
            return step_semi_implicit(e, q, v, h)
        case Integrator.IMPLICIT:
            return step_implicit(e, q, v, h)
        case _:
            return step_adaptive(e, q, v, h)


class Halves(NamedTuple):
    """A step made as two halves, and what it differs by from the whole one."""

    q: Floats
    v: Floats
    work: float
    q_apart: Floats
    v_apart: Floats
    error: float
    """Of places, and of speeds against 1 + their size; infinite where the trial led nowhere."""


def compare_halves(e: ReducedEngine, q: Floats, v: Floats, h: float) -> Halves:
    """A step of RK4 as a whole and in halves."""
    q_try, v_try, _ = nystrom(e, q, v, h)
    q_half, v_half, first = nystrom(e, q, v, h / 2)
    q_half, v_half = settle(e, q_half, v_half)[:2]
    q_half, v_half, second = nystrom(e, q_half, v_half, h / 2)
    q_apart, v_apart = np.empty(e.nv), v_half - v_try
    e.model.difference(q_try, q_half, q_apart)
    errors = np.maximum(np.abs(q_apart), np.abs(v_apart) / (1 + np.abs(v_half)))
    error = float(errors[e.tree].max(initial=0.0))
    # a trial that leads nowhere is too long, whatever was found there
    if e.status != RunStatus.OK or not np.isfinite(v_half).all():
        error = np.inf
    e.status = RunStatus.OK
    return Halves(q_half, v_half, first + second, q_apart, v_apart, error)


def step_adaptive(e: ReducedEngine, q: Floats, v: Floats, h: float) -> State:
    """RK4 steps whose halves agree to the tolerance."""
    # the error of the halves is a fifteenth of what they differ by; rounding is always there
    tolerance = max(15 * e.tolerance, 1e-14)
    done, trials, stalls = 0.0, 0, 0
    failed_error = failed = np.inf
    rounding = 0.0
    if not 0 < e.trial < h:
        e.trial = h
    while done < h and e.status == RunStatus.OK:
        trials += 1
        if trials > STEP_TRIALS:
            e.status = RunStatus.SMALL
            break
        last = not e.trial < 0.999 * (h - done)
        own = h - done if last else e.trial
        halves = compare_halves(e, q, v, own)
        error = halves.error
        # the method's own error falls with the fifth power of the step
        shorter = own / failed
        stalls += shorter < 1 and error > shorter * shorter * failed_error
        if stalls >= 2 and error < ROUNDING_ERROR:
            rounding = max(rounding, 2 * error)
        share = error / max(tolerance, rounding)
        factor = 0.9 * share**-0.2 if share > 0 else 4.0
        if not share <= 1:
            failed_error, failed = error, own
            e.trial = own * (min(factor, 0.5) if factor > 0.1 else 0.1)
            if not e.trial > SHORTEST_STEP * h:
                e.status = RunStatus.SMALL
            continue
        if error > tolerance:  # errors that are rounding say nothing against a longer step
            factor = 4.0
        failed_error = failed = np.inf
        stalls = 0
        # extrapolate
        e.work += halves.work
        q = move_tree(e, halves.q, halves.q_apart, 1 / 15)
        q, v = settle_and_note(e, q, halves.v + halves.v_apart / 15)
        done = h if last else done + own
        if not last or factor < 1:
            e.trial = own * min(4.0, factor)
    return q, v
