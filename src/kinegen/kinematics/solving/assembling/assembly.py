"""Assembly: closing the loops from the file's numbers, and all the ways to do so."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.errors import AssemblyError, UsageError, seed_number, whole_number
from kinegen.kernels import Floats, Ints
from kinegen.kernels.call_records import SolverNumbers
from kinegen.kernels.tolerances import CLOSED
from kinegen.kinematics.closure import loop_gap
from kinegen.kinematics.configurations import Configuration, configuration, difference
from kinegen.kinematics.handles import NO_HANDLES
from kinegen.kinematics.limits import outside_limits
from kinegen.kinematics.loop_groups import placed_points
from kinegen.kinematics.mobility.words import dof_text
from kinegen.kinematics.solving.assembling.order import (
    DISTINCT,
    FEW,
    ITERATIONS,
    SAME,
    STEP,
    Closing,
)
from kinegen.kinematics.solving.families import family_dimension
from kinegen.kinematics.solving.locking import locked_variables
from kinegen.kinematics.solving.open_loops import open_loop
from kinegen.kinematics.solving.polygon import polygon_shortage
from kinegen.kinematics.tolerances import is_closed, variable_scale
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.headings import q_columns
from kinegen.mechanism.model import Model
from kinegen.memory import names_memory
from kinegen.results import Columns, Result, ResultList

__all__ = [
    "MOST_ATTEMPTS",
    "MOST_MODES",
    "Assembly",
    "AssemblyMode",
    "AssemblyModes",
    "JointMove",
    "assemble",
    "assembly_modes",
    "close",
    "closing_options",
    "inputs_of",
]

MOST_ATTEMPTS = 10_000_000
"""Random starts of one search: hours of work for any mechanism."""
MOST_MODES = 10_000
"""Answers of one search: room for all of them is made at its start."""


@dataclass(frozen=True, slots=True)
class JointMove:
    """A joint that moved while loops were closed."""

    joint: str
    by: tuple[float, ...]
    """How far, one number per degree of freedom [rad, m]."""


@dataclass(frozen=True, slots=True)
class Assembly(Result):
    """A mechanism with its loops closed."""

    model: Model
    q: Floats
    """Configuration, (nq,)."""
    gap: float
    """Widest loop gap that is left [m]."""
    attempts: int
    """Number of starts that were tried; 1 if the file's own start was sufficient."""
    moved: tuple[JointMove, ...] = ()
    """Joints that are not where the start had them, in the file's order."""
    branch_changed: bool = False
    """Whether held joints could be reached only by leaving the branch of the closed start."""

    def columns(self) -> Columns:
        """One row: joints and gap."""
        return q_columns(self.model, self.q) | {"gap [m]": np.array([self.gap])}


@dataclass(frozen=True, slots=True)
class AssemblyMode(Result):
    """One way in which the loops close for given inputs."""

    model: Model
    name: str
    """'mode 1', 'mode 2', …: in the order of their distance from the starting pose."""
    q: Floats
    """Configuration, (nq,)."""
    distance: float
    """Largest distance of any joint, end of a loop or frame from the starting pose [m]."""
    loose: int = 0
    """Degrees of freedom that the inputs leave in this mode. If there are any, the mode stands for
    a family of poses, such as those of a collapsed linkage that swings freely."""

    def columns(self) -> Columns:
        """One row: name, joints, distance."""
        joints = q_columns(self.model, self.q)
        return {"mode": [self.name], **joints, "distance [m]": [self.distance],
                "degrees of freedom": [self.loose]}  # fmt: skip


class AssemblyModes(ResultList[AssemblyMode]):
    """All modes that a search found, the nearest first."""


def inputs_of(model: AnyModel) -> tuple[str, ...]:
    """Joints that drive a mechanism: those with motors."""
    model = model_of(model)
    return tuple(joint.name for joint in model.joints if joint.has_motor)


