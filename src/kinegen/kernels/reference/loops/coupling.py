"""Couplings: relations between joint variables, such as gears, racks and cams.

A coupling is the last kind of loop; of its six rows one is used, the others are zero.
"""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Blocks, Floats, Ints
from kinegen.kernels.reference.base.profile import cam_profile, is_cam

__all__ = ["coupling_bias", "coupling_residual", "coupling_row", "coupling_terms", "used_rows"]


def used_row(blocks: Blocks, coupling: int) -> int:
    """The row that is used: the first of the lengths or of the angles."""
    return 0 if blocks.int_part("coupling_length")[coupling] else 3


def used_rows(blocks: Blocks) -> Ints:
    """All rows of loops, and of couplings those that are used, by their numbers."""
    counts = blocks.counts
    loops = np.arange(6 * counts.cut)
    own = [6 * (counts.cut + c) + used_row(blocks, c) for c in range(counts.coupling)]
    return np.concatenate([loops, np.array(own, dtype=loops.dtype)]).astype(np.int32)


def coupling_terms(blocks: Blocks, coupling: int) -> tuple[Ints, Ints, Floats]:
    """Places in q and in v, and ratios."""
    first, last = blocks.int_part("term_start")[coupling : coupling + 2].tolist()
    here = slice(first, last)
    parts = blocks.int_part("term_q")[here], blocks.int_part("term_v")[here]
    return *parts, blocks.real_part("ratio")[here]


def coupling_residual(blocks: Blocks, q: Floats, coupling: int) -> Floats:
    """Its six numbers."""
    at_q, _, ratio = coupling_terms(blocks, coupling)
    phi = np.zeros(6)
    value = float(ratio @ q[at_q]) - float(blocks.real_part("offset")[coupling])
    if is_cam(blocks, coupling):
        value -= cam_profile(blocks, coupling, float(q[at_q[-1]]))[0]
    phi[used_row(blocks, coupling)] = value
    return phi


def coupling_row(blocks: Blocks, q: Floats, coupling: int) -> Floats:
    """Its six rows, (6, nv)."""
    at_q, at_v, ratio = coupling_terms(blocks, coupling)
    J = np.zeros((6, blocks.counts.nv))
    row = J[used_row(blocks, coupling)]
    np.add.at(row, at_v, ratio)
    if is_cam(blocks, coupling):
        row[at_v[-1]] -= cam_profile(blocks, coupling, float(q[at_q[-1]]))[1]
    return J


def coupling_bias(blocks: Blocks, q: Floats, v: Floats, coupling: int) -> Floats:
    """The part of its six accelerations that v alone causes."""
    bias = np.zeros(6)
    if is_cam(blocks, coupling):
        at_q, at_v, _ = coupling_terms(blocks, coupling)
        bend = cam_profile(blocks, coupling, float(q[at_q[-1]]))[2]
        bias[used_row(blocks, coupling)] = -bend * v[at_v[-1]] ** 2
    return bias
