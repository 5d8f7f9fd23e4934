"""What the NumPy solver knows of a model, what it is asked, and what it hands from step to step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels.call_records import HandleInts, HandleReals, SolverNumbers
from kinegen.kernels.layout import TRANSFORM_SIZE, Blocks, Floats, Ints
from kinegen.kernels.records import size_of
from kinegen.kernels.reference.base.bound import BoundModel
from kinegen.kernels.reference.base.joint_types import LENGTHS

if TYPE_CHECKING:
    from kinegen.kernels.reference.solver.avoid import Avoidance

__all__ = ["Errors", "Reach", "Solver", "Step", "Task", "bind_solver", "read_task", "set_scales"]


@dataclass(slots=True, eq=False)
class Solver:
    """A model, and the scales in which it is solved: lengths by its own size, angles by one."""

    blocks: Blocks
    model: BoundModel
    nq: int
    nv: int
    loops: int
    joints: list[tuple[int, int, int]]
    """Type, first place in q and first in v of every joint."""
    held: Ints
    """Limits that the last step held, (nv,): 1 upper, -1 lower, 0 none."""
    scale: Floats
    """Unit of every variable [m, or 1 for angles], (nv,)."""
    size: float = 1.0
    """Mean distance of what is placed from what carries it [m]."""


def bind_solver(ints: Ints, reals: Floats) -> Solver:
    """The solver of a model; its scales follow the model's numbers at every call."""
    blocks = Blocks(ints, reals)
    counts = blocks.counts
    kinds, at_q, at_v = (
        blocks.int_part(name).tolist() for name in ("joint_type", "joint_q", "joint_v")
    )
    return Solver(
        blocks,
        BoundModel(ints, reals),
        counts.nq,
        counts.nv,
        counts.loop,
        list(zip(kinds, at_q, at_v, strict=True)),
        np.zeros(counts.nv, dtype=np.int32),
        np.ones(counts.nv),
    )


def set_scales(s: Solver) -> None:
    """Scales by the model's present numbers."""
    placed = s.blocks.real_part("transforms").reshape(-1, TRANSFORM_SIZE)
    reach = np.abs(placed[:, 9:]).sum(axis=1)
    reach = reach[reach > 0]
    s.size = float(reach.mean()) if len(reach) else 1.0
    s.scale = np.ones(s.nv)
    for kind, _, v in s.joints:
        s.scale[[v + k for k in LENGTHS[kind]]] = s.size


@dataclass(frozen=True, slots=True)
class Task:
    """What a call asks for."""

    handle_ints: Ints
    """Site, kind, whether it is a pin, (handles, 3)."""
    handle_reals: Floats
    """Point, axis, position, rotation and two weights, (handles, 15)."""
    iterations: int
    step: float
    """Largest move per iteration, scaled."""
    gap: float
    """Scaled gap at which loops are closed."""
    met: float
    """Scaled error at which handles are met."""
    posture_gain: float
    """Share of the way to the posture that an iteration leans; 0: none."""
    limits: bool
    bounds: Floats | None
    """Largest move of every variable in this call, (nv,)."""
    weights: Floats
    """What moving a variable costs, (nv,)."""
    posture: Floats | None
    locked: Ints | None
    avoid: Avoidance | None = None
    """Bodies that must not meet."""
    roam: bool = False
    """Closing takes every step, even where the gap widens."""


def read_task(
    s: Solver, handle_ints: Ints, handle_reals: Floats, options: Floats,
    bounds: Floats | None = None, weights: Floats | None = None, posture: Floats | None = None,
    locked: Ints | None = None, avoid: Avoidance | None = None,
) -> Task:  # fmt: skip
    """A call's arrays by their names."""
    if options.shape != (size_of(SolverNumbers),):
        raise UsageError(f"options must have {size_of(SolverNumbers)} numbers")
    given = SolverNumbers(*options.tolist())
    return Task(
        handle_ints.reshape(-1, size_of(HandleInts)),
        handle_reals.reshape(-1, size_of(HandleReals)),
        int(given.iterations), given.max_step, given.gap_tolerance, given.handle_tolerance,
        given.posture_gain, bool(given.use_limits), bounds,
        np.ones(s.nv) if weights is None else weights, posture, locked, avoid,
    )  # fmt: skip


@dataclass(slots=True)
class Errors:
    """Where a configuration stands: scaled gap, squared errors of handles and pins."""

    gap: float
    soft: float
    hard: float


@dataclass(slots=True)
class Step:
    """A scaled move, with what the linear picture says of it."""

    x: Floats
    gradient: float
    """Of the handles' error along the free motions."""
    linear: float
    """What the move takes from the squared error: twice this,"""
    square: float
    """less this."""
    dof: int
    redundant: int
    """Hard rows that others implied."""
    task_pivot: float
    """Smallest against largest singular value of the handles."""
    loop_pivot: float
    """Smallest singular value of the loops that counted."""
    directions: Floats
    """Orthonormal free motions, (nv, dof)."""


@dataclass(frozen=True, slots=True)
class Reach:
    """The moves that hard rows leave: a point plus orthonormal directions."""

    point: Floats
    directions: Floats
    redundant: int = 0
    """Rows that others implied."""
    smallest: float = 1.0
    """Smallest singular value of the last rows that counted."""

    def restricted(self, rows: Floats, rhs: Floats, tolerance: float) -> Reach:
        """The moves that meet further rows as well; rows below the tolerance are redundant."""
        N = self.directions
        U, s, Vt = np.linalg.svd(rows @ N, full_matrices=True)
        rank = int((s > tolerance).sum())
        y = Vt[:rank].T @ ((U[:, :rank].T @ (rhs - rows @ self.point)) / s[:rank])
        return Reach(
            self.point + N @ y,
            N @ Vt[rank:].T,
            self.redundant + len(rhs) - rank,
            float(s[rank - 1]) if rank else 1.0,
        )
