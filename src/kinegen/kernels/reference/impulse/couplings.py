"""Couplings between variables of the impulse engine's joints: each is one row over all bodies."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.impulse.gaps import bond_foot, bond_variables, variables_of
from kinegen.kernels.reference.impulse.joints import NV, SPRING
from kinegen.kernels.reference.impulse.rows import (
    axis_row,
    bond_rows,
    inverse_mass_rows,
    side_row,
    turned_inertias,
)
from kinegen.kernels.reference.impulse.world import World, bond_frames
from kinegen.kernels.reference.loops.coupling import (
    coupling_residual,
    coupling_row,
    coupling_terms,
    used_row,
)

__all__ = ["coupled_efforts", "coupling_gap", "is_length", "place_rows"]


def slopes(w: World, c: int) -> dict[int, float]:
    """Derivatives of a coupling by its variables, by their places in v."""
    assert w.blocks is not None
    row = coupling_row(w.blocks, w.q, c)[used_row(w.blocks, c)]
    return {int(v): float(row[v]) for v in coupling_terms(w.blocks, c)[1]}


def is_length(w: World, c: int) -> bool:
    """Whether a coupling's gap is a length; else it is an angle."""
    assert w.blocks is not None
    return used_row(w.blocks, c) == 0


def bond_of(w: World, v: int) -> int:
    """The joint that has a variable."""
    return next(j for j, b in enumerate(w.bonds) if b[4] <= v < b[4] + NV[b[0]])


def coupling_rows(w: World) -> list[Floats]:
    """Speeds of all couplings by the twists of all bodies, at the present place."""
    out = []
    for c in range(w.coupling_count):
        row = np.zeros(6 * len(w.mass))
        for v, slope in slopes(w, c).items():
            j = bond_of(w, v)
            row += slope * axis_row(w, j, v - int(w.bonds[j, 4]))
        out.append(row)
    return out


def place_rows(w: World) -> None:
    """Rows, responses and variables at the present place."""
    w.turns = turned_inertias(w, w.poses)
    rows, bond, soft = [], [], []
    w.row_kind = []
    for j, (type_, a, b, q, _) in enumerate(w.bonds):
        F, M = bond_frames(w, j, w.poses)
        foot = bond_foot(w, j, F, M)
        if foot:
            w.curve_at[j] = foot[0]
        else:
            found = variables_of(type_, F, M, w.q[q:])
            w.q[q : q + len(found)] = found
        for kind, axis, v in bond_rows(w, j, w.poses):
            out = np.zeros((len(w.mass), 6))
            # springs pull where they end, joints push where M is
            for body, sign, frame in ((a, -1.0, F if type_ == SPRING else M), (b, 1.0, M)):
                arm = frame[:3, 3] - w.poses[body, 4:]
                out[body] = sign * side_row(kind, axis, arm, w.leads[j])
            rows.append(out.ravel())
            w.row_kind.append(kind)
            bond.append(j)
            soft.append(v)
    for c, row in enumerate(coupling_rows(w)):
        rows.append(row)
        w.row_kind.append(None)
        bond.append(len(w.bonds) + c)
        soft.append(-1)
    w.J = np.array(rows).reshape(-1, 6 * len(w.mass))
    w.Y = inverse_mass_rows(w, w.J)
    w.row_bond, w.row_v = np.array(bond, dtype=int), np.array(soft, dtype=int)
    first = np.searchsorted(w.row_bond, w.row_bond)
    w.row_part = np.arange(len(w.row_bond)) - first


def coupling_gap(w: World, c: int, poses: Floats) -> float:
    """How far a coupling is open where the bodies are at poses [m, rad]."""
    assert w.blocks is not None
    q = w.q.copy()
    for v in coupling_terms(w.blocks, c)[1]:
        j = bond_of(w, int(v))
        found = bond_variables(w, j, poses)
        q[w.bonds[j, 3] :][: len(found)] = found
    return float(coupling_residual(w.blocks, q, c)[used_row(w.blocks, c)])


def coupled_efforts(w: World, impulses: Floats) -> Floats:
    """What couplings do along all variables by impulses of all rows, (nv,)."""
    out = np.zeros(len(w.axes))
    for c in range(w.coupling_count):
        p = float(impulses[w.row_bond == len(w.bonds) + c].sum())
        for v, slope in slopes(w, c).items():
            out[v] += p * slope
    return out
