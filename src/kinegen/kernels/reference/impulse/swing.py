"""Swing limits of spherical joints: what a stop of the swing sees and moves."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.protocols.impulse import RowAction
from kinegen.kernels.reference.base.manifold import swing_angle, swing_axis
from kinegen.kernels.reference.base.rotation import cross
from kinegen.kernels.reference.impulse.joints import rotation
from kinegen.kernels.reference.impulse.rows import pair_row
from kinegen.kernels.reference.impulse.world import World, bond_frames
from kinegen.kernels.tolerances import UPRIGHT

__all__ = ["swing_ahead", "widened", "widening_row"]

WAY_AROUND = 0.3
"""Way around a cone within a step [rad] up to which it is seen how far that widens the swing."""


def widening_row(w: World, j: int, V: Floats) -> Floats:
    """The row of a ball's swing; where every turn widens it, along the present one."""
    _, a, b, q0, _ = w.bonds[j]
    M = bond_frames(w, j, w.poses)[1]
    along = swing_axis(w.q[q0 : q0 + 4])
    if not along.any():
        along = M[:3, :2].T @ (V[b, 3:] - V[a, 3:])
        along /= np.linalg.norm(along) or 1.0
    return pair_row(w, RowAction.ABOUT, M[:3, :2] @ along, M[:3, 3], a, b, 0.0)


def swing_ahead(before: Floats, after: Floats) -> float:
    """The swing of a rotation, in the direction alone in which the one before tilts."""
    was, now = rotation(before)[:, 2], rotation(after)[:, 2]
    sine = float(np.hypot(*was[:2]))
    if not sine > UPRIGHT:
        return swing_angle(after)
    return float(np.arctan2(was[:2] @ now[:2] / sine, now[2]))


def widened(w: World, j: int, swing: float, u: float, V: Floats) -> float:
    """By how much a ball's way around its cone widens the swing over a step."""
    _, a, b, _, _ = w.bonds[j]
    moved = cross(V[b, 3:] - V[a, 3:], bond_frames(w, j, w.poses)[1][:3, 2])
    around = float(np.sqrt(max(0.0, float(moved @ moved) - u * u)))
    slope = float(np.tan(swing))
    if not abs(slope) > UPRIGHT:
        return 0.0
    return 0.5 * min(w.step * around / abs(slope), WAY_AROUND) ** 2 * slope