def close(
    model: Model,
    q: Configuration = None,
    *,
    locked: Sequence[str] = (),
    limits: bool = False,
    iterations: int = ITERATIONS,
) -> tuple[Floats, float]:
    """The nearest closed configuration by Newton steps from q, and its widest gap [m].

    The gap says whether it worked: compare with 1e-9 of the mechanism's size.
    """
    moved = configuration(model, q).copy()
    held = np.zeros(model.nv, dtype=np.int32)
    model.solver.run(
        moved, *NO_HANDLES, _options(limits, iterations), None, None, None,
        locked_variables(model, locked), held,
    )  # fmt: skip
    return moved, loop_gap(model, moved).distance


def assemble(
    model: AnyModel,
    q: Configuration = None,
    *,
    locked: Sequence[str] = (),
    limits: bool = True,
    attempts: int = 200,
    seed: int = 0,
) -> Assembly:
    """Close all loops by moving as little as possible.

    Cut joints move first, then passive joints whose start is not stated, then motors without a
    stated start, then the other passive joints, and motors with a stated start last; each choice is
    tried from the start and from random poses. Locked joints keep their values: they are moved
    there in small steps, so that the branch stays the same if possible: the branch of the closed
    start, or of q if q is a complete pose. If the file names an assembly mode, the start is in that
    mode.

    Args:
        model: The compiled mechanism.
        q: Where to begin. Joints that are not given (by name, or with None) begin at the file's
            start.
        locked: Joints that do not move at all.
        limits: Whether joint limits are kept.
        attempts: Random starts, used as a last resort; every joint may move in them.
        seed: Seed of the random starts.

    Raises:
        AssemblyError: The loops cannot be closed; the error names the bar that is too short
            (polygon inequality), or the remaining gap.
    """
    model = model_of(model)
    attempts, seed = whole_number(attempts, "attempts", 1, MOST_ATTEMPTS), seed_number(seed)
    start = configuration(model, q)
    if not model.constraint_count:
        return Assembly(model, start, 0.0, 1)
    file_start = start
    if model.mode is not None and (q is None or isinstance(q, Mapping)):
        start = _named_mode_pose(model).copy()
        for name in q or ():
            start[model.joint(name).q] = file_start[model.joint(name).q]
    held = locked_variables(model, locked)
    closing = Closing(model, held, limits=limits, seed=seed)
    closed = is_closed(model, start, CLOSED) and not (limits and outside_limits(model, start))
    # a held joint that is to turn all round takes others with it
    if closed and held is not None and isinstance(q, Mapping):
        home = model.start() if model.mode is None else _named_mode_pose(model)
        way = difference(model, home, start)
        if (np.abs(way) > math.pi).any():
            followed = _followed(model, start, held, is_pose=False, limits=limits, seed=seed)
            start = start if followed is None else followed
    if closed:
        gap = loop_gap(model, start).distance
        return Assembly(model, start, gap, 1, _moves(model, file_start, start))
    found, changed = None, False
    if held is not None:
        is_pose = not (q is None or isinstance(q, Mapping))
        found = _followed(model, start, held, is_pose=is_pose, limits=limits, seed=seed)
        changed = found is None
    if found is None:
        found = closing.in_order(start, _stated(model, q), attempts)
    if found is None:
        raise _failure(model, start, closing, locked)
    moved = _moves(model, file_start, found)
    gap = loop_gap(model, found).distance
    return Assembly(model, found, gap, max(1, closing.attempts), moved, changed)


def _stated(model: Model, q: Configuration) -> frozenset[str]:
    """Joints whose values somebody chose: those named, and those of the file's text.

    Of a whole pose, the motors': there passive joints only say where to begin.
    """
    if not (q is None or isinstance(q, Mapping)):
        return frozenset(inputs_of(model))
    return frozenset(q or ()) | {joint.name for joint in model.joints if joint.has_start}


