"""Places and turns that a frame can be asked for: what it can do at a pose, and many at once."""

from __future__ import annotations

import enum
import os
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.kernels import Floats, HandleKind, Outcome
from kinegen.kernels.call_records import SolverNumbers
from kinegen.kernels.tolerances import CLOSED, LOOP_RANK, REACHED, SHUT
from kinegen.kinematics.closure import loop_jacobian
from kinegen.kinematics.configurations import integrate
from kinegen.kinematics.handles import POSITION, TURN, Handle, pack_handles
from kinegen.kinematics.jacobians import jacobian
from kinegen.kinematics.limits import any_outside_limits
from kinegen.kinematics.positions import pose
from kinegen.kinematics.singular.branch_signs import BranchSigns
from kinegen.kinematics.solving.assembling.assembly import close
from kinegen.mechanism.model import Model
from kinegen.spatial.rotation import SO3
from kinegen.workspace.zones.flood_fill import Cells, jumped

__all__ = ["Ability", "Slice", "SliceTries", "ability", "usual_ability"]

NUDGE = 0.02
"""[rad, m] How far away a pose is looked at to see what is usual."""
ITERATIONS, STEP = 25, 0.6
SINGULAR_BLOCK = 1e-9
"""Blocks of the loops' rows with a smaller singular value are singular."""


class Slice(enum.StrEnum):
    """What of a frame's pose is swept while the rest holds."""

    PLACE = "place"
    """Its position, the rotation held where the mechanism can turn it."""
    TURN = "turn"
    """Its rotation, the position held."""


@dataclass(frozen=True, slots=True, eq=False)
class Ability:
    """What a frame can do at a pose, loops closed."""

    axes: Floats
    """Orthonormal columns: directions it can move or turn in while the rest holds, (3, d)."""
    holds_rest: bool
    """Whether the rest of its pose can be held at all, and so is."""
    dof: int
    """All motions of the frame."""


def usual_ability(model: Model, q: Floats, frame: str, kind: Slice) -> Ability:
    """What a frame can do around q: as at q, unless that is a special pose."""
    here = ability(model, q, frame, kind)
    nudge = NUDGE * np.random.default_rng(1).normal(size=model.nv)
    moved, gap = close(model, integrate(model, q, nudge))
    if gap > SHUT * model.size:
        return here
    near = ability(model, moved, frame, kind)
    same = near.holds_rest == here.holds_rest and near.axes.shape == here.axes.shape
    return here if same else near


def ability(model: Model, q: Floats, frame: str, kind: Slice) -> Ability:
    """Directions in which a frame can be placed, or turned, at q."""
    J = loop_jacobian(model, q)
    J.reshape(len(J) // 6, 2, 3, model.nv)[:, 0] /= model.size
    _, values, directions = np.linalg.svd(J, full_matrices=True)
    free = directions[int((values > LOOP_RANK).sum()) :].T if len(J) else np.eye(model.nv)
    rows = jacobian(model, q, frame) @ free
    rows[:3] /= model.size
    swept, rest = (rows[:3], rows[3:]) if kind is Slice.PLACE else (rows[3:], rows[:3])
    dof = int(np.linalg.matrix_rank(rows, tol=LOOP_RANK))
    alone = _range(swept @ _null(rest))
    everything = _range(swept)
    # a handle that turns as it goes can be moved, but its turn cannot be held
    holds = alone.shape[1] == everything.shape[1]
    return Ability(_tidy(alone if holds else everything), holds, dof)


class SliceTries:
    """Solves cells of a slice from their neighbours' poses, for :func:`spread`."""

    def __init__(
        self, model: Model, home: Floats, frame: str, kind: Slice, can: Ability, step: float,
        *, limits: bool = True, threads: int = 0, one_side: bool = False,
    ) -> None:  # fmt: skip
        if not can.axes.shape[1]:
            raise UsageError(f"frame '{frame}' of mechanism '{model.name}' cannot {_VERBS[kind]}")
        self.model, self.kind, self.can, self.step, self.limits = model, kind, can, step, limits
        X = pose(model, home, frame)
        self.origin, self.turn = X.translation, X.so3
        handle = Handle(frame, X.translation, X.so3 if can.holds_rest else None)
        if kind is Slice.TURN:
            handle = Handle(frame, X.translation if can.holds_rest else None, X.so3)
        self.ints, self.reals = pack_handles(model, [handle])
        self.is_pose = handle.kind is HandleKind.POSE
        self.options = np.array(
            SolverNumbers(ITERATIONS, STEP, CLOSED, REACHED, 0.0, use_limits=False)
        )
        self.threads = threads or os.cpu_count() or 1
        self.signs = BranchSigns(model, start=home) if one_side and model.constraint_count else None
        side = np.array(self.signs.signs(home) if self.signs is not None else [], dtype=int)
        # a home on a singular pose is on no side of it
        self.blocks, self.side = np.flatnonzero(side), side[side != 0]

    def targets(self, cells: Cells | Floats) -> Floats:
        """Places [m] or rotation vectors from home [rad] of cells, or between them, (n, 3)."""
        ways: Floats = self.step * cells @ self.can.axes.T
        return ways + self.origin if self.kind is Slice.PLACE else ways

    def __call__(
        self, starts: Floats, cells: Cells | Floats
    ) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """Configurations and which of them are good."""
        reals = np.repeat(self.reals, len(cells), axis=0)
        wanted = self.targets(cells)
        good = np.ones(len(cells), dtype=bool)
        if self.kind is Slice.PLACE:
            reals[:, POSITION] = wanted
        else:
            good = np.linalg.norm(wanted, axis=1) <= np.pi
            reals[:, TURN] = [(SO3.exp(way) @ self.turn).quat for way in wanted]
        qs = np.ascontiguousarray(starts).copy()
        outcomes, gaps = np.zeros(len(qs), dtype=np.int32), np.zeros(len(qs))
        self.model.solver.meet_many(
            qs, self.ints, reals, self.options, None, False, outcomes, gaps, self.threads
        )
        good &= outcomes == int(Outcome.REACHED)
        good &= ~jumped(self.model, starts, qs)
        if self.limits:
            good &= ~any_outside_limits(self.model, qs)
        if self.signs is not None and len(self.side):
            for i in np.flatnonzero(good):
                good[i] = (self.side * self.signs.values(qs[i])[self.blocks] > SINGULAR_BLOCK).all()
        return qs, good


_VERBS = {Slice.PLACE: "move", Slice.TURN: "rotate at a fixed position"}


def _null(rows: Floats) -> Floats:
    _, values, directions = np.linalg.svd(rows, full_matrices=True)
    null: Floats = directions[int((values > LOOP_RANK).sum()) :].T
    return null


def _range(columns: Floats) -> Floats:
    if not columns.size:
        return np.zeros((3, 0))
    directions, values, _ = np.linalg.svd(columns)
    return directions[:, : int((values > LOOP_RANK).sum())]


def _tidy(axes: Floats) -> Floats:
    """Another basis of the same space, along the world's axes as far as can be."""
    count = axes.shape[1]
    if count == 3:
        return np.eye(3)
    found = np.zeros((3, 0))
    onto = axes @ axes.T
    for unit in np.eye(3):
        way = onto @ unit
        way -= found @ (found.T @ way)
        if found.shape[1] < count and np.linalg.norm(way) > 0.5:
            found = np.column_stack([found, way / np.linalg.norm(way)])
    return found if found.shape[1] == count else axes
