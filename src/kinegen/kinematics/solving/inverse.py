"""Inverse kinematics from any start: joint values that put a frame where it is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from kinegen.errors import UsageError, seed_number, whole_number
from kinegen.kernels import Floats, HandleKind, Ints, Outcome
from kinegen.kernels.call_records import SolverNumbers, SolverReport
from kinegen.kernels.tolerances import CLOSED, LOOP_RANK, REACHED
from kinegen.kinematics.analytic.closed_form import analytic_geometry, nearest_branch
from kinegen.kinematics.closure import loop_jacobian
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.kinematics.handles import ORIGIN, POSITION, TURN, Handle, pack_handles
from kinegen.kinematics.jacobians import jacobian
from kinegen.kinematics.positions import pose
from kinegen.kinematics.solving.assembling.assembly import MOST_ATTEMPTS, MOST_MODES
from kinegen.kinematics.solving.locking import (
    beside_joints,
    is_all_that_moves,
    locked_variables,
)
from kinegen.kinematics.solving.reasons import (
    HandleResidual,
    HeldLimit,
    held_limits,
    reason,
    residuals,
)
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.headings import q_columns
from kinegen.mechanism.model import Model
from kinegen.results import Columns, Result, ResultList, plain
from kinegen.spatial.pose import SE3

__all__ = ["Solution", "Solutions", "solve", "solve_all"]

ITERATIONS = 40
STEP = 1.0
"""Largest move per Newton step [rad, or sizes of the mechanism]."""
DISTINCT = 1e-3
"""Solutions differ when a joint differs by more than this [rad, or sizes of the mechanism]."""


class Solution(Result):
    """Joint values for a target pose, or the nearest ones and the reason.

    Reasons are computed when they are first read.
    """

    def __init__(
        self,
        model: Model,
        q: Floats,
        outcome: Outcome,
        wanted: Sequence[Handle],
        targets: Floats,
        *,
        attempts: int = 1,
        held: Ints | None = None,
        report: SolverReport | None = None,
    ) -> None:
        """Keep an answer of the solver; targets are the handles as packed for the kernels."""
        self.q = q
        """Configuration, (nq,)."""
        self.reached = outcome is Outcome.REACHED
        """Whether every handle is met, loops closed, within the limits if those were kept."""
        self.attempts = attempts
        """Starts that were tried."""
        self._model, self._wanted, self._targets = model, tuple(wanted), targets
        self._outcome, self._held, self._report = outcome, held, report

    def __repr__(self) -> str:
        return f"Solution({self.reason}, q={self.q})"

    @cached_property
    def handles(self) -> tuple[HandleResidual, ...]:
        """The remaining error of each handle."""
        return residuals(self._model, self.q, self._wanted, self._targets)

    @cached_property
    def limits(self) -> tuple[HeldLimit, ...]:
        """Joint limits that prevent reaching the target."""
        if self.reached or self._held is None:
            return ()
        return held_limits(self._model, self.q, self._held)

    @cached_property
    def reason(self) -> str:
        """In words: reached, or what prevents it and the remaining error."""
        if self.reached or self._report is None:
            return "reached"
        return reason(self._model, self._outcome, self.handles, self.limits, self._report)

    @cached_property
    def dof_left(self) -> int:
        """Motions that the handles leave open at this pose: with any, solutions form families."""
        return _dof_left(self._model, self.q, self._wanted)

    def to_dict(self) -> dict[str, Any]:
        """All values, for JSON."""
        return {name: plain(getattr(self, name)) for name in _SAID}

    def columns(self) -> Columns:
        """One row: joints, whether the handles are reached, and the reason if not."""
        joints = q_columns(self._model, self.q)
        return {**joints, "reached": [self.reached], "reason": [self.reason]}

    def arrays(self) -> dict[str, Floats]:
        """The configuration."""
        return {"q": self.q}


_SAID = ("q", "reached", "attempts", "reason", "handles", "limits", "dof_left")


class Solutions(ResultList[Solution]):
    """All answers that were found, the nearest first."""


def solve(
    model: AnyModel,
    handles: Handle | Sequence[Handle],
    *,
    start: Configuration = None,
    limits: bool = True,
    locked: Sequence[str] = (),
    attempts: int = 100,
    seed: int = 0,
) -> Solution:
    """Find joint values with which the handles reach their targets, loops closed, within limits.

    Arms whose geometry allows it are solved in closed form. Otherwise the search begins at
    ``start`` and continues from random configurations if necessary, ``attempts`` in total; for open
    chains, up to three times as many quick descents come first.
    """
    model = model_of(model)
    attempts, seed = whole_number(attempts, "attempts", 1, MOST_ATTEMPTS), seed_number(seed)
    wanted = [handles] if isinstance(handles, Handle) else list(handles)
    if not wanted:
        raise UsageError("solve needs at least one handle")
    ints, reals = pack_handles(model, wanted)
    q = configuration(model, start).copy()
    if not locked and _is_plain_pose(wanted):
        nearest = nearest_branch(model, wanted[0].frame)
        if nearest is not None and is_all_that_moves(
            model, nearest.joint_count, q, wanted[0].frame
        ):
            if nearest.move(q, reals[0, TURN], reals[0, POSITION], limits=limits):
                return Solution(model, q, Outcome.REACHED, wanted, reals)
    held = np.zeros(model.nv, dtype=np.int32)
    made, raw = model.solver.search(
        q, ints, reals, _options(model, limits), None, None, locked_variables(model, locked),
        attempts, seed, held,
    )  # fmt: skip
    report = SolverReport(*raw)
    outcome = Outcome(report.outcome)
    if outcome is Outcome.MOVING:
        outcome = Outcome.NEAREST  # the search is over: this is as near as it came
    return Solution(model, q, outcome, wanted, reals, attempts=made, held=held, report=report)


def solve_all(
    model: AnyModel,
    handles: Handle | Sequence[Handle],
    *,
    start: Configuration = None,
    limits: bool = True,
    locked: Sequence[str] = (),
    attempts: int = 400,
    seed: int = 0,
    most: int = 64,
) -> Solutions:
    """All distinct solutions that are found, the nearest to ``start`` first.

    Joints that do not affect any handle, such as the fingers of a gripper, keep their values. An
    arm with more joints than the handles need has infinitely many solutions; the result then has
    ``most`` samples.
    """
    model = model_of(model)
    attempts, seed = whole_number(attempts, "attempts", 1, MOST_ATTEMPTS), seed_number(seed)
    most = whole_number(most, "the largest number of answers", 1, MOST_MODES)
    wanted = [handles] if isinstance(handles, Handle) else list(handles)
    ints, reals = pack_handles(model, wanted)
    home = configuration(model, start)
    exact = _closed_form(model, wanted, home, limits, locked)
    if exact:
        return Solutions(Solution(model, q, Outcome.REACHED, wanted, reals) for q in exact[:most])
    still = {*locked, *beside_joints(model, home, (handle.frame for handle in wanted))}
    found = model.solver.enumerate(
        home.copy(), ints, reals, _options(model, limits), locked_variables(model, sorted(still)),
        attempts, seed, DISTINCT, True, most,
    )  # fmt: skip
    moves = [float(np.abs(_difference(model, home, q)).max(initial=0.0)) for q in found]
    if len(found) == 0:
        return Solutions((), Solution(model, home, Outcome.REACHED, wanted, reals).columns())
    return Solutions(
        Solution(model, found[i], Outcome.REACHED, wanted, reals, attempts=attempts)
        for i in np.argsort(moves, kind="stable")
    )


def _closed_form(
    model: Model, handles: Sequence[Handle], start: Floats, limits: bool, locked: Sequence[str]
) -> list[Floats]:
    """Exact solutions in closed form, nearest to the start first; none when it does not apply."""
    handle = handles[0]
    if locked or not _is_plain_pose(handles) or handle.rotation is None:
        return []
    geometry = analytic_geometry(model, handle.frame)
    if geometry is None or not is_all_that_moves(model, len(geometry.joints), start, handle.frame):
        return []
    target = SE3(handle.rotation, np.asarray(handle.position, dtype=float))
    return [
        solution.q
        for solution in geometry.solve(target, start=start)
        if solution.exact and (solution.within_limits or not limits)
    ]


def _is_plain_pose(handles: Sequence[Handle]) -> bool:
    """Whether the handles ask for the pose of one frame."""
    handle = handles[0]
    single = len(handles) == 1 and handle.kind is HandleKind.POSE
    return single and (handle.point is ORIGIN or not np.any(handle.point))


def _dof_left(model: Model, q: Floats, handles: Sequence[Handle]) -> int:
    """Free motions that no handle sees."""
    rows = np.vstack([_handle_rows(model, q, handle) for handle in handles])
    J = loop_jacobian(model, q)
    J.reshape(len(J) // 6, 2, 3, model.nv)[:, 0] /= model.size
    _, values, directions = np.linalg.svd(J, full_matrices=True)
    free = directions[int((values > LOOP_RANK).sum()) :].T if len(J) else np.eye(model.nv)
    return int(free.shape[1] - np.linalg.matrix_rank(rows @ free, tol=LOOP_RANK))


def _handle_rows(model: Model, q: Floats, handle: Handle) -> Floats:
    rows = jacobian(model, q, handle.frame, point=handle.point)
    rows[:3] /= model.size
    if handle.kind is HandleKind.POINT:
        return rows[:3]
    if handle.kind is HandleKind.ROTATION:
        return rows[3:]
    if handle.kind is HandleKind.DIRECTION:
        axis = pose(model, q, handle.frame).so3.apply(handle.axis)
        rows[3:] -= np.outer(axis, axis @ rows[3:]) / (axis @ axis)
    return rows


def _difference(model: Model, q0: Floats, q1: Floats) -> Floats:
    out = np.empty(model.nv)
    model.kernels.difference(q0, q1, out)
    return out


def _options(model: Model, limits: bool) -> Floats:
    return np.array(SolverNumbers(ITERATIONS, STEP, CLOSED, REACHED, 0.0, limits))
