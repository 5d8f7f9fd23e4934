"""Mobility: how many ways a mechanism can move in a pose, and how many of them last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.closure import loop_gap
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.kinematics.free_motion import (
    LARGEST_TOLERANCE,
    RANK_TOLERANCE,
    FreeMotion,
    free_motion,
    lasting_freedoms,
)
from kinegen.kinematics.loop_groups import LoopKind, loop_groups, loop_kind
from kinegen.kinematics.loop_system import CLOSED, LoopSystem
from kinegen.kinematics.mobility_words import mobility_text
from kinegen.kinematics.visible_motion import seen_motions
from kinegen.mechanism.model import Model

__all__ = [
    "GroupMobility",
    "Mobility",
    "group_mobilities",
    "mobility",
    "mobility_of",
]


@dataclass(frozen=True, slots=True, eq=False)
class Mobility:
    """The freedoms of a mechanism in one pose."""

    instantaneous: int
    """Freedoms to first order: nv - rank of the loop rows."""
    finite: int
    """Freedoms that survive a small finite motion; those of loops that cannot be closed are 0."""
    gruebler: int
    """Joint freedoms minus 6 per loop: the count that trusts every row."""
    gruebler_planar: int | None
    """Joint freedoms minus 3 per loop, when every loop moves in a plane."""
    redundant: int
    """Loop rows that others imply."""
    idle: int
    """Freedoms that move no point: rods that spin about themselves."""
    directions: Floats
    """Orthonormal basis of the instantaneous freedoms over v, (nv, instantaneous)."""
    singular_values: Floats
    """Of the scaled loop rows, largest first."""
    rank_gap: float
    """Last singular value that counts by the first that does not: how clear the rank is."""
    q: Floats
    """The pose that was looked at: the given one with its loops closed, (nq,)."""
    gap: tuple[float, float]
    """Widest loop gap there: distance [m] and angle [rad]."""
    is_closed: bool
    """Whether the loops could be closed."""
    text: str
    """One or two sentences for people."""


@dataclass(frozen=True, slots=True, eq=False)
class GroupMobility:
    """The freedoms of one group of loops."""

    system: LoopSystem
    kind: LoopKind
    gap: float
    """Scaled."""
    motion: FreeMotion
    lasting: int

    @property
    def is_closed(self) -> bool:
        """Whether its loops could be closed."""
        return self.gap <= CLOSED

    @property
    def redundant(self) -> int:
        """Loop rows that others imply."""
        return 6 * len(self.system.group.loops) - int(self.motion.forbidden.shape[1])


def mobility(
    model: Model,
    q: Configuration = None,
    *,
    locked: Sequence[str] = (),
    tolerance: float = RANK_TOLERANCE,
) -> Mobility:
    """The freedoms of a mechanism at q, or at the nearest pose where its loops are closed.

    Limits are not asked: what counts is what the joints and loops allow.

    Args:
        model: the compiled mechanism.
        q: configuration.
        locked: joints that are held still, such as motors that are switched on.
        tolerance: singular values below this share of the largest are zero.
    """
    if not 0 < tolerance < LARGEST_TOLERANCE:
        raise UsageError(
            f"the tolerance of a rank is between 0 and {LARGEST_TOLERANCE:g}, got {tolerance!r}"
        )
    here, groups = group_mobilities(model, configuration(model, q), locked, tolerance)
    return mobility_of(model, here, groups, locked)


def mobility_of(
    model: Model, here: Floats, groups: Sequence[GroupMobility], locked: Sequence[str] = ()
) -> Mobility:
    """The freedoms of a mechanism from those of its groups of loops in a pose."""
    basis = _all_motions(model, groups, locked)
    loops = len(model.loops)
    count = model.nv - sum(_size(model, name) for name in set(locked)) - 6 * loops
    planar = loops > 0 and all(group.kind is LoopKind.PLANAR for group in groups)
    values = [group.motion.singular_values for group in groups]
    lost = sum(group.motion.count - group.lasting for group in groups)
    found = Mobility(
        instantaneous=basis.shape[1],
        finite=basis.shape[1] - lost,
        gruebler=count,
        gruebler_planar=count + 3 * loops if planar else None,
        redundant=basis.shape[1] - count,
        idle=basis.shape[1] - seen_motions(model, here, basis),
        directions=basis,
        singular_values=np.sort(np.concatenate([np.zeros(0), *values]))[::-1],
        rank_gap=min((group.motion.rank_gap for group in groups), default=np.inf),
        q=here,
        gap=loop_gap(model, here),
        is_closed=all(group.is_closed for group in groups),
        text="",
    )
    object.__setattr__(found, "text", mobility_text(model, found, groups))
    return found


def group_mobilities(
    model: Model,
    q: Floats,
    locked: Sequence[str] = (),
    tolerance: float = RANK_TOLERANCE,
) -> tuple[Floats, tuple[GroupMobility, ...]]:
    """The pose with all loops closed, and the freedoms of each group of loops there."""
    closed = []
    for group in loop_groups(model):
        system = LoopSystem(model, group, q, locked=locked)
        q, gap = system.assemble(q)
        closed.append((system, gap))
    found = []
    for system, gap in closed:
        motion = free_motion(system, q, tolerance)
        lasting = lasting_freedoms(system, q, motion, tolerance) if gap <= CLOSED else 0
        kind = loop_kind(model, q, system.group, system.size)
        found.append(GroupMobility(system, kind, gap, motion, lasting))
    return q, tuple(found)


def _size(model: Model, name: str) -> int:
    return model.joint(name).type.info.nv


def _all_motions(model: Model, groups: Sequence[GroupMobility], locked: Sequence[str]) -> Floats:
    """Orthonormal basis of all freedoms over v: of joints outside the loops, then of each group."""
    in_loops = {i for group in groups for i in group.system.group.joints}
    outside = [
        i
        for n, joint in enumerate(model.joints)
        if n not in in_loops and joint.name not in locked
        for i in range(joint.v.start, joint.v.stop)
    ]
    blocks = [np.eye(model.nv)[:, outside]]
    for group in groups:
        steps = [group.system.velocity(step) for step in group.motion.basis.T]
        blocks.append(np.linalg.qr(np.array(steps).reshape(-1, model.nv).T)[0])
    return np.hstack(blocks)