def _followed(
    model: Model, start: Floats, held: Ints, *, is_pose: bool, limits: bool, seed: int
) -> Floats | None:
    """The pose that is reached from a closed one when the held joints go to theirs.

    That is the file's closed start. A whole pose has a branch of its own, unless it is the file's
    start but for the held joints: then it is the closed pose next to it.
    """
    closing = Closing(model, None, limits=limits, seed=seed)
    home = _closed_home(model, closing)
    way, free = np.empty(model.nv), held == 0
    if is_pose:
        model.kernels.difference(model.start() if home is None else home, start, way)
        if (np.abs(way[free]) > SAME * variable_scale(model)[free]).any():
            near = closing.beside(start)
            home = home if near is None else near
    if home is None:
        return None
    model.kernels.difference(home, start, way)
    way[free] = 0.0
    found = closing.follow(home, way, held)
    if found is not None:
        for joint in model.joints:
            if held[joint.v].all():
                found[joint.q] = start[joint.q]  # without the rounding of the steps
    return found


def _closed_home(model: Model, closing: Closing) -> Floats | None:
    """The file's start with its loops closed, in the mode that the file names; or None."""
    if model.mode is not None:
        return _named_mode_pose(model)
    return closed_file_start(model, closing)


def closed_file_start(model: Model, closing: Closing) -> Floats | None:
    """The closed pose nearest to the starts of the joints, whatever mode that is; or None."""
    home = model.start()
    if is_closed(model, home, CLOSED):
        return home
    return closing.in_order(home, _stated(model, None), FEW)


def _named_mode_pose(model: Model) -> Floats:
    """The closed start in the mode that the file names."""
    from kinegen.kinematics.solving.named_mode import mode_pose  # needs what is in here

    return mode_pose(model)


def _moves(model: Model, start: Floats, found: Floats) -> tuple[JointMove, ...]:
    way = np.empty(model.nv)
    model.kernels.difference(start, found, way)
    far = 1e-6 * min(1.0, model.size)  # less is rounding of the file's numbers
    return tuple(
        JointMove(joint.name, tuple(way[joint.v].tolist()))
        for joint in model.joints
        if np.abs(way[joint.v]).max(initial=0.0) > far
    )


def _failure(model: Model, start: Floats, closing: Closing, locked: Sequence[str]) -> AssemblyError:
    """Why the loops could not be closed."""
    best = start if closing.best is None else closing.best
    left = loop_gap(model, best)
    gap, turn = left.distance, left.angle
    shortage = polygon_shortage(model, start, locked)
    if shortage:
        return AssemblyError(f"mechanism '{model.name}' cannot be assembled: {shortage}", gap=gap)
    # the searches held the limits: whether it closes without them says what is in the way
    unlimited = Closing(model, closing.locked, limits=False, seed=closing.seed)
    free = unlimited.search(start, closing.locked, FEW) if closing.limits else None
    closed = free if free is not None else best if is_closed(model, best, CLOSED) else None
    outside = "" if closed is None else ", ".join(outside_limits(model, closed))
    if outside:
        return AssemblyError(
            f"mechanism '{model.name}' closes only beyond its joint limits: {outside}", gap=gap
        )
    widths = [f"{gap * 1000:.3g} mm"] if gap > CLOSED * model.size else []
    open_by = " and ".join(widths + [f"{math.degrees(turn):.3g}°"] * (turn > CLOSED))
    if locked:
        from kinegen.kinematics.solving.assembling.words import values_text  # needs what is in here

        held = list(dict.fromkeys(locked))
        several = len(held) > 1
        return AssemblyError(
            f"the loops of mechanism '{model.name}' do not close with "
            f"{values_text(model, held, start)} {'all ' if several else ''}held: "
            f"they stay open by {open_by}"
            + ("; hold fewer joints and let the others follow" if several else ""),
            gap=gap,
        )
    found = open_loop(model, start, locked)
    if found is not None:
        return AssemblyError(
            f"mechanism '{model.name}' cannot be assembled: {found.text} "
            f"(best of {closing.attempts} attempts)",
            gap=loop_gap(model, found.q).distance if model.constraint_count == 1 else gap,
        )
    return AssemblyError(
        f"mechanism '{model.name}' could not be assembled in {closing.attempts} attempts: its "
        f"loops stay open by {open_by} in the best of them"
        f"{' within the joint limits' if closing.limits else ''}",
        gap=gap,
    )


