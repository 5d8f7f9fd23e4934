"""The equations of the reduced engine, dense: H v̇ + bias = tau + Jᵀ λ, J v̇ = -J̇ v.

Rank is decided by eigenvalues, where the compiled engine drops pivots: they share the method, not
the factors.
"""

from __future__ import annotations

import numpy as np

from kinegen.errors import KernelError
from kinegen.kernels.layout import Floats
from kinegen.kernels.protocols.reduced import RunStatus
from kinegen.kernels.reference.dynamics.mass import massless
from kinegen.kernels.reference.reduced.engine import (
    ReducedEngine,
    damping,
    loop_rows,
    move_tree,
    of_tree,
)
from kinegen.kernels.reference.reduced.forces import spring_rows
from kinegen.kernels.reference.reduced.loops import SLIDES, THREAD
from kinegen.kernels.tolerances import OPEN

__all__ = ["close_loops", "close_speeds", "factor_masses", "settle", "solve_rows", "solve_system"]

MASS_RANK = 1e-5
"""Singular values of the loops in the metric of the masses, against the largest, that are zero."""
LENGTH_ROWS = (0, 1, 2, THREAD, SLIDES)
"""Kinds of rows that are lengths; the others are angles."""
CLOSED_GAP = 1e-13
"""Gap [m, rad] at which closing ends: rounding."""
CLOSING_LIMIT = 20
"""Corrections after which loops stay as open as they are."""


def factor_masses(
    e: ReducedEngine, q: Floats, more: Floats | None = None
) -> tuple[Floats, Floats, Floats]:
    """H of the tree, Y = L⁻¹ Jᵀ and L, for H = L Lᵀ; stiffened in implicit steps, or by more."""
    H = e.dynamics.mass(q)
    if H is None:
        raise KernelError("the configuration contains a value that is not a number")
    h = e.stiff
    if h > 0:
        H = H + np.diag(h * (damping(e) + h * e.drive["stiffness"]))
        for spring in spring_rows(e, q):
            slope = h * (h * spring.stiffness + spring.damping)
            H = H + slope * np.outer(spring.row, spring.row)
    if more is not None:
        H = H + np.diag(more)
    inside = H[np.ix_(e.tree, e.tree)]
    try:
        L: Floats = np.asarray(np.linalg.cholesky(inside), dtype=np.float64)
    except np.linalg.LinAlgError:
        joint = massless(e.dynamics.masses, H)
        e.status = RunStatus.MASSLESS
        e.culprit = -1 if joint is None else e.dynamics.masses.model.joint_v[joint]
        L = np.eye(len(inside))
    J = loop_rows(e, q)[0][:, e.tree]
    return inside, np.asarray(np.linalg.solve(L, J.T), dtype=np.float64), L


def solve_rows(Y: Floats, wanted: Floats) -> Floats:
    """Forces in the rows that change their speeds as wanted; of many, the smallest."""
    return np.asarray(np.linalg.pinv(Y.T @ Y, rcond=MASS_RANK**2, hermitian=True) @ wanted)


def solve_system(
    e: ReducedEngine, q: Floats, f: Floats, wanted: Floats, more: Floats | None = None
) -> tuple[Floats, Floats]:
    """What efforts f (nv,) do to the tree (nv,) while rows change as wanted; the rows' forces.

    H x = f + Jᵀ forces, J x = wanted; ``more`` (nv,) is added to the diagonal of H.
    """
    _, Y, L = factor_masses(e, q, more)
    x, forces = np.linalg.solve(L, f[e.tree]), np.zeros(Y.shape[1])
    if len(forces):
        forces = solve_rows(Y, wanted - Y.T @ x)
        x = x + Y @ forces
    out = np.zeros(e.nv)
    out[e.tree] = np.linalg.solve(L.T, x)
    return out, forces


def correct_rows(e: ReducedEngine, q: Floats, wanted: Floats) -> Floats:
    """The smallest change of the tree, by its masses, that changes the rows as wanted."""
    return solve_system(e, q, np.zeros(e.nv), wanted)[0]


def loop_gaps(e: ReducedEngine, q: Floats) -> tuple[Floats, float, float]:
    """Per row, and the widest of all loops in length and angle."""
    parts, linear, angular = [np.zeros(0)], 0.0, 0.0
    for loop in range(e.cuts.count):
        gap = e.cuts.gaps(q, loop)
        lengths = np.isin(e.cuts.kinds[loop], LENGTH_ROWS)
        linear = max(linear, float(np.linalg.norm(gap[lengths])))
        angular = max(angular, float(np.linalg.norm(gap[~lengths])))
        parts.append(gap)
    return np.concatenate(parts), linear, angular


def close_loops(e: ReducedEngine, q: Floats) -> tuple[Floats, float, float]:
    """The place with loops closed, and what is left open."""
    gap, linear, angular = loop_gaps(e, q)
    e.opening = max(linear, angular)
    for _ in range(CLOSING_LIMIT):
        if max(linear, angular) <= CLOSED_GAP:
            break
        closer = move_tree(e, q, correct_rows(e, q, -gap))
        e.closings += 1
        left = loop_gaps(e, closer)
        if max(left[1:]) > 0.5 * max(linear, angular):
            break
        q, (gap, linear, angular) = closer, left
    if not (linear < OPEN and angular < OPEN):
        e.status = RunStatus.OPEN
    return q, linear, angular


def close_speeds(e: ReducedEngine, q: Floats, v: Floats) -> Floats:
    """Speeds without what opens the loops."""
    if e.cuts.count == 0:
        return v
    return v + correct_rows(e, q, -loop_rows(e, q)[0] @ of_tree(e, v))


def settle(e: ReducedEngine, q: Floats, v: Floats) -> tuple[Floats, Floats, float, float]:
    """The state with loops closed, and what is left open."""
    if not (np.isfinite(q).all() and np.isfinite(v).all()):
        e.status = RunStatus.NOT_FINITE
        return q, v, 0.0, 0.0
    q, linear, angular = close_loops(e, q)
    return q, close_speeds(e, q, v), linear, angular
