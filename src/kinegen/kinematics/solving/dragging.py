"""Dragging: moving a mechanism by its handles, tick by tick, with every loop closed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError, whole_number
from kinegen.kernels import Floats, HandleKind, Outcome, ticker
from kinegen.kernels.call_records import SolverNumbers, SolverReport
from kinegen.kernels.protocols.solver import RawReport
from kinegen.kernels.steps import DRAG_ITERATIONS, DRAG_STEP
from kinegen.kernels.tolerances import CLOSED, MET
from kinegen.kinematics.closure import loop_gap
from kinegen.kinematics.collisions.checker import Avoid, BodyPair, CollisionChecker, avoided
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.kinematics.handles import POSITION, TURN, Handle, pack_handles
from kinegen.kinematics.singular.branch_signs import BranchWatch
from kinegen.kinematics.solving.inverse import Solution, solve
from kinegen.kinematics.solving.locking import locked_variables
from kinegen.kinematics.solving.reasons import (
    HandleResidual,
    HeldLimit,
    held_limits,
    reason,
    residuals,
)
from kinegen.kinematics.tolerances import is_closed
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.headings import q_columns
from kinegen.mechanism.model import Model
from kinegen.results import Columns, Result, plain
from kinegen.spatial.rotation import SO3

__all__ = ["DragResult", "Dragger", "TickReport", "drag"]

MOST_ITERATIONS = 1_000_000
_READABLE = 60
_NEARER = 0.01
"""Share by which another pose must be nearer for a drag to count as stuck in a local minimum."""


@dataclass(frozen=True, slots=True)
class DragResult(Result):
    """The result of a drag: the final configuration, and why it ended there."""

    model: Model
    q: Floats
    """Configuration, (nq,)."""
    outcome: Outcome
    reason: str
    """In words: reached, or what prevents it."""
    handles: tuple[HandleResidual, ...]
    """The remaining error of each handle."""
    limits: tuple[HeldLimit, ...]
    """Joints that stand at a limit and would move beyond it."""
    gap: float
    """Largest loop gap [m; angles times the size of the mechanism]."""
    dof: int
    """Degrees of freedom that loops, pins and limits leave."""
    task_condition: float
    """Smallest over largest pivot of the handles' equations: near 0 the handle cannot be moved in
    some direction (a singularity of the first kind, or a direction the mechanism never has)."""
    loop_condition: float
    """Smallest pivot of the loops' equations: near 0 the mechanism gains a degree of freedom."""
    iterations: int
    obstacle: BodyPair | None = None
    """With ``avoid``: the link and the obstacle that stops it, if a collision stops the drag."""
    clearance: float = math.inf
    """With ``avoid``: distance of the nearest bodies [m]; inf: none are near."""
    crossed: tuple[str, ...] = ()
    """Joints that came to another side of a singular pose on the way: the branch changed."""
    local_minimum: Floats | None = None
    """The pose in which the drag stopped although poses nearer to the target exist, (nq,): ``q`` is
    then the pose that a search from random starts found, on another branch. None otherwise."""

    @property
    def reached(self) -> bool:
        """Whether every handle has reached its target."""
        return self.outcome is Outcome.REACHED

    def columns(self) -> Columns:
        """One row: joints, outcome, reason."""
        return {**q_columns(self.model, self.q), "outcome": [self.outcome],
                "reason": [self.reason], "gap [m]": [self.gap]}  # fmt: skip


