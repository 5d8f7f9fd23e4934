"""Rows of the impulse engine's joints at a place: speeds along them and impulses."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.protocols.impulse import RowAction
from kinegen.kernels.reference.base.rotation import cross
from kinegen.kernels.reference.impulse.gaps import bond_foot
from kinegen.kernels.reference.impulse.joints import FREED, HELD, NV, SPRING, axis_of, rotation
from kinegen.kernels.reference.impulse.world import World, bond_frames

__all__ = [
    "axis_row",
    "bond_rows",
    "inverse_mass_rows",
    "pair_row",
    "read_speeds",
    "side_row",
    "turned_inertias",
]


def side_row(kind: RowAction, axis: Floats, arm: Floats, lead: float) -> Floats:
    """What a row is to a body on which it acts at an arm from its centre."""
    if kind == RowAction.ABOUT:
        return np.concatenate((np.zeros(3), axis))
    turn = cross(arm, axis)
    return np.concatenate((axis, turn - lead * axis if kind == RowAction.THREAD else turn))


def bond_rows(w: World, j: int, poses: Floats) -> list[tuple[RowAction, Floats, int]]:
    """Kind, axis and v (-1 where it is held) of a joint's rows."""
    type_, _, _, _, v0 = w.bonds[j]
    F, M = bond_frames(w, j, poses)
    foot = bond_foot(w, j, F, M)
    normals = (foot[2], foot[3]) if foot else None
    kinds = [(k, -1) for k in HELD[type_]]
    if type_ == SPRING:
        kinds += [(FREED[type_][i], v) for i, v in enumerate(w.soft[j])]
    else:
        kinds += [(FREED[type_][v - v0], v) for v in w.soft[j]]
    return [(kind, axis_of(axis, F, M, normals), v) for (kind, axis), v in kinds]


def pair_row(
    w: World, kind: RowAction, axis: Floats, place: Floats, a: int, b: int, lead: float
) -> Floats:
    """Speeds of a row by all bodies' twists: b against a."""
    out = np.zeros((len(w.mass), 6))
    for body, sign in ((a, -1.0), (b, 1.0)):
        out[body] = sign * side_row(kind, axis, place - w.poses[body, 4:], lead)
    return out.ravel()


def axis_row(w: World, j: int, k: int) -> Floats:
    """The row of a joint's variable k."""
    type_, a, b, _, _ = w.bonds[j]
    F, M = bond_frames(w, j, w.poses)
    kind, axis = FREED[type_][k]
    return pair_row(w, kind, axis_of(axis, F, M), M[:3, 3], a, b, 0.0)


def turned_inertias(w: World, poses: Floats) -> Floats:
    """Inverse inertias in world axes, (bodies, 3, 3)."""
    return np.array(
        [
            rotation(p[:4]) @ np.diag(i[1:]) @ rotation(p[:4]).T
            for p, i in zip(poses, w.inverse, strict=True)
        ]
    )


def inverse_mass_rows(w: World, J: Floats) -> Floats:
    """M⁻¹ Jᵀ."""
    out = J.reshape(len(J), len(w.mass), 6).copy()
    out[:, :, :3] *= w.inverse[:, :1]
    out[:, :, 3:] = np.einsum("bij,rbj->rbi", w.turns, out[:, :, 3:])
    return out.reshape(len(J), 6 * len(w.mass)).T


def read_speeds(w: World, V: Floats) -> Floats:
    """Of all joints' variables."""
    out = np.zeros(len(w.axes))
    for j, (type_, _, _, _, v) in enumerate(w.bonds):
        for k in range(NV[type_]):
            out[v + k] = axis_row(w, j, k) @ V.ravel()
    return out
