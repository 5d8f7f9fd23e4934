"""In which order the impulse engine eliminates its corrections, and where loops fill in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Ints

__all__ = ["Order", "elimination_order"]


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """Structure of a block LDLᵀ over the graph of ties: ties that share a body touch.

    A tie is a joint or, behind all joints, a coupling between variables of joints.
    """

    tie: Ints
    """Tie of each column, first eliminated first."""
    first: Ints
    """(columns + 1,) where the blocks below each column's diagonal begin."""
    row: Ints
    """Row of each block, as a column number; ascending within a column."""
    update_first: Ints
    """(columns + 1,) where the updates that a column causes begin."""
    update: Ints
    """Per pair of a column's blocks: the block that changes, or -1 - column for a diagonal."""
    pieces: Ints
    """(n, 4): block, sides of its row and of its column on a body they share, column; of a joint
    side 0 is a and 1 is b, of a coupling a side is one of its bodies by number."""
    sweep: Ints
    """(joints, 3), from the held bodies outward: joint, side farther out, 1 if within a loop."""


def elimination_order(
    pairs: Sequence[tuple[int, int]],
    moves: Sequence[bool],
    couplings: Sequence[tuple[int, ...]] = (),
) -> Order:
    """The order of least degree for joints between pairs of bodies, and for couplings.

    Args:
        pairs: Bodies (a, b) of each joint; (-1, -1) for one that holds nothing and is left out.
        moves: Whether each body moves: one that is held ties no joints together.
        couplings: Bodies of each coupling.
    """
    joints = [j for j, pair in enumerate(pairs) if pair != (-1, -1)]
    bodies: list[tuple[int, ...]] = [*pairs, *couplings]
    ties = [*joints, *range(len(pairs), len(bodies))]
    at: dict[int, list[int]] = {}
    for j in ties:
        for body in bodies[j]:
            if moves[body]:
                at.setdefault(body, []).append(j)
    near: dict[int, set[int]] = {j: set() for j in ties}
    for group in at.values():
        for j in group:
            near[j].update(k for k in group if k != j)
    # least degree first; a tree then ends at its root without any fill
    left = {j: set(others) for j, others in near.items()}
    sequence: list[int] = []
    below: list[list[int]] = []
    while left:
        j = min(left, key=lambda k: (len(left[k]), -k))
        others = left.pop(j)
        for k in others:
            left[k].discard(j)
            left[k].update(o for o in others if o != k)
        sequence.append(j)
        below.append(sorted(others))
    column = {j: c for c, j in enumerate(sequence)}
    first, row = [0], list[int]()
    block: dict[tuple[int, int], int] = {}
    for c, touched in enumerate(below):
        for r in sorted(column[k] for k in touched):
            block[r, c] = len(row)
            row.append(r)
        first.append(len(row))
    update_first, update = [0], list[int]()
    for c in range(len(sequence)):
        rows = row[first[c] : first[c + 1]]
        for i, r in enumerate(rows):
            update.extend(block[r, s] if s != r else -1 - r for s in rows[: i + 1])
        update_first.append(len(update))
    pieces: list[tuple[int, int, int, int]] = []
    for (r, c), index in block.items():
        j, k = sequence[r], sequence[c]
        pieces.extend(
            (index, side_r, side_c, c)
            for side_r, body_r in enumerate(bodies[j])
            for side_c, body_c in enumerate(bodies[k])
            if body_r == body_c and moves[body_r]
        )

    def ints(values: Sequence[object]) -> Ints:
        return np.array(values, dtype=np.int32)

    return Order(
        ints(sequence), ints(first), ints(row), ints(update_first), ints(update),
        ints(pieces).reshape(-1, 4), ints(_outward(pairs, moves, joints)).reshape(-1, 3),
    )  # fmt: skip


def _outward(
    pairs: Sequence[tuple[int, int]], moves: Sequence[bool], joints: Sequence[int]
) -> list[tuple[int, int, int]]:
    """Joints by their distance from what is held still, or from the first body of what floats."""

    def distances(without: int = -1) -> dict[int, int]:
        far = {body: 0 for body, moving in enumerate(moves) if not moving}
        starts = [body for body, moving in enumerate(moves) if moving]
        while True:
            edge = list(far)
            while edge:
                found: list[int] = []
                for j in joints:
                    a, b = pairs[j]
                    for near, other in ((a, b), (b, a)):
                        if j != without and near in edge and other not in far:
                            far[other] = far[near] + 1
                            found.append(other)
                edge = found
            floating = [body for body in starts if body not in far]
            if not floating or without >= 0:
                return far
            far[floating[0]] = 0

    far = distances()
    out = []
    for j in sorted(joints, key=lambda j: (max(far[b] for b in pairs[j]), j)):
        outer = 1 if far[pairs[j][1]] >= far[pairs[j][0]] else 0
        out.append((j, outer, int(pairs[j][outer] in distances(without=j))))
    return out
