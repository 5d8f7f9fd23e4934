"""How many ways a mechanism can move in a pose, which, and how many of them last."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinegen.kernels.layout import TRANSFORM_SIZE, Blocks, Floats, Ints
from kinegen.kernels.protocols.loops import MobilityReport
from kinegen.kernels.reference.base.bound import BoundModel
from kinegen.kernels.reference.base.joint_types import FIXED, FREE, NV, SPHERICAL, UNIVERSAL
from kinegen.kernels.reference.linalg.spectrum import free_motion
from kinegen.kernels.reference.loops.finite_mobility import finite_mobility
from kinegen.kernels.reference.loops.groups import (
    loop_groups,
    placed_links,
    placed_points,
    placed_size,
    with_place,
)
from kinegen.kernels.reference.loops.system import LoopSystem, variable_scales
from kinegen.kernels.tolerances import SHUT, UNSEEN


class Mobility(NamedTuple):
    """The degrees of freedom of a mechanism in a pose."""

    report: MobilityReport
    values: Floats
    """Singular values of all loops, largest first."""
    directions: Floats
    """An orthonormal basis of the free motions, (count, nv)."""
    group: Ints
    """Group of each loop."""
    groups: Floats
    """Per group its size [m], scaled gap, instantaneous and finite mobility, number of singular
    values, how clear its rank is, (groups, 6)."""


class _Group(NamedTuple):
    """Loops that share joints, closed."""

    system: LoopSystem
    variables: list[int]
    size: float
    gap: float


def find_mobility(
    model: BoundModel, blocks: Blocks, q: Floats, locked: Ints | None, motors: Ints | None,
    tolerance: float,
) -> Mobility:  # fmt: skip
    """The degrees of freedom at q, which is moved in place to where the loops are closed."""
    counts = blocks.counts
    still = np.zeros(counts.nv, dtype=bool) if locked is None else locked != 0
    every = loop_groups(blocks)
    group_of = np.zeros(counts.loop, dtype=np.int32)
    for n, (loops, _) in enumerate(every):
        group_of[loops] = n
    closed = [_close(model, blocks, q, loops, joints, still) for loops, joints in every]
    # degrees of freedom outside of all loops, then those of each group, and which of them last
    in_loops = {joint for _, joints in every for joint in joints}
    outside = _variables(blocks, sorted(set(range(counts.joint)) - in_loops))
    basis = [np.eye(counts.nv)[v] for v in outside if not still[v]]
    spectra: list[Floats] = [np.zeros(0)]
    rows = np.zeros((len(every), 6))
    for n, (system, variables, size, gap) in enumerate(closed):
        found, V, rank, rank_gap = free_motion(system.jacobian(q), tolerance)
        finite = finite_mobility(system, q, V[rank:], tolerance) if gap <= SHUT else 0
        spectra.append(found)
        rows[n] = size, gap, len(V) - rank, finite, len(found), rank_gap
        motions = np.zeros((len(V) - rank, counts.nv))
        motions[:, variables] = V[rank:] * variable_scales(blocks, size)[variables]
        basis += list(np.linalg.qr(motions.T)[0].T)
    directions = np.array(basis).reshape(len(basis), counts.nv)
    values = np.sort(np.concatenate(spectra))[::-1]
    count, lost = len(directions), int((rows[:, 2] - rows[:, 3]).sum())
    gruebler = counts.nv - int(still.sum()) - 6 * counts.cut - counts.coupling
    phi = np.empty(6 * counts.loop)
    model.loop_residual(q, phi)
    widest = np.linalg.norm(phi.reshape(-1, 2, 3), axis=2).max(axis=0, initial=0.0)
    report = (
        count, count - lost, gruebler, count - gruebler,
        count - seen_motions(model, blocks, q, directions, motors), int((rows[:, 1] <= SHUT).all()),
        len(every), len(values), float(rows[:, 5].min(initial=np.inf)),
        float(widest[0]), float(widest[1]),
    )  # fmt: skip
    return Mobility(report, values, directions, group_of, rows)


def _close(
    model: BoundModel, blocks: Blocks, q: Floats, loops: list[int], joints: list[int],
    still: np.ndarray,
) -> _Group:  # fmt: skip
    """Close a group in place, measured by its own size."""
    points = placed_points(blocks, _links(model, blocks, q))
    placed = [*joints, *(blocks.counts.joint + loop for loop in loops)]
    measured = set(with_place(blocks))
    size = placed_size(points[[n for n in placed if n in measured]])
    variables = [v for v in _variables(blocks, joints) if not still[v]]
    system = LoopSystem(
        model, blocks, np.array(loops, dtype=np.int32), np.array(variables, dtype=np.int32), size
    )
    q[...], gap = system.assemble(q)
    return _Group(system, variables, size, gap)


def _variables(blocks: Blocks, joints: list[int]) -> list[int]:
    kind, first = blocks.int_part("joint_type"), blocks.int_part("joint_v")
    return [int(first[j]) + k for j in joints for k in range(NV[kind[j]])]


def _links(model: BoundModel, blocks: Blocks, q: Floats) -> Floats:
    links = np.empty((blocks.counts.link, TRANSFORM_SIZE))
    model.forward_links(q, links)
    return links


def seen_motions(
    model: BoundModel, blocks: Blocks, q: Floats, motions: Floats, motors: Ints | None
) -> int:
    """How many motions, (n, nv), change anything that can be seen."""
    counts = blocks.counts
    if not len(motions) or not counts.loop:
        return len(motions)
    links, on = _links(model, blocks, q), placed_links(blocks)
    points = placed_points(blocks, links)
    fixed = counts.joint + counts.loop
    size = placed_size(points[with_place(blocks)])
    loose = set(range(counts.link)) - set(on[:fixed])
    turning = sorted(set(on[fixed:]) | loose)
    driven = np.flatnonzero(np.zeros(counts.nv) if motors is None else motors)
    axes, arms = _axes(blocks, links[on, :9].reshape(-1, 3, 3)), points - links[on, 9:]
    effects = []
    for v in motions:
        twists = np.empty((counts.link, 6))
        model.link_twists(q, v, twists)
        moved = (twists[on, :3] + np.cross(twists[on, 3:], arms)) / size
        tilted = np.cross(twists[on, 3:], axes)
        turned = twists[turning] * np.repeat([1 / size, 1.0], 3)
        effects.append(np.concatenate([moved.ravel(), tilted.ravel(), turned.ravel(), v[driven]]))
    return int(np.linalg.matrix_rank(np.array(effects), tol=UNSEEN))


def _axes(blocks: Blocks, R_WL: Floats) -> Floats:
    """The axis of each placement in the world; zero for balls, frames and fixed joints."""
    kinds = blocks.int_part("joint_type").tolist()
    kinds += [kinds[cut] for cut in blocks.int_part("loop_joint").tolist()]
    transforms = blocks.real_part("transforms").reshape(-1, TRANSFORM_SIZE)
    R = R_WL @ transforms[:, :9].reshape(-1, 3, 3)
    axes = np.zeros((len(R), 3))
    for n, kind in enumerate(kinds):
        if kind not in {SPHERICAL, FREE, FIXED}:
            # a universal joint lands on its second axis, x
            axes[n] = R[n, :, 0 if kind == UNIVERSAL and n >= blocks.counts.joint else 2]
    return axes
