"""The mass matrix H of the tree: sum of Jᵀ M J, and rotors."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.dynamics.spatial import Masses, bodies_at
from kinegen.kernels.tolerances import MASSLESS


def mass_matrix(d: Masses, q: Floats) -> Floats:
    """H, (nv, nv)."""
    H = np.diag(d.reflected())
    for body in bodies_at(d, q):
        H += body.mass * body.J[:3].T @ body.J[:3] + body.J[3:].T @ body.tensor @ body.J[3:]
    return H


def massless(d: Masses, H: Floats) -> int | None:
    """The first joint from the tips whose pivot, by elimination towards the base, is zero."""
    left, own = H.copy(), np.diag(H).copy()
    for joint in reversed(d.model.tree_order):
        at = d.model.v_of(joint)
        for k in range(at.start, at.stop):
            if not left[k, k] > MASSLESS * own[k]:
                return joint
            left = left - np.outer(left[:, k], left[k]) / left[k, k]
    return None


def solve_mass(d: Masses, H: Floats, rows: Floats) -> Floats | int:
    """H⁻¹ times a vector (nv,) or each row (n, nv); or the joint that has no mass to move.

    Joints that close loops are no part of the tree: their numbers are 0.
    """
    joint = massless(d, H)
    if joint is not None:
        return joint
    everything = np.arange(d.model.nv)
    tree = [k for joint in d.model.tree_order for k in everything[d.model.v_of(joint)]]
    out = np.zeros(rows.shape)
    out[..., tree] = np.linalg.solve(H[np.ix_(tree, tree)], rows[..., tree].T).T
    return out
