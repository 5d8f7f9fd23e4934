"""The solver in NumPy: the steps of the compiled one with dense linear algebra.

Where the compiled solver eliminates loop after loop, this one takes the null space of all hard rows
by singular values; where that one factors small systems, this one calls LAPACK. Both minimise the
same thing, so they end in the same pose whenever the handles leave no choice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from kinegen.kernels.call_records import SolverReport
from kinegen.kernels.layout import Floats
from kinegen.kernels.protocols.solver import Outcome
from kinegen.kernels.reference.solver.equations import (
    PIN,
    errors_at,
    is_closed,
    limit_excess,
    plain_variables,
)
from kinegen.kernels.reference.solver.state import Errors, Solver, Step, Task, set_scales
from kinegen.kernels.reference.solver.step import allowed_share, find_step, make_step

__all__ = ["close_loops", "solve"]

NUDGE, NUDGES = 0.02, 2
"""How far to step off level ground, scaled, and how often."""
STILL = 1e-12
"""A move that is no move, scaled."""
SHORTEST = 1e-9
"""Radius of steps, scaled, below which no step leads nearer."""
OPEN_STEPS, SETTLING_STEPS = 4, 5
"""Steps in a row that may leave loops open, and those that may put lifted handles back."""


@dataclass(slots=True)
class Anchor:
    """The best place so far: steps that do not lead nearer return to it."""

    q: Floats
    now: Errors
    moved: Floats
    excess: float
    """How far beyond its limits the worst variable is, scaled."""


@dataclass(slots=True)
class Walk:
    """Where a solve is, where it may return to, and how far it trusts its steps."""

    q: Floats
    now: Errors
    moved: Floats
    """Since the call began, scaled, (nv,)."""
    anchor: Anchor
    radius: float
    """Largest move of the next step, scaled."""
    step: Step
    """The last one found."""
    iterations: int
    extra: float = 0.0
    """Damping beyond what the error asks for."""
    promised: float = 0.0
    """What the linear picture says that the squared error will fall by."""
    open_for: int = 0
    """Steps in a row that left the loops open."""
    settling: int = 0
    """Steps in a row that put lifted handles back."""
    nudges: int = 0
    """Steps off level ground."""


def solve(s: Solver, q: Floats, task: Task) -> tuple[Floats, SolverReport]:
    """Close the loops, then move the handles to their targets as far as they can."""
    set_scales(s)
    s.held[:] = 0
    now = errors_at(s, q, task)
    step = Step(np.zeros(s.nv), 0.0, 0.0, 0.0, 0, 0, 1.0, 1.0, np.eye(s.nv))
    iterations = 0
    if not is_closed(now, task):
        q, now, iterations = close_loops(s, q, task, now, task.iterations)
        if not is_closed(now, task):
            return q, _report(s, Outcome.STUCK, iterations, step, now)
    if len(task.handle_ints) == 0 and task.posture_gain == 0:
        return q, _report(s, Outcome.REACHED, iterations, step, now)
    excess = limit_excess(s, q) if task.limits else 0.0
    if task.avoid is not None:
        task.avoid.set_anchor(s, q)
    start = Anchor(q, now, np.zeros(s.nv), excess)
    w = Walk(q, now, start.moved, start, task.step, step, iterations)
    outcome = _walk(s, task, w)
    if not (is_closed(w.now, task) and _is_clear(s, task, w.q)):
        w.q, w.now = w.anchor.q, w.anchor.now
    if outcome is Outcome.MOVING and task.posture_gain == 0:
        # the last step may have been the one that was missing
        if is_closed(w.now, task) and w.now.soft <= task.met**2:
            outcome = Outcome.REACHED
        # a whole call that gains next to nothing: this is the edge of what can be reached
        elif task.bounds is None and now.soft - w.now.soft <= 1e-6 * now.soft:
            outcome = Outcome.NEAREST
    report = _report(s, outcome, w.iterations, w.step, w.now)
    if task.avoid is None:
        return w.q, report
    obstacle = -1 if outcome is Outcome.REACHED else task.avoid.blocked
    return w.q, report._replace(clearance=task.avoid.least, obstacle=obstacle)


def _is_clear(s: Solver, task: Task, q: Floats) -> bool:
    """Whether bodies stayed clear of each other from the anchor to q, as far as that is asked."""
    return task.avoid is None or task.avoid.stays_clear(s, q)


def _walk(s: Solver, task: Task, w: Walk) -> Outcome:
    """Step until the handles are met or no step leads nearer."""
    met = task.met**2
    while w.iterations < task.iterations:
        closed = is_closed(w.now, task)
        if closed and w.now.soft <= met and task.posture_gain == 0:
            return Outcome.REACHED
        share = _look(s, task, w)
        longest = float(np.abs(share * w.step.x).max(initial=0.0))
        flat = (
            task.posture_gain == 0
            and longest < 1e-3
            and w.step.gradient <= 1e-6 * math.sqrt(w.now.soft)
        )
        if closed and (longest < STILL or flat):
            if w.now.soft > met and _may_nudge(task, w):
                _step_off(s, task, w)
                continue
            if share < 1e-6 and not flat:
                return Outcome.MOVING  # the call's bounds hold it
            return Outcome.REACHED if w.now.soft <= met else Outcome.NEAREST
        if closed:
            w.promised = share * (2 * w.step.linear - share * w.step.square)
        before = w.now.soft
        _move(s, task, w, share * w.step.x)
        if _closes_on_the_way(task, w, before):
            continue
        if not is_closed(w.now, task) and w.now.gap < 0.3:
            w.q, w.now, _ = close_loops(s, w.q, task, w.now, 6)
        w.open_for = 0
        if _settles(task, w):
            continue
        w.settling = 0
        if not _judge(s, task, w, longest):
            return Outcome.REACHED if w.now.soft <= met else Outcome.NEAREST
    return Outcome.MOVING


def _look(s: Solver, task: Task, w: Walk) -> float:
    """Find the next step; returns the share of it that is allowed."""
    damping = 0.1 * min(math.sqrt(w.now.soft), 1.0) + 1e-13 + w.extra
    limited = replace(task, step=w.radius, posture=None if w.settling else task.posture)
    w.step = find_step(s, w.q, limited, w.now.gap, damping)
    return allowed_share(s, w.step.x, w.moved, task.bounds, w.radius)


def _move(s: Solver, task: Task, w: Walk, x: Floats) -> None:
    w.q, w.moved = make_step(s, w.q, x, task), w.moved + x
    w.now = errors_at(s, w.q, task)
    w.iterations += 1


def _may_nudge(task: Task, w: Walk) -> bool:
    free = w.step.dof > 0 and task.posture_gain == 0 and task.bounds is None
    return free and w.nudges < NUDGES


def _step_off(s: Solver, task: Task, w: Walk) -> None:
    """Step off level ground a little and see: it may be a saddle.

    A dead centre, a stretched leg: what does not lead downhill from there leads back to the anchor.
    """
    x = _nudge(s, task, w)
    w.nudges += 1
    _move(s, task, w, x)
    w.q, w.now, _ = close_loops(s, w.q, task, w.now, 4)
    w.promised = 0.0


def _nudge(s: Solver, task: Task, w: Walk) -> Floats:
    """A small free motion in no particular direction: one way, then the other."""
    x = w.step.directions @ np.linspace(1.0, 0.6, w.step.dof)
    size = min(NUDGE, task.step) / max(float(np.abs(x).max()), 1e-300)
    x = (-size if w.nudges else size) * x
    # no further than the limits let it
    lower, upper = s.blocks.real_part("lower"), s.blocks.real_part("upper")
    share = 1.0
    for at, i in plain_variables(s) if task.limits else ():
        move, here = x[i] * s.scale[i], w.q[at]
        room = upper[i] - here if move > 0 else here - lower[i]
        if abs(move) > 1e-15 and room < abs(move):
            share = min(share, max(float(room), 0.0) / abs(move))
    return share * x


def _closes_on_the_way(task: Task, w: Walk, before: float) -> bool:
    """Whether the next step may close the loops: while the error falls fast."""
    if is_closed(w.now, task) or w.now.gap >= 0.02 or w.now.soft >= 0.1 * before:
        return False
    w.open_for += 1
    return w.open_for < OPEN_STEPS and w.iterations < task.iterations


def _settles(task: Task, w: Walk) -> bool:
    """Whether handles that leaning to the posture lifted a little are put back before judging."""
    highest = max(w.anchor.now.soft, task.met**2)
    lifted = is_closed(w.now, task) and highest < w.now.soft < 1e-2
    if task.posture_gain == 0 or not lifted:
        return False
    w.settling += 1
    return w.settling < SETTLING_STEPS and w.iterations < task.iterations


def _judge(s: Solver, task: Task, w: Walk, longest: float) -> bool:
    """Anchor here if it is better, else return to the anchor; False: no step leads nearer."""
    now, anchor, met = w.now, w.anchor, task.met**2
    leaning = task.posture_gain != 0 and now.soft <= max(anchor.now.soft, met)
    # limits that the loops leave no way to hold stop the motion instead
    excess = limit_excess(s, w.q) if task.limits else 0.0
    kept_in = excess <= max(anchor.excess, 1e-10)
    nearer = now.soft < anchor.now.soft * (1 - 1e-9 if w.nudges else 1) or now.soft <= met
    gains = is_closed(now, task) and kept_in and (nearer or leaning)
    if gains and _is_clear(s, task, w.q):
        # how well the linear picture predicted the gain sets how much it is trusted next
        kept = (anchor.now.soft - now.soft) / w.promised if w.promised > 0 else 1.0
        if kept < 0.25:
            w.extra = max(4 * w.extra, 1e-3 * min(now.soft, 1.0))
            w.radius = max(0.5 * min(w.radius, longest), 1e-6)
        elif kept > 0.7:
            w.extra *= 0.1
            w.radius = min(2 * w.radius, task.step)
        w.anchor = Anchor(w.q, now, w.moved, excess)
        if task.avoid is not None:
            task.avoid.set_anchor(s, w.q)
        return True
    w.q, w.moved, w.now = anchor.q, anchor.moved, anchor.now
    w.radius = 0.3 * min(w.radius, longest)
    w.extra = max(8 * w.extra, 1e-2 * min(w.now.soft, 1.0))
    if w.nudges:
        w.radius = task.step  # it was the nudge that did not lead anywhere
    return w.radius >= SHORTEST


def close_loops(
    s: Solver, q: Floats, task: Task, now: Errors, iterations: int
) -> tuple[Floats, Errors, int]:
    """Close loops and pins by the shortest moves; configuration, errors, iterations."""
    pins = task.handle_ints[:, PIN].astype(bool)
    closing = replace(
        task, handle_ints=task.handle_ints[pins], handle_reals=task.handle_reals[pins],
        posture_gain=0.0, bounds=None, posture=None, avoid=None,
    )  # fmt: skip
    for n in range(iterations):
        if is_closed(now, task):
            return q, now, n
        x = find_step(s, q, closing, now.gap, 0.0).x
        share = allowed_share(s, x, np.zeros(s.nv), None, task.step)
        for _ in range(10):
            trial = make_step(s, q, share * x, task)
            errors = errors_at(s, trial, task)
            before = 1e300 if task.roam else now.gap**2 + now.hard
            if errors.gap**2 + errors.hard < before:
                q, now = trial, errors
                break
            share *= 0.4
        else:
            return q, now, n + 1
    return q, now, iterations


def _report(s: Solver, outcome: Outcome, iterations: int, step: Step, now: Errors) -> SolverReport:
    return SolverReport(
        int(outcome), iterations, step.dof, step.redundant, now.gap, math.sqrt(now.hard),
        math.sqrt(now.soft), step.gradient, step.task_pivot, step.loop_pivot, s.size, math.inf, -1,
    )  # fmt: skip
