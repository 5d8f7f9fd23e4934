"""Singular poses: which of the two kinds, how near, and what it means in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.assembly import inputs_of
from kinegen.kinematics.closure import Task, augmented_jacobian
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.kinematics.scaled_motion import (
    RANK,
    ScaledMotion,
    closed_configuration,
    fresh_part,
    null_basis,
)
from kinegen.kinematics.singularity_words import singularity_text
from kinegen.kinematics.task_rows import FrameRows, JointRows, Rows, Tasks, frame_rows
from kinegen.mechanism.model import Model

__all__ = ["AugmentedSvd", "Probe", "Singularity", "augmented_svd", "singularities"]

SINGULAR = 1e-4
"""A pose counts as singular when a singular value that is usually there is smaller than this."""
LOST = 1e-5
"""Singular values below this are zero: their directions are told from those of other zeros."""
_USUAL = 0.1
"""How far away ordinary poses are looked for [rad, or sizes of the mechanism]."""
_CLOSE = 1e-3
"""How far away directions are compared with those of an ordinary pose."""


@dataclass(frozen=True, slots=True, eq=False)
class Singularity:
    """How a mechanism stands to its singular poses at q. Values are dimensionless."""

    kind: str
    """'none', 'task' (a frame cannot move in some direction), 'gain' (the loops let a joint move
    though the inputs hold) or 'both'."""
    text: str
    """In words."""
    task_values: Floats
    """Singular values of the frames' rows over the free motion: as many as are usual nearby."""
    passive_values: Floats
    """Singular values of the loop rows over the joints without inputs: as many as are usual."""
    task_distance: float
    """The smallest of ``task_values``: 0 at a singularity; infinite if nothing can move."""
    gain_distance: float
    """The smallest of ``passive_values``; infinite without loops or inputs."""
    lost: Floats
    """Directions in which the frames cannot move, or move least: unit columns over ``rows``."""
    standing: Floats
    """Joint motions v that leave the frames where they are, (nv, count), largest share 1."""
    gained: Floats
    """Joint motions v that the inputs do not hold, (nv, count), largest share 1."""
    branch_point: bool
    """Whether the loops themselves lose rank: several ways of moving meet here."""
    rows: tuple[str, ...]
    """What the rows of ``lost`` are about: 'handle x' [sizes], 'handle turn z' [rad]."""
    inputs: tuple[str, ...]
    """The joints that count as driven."""
    q: Floats
    """The pose, (nq,)."""

    @property
    def task_condition(self) -> float:
        """Smallest by largest of ``task_values``: 1 is best, 0 singular."""
        return _condition(self.task_values)

    @property
    def gain_condition(self) -> float:
        """Smallest by largest of ``passive_values``."""
        return _condition(self.passive_values)