class TickReport(Result):
    """The report of one tick; its fields are decoded when they are read."""

    __slots__ = ("numbers",)

    def __init__(self, numbers: RawReport) -> None:
        # a tick may take half a microsecond: the quickest way to name its numbers
        self.numbers: SolverReport = tuple.__new__(SolverReport, numbers)
        """As the kernel reports them."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TickReport) and self.numbers == other.numbers

    def __hash__(self) -> int:
        return hash(self.numbers)

    def __repr__(self) -> str:
        return f"TickReport({', '.join(f'{k}={v}' for k, v in self.to_dict().items())})"

    @property
    def outcome(self) -> Outcome:
        """Whether the handles have reached their targets, or why not."""
        return Outcome(self.numbers.outcome)

    @property
    def reached(self) -> bool:
        """Whether every handle has reached its target."""
        return self.numbers.outcome == Outcome.REACHED

    @property
    def moving(self) -> bool:
        """Whether the mechanism is still moving: the next tick gets closer."""
        return self.numbers.outcome == Outcome.MOVING

    @property
    def iterations(self) -> int:
        """Number of Newton steps."""
        return self.numbers.iterations

    @property
    def dof(self) -> int:
        """Degrees of freedom that loops, pins and limits leave."""
        return self.numbers.dof

    @property
    def gap(self) -> float:
        """Largest loop gap [m; angles times the size of the mechanism]."""
        return self.numbers.gap * self.numbers.size

    @property
    def pin_error(self) -> float:
        """Error of the pins [m; angles times the size of the mechanism]."""
        return self.numbers.pin_error * self.numbers.size

    @property
    def handle_error(self) -> float:
        """Error of the handles [m; angles times the size of the mechanism]."""
        return self.numbers.handle_error * self.numbers.size

    @property
    def task_condition(self) -> float:
        """As in :class:`DragResult`."""
        return self.numbers.task_pivot

    @property
    def loop_condition(self) -> float:
        """As in :class:`DragResult`."""
        return self.numbers.loop_pivot

    @property
    def clearance(self) -> float:
        """As in :class:`DragResult`."""
        return self.numbers.clearance

    def to_dict(self) -> dict[str, Any]:
        """All values, for JSON."""
        return {name: plain(getattr(self, name)) for name in _REPORTED}


_REPORTED = [name for name, one in vars(TickReport).items() if isinstance(one, property)]


class Dragger:
    """Drags a mechanism by handles: set targets, call :meth:`tick`, read ``q``.

    All memory is allocated once, so a tick takes microseconds. A dragger can be copied and pickled,
    and the copy continues bit for bit. Several threads may use it: ticks wait for each other.
    """

    def __init__(
        self,
        model: AnyModel,
        q: Configuration,
        handles: Sequence[Handle],
        *,
        dt: float | None = None,
        weights: npt.ArrayLike | None = None,
        posture: Configuration = None,
        posture_gain: float = 0.0,
        locked: Sequence[str] = (),
        limits: bool = True,
        iterations: int = DRAG_ITERATIONS,
        tolerance: float | None = None,
        avoid: Avoid = False,
        clearance: float | None = None,
    ) -> None:
        """Set up a dragger.

        Args:
            model: The compiled mechanism.
            q: Starting configuration; if its loops are open, the first tick closes them.
            handles: The points that are grabbed or pinned.
            dt: Time of one tick [s]; joints then stay below their motors' speeds.
            weights: Cost of moving each of the nv degrees of freedom; more cost, less motion.
            posture: Preferred configuration, where the handles leave a choice.
            posture_gain: Share of the way to it per Newton step, 0 to 1.
            locked: Joints that stay fixed.
            limits: Whether joint limits are kept.
            iterations: Newton steps per tick at most.
            tolerance: Distance below which a handle counts as met [m]; default: a billionth of
                the mechanism's size.
            avoid: Whether bodies must not meet: parts slide along what is in their way and pass
                through nothing, however fast the targets move. True: links and objects, as
                :func:`collisions` checks them; or a checker, with a floor for example.
            clearance: Distance to keep between bodies [m]; default: a thousandth of the
                mechanism's size.
        """
        iterations = whole_number(iterations, "iterations", 1, MOST_ITERATIONS)
        self.model = model = model_of(model)
        self.handles = tuple(handles)
        self._q = configuration(model, q).copy()
        self._ints, self._reals = pack_handles(model, self.handles)
        self._turns = [h.kind in {HandleKind.POSE, HandleKind.ROTATION} for h in self.handles]
        self._held = np.zeros(model.nv, dtype=np.int32)
        met = MET if tolerance is None else tolerance / model.size
        options = np.array(SolverNumbers(iterations, DRAG_STEP, CLOSED, met, posture_gain, limits))
        bounds = None if dt is None else np.ascontiguousarray(_bounds(model, dt))
        cost = None if weights is None else _weights(model, weights)
        lean = configuration(model, posture) if posture_gain else None
        self._settings = options, bounds, cost, lean, locked_variables(model, locked)
        self.checker: CollisionChecker | None = None
        """What is avoided, if anything."""
        self._keep = 0.0
        if avoid:
            self.checker, self._keep = avoided(model, avoid, clearance)
        self._bind()

    def _bind(self) -> None:
        """Tie the kernel to the arrays that it reads and writes."""
        self._targets = [(numbers[POSITION], numbers[TURN]) for numbers in self._reals]
        self._tick = ticker(
            self.model.solver, self._q, self._ints, self._reals, *self._settings, self._held,
            None if self.checker is None else self.checker.bound, self._keep,
        )  # fmt: skip

    def __getstate__(self) -> dict[str, Any]:
        """All but what is tied to memory."""
        tied = ("_tick", "_targets")
        return {name: value for name, value in vars(self).items() if name not in tied}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        # copies of its own: what comes out of a pickle may not be written to, or is shared
        self._q, self._reals = self._q.copy(), self._reals.copy()
        self._held = self._held.copy()
        self._bind()

    @property
    def q(self) -> Floats:
        """Configuration, changed in place by each tick."""
        return self._q

    @q.setter
    def q(self, values: Configuration) -> None:
        self._q[:] = configuration(self.model, values)

    def move(
        self,
        handle: int,
        position: npt.ArrayLike | None = None,
        rotation: SO3 | None = None,
        direction: npt.ArrayLike | None = None,
    ) -> None:
        """Change the target of a handle; values that are not given stay unchanged."""
        handle = whole_number(handle, "a handle", 0, len(self.handles) - 1)
        place, turn = self._targets[handle]
        if position is not None:
            try:
                x, y, z = np.asarray(position, dtype=float).tolist()
                finite = math.isfinite(x + y + z)
            except (TypeError, ValueError):
                finite = False
            if not finite:
                raise UsageError(f"a target must be 3 finite numbers [m], got {position!r}")
            # only now: another thread may be about to read it
            place[:] = x, y, z
        if rotation is not None:
            if not self._turns[handle]:
                self._must_be(handle, HandleKind.POSE, HandleKind.ROTATION)
            turn[:] = rotation.quat
        if direction is not None:
            self._must_be(handle, HandleKind.DIRECTION)
            vector = np.asarray(direction, dtype=float)
            length = float(np.linalg.norm(vector)) if vector.shape == (3,) else 0.0
            if not (math.isfinite(length) and length > 1e-12):
                raise UsageError(f"a direction must be 3 finite numbers, got {direction!r}")
            turn[:3] = vector / length

    def _must_be(self, handle: int, *kinds: HandleKind) -> None:
        kind = self.handles[handle].kind
        if kind not in kinds:
            raise UsageError(
                f"handle {handle} on '{self.handles[handle].frame}' was made for a "
                f"{kind.name.lower()}: it has no such target"
            )

    def tick(self) -> TickReport:
        """Move towards the targets once."""
        return TickReport(self._tick())

    def result(self, report: TickReport) -> DragResult:
        """The full report of a tick, with the reason in words."""
        outcome = report.outcome
        held = held_limits(self.model, self.q, self._held)
        lacks = residuals(self.model, self.q, self.handles, self._reals)
        at = report.numbers.obstacle
        obstacle = self.checker.pair_names(at) if self.checker is not None and at >= 0 else None
        return DragResult(
            model=self.model,
            q=self.q.copy(),
            outcome=outcome,
            reason=reason(self.model, outcome, lacks, held, report.numbers, obstacle),
            handles=lacks,
            limits=held if outcome is not Outcome.REACHED else (),
            gap=report.gap,
            dof=report.dof,
            task_condition=report.task_condition,
            loop_condition=report.loop_condition,
            iterations=report.iterations,
            obstacle=obstacle,
            clearance=report.clearance,
        )


def drag(
    model: AnyModel,
    q: Configuration,
    handles: Sequence[Handle] | Handle,
    *,
    ticks: int = 60,
    dt: float | None = None,
    weights: npt.ArrayLike | None = None,
    posture: Configuration = None,
    posture_gain: float = 0.0,
    locked: Sequence[str] = (),
    limits: bool = True,
    watch_branch: bool = True,
    attempts: int = 100,
    avoid: Avoid = False,
    clearance: float | None = None,
) -> DragResult:
    """Drag a mechanism by its handles until they reach their targets or cannot get closer.

    The loops are closed at every tick. ``ticks`` limits the number of ticks. With ``watch_branch``,
    the result states whether a singular pose was crossed (for a new mechanism, this takes some
    tenths of a second once). If the drag stops short of its target, ``attempts`` random starts
    determine whether that is a local minimum, as in :func:`solve`; 0 skips this, and so does
    ``avoid``: bodies stay where the drag takes them. See :class:`Dragger` for the other arguments.
    """
    model = model_of(model)
    ticks = whole_number(ticks, "ticks", 1, 2**31)
    attempts = whole_number(attempts, "attempts", 0, 10_000_000)
    held = [handles] if isinstance(handles, Handle) else list(handles)
    dragger = Dragger(
        model, q, held, dt=dt, weights=weights, posture=posture, posture_gain=posture_gain,
        locked=locked, limits=limits, avoid=avoid, clearance=clearance,
    )  # fmt: skip
    attempts = 0 if avoid else attempts
    watch = BranchWatch(model, dragger.q, held) if watch_branch else None
    report = dragger.tick()
    for _ in range(ticks - 1):
        if not report.moving:
            break
        report = dragger.tick()
    result = dragger.result(report)
    if attempts and result.outcome is Outcome.NEAREST and result.limits:
        result = _without_limits(model, result, held, locked, attempts)
    nearer = None
    if attempts and result.outcome is Outcome.NEAREST:
        nearer = _nearer(model, result, held, locked, limits, attempts)
    crossed = watch.crossed(result.q if nearer is None else nearer.q) if watch else ()
    if nearer is not None:
        return _elsewhere(model, result, nearer, crossed)
    if not crossed:
        return result
    words = f"{result.reason}; passed to another branch of {', '.join(crossed)}"
    return replace(result, reason=words, crossed=crossed)


def _without_limits(
    model: Model, stood: DragResult, handles: Sequence[Handle], locked: Sequence[str], attempts: int
) -> DragResult:
    """The same, with limits no longer blamed where the target is out of reach without them too."""
    found = solve(model, handles, start=stood.q, limits=False, locked=locked, attempts=attempts)
    if found.reached:
        return stood
    _, _, missing = stood.reason.rpartition(": ")
    return replace(stood, reason=f"out of reach even without joint limits: {missing}", limits=())


def _nearer(
    model: Model, stood: DragResult, handles: Sequence[Handle], locked: Sequence[str],
    limits: bool, attempts: int,
) -> Solution | None:  # fmt: skip
    """A pose that meets the handles better than the one where a drag stood still, if one exists."""
    found = solve(model, handles, start=stood.q, limits=limits, locked=locked, attempts=attempts)
    if found.reached:
        return found
    before, after = (
        sum((lack.distance / model.size) ** 2 + lack.angle**2 for lack in lacks)
        for lacks in (stood.handles, found.handles)
    )
    closed = is_closed(model, found.q)
    return found if closed and math.sqrt(after) < (1 - _NEARER) * math.sqrt(before) else None


def _elsewhere(
    model: Model, stood: DragResult, found: Solution, crossed: tuple[str, ...]
) -> DragResult:
    """What a search found beyond the local minimum where a drag stood still."""
    # large mechanisms cross in dozens of joints at once, which no reader wants
    of = f" of {', '.join(crossed)}" if 0 < len(", ".join(crossed)) < _READABLE else ""
    _, _, missing = stood.reason.rpartition(": ")
    words = (
        f"{found.reason}, on another branch{of}: dragging from the start ends in a local minimum, "
        f"where {missing}"
    )
    return replace(
        stood,
        q=found.q,
        outcome=Outcome.REACHED if found.reached else Outcome.NEAREST,
        reason=words,
        handles=found.handles,
        limits=found.limits,
        gap=loop_gap(model, found.q).distance,
        crossed=crossed,
        local_minimum=stood.q,
    )


def _bounds(model: Model, dt: float) -> Floats:
    if not (np.isfinite(dt) and dt > 0):
        raise UsageError(f"dt is {dt} s, must be positive")
    return model.speed * dt


def _weights(model: Model, weights: npt.ArrayLike) -> Floats:
    array = np.ascontiguousarray(weights, dtype=float)
    if array.shape != (model.nv,) or not (np.isfinite(array).all() and (array > 0).all()):
        raise UsageError(f"weights must be {model.nv} positive numbers, one per degree of freedom")
    return array
