"""Forward kinematics of many configurations at once: one per column."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels.layout import TRANSFORM_SIZE, Blocks, Floats
from kinegen.kernels.reference.base.joint_types import (
    CYLINDRICAL,
    FREE,
    NQ,
    PLANAR,
    PRISMATIC,
    QUATERNIONS,
    REVOLUTE,
    SCREW,
    UNIVERSAL,
)
from kinegen.kernels.reference.batch.checks import Array

__all__ = [
    "fill",
    "forward_columns",
    "joint_motion",
    "matrices_to_quats",
    "quats_to_matrices",
    "turns",
]

COLUMNS = 1 << 14
"""Configurations worked on together: keeps the intermediate matrices small."""


def forward_columns(blocks: Blocks, qs: Floats, site: int) -> tuple[Floats, Floats]:
    """R_WS (3, 3, N) and p_WS (3, N), from the base to the site."""
    counts = blocks.counts
    parent, link_joint = blocks.int_part("joint_parent"), blocks.int_part("link_joint")
    link = site if site < counts.link else int(blocks.int_part("frame_link")[site - counts.link])
    path: list[int] = []
    joint = int(link_joint[link])
    while joint >= 0:
        if len(path) == counts.tree:
            raise UsageError("the links of the model do not form a tree")
        path.append(joint)
        joint = int(link_joint[parent[joint]])

    N = qs.shape[1]
    R, p = np.repeat(np.eye(3)[:, :, None], N, axis=2), np.zeros((3, N))
    for joint in reversed(path):
        R, p = _compose(R, p, *_placement(blocks, joint, N))
        kind = int(blocks.int_part("joint_type")[joint])
        first = int(blocks.int_part("joint_q")[joint])
        lead = float(blocks.real_part("pitch")[joint]) / math.tau
        R, p = _compose(R, p, *joint_motion(kind, qs[first : first + NQ[kind]], lead))
    if site >= counts.link:
        R, p = _compose(
            R, p, *_placement(blocks, counts.joint + counts.loop + site - counts.link, N)
        )
    return R, p


def _placement(blocks: Blocks, index: int, count: int) -> tuple[Floats, Floats]:
    X = blocks.real_part("transforms")[TRANSFORM_SIZE * index : TRANSFORM_SIZE * (index + 1)]
    R, p = X[:9].reshape(3, 3, 1), X[9:].reshape(3, 1)
    return np.repeat(R, count, axis=2), np.repeat(p, count, axis=1)


def _compose(R_AB: Floats, p_AB: Floats, R_BC: Floats, p_BC: Floats) -> tuple[Floats, Floats]:
    return (
        np.einsum("ijn,jkn->ikn", R_AB, R_BC),
        p_AB + np.einsum("ijn,jn->in", R_AB, p_BC),
    )


def joint_motion(kind: int, q: Floats, lead: float) -> tuple[Floats, Floats]:
    """X_FM(q) as R (3, 3, N) and p (3, N), from q (nq, N) and a screw's advance [m/rad]."""
    N = q.shape[1]
    R, p = np.repeat(np.eye(3)[:, :, None], N, axis=2), np.zeros((3, N))
    if kind in {REVOLUTE, SCREW, CYLINDRICAL, UNIVERSAL}:
        R = turns(2, q[0])
    if kind == PRISMATIC:
        p[2] = q[0]
    elif kind == SCREW:
        p[2] = lead * q[0]
    elif kind == CYLINDRICAL:
        p[2] = q[1]
    elif kind == UNIVERSAL:
        R = np.einsum("ijn,jkn->ikn", R, turns(0, q[1]))
    elif kind == PLANAR:
        R = turns(2, q[2])
        p[:2] = q[:2]
    elif kind in QUATERNIONS:
        R = quats_to_matrices(q[:4])
        if kind == FREE:
            p = q[4:]
    return R, p


def turns(axis: int, angle: Floats) -> Floats:
    """Rotations (3, 3, N) about a coordinate axis."""
    R = np.zeros((3, 3, len(angle)))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[axis, axis] = 1
    R[i, i] = R[j, j] = np.cos(angle)
    R[j, i] = np.sin(angle)
    R[i, j] = -R[j, i]
    return R


def quats_to_matrices(quats: Floats) -> Floats:
    """Rotations (3, 3, N) of quaternions (4, N) of any length; zero turns nothing."""
    w, x, y, z = quats
    square = w * w + x * x + y * y + z * z
    s = np.divide(2.0, square, out=np.zeros_like(square), where=square > 0)
    return np.array(
        [
            [1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
            [s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)],
            [s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)],
        ]
    )


def matrices_to_quats(R: Floats) -> Floats:
    """Unit quaternions (4, N), w >= 0, of rotations (3, 3, N)."""
    # 4 q qᵀ: any of its rows is the quaternion; the one with the longest diagonal is the best
    xx, yy, zz = R[0, 0], R[1, 1], R[2, 2]
    wx, wy, wz = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    xy, xz, yz = R[1, 0] + R[0, 1], R[0, 2] + R[2, 0], R[2, 1] + R[1, 2]
    K = np.array(
        [
            [1 + xx + yy + zz, wx, wy, wz],
            [wx, 1 + xx - yy - zz, xy, xz],
            [wy, xy, 1 - xx + yy - zz, yz],
            [wz, xz, yz, 1 - xx - yy + zz],
        ]
    )
    best = np.argmax(np.einsum("iin->in", K), axis=0)
    quats = K[best, :, np.arange(R.shape[2])].T
    quats = quats / np.linalg.norm(quats, axis=0)
    return np.asarray(np.where(quats[0] < 0, -quats, quats))


def fill(
    blocks: Blocks, columns_of: Callable[[slice], Array], sites: list[int], out: Array
) -> None:
    """Write positions or poses of sites for columns of q that are made piece by piece."""
    count = out.shape[2]
    for first in range(0, count, COLUMNS):
        columns = slice(first, min(first + COLUMNS, count))
        qs = np.asarray(columns_of(columns), dtype=float)
        for site, rows in zip(sites, out, strict=True):
            R, p = forward_columns(blocks, qs, site)
            rows[-3:, columns] = p
            if len(rows) == 7:
                rows[:4, columns] = matrices_to_quats(R)