class Probe:
    """What is needed to look for singular poses again and again: rows, inputs and usual ranks."""

    def __init__(
        self,
        model: Model,
        q: Floats,
        tasks: Tasks | None,
        inputs: Sequence[str] | None = None,
    ) -> None:
        self.model = model
        self.motion = ScaledMotion(model)
        self.inputs = tuple(inputs_of(model) if inputs is None else inputs)
        self.drive = JointRows(self.motion, self.inputs)
        passive = np.ones(model.nv, dtype=bool)
        passive[self.drive.variables] = False
        self.passive = np.flatnonzero(passive)
        self.watched: FrameRows | None = None
        if tasks is not None:
            self.watched = frame_rows(self.motion, q, tasks)
        usual = self.motion.neighbours(q, _USUAL, 3)
        self.loop_rank = max(_rank(self.motion.loops(near)) for near in usual)
        self.task_rank = max(_rank(self._task_matrix(near)) for near in usual)
        self.gain_rank = max(_rank(self.passive_rows(near)) for near in usual)
        self.drive_rank = max(
            _rank(self.drive.jacobian(near) @ self.motion.free(near)) for near in usual
        )

    def passive_rows(self, q: Floats) -> Floats:
        """Scaled loop rows over the joints without inputs; none where nothing is driven."""
        loops = self.motion.loops(q)
        return loops[:, self.passive] if self.inputs else loops[:, :0]

    def free(self, q: Floats) -> Floats:
        """The free motion at q, (nv, count)."""
        return self.motion.free(q, self.loop_rank)

    def _task_matrix(self, q: Floats) -> Floats:
        free = self.motion.free(q)
        return np.zeros((0, 0)) if self.watched is None else self.watched.jacobian(q) @ free

    def task_values(self, q: Floats) -> Floats:
        """Singular values of the frames' rows over the free motion."""
        if self.watched is None or not self.task_rank:
            return np.zeros(0)
        return _values(self.watched.jacobian(q) @ self.free(q))[: self.task_rank]

    def gain_values(self, q: Floats) -> Floats:
        """Singular values of the loop rows over the passive joints."""
        return _values(self.passive_rows(q))[: self.gain_rank]

    def weakest(self, q: Floats, rows: Rows, rank: int) -> tuple[Floats, Floats, Floats]:
        """Where rows over the free motion lose rank: values, directions, standing motions.

        Args:
            q: configuration.
            rows: the frames' or the inputs'.
            rank: the usual one.

        Returns:
            The values up to the rank; lost directions, unit columns over the rows; scaled joint
            motions that make no way there, unit columns. One of each, or as many as rank is lost.
        """
        free = self.free(q)
        U, values, Vt = np.linalg.svd(rows.jacobian(q) @ free)
        values, V = values[:rank], free @ Vt.T
        if not len(values):
            return values, U[:, :0], V[:, :0]
        lost = int((values < LOST).sum())
        if not lost:
            return values, U[:, rank - 1 : rank], V[:, rank - 1 : rank]
        here = rank - lost
        near = self.motion.neighbours(q, _CLOSE, 1)[0]
        free_near = self.free(near)
        U_near, _, Vt_near = np.linalg.svd(rows.jacobian(near) @ free_near)
        return (
            values,
            fresh_part(U[:, here:], U_near[:, rank:], lost),
            fresh_part(V[:, here:], (free_near @ Vt_near.T)[:, rank:], lost),
        )

    def gained(self, q: Floats) -> Floats:
        """Scaled joint motions that the inputs do not hold, or hold least; unit columns."""
        rows = self.passive_rows(q)
        motions = np.zeros((self.model.nv, 0))
        if not self.gain_rank:
            return motions
        _, values, Vt = np.linalg.svd(rows)
        lost = int((values[: self.gain_rank] < LOST).sum())
        if lost:
            near = self.motion.neighbours(q, _CLOSE, 1)[0]
            usual = null_basis(self.passive_rows(near), self.gain_rank)
            found = fresh_part(Vt[self.gain_rank - lost :].T, usual, lost)
        else:
            found = Vt[self.gain_rank - 1 : self.gain_rank].T
        motions = np.zeros((self.model.nv, found.shape[1]))
        motions[self.passive] = found
        return motions

    def is_branch_point(self, q: Floats, tolerance: float = SINGULAR) -> bool:
        """Whether the loop rows have less than their usual rank."""
        values = _values(self.motion.loops(q))[: self.loop_rank]
        return bool(len(values)) and bool(values[-1] < tolerance)


def singularities(
    model: Model,
    q: Configuration,
    tasks: Tasks | None = None,
    *,
    inputs: Sequence[str] | None = None,
    tolerance: float = SINGULAR,
) -> Singularity:
    """How near a pose is to a singularity of either kind.

    Ranks are compared with those at closed poses nearby, so that what a mechanism never can, such
    as leaving its plane, does not count.

    Args:
        model: the compiled mechanism.
        q: configuration with closed loops.
        tasks: frames that should move: names, tasks or handles; the last frame of the file when
            none is named.
        inputs: joints that are driven; by default those with motors.
        tolerance: a pose is singular when a distance is smaller than this.
    """
    here = closed_configuration(model, q)
    probe = Probe(model, here, model.site_names[-1] if tasks is None else tasks, inputs)
    return examine(probe, here, tolerance)


