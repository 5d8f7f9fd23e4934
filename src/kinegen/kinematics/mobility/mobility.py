"""Mobility: how many ways a mechanism can move in a pose, and how many of them last."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinegen import kernels
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kernels.tolerances import RANK, SHUT
from kinegen.kinematics.closure import LoopGap
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.kinematics.loop_groups import LoopKind, loop_groups, loop_kind
from kinegen.kinematics.loop_system import LoopSystem
from kinegen.kinematics.mobility.free_motion import (
    LARGEST_TOLERANCE,
    FreeMotion,
    free_motion,
)
from kinegen.kinematics.mobility.words import mobility_text
from kinegen.kinematics.solving.locking import locked_variables
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model
from kinegen.results import Result

__all__ = [
    "GroupMobility",
    "Mobility",
    "mobilities",
    "mobility",
]


@dataclass(frozen=True, slots=True, eq=False)
class Mobility(Result):
    """The degrees of freedom of a mechanism in one pose."""

    instantaneous: int
    """Degrees of freedom to first order: nv - rank of the loop rows."""
    finite: int
    """Degrees of freedom that allow a small finite motion; 0 for loops that cannot be closed."""
    gruebler: int
    """Joint degrees of freedom minus 6 per loop and 1 per coupling, as if all were independent."""
    gruebler_planar: int | None
    """Joint degrees of freedom minus 3 per loop, when every loop moves in a plane."""
    redundant: int
    """Loop rows that others imply."""
    idle: int
    """Degrees of freedom that move no point: rods that spin about themselves."""
    directions: Floats
    """Orthonormal basis of the instantaneous degrees of freedom over v, (nv, instantaneous)."""
    singular_values: Floats
    """Singular values of the scaled loop rows, largest first."""
    rank_gap: float
    """Ratio of the last singular value that counts to the first that does not: how clear the rank
    is."""
    q: Floats
    """The examined pose: the given one with its loops closed, (nq,)."""
    gap: LoopGap
    """Widest loop gap there."""
    is_closed: bool
    """Whether the loops could be closed."""
    text: str
    """One or two sentences for people."""


@dataclass(frozen=True, eq=False)
class GroupMobility:
    """The degrees of freedom of one group of loops."""

    system: LoopSystem
    kind: LoopKind
    q: Floats
    """The pose, (nq,)."""
    tolerance: float
    """Of its rank."""
    gap: float
    """Scaled."""
    count: int
    """Degrees of freedom to first order."""
    finite_mobility: int
    """Those that survive a small finite motion."""

    @property
    def is_closed(self) -> bool:
        """Whether its loops could be closed."""
        return self.gap <= SHUT

    @property
    def redundant(self) -> int:
        """Loop rows that others imply."""
        rows = self.system.group.equation_count(self.system.model)
        return rows - (len(self.system.variables) - self.count)

    @functools.cached_property
    def motion(self) -> FreeMotion:
        """Free and forbidden motions, worked out when they are asked for."""
        return free_motion(self.system, self.q, self.tolerance)

    def at(self, q: Floats, gap: float) -> GroupMobility:
        """The same loops in another pose, of which nothing is said to last."""
        there = replace(self, q=q, tolerance=RANK, gap=gap, finite_mobility=0)
        return replace(there, count=there.motion.count)


def mobility(
    model: AnyModel,
    q: Configuration = None,
    *,
    locked: Sequence[str] = (),
    tolerance: float = RANK,
) -> Mobility:
    """The mobility of a mechanism at q, or at the nearest pose where its loops are closed.

    Joint limits are ignored: only the joints and loops count.

    Args:
        model: the compiled mechanism.
        q: configuration.
        locked: joints that are locked, such as motors that are switched on.
        tolerance: singular values below this share of the largest are zero.
    """
    model = model_of(model)
    if not 0 < tolerance < LARGEST_TOLERANCE:
        raise UsageError(
            f"the rank tolerance must be between 0 and {LARGEST_TOLERANCE:g}, got {tolerance!r}"
        )
    return mobilities(model, configuration(model, q), locked, tolerance)[0]


def mobilities(
    model: Model,
    q: Floats,
    locked: Sequence[str] = (),
    tolerance: float = RANK,
) -> tuple[Mobility, tuple[GroupMobility, ...]]:
    """The degrees of freedom of a mechanism, and those of each group of its loops."""
    loops, nv = model.constraint_count, model.nv
    here = q.copy()
    values, directions = np.empty(6 * loops), np.empty((nv, nv))
    group_of, reports = np.empty(loops, dtype=np.int32), np.empty((loops, 6))
    motors = locked_variables(model, [joint.name for joint in model.joints if joint.has_motor])
    report = kernels.motion(model.ints, model.reals).mobility(
        here, locked_variables(model, locked), motors, tolerance, values, directions, group_of,
        reports,
    )  # fmt: skip
    instantaneous, finite, gruebler, redundant, idle, is_closed, _, value_count, *gaps = report
    groups = []
    for group, (size, gap, count, survive, _, _) in zip(
        loop_groups(model), reports.tolist(), strict=False
    ):
        system = LoopSystem(model, group, here, locked=locked, size=size)
        kind = loop_kind(model, here, group, size)
        groups.append(GroupMobility(system, kind, here, tolerance, gap, int(count), int(survive)))
    planar = len(model.loops) > 0 and all(group.kind is LoopKind.PLANAR for group in groups)
    found = Mobility(
        instantaneous=instantaneous,
        finite=finite,
        gruebler=gruebler,
        gruebler_planar=gruebler + 3 * len(model.loops) if planar else None,
        redundant=redundant,
        idle=idle,
        directions=directions[:instantaneous].T.copy(),
        singular_values=values[:value_count],
        rank_gap=gaps[0],
        q=here,
        gap=LoopGap(gaps[1], gaps[2]),
        is_closed=bool(is_closed),
        text="",
    )
    object.__setattr__(found, "text", mobility_text(model, found, groups))
    return found, tuple(groups)
