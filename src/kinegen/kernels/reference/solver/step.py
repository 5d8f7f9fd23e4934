"""One step of the solver: hard rows met by their null space, handles in the motion that is left."""

from __future__ import annotations

import math

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.base.manifold import swing_angle, swing_axis, with_swing
from kinegen.kernels.reference.solver.equations import (
    PIN,
    handle_equations,
    loop_equations,
    plain_variables,
    swings,
)
from kinegen.kernels.reference.solver.state import Reach, Solver, Step, Task
from kinegen.kernels.tolerances import LOOP_RANK

__all__ = ["allowed_share", "find_step", "make_step"]

PIN_TOLERANCE = 1e-6
"""The same of pins."""
HELD_TOLERANCE = 1e-9
"""The same of single variables: locked, or at a limit."""


def find_step(s: Solver, q: Floats, task: Task, gap: float, damping: float) -> Step:
    """Meet the hard rows, then the soft ones as far as damping lets it."""
    reach, loop_pivot, A, e = reduce_rows(s, q, task, gap)
    lean = np.zeros(s.nv)
    if task.posture is not None and task.posture_gain:
        s.model.difference(q, task.posture, lean)
        lean *= task.posture_gain / s.scale
    # limits and bodies that the step would pass become hard rows, one after the other
    s.held[:] = 0
    if task.avoid is not None:
        task.avoid.find_rows(s, q)
    while True:
        step = solve_step(reach, A, e, task.weights, damping, lean)
        step.loop_pivot = loop_pivot
        held = hold_limit(s, q, step.x, task.step) if task.limits else None
        if held is None and task.avoid is not None:
            held = task.avoid.hold_contact(s, step.x, task.step)
        if held is None:
            return step
        reach = reach.restricted(*held, HELD_TOLERANCE)


def reduce_rows(
    s: Solver, q: Floats, task: Task, gap: float
) -> tuple[Reach, float, Floats, Floats]:
    """The moves that locks, loops and pins leave, the loops' pivot; rows and sides of handles."""
    reach = Reach(np.zeros(s.nv), np.eye(s.nv))
    if task.locked is not None:
        fixed = np.eye(s.nv)[task.locked.astype(bool)]
        reach = reach.restricted(fixed, np.zeros(len(fixed)), HELD_TOLERANCE)
    # rows of loops that are open by much say little about their rank
    tolerance = max(LOOP_RANK, min(10 * gap, 0.05))
    reach = reach.restricted(*loop_equations(s, q), tolerance)
    loop_pivot = reach.smallest
    tasks, lacks = [np.zeros((0, s.nv))], [np.zeros(0)]
    for handle, numbers in zip(task.handle_ints, task.handle_reals, strict=True):
        rows, rhs = handle_equations(s, q, handle, numbers)
        if handle[PIN]:
            reach = reach.restricted(rows, rhs, PIN_TOLERANCE)
        else:
            tasks.append(rows)
            lacks.append(rhs)
    return reach, loop_pivot, np.vstack(tasks), np.concatenate(lacks)


def solve_step(
    reach: Reach, A: Floats, e: Floats, weights: Floats, damping: float, lean: Floats
) -> Step:
    """The cheapest move within reach that takes the handles' lack, damped."""
    N = reach.directions
    # the metric: what moving the free directions costs
    M = N.T @ (weights[:, None] * N)
    towards = np.linalg.solve(M, N.T @ (weights * (lean - reach.point)))
    x = base = reach.point + N @ towards
    gradient, pivot = 0.0, 1.0
    if len(e) and N.shape[1]:
        AN = A @ N
        lack = e - A @ x
        response = np.linalg.solve(M, AN.T)
        system = AN @ response
        gradient = math.sqrt(max(0.0, float(lack @ system @ lack)))
        z = np.linalg.solve(system + damping * np.eye(len(e)), lack)
        values = np.linalg.svd(system, compute_uv=False)
        pivot = float(values[-1] / values[0]) if values[0] > 0 else 0.0
        x = x + N @ (response @ z)
    gain = A @ (x - base)
    linear, square = float(gain @ (e - A @ base)), float(gain @ gain)
    return Step(x, gradient, linear, square, N.shape[1], reach.redundant, pivot, 1.0, N)


def hold_limit(s: Solver, q: Floats, x: Floats, radius: float) -> tuple[Floats, Floats] | None:
    """The limit that the move would pass furthest, as a hard row; None if there is none."""
    lower, upper = s.blocks.real_part("lower"), s.blocks.real_part("upper")
    longest = float(np.abs(x).max(initial=0.0))
    share = min(1.0, radius / longest) if longest > 0 else 1.0
    worst, furthest, room, side = -1, 1e-12, 0.0, 0
    row = np.zeros((1, s.nv))
    for v, quat in swings(s, q):
        # to first order; make_step sees to the rest
        axis, left = swing_axis(quat), float(upper[v]) - swing_angle(quat)
        wider = share * float(axis @ x[v : v + 2])
        if not s.held[v] and wider > 0 and wider - left > furthest:
            worst, furthest, room, side = v, wider - left, max(left, 0.0), 1
            row[:] = 0
            row[0, v : v + 2] = axis
    for at, i in plain_variables(s):
        if s.held[i] or x[i] == 0:
            continue
        up, here = x[i] > 0, float(q[at])
        bound = float(upper[i] if up else lower[i])
        beyond = here + share * x[i] * s.scale[i] - bound
        over = (beyond if up else -beyond) / s.scale[i]
        if over > furthest:
            worst, furthest, side = i, over, 1 if up else -1
            row[:] = 0
            row[0, i] = 1
            room = (bound - here) / s.scale[i]
            room = max(room, 0.0) if up else min(room, 0.0)
    if worst < 0:
        return None
    s.held[worst] = side
    return row, np.array([room])


def allowed_share(
    s: Solver, x: Floats, moved: Floats, bounds: Floats | None, radius: float
) -> float:
    """Share of a move that neither the radius nor the bounds of the call forbid."""
    longest = float(np.abs(x).max(initial=0.0))
    share = min(1.0, radius / longest) if longest > 0 else 1.0
    if bounds is not None:
        for move, done, bound in zip(x, moved, bounds / s.scale, strict=True):
            if move != 0 and abs(done + share * move) > bound:
                room = bound - done if move > 0 else bound + done
                share = max(0.0, min(share, room / abs(move)))
    return share


def make_step(s: Solver, q: Floats, x: Floats, task: Task) -> Floats:
    """Q moved by x; swings end at their limits, or no wider than where they began beyond."""
    out = np.empty(s.nq)
    s.model.integrate(q, x * s.scale, out)
    if task.limits:
        upper = s.blocks.real_part("upper")
        for (v, before), (_, quat) in zip(swings(s, q), swings(s, out), strict=True):
            over = swing_angle(quat) - max(float(upper[v]), swing_angle(before))
            if over > 0:
                quat[:] = with_swing(quat, -over)
    return out