def examine(probe: Probe, q: Floats, tolerance: float = SINGULAR) -> Singularity:
    """The singularity report of a pose with a probe that is at hand."""
    assert probe.watched is not None
    scale = probe.motion.scale[:, None]
    values, lost, standing = probe.weakest(q, probe.watched, probe.task_rank)
    passive = probe.gain_values(q)
    task_distance = float(values[-1]) if len(values) else math.inf
    gain_distance = float(passive[-1]) if len(passive) else math.inf
    kinds = {
        (False, False): "none", (True, False): "task", (False, True): "gain", (True, True): "both",
    }  # fmt: skip
    found = Singularity(
        kind=kinds[task_distance < tolerance, gain_distance < tolerance],
        text="",
        task_values=values,
        passive_values=passive,
        task_distance=task_distance,
        gain_distance=gain_distance,
        lost=lost,
        standing=_largest_one(scale * standing),
        gained=_largest_one(scale * probe.gained(q)),
        branch_point=probe.is_branch_point(q, tolerance),
        rows=probe.watched.labels,
        inputs=probe.inputs,
        q=q,
    )
    object.__setattr__(found, "text", singularity_text(probe.model, found, probe.watched))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class AugmentedSvd:
    """CINEGEN's augmented Jacobian A = U · diag(s) · Vᵀ, scaled by the mechanism's size."""

    U: Floats
    """Column i: what the tasks and loops do, in the pattern that ``s[i]`` amplifies, over
    ``rows``."""
    s: Floats
    """Singular values, largest first; dimensionless."""
    V: Floats
    """Column i: the joint motion (unit length, over ``columns``) that causes it. Columns beyond the
    rank move neither the tasks nor open a loop."""
    rows: tuple[str, ...]
    """'handle x' [sizes], 'handle turn z' [rad], 'loop C x', …"""
    columns: tuple[str, ...]
    """The joint variable of each entry of v: 'A theta' [rad], 'leg1 r' [sizes]."""
    rank: int


def augmented_svd(model: Model, q: Configuration, tasks: Sequence[Task]) -> AugmentedSvd:
    """The full singular value decomposition of the augmented Jacobian."""
    motion = ScaledMotion(model)
    asked = list(tasks)
    count = sum(task.kind.row_count for task in asked)
    kinds = FrameRows(motion, [])
    if asked:
        kinds = frame_rows(motion, configuration(model, q), asked)
    rows = kinds.labels + tuple(
        f"loop {model.joints[loop.joint].name} {part}"
        for loop in model.loops
        for part in ("x", "y", "z", "turn x", "turn y", "turn z")
    )
    weights = np.array([1.0 if " turn " in label else 1 / motion.size for label in rows])
    A = augmented_jacobian(model, q, asked) * motion.scale
    A *= weights[:, None]
    assert len(A) == count + 6 * len(model.loops)
    U, s, Vt = np.linalg.svd(A)
    columns = tuple(f"{j.name} {name}" for j in model.joints for name, _ in j.type.info.variables)
    return AugmentedSvd(U, s, Vt.T, rows, columns, _rank(A))


def _values(J: Floats) -> Floats:
    return np.asarray(np.linalg.svd(J, compute_uv=False) if J.size else np.zeros(0), dtype=float)


def _rank(J: Floats) -> int:
    values = _values(J)
    return int((values > RANK * max(1.0, values[0])).sum()) if len(values) else 0


def _condition(values: Floats) -> float:
    return float(values[-1] / values[0]) if len(values) and values[0] > 0 else 1.0


def _largest_one(motions: Floats) -> Floats:
    return np.asarray(motions / np.maximum(np.abs(motions).max(axis=0, initial=0.0), 1e-300))
