"""Searching with the solver: many starts until the handles are met, or for every way to close."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels.call_records import SolverReport
from kinegen.kernels.layout import TRANSFORM_SIZE, Floats, Ints
from kinegen.kernels.protocols.solver import Outcome
from kinegen.kernels.reference.base.joint_types import FIXED, FREE, NQ, SPHERICAL, UNIVERSAL
from kinegen.kernels.reference.solver.descent import Descent, find_chain
from kinegen.kernels.reference.solver.equations import PIN, SITE, handle_equations
from kinegen.kernels.reference.solver.search_starts import Starts, within_limits
from kinegen.kernels.reference.solver.solver import solve
from kinegen.kernels.reference.solver.state import Solver, Task, set_scales

__all__ = ["enumerate_poses", "search"]

ROAM_STEP = 1.5
"""Largest move per step of a search for assembly modes, scaled."""
NEARLY, LONGER, PATIENCE = 1e-3, 10, 5
"""An attempt that ends with less than this error may take so many times as many steps, a few times
in a search."""


def search(
    s: Solver, q: Floats, task: Task, attempts: int, seed: int, held: Ints, *, quick: bool
) -> tuple[int, SolverReport]:
    """The first start that meets the handles, or the best of all; attempts made, report.

    ``q`` and ``held`` are written; ``quick``: an open chain may be descended along first.
    """
    set_scales(s)
    if quick:
        made, answer = quick_search(s, q, task, attempts, seed)
        if made:
            q[:], report = solve(s, answer, task)
            held[:] = s.held
            return made, report
    starts = Starts(s.blocks, s.scale, s.size, seed)
    best_score, best_q, best = math.inf, q.copy(), None
    made, patience = 0, PATIENCE
    for attempt in range(attempts):
        trial = q.copy() if attempt == 0 else starts.draw(q, task.locked)
        trial, report = solve(s, trial, task)
        # nearly there, but slow as beside a singular pose: worth more steps than a new start
        if report.outcome == Outcome.MOVING and report.handle_error < NEARLY and patience > 0:
            patience -= 1
            trial, report = solve(s, trial, replace(task, iterations=LONGER * task.iterations))
        made = attempt + 1
        inside = not task.limits or within_limits(s.blocks, trial, s.scale)
        closed = report.outcome != Outcome.STUCK
        score = (
            report.handle_error + (0 if closed else 1e3 * (1 + report.gap)) + (0 if inside else 1e2)
        )
        if score < best_score:
            best_score, best_q, best = score, trial, report
            held[:] = s.held
        if report.outcome == Outcome.REACHED and inside:
            break
    if best is None:
        raise UsageError("a search needs at least one attempt")
    q[:] = best_q
    return made, best


def quick_search(s: Solver, q: Floats, task: Task, attempts: int, seed: int) -> tuple[int, Floats]:
    """One handle on an open chain by quick descents; attempts made (0: in vain), the answer."""
    ints, reals = task.handle_ints, task.handle_reals
    alone = len(ints) == 1 and not ints[0, PIN] and not s.loops and task.posture_gain == 0
    chain = find_chain(s.blocks, int(ints[0, SITE])) if alone else None
    if chain is None:
        return 0, q
    descent = Descent(
        chain, lambda at: handle_equations(s, at, ints[0], reals[0]), s.blocks, s.scale, s.size,
        task.locked, limits=task.limits, step=task.step, met=task.met,
    )  # fmt: skip
    return descent.search(q, attempts, seed)


def enumerate_poses(
    s: Solver, q: Floats, task: Task, attempts: int, seed: int, distinct: float, capacity: int,
    *, by_variables: bool,
) -> Floats:  # fmt: skip
    """All poses that are found to meet the handles, each apart from the others, (n, nq)."""
    set_scales(s)
    starts = Starts(s.blocks, s.scale, s.size, seed)
    apart = variables_apart if by_variables else marks_apart
    found: list[Floats] = []
    for attempt in range(attempts):
        if attempt > 0 and len(task.handle_ints) == 0:
            trial, report = roam(s, q, starts.draw(q, task.locked), task)
        else:
            trial = q.copy() if attempt == 0 else starts.draw(q, task.locked)
            trial, report = solve(s, trial, task)
        inside = not task.limits or within_limits(s.blocks, trial, s.scale)
        if report.outcome != Outcome.REACHED or not inside:
            continue
        if all(apart(s, other, trial) >= distinct for other in found):
            found.append(trial)
        if len(found) == capacity:
            break
    return np.array(found).reshape(-1, s.nq)


def roam(s: Solver, q: Floats, trial: Floats, task: Task) -> tuple[Floats, SolverReport]:
    """Close the loops with the inputs free, then with these put back, by plain Newton steps."""
    roaming = replace(task, roam=True, step=ROAM_STEP)
    if task.locked is not None:
        trial, _ = solve(s, trial, replace(roaming, locked=None))
        for kind, at_q, at_v in s.joints:
            for k in range(NQ[kind]):
                if task.locked[at_v if kind in {SPHERICAL, FREE} else at_v + k]:
                    trial[at_q + k] = q[at_q + k]
    return solve(s, trial, roaming)


def variables_apart(s: Solver, a: Floats, b: Floats) -> float:
    """Largest difference of a variable, scaled; angles the short way round."""
    v = np.empty(s.nv)
    s.model.difference(a, b, v)
    turns = s.scale == 1
    v[turns] = np.remainder(v[turns] + math.pi, math.tau) - math.pi
    return float(np.abs(v / s.scale).max(initial=0.0))


def marks_apart(s: Solver, a: Floats, b: Floats) -> float:
    """Largest difference of what can be seen, scaled."""
    return float(np.abs(pose_marks(s, a) - pose_marks(s, b)).max(initial=0.0)) / s.size


def pose_marks(s: Solver, q: Floats) -> Floats:
    """What can be seen of a pose: positions of placed frames, and lines of axes as n nᵀ."""
    counts = s.blocks.counts
    child, landing = s.blocks.int_part("joint_child"), s.blocks.int_part("loop_joint")
    links = [
        *s.blocks.int_part("joint_parent").tolist(),
        *(int(child[j]) for j in landing),
        *s.blocks.int_part("frame_link").tolist(),
    ]
    X = np.zeros((counts.link, TRANSFORM_SIZE))
    s.model.forward_links(q, X)
    placed = s.blocks.real_part("transforms").reshape(-1, TRANSFORM_SIZE)
    R = X[links, :9].reshape(-1, 3, 3)
    points = np.einsum("nij,nj->ni", R, placed[:, 9:]) + X[links, 9:]
    axes = np.zeros((len(links), 3))
    for n, joint in enumerate([*range(counts.joint), *landing.tolist()]):
        kind = s.joints[joint][0]
        if kind not in {FIXED, SPHERICAL, FREE}:
            # a universal joint lands on its second axis, x
            column = 0 if kind == UNIVERSAL and n >= counts.joint else 2
            axes[n] = R[n] @ placed[n, column:9:3]
    lines = s.size * np.einsum("ni,nj->nij", axes, axes)
    return np.concatenate([points.ravel(), lines.ravel()])
