"""How a mechanism stands to its singular poses: two kinds, how near, which motions are concerned.

The specification of ``native/kernel/singular/probe.hpp``. Of the first kind a frame cannot move in
some direction: its rows over the free motion lose rank. Of the second the inputs do not hold the
mechanism: the loop rows over the joints without inputs lose rank. Ranks are compared with those of
closed poses nearby, so that what a mechanism never can does not count.
"""

from __future__ import annotations

import math

import numpy as np

from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.protocols.singular import SingularKind
from kinegen.kernels.protocols.solver import HandleKind
from kinegen.kernels.reference.loops.scaled_motion import (
    ScaledMotion,
    fresh_part,
    null_basis,
    signed,
)
from kinegen.kernels.reference.singular.rows import Aim, FrameRows, JointRows, Rows
from kinegen.kernels.tolerances import RANK, SINGULAR

LOST_VALUE = 1e-5
"""Singular values below this are zero: their directions differ from those of other zeros."""
USUAL_REACH = 0.1
"""How far away ordinary poses are looked for [rad, or sizes of the mechanism]."""
CLOSE_REACH = 1e-3
"""How far away directions are compared with those of an ordinary pose."""


class Probe:
    """What is needed to look for singular poses again and again: rows, inputs and usual ranks."""

    def __init__(
        self, motion: ScaledMotion, q: Floats, watched: FrameRows, drive: Ints, passive: Ints
    ) -> None:
        self.motion, self.watched = motion, watched
        self.drive = JointRows(motion, drive)
        self.passive = passive
        usual = motion.neighbours(q, USUAL_REACH, 3)
        self.loop_rank = max(rank_of(motion.loops(near)) for near in usual)
        self.gain_rank = max(rank_of(self.passive_rows(near)) for near in usual)
        frees = [(near, motion.free(near)) for near in usual]
        self.task_rank = max(rank_of(watched.jacobian(near) @ free) for near, free in frees)
        self.drive_rank = max(rank_of(self.drive.jacobian(near) @ free) for near, free in frees)

    def passive_rows(self, q: Floats) -> Floats:
        """Scaled loop rows over the joints without inputs; none where nothing is driven."""
        return self.motion.loops(q)[:, self.passive]

    def free(self, q: Floats) -> Floats:
        """The free motion at q, (nv, count)."""
        return self.motion.free(q, self.loop_rank)

    def task_values(self, q: Floats) -> Floats:
        """Singular values of the frames' rows over the free motion, as many as are usual."""
        if not self.task_rank:
            return np.zeros(0)
        return padded(values_of(self.watched.jacobian(q) @ self.free(q)), self.task_rank)

    def gain_values(self, q: Floats) -> Floats:
        """Singular values of the loop rows over the passive joints, as many as are usual."""
        return values_of(self.passive_rows(q))[: self.gain_rank]

    def distances(self, q: Floats) -> tuple[float, float]:
        """The smallest value of each kind; infinite where a kind does not exist."""
        found = [
            float(values[-1]) if len(values) else math.inf
            for values in (self.task_values(q), self.gain_values(q))
        ]
        return found[0], found[1]

    def distance(self, q: Floats, kind: SingularKind) -> float:
        """The smallest value of one kind."""
        return self.distances(q)[kind]

    def weakest(self, q: Floats, rows: Rows, rank: int) -> tuple[Floats, Floats, Floats]:
        """Where rows over the free motion lose rank: values, directions, standing motions.

        Returns:
            The values up to the rank; lost directions, unit columns over the rows; scaled joint
            motions that make no way there, unit columns. One of each, or as many as rank is lost.
        """
        if not rank:
            return np.zeros(0), np.zeros((rows.count, 0)), np.zeros((self.motion.nv, 0))
        free = self.free(q)
        U, values, Vt = np.linalg.svd(rows.jacobian(q) @ free)
        values, V = padded(values, rank), free @ Vt.T
        lost = int((values < LOST_VALUE).sum())
        if not lost:
            return values, signed(U[:, rank - 1 : rank]), signed(V[:, rank - 1 : rank])
        here = rank - lost
        near = self.motion.neighbours(q, CLOSE_REACH, 1)[0]
        free_near = self.free(near)
        U_near, _, Vt_near = np.linalg.svd(rows.jacobian(near) @ free_near)
        return (
            values,
            signed(fresh_part(U[:, here:], U_near[:, rank:], lost)),
            signed(fresh_part(V[:, here:], (free_near @ Vt_near.T)[:, rank:], lost)),
        )

    def gained(self, q: Floats) -> Floats:
        """Scaled joint motions that the inputs do not hold, or hold least; unit columns."""
        if not self.gain_rank:
            return np.zeros((self.motion.nv, 0))
        _, values, Vt = np.linalg.svd(self.passive_rows(q))
        lost = int((values[: self.gain_rank] < LOST_VALUE).sum())
        found = Vt[self.gain_rank - 1 : self.gain_rank].T
        if lost:
            near = self.motion.neighbours(q, CLOSE_REACH, 1)[0]
            usual = null_basis(self.passive_rows(near), self.gain_rank)
            found = fresh_part(Vt[self.gain_rank - lost :].T, usual, lost)
        motions = np.zeros((self.motion.nv, found.shape[1]))
        motions[self.passive] = found
        return signed(motions)

    def is_branch_point(self, q: Floats) -> bool:
        """Whether the loop rows have less than their usual rank."""
        values = values_of(self.motion.loops(q))[: self.loop_rank]
        return bool(len(values)) and bool(values[-1] < SINGULAR)


def choose_kind(motion: ScaledMotion, q: Floats, site: int) -> HandleKind:
    """POINT where a frame's point moves in as many ways near q as its whole pose, else POSE."""
    rows = FrameRows(motion, [Aim(site, HandleKind.POSE, np.zeros(3), np.array([0.0, 0.0, 1.0]))])
    parts = [
        rows.jacobian(near) @ motion.free(near) for near in motion.neighbours(q, USUAL_REACH, 2)
    ]
    point, pose = (
        max(int((values_of(part[:count]) >= RANK).sum()) for part in parts) for count in (3, 6)
    )
    return HandleKind.POINT if point == pose else HandleKind.POSE


def kind_of(distances: tuple[float, float]) -> SingularKind:
    """Which kind a pose is of."""
    task, gain = (distance < SINGULAR for distance in distances)
    if task and gain:
        return SingularKind.BOTH
    return SingularKind.TASK if task else SingularKind.GAIN if gain else SingularKind.NONE


def values_of(J: Floats) -> Floats:
    """Singular values, largest first."""
    return np.asarray(np.linalg.svd(J, compute_uv=False) if J.size else np.zeros(0), dtype=float)


def rank_of(J: Floats) -> int:
    """How many singular values count: by the largest, if that is above 1."""
    values = values_of(J)
    return int((values >= RANK * max(1.0, values[0])).sum()) if len(values) else 0


def padded(values: Floats, count: int) -> Floats:
    """The first values, zeros where there are fewer."""
    return np.concatenate([values[:count], np.zeros(max(0, count - len(values)))])