@names_memory("a search for assembly modes: ask for fewer of them (most=)")
def assembly_modes(
    model: AnyModel,
    q: Configuration = None,
    *,
    inputs: Sequence[str] | None = None,
    limits: bool = True,
    attempts: int = 2000,
    seed: int = 0,
    most: int = 200,
) -> AssemblyModes:
    """All assembly modes that a search finds for fixed inputs.

    Args:
        model: The compiled mechanism.
        q: Values of the inputs; modes are sorted by their distance from this pose, which is
            assembled first.
        inputs: Joints that stay fixed; by default those with motors.
        limits: Whether joint limits are kept.
        attempts: Random starts; more of them find rarer modes.
        seed: Seed of the random starts.
        most: The search ends after this many modes.

    Raises:
        UsageError: The inputs leave a degree of freedom, so the poses form a continuous family.
    """
    model = model_of(model)
    attempts, seed = whole_number(attempts, "attempts", 1, MOST_ATTEMPTS), seed_number(seed)
    most = whole_number(most, "the largest number of modes", 1, MOST_MODES)
    names = list(inputs_of(model) if inputs is None else inputs)
    home = assemble(model, q, locked=names, limits=limits, seed=seed).q
    locked = locked_variables(model, names)
    moving = family_dimension(model, home, locked)
    if moving:
        raise UsageError(
            f"with {', '.join(names) or 'no joint'} held, mechanism '{model.name}' still moves "
            f"with {dof_text(moving)}: its poses form a continuous family, not separate modes; "
            "name more inputs, as many as it has degrees of freedom"
        )
    found, loose = _enumerated(model, home, locked, limits, attempts, seed, most)
    far = np.array([_distance(model, home, other) for other in found])
    chosen: list[int] = []
    turned = [float(np.abs(difference(model, home, other)).max(initial=0.0)) for other in found]
    for i in np.lexsort(np.array([turned, far.round(9)])).tolist():
        # one pose stands for all of a family
        if loose[i] == 0 or all(loose[i] != loose[other] for other in chosen):
            chosen.append(i)
    return AssemblyModes(
        AssemblyMode(model, f"mode {n + 1}", found[i], float(far[i]), loose[i])
        for n, i in enumerate(chosen[:most])
    ) or AssemblyModes((), AssemblyMode(model, "", home, 0.0).columns())


def _enumerated(
    model: Model, home: Floats, locked: Ints | None, limits: bool, attempts: int, seed: int,
    most: int,
) -> tuple[Floats, list[int]]:  # fmt: skip
    """Closed poses of a random search, and the dimension of the family that each is part of."""
    room = most
    while True:
        found = model.solver.enumerate(
            home, *NO_HANDLES, _options(limits, ITERATIONS), locked, attempts, seed,
            DISTINCT, False, room,
        )  # fmt: skip
        loose = [family_dimension(model, other, locked) for other in found]
        # a family fills any room: search longer for the modes beside it
        if len(found) < room or room >= attempts or loose.count(0) >= most:
            return found, loose
        room = min(4 * room, attempts)


def closing_options(model: Model) -> Floats:
    """What the solver's ``close_many`` takes: loops closed from nearby, limits left aside."""
    return _options(False, 30)


def _options(limits: bool, iterations: int) -> Floats:
    return np.array(SolverNumbers(iterations, STEP, CLOSED, CLOSED, 0.0, limits))


def _distance(model: Model, q0: Floats, q1: Floats) -> float:
    apart = placed_points(model, q0) - placed_points(model, q1)
    return float(np.linalg.norm(apart, axis=1).max(initial=0.0))
