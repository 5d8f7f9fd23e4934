"""Mobility: how many ways a mechanism can move in a pose, and how many of them last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.kinematics.closure import loop_gap
from kinegen.kinematics.jacobians import link_twists
from kinegen.kinematics.loop_kinds import loop_groups, LoopKind
from kinegen.kinematics.loop_system import (
    CLOSED,
    LoopSystem,
    link_transforms,
    placed_links,
    placed_points,
)
from kinegen.mechanism.model import Model

__all__ = ["RANK_TOLERANCE", "Mobility", "close", "free_motion", "mobility"]

RANK_TOLERANCE = 1e-6
"""Singular values below this share of the largest count as zero: closing a loop in a singular pose
leaves errors of about the root of rounding, 1e-8."""
_CLEAR = 10.0
"""Singular values that are this factor above or below the tolerance are clear cases; between, the
widest gap decides."""
_UNSEEN = 1e-6
"""Scaled motions below this move nothing."""
_STEP = 0.02
"""Largest scaled step of a trial motion: small against the bars, large against every tolerance."""


@dataclass(frozen=True, slots=True, eq=False)
class Mobility:
    """What a mechanism's freedoms are in one pose."""

    instantaneous: int
    """Freedoms to first order: nv - rank of the loop rows."""
    finite: int
    """Freedoms that survive a small finite motion; 0 when the loops cannot be closed."""
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


def mobility(
    model: Model,
    q: Configuration = None,
    *,
    locked: Sequence[str] = (),
    tolerance: float = RANK_TOLERANCE,
) -> Mobility:
    """The freedoms of a mechanism at q, or at the nearest pose where its loops are closed.

    Limits and motors are not asked: what counts is what the joints and loops allow.

    Args:
        model: the compiled mechanism.
        q: configuration.
        locked: joints that are held still, such as motors that are switched on.
        tolerance: singular values below this share of the largest are zero.
    """
    from kinegen.kinematics.mobility_words import mobility_text

    system, here, gap = close(model, configuration(model, q), locked)
    motion = free_motion(system, here, tolerance)
    is_closed = gap <= CLOSED
    groups = loop_groups(model, here)
    planar = bool(groups) and all(group.kind is LoopKind.PLANAR for group in groups)
    count = int(system.free.sum()) - 6 * len(model.loops)
    found = Mobility(
        instantaneous=motion.count,
        finite=lasting_freedoms(system, here, motion, tolerance) if is_closed else 0,
        gruebler=count,
        gruebler_planar=count + 3 * len(model.loops) if planar else None,
        redundant=motion.count - count,
        idle=motion.count - _seen(system, here, motion.basis),
        directions=np.linalg.qr(system.scale[:, None] * motion.basis)[0],
        singular_values=motion.singular_values,
        rank_gap=motion.rank_gap,
        q=here,
        gap=loop_gap(model, here),
        is_closed=is_closed,
        text="",
    )
    object.__setattr__(found, "text", mobility_text(model, found, groups))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class FreeMotion:
    """The motions that the loop rows leave, to first order."""

    basis: Floats
    """Orthonormal scaled steps, (nv, count)."""
    others: Floats
    """The rest of the space, right singular vectors by falling singular value, (nv, rank)."""
    singular_values: Floats
    rank_gap: float

    @property
    def count(self) -> int:
        """How many there are."""
        return self.basis.shape[1]


def close(model: Model, q: Floats, locked: Sequence[str] = ()) -> tuple[LoopSystem, Floats, float]:
    """The scaled loops, the nearest closed pose and its scaled gap."""
    system = LoopSystem(model, q, locked)
    here, gap = system.close(q)
    if gap > CLOSED:
        # another start often leads out of a dead end; where none does, the least open pose stays
        rng = np.random.default_rng(0)
        for reach in (0.1, 0.3, 0.6, 1.0):
            tried, gap_tried = system.close(
                system.move(q, system.free * rng.normal(0, reach, model.nv))
            )
            if gap_tried < CLOSED:
                return system, tried, gap_tried
            if gap_tried < 0.5 * gap:
                here, gap = tried, gap_tried
    return system, here, gap


def free_motion(system: LoopSystem, q: Floats, tolerance: float = RANK_TOLERANCE) -> FreeMotion:
    """Null space of the scaled loop rows at q, with the rank decided by the gap in the spectrum."""
    J = system.jacobian(q)[:, system.free]
    space = np.eye(system.model.nv)[:, system.free]
    if not J.size:
        return FreeMotion(space, space[:, :0], np.zeros(0), np.inf)
    _, values, Vt = np.linalg.svd(J, full_matrices=True)
    relative = np.maximum(values / (values[0] or 1.0), np.finfo(float).eps)
    sure = int((relative > _CLEAR * tolerance).sum())
    possible = int((relative > tolerance / _CLEAR).sum())
    padded = np.concatenate([[1.0], relative, [np.finfo(float).eps]])
    # rank r lies between the values r and r + 1, counted from 1
    drops = padded[sure : possible + 1] / padded[sure + 1 : possible + 2]
    rank = sure + int(drops.argmax())
    rank_gap = float(drops.max()) if rank < min(J.shape) else np.inf
    return FreeMotion(space @ Vt[rank:].T, space @ Vt[:rank].T, values, rank_gap)


def lasting_freedoms(
    system: LoopSystem, q: Floats, motion: FreeMotion, tolerance: float = RANK_TOLERANCE
) -> int:
    """How many freedoms survive a finite motion: the largest number on any way out of the pose.

    A mixed motion in all free directions is tried first; if it goes on as it began, all survive.
    Otherwise every direction is tried, and freedoms are counted in the poses that were reached.
    """
    rng = np.random.default_rng(0)
    if not motion.count or not system.model.loops:
        return motion.count
    if _goes_on(system, q, motion, rng, tolerance):
        return motion.count
    trials = [side * axis for axis in np.eye(motion.count) for side in (1.0, -1.0)]
    trials += list(rng.normal(size=(2 * motion.count, motion.count)))
    most = 0
    for trial in trials:
        there, kept = _try(system, q, motion, trial)
        if there is None or np.linalg.norm(kept) < 0.3:
            continue
        ahead = free_motion(system, there, tolerance)
        if ahead.count > most:
            lasts = _goes_on(system, there, ahead, rng, tolerance)
            most = max(most, ahead.count if lasts else _surviving(system, there, ahead))
    return most


def _try(
    system: LoopSystem, q: Floats, motion: FreeMotion, mix: Floats
) -> tuple[Floats | None, Floats]:
    """The pose reached by a small step, if the loops close there, and how much of it was kept.

    The second is the step made along the free directions by the length of the one asked for.
    """
    step = motion.basis @ mix
    step *= _STEP / np.abs(step).max()
    there, gap = system.close(system.move(q, step))
    made = motion.basis.T @ system.moved(q, there) / np.linalg.norm(step)
    return (there if gap <= CLOSED else None), made


def _goes_on(
    system: LoopSystem,
    q: Floats,
    motion: FreeMotion,
    rng: np.random.Generator,
    tolerance: float,
) -> bool:
    """Whether mixed motions in all free directions survive, and lead to poses with as many."""
    # a single lost direction must show in a mix of many
    allowed = 0.5 / np.sqrt(motion.count)
    for _ in range(2):
        mix = rng.normal(size=motion.count)
        there, made = _try(system, q, motion, mix)
        if there is None or np.linalg.norm(made - mix / np.linalg.norm(mix)) > allowed:
            return False
        if free_motion(system, there, tolerance).count != motion.count:
            return False
    return True


def _surviving(system: LoopSystem, q: Floats, motion: FreeMotion) -> int:
    """Rank of the map from steps asked for to steps made."""
    made = [_try(system, q, motion, axis)[1] for axis in np.eye(motion.count)]
    return int((np.linalg.svd(np.array(made), compute_uv=False) > 0.5).sum())


def _seen(system: LoopSystem, q: Floats, basis: Floats) -> int:
    """How many of the motions move a point, turn a frame or a loose end, or need a motor."""
    model = system.model
    if not basis.shape[1] or not model.loops:
        return basis.shape[1]
    links = placed_links(model)
    frames = links[len(links) - len(model.frames) :]
    loose = set(range(model.link_count)) - set(links[: len(links) - len(model.frames)])
    turning = sorted(loose | set(frames))
    motors = [i for j in model.joints if j.has_motor for i in range(j.v.start, j.v.stop)]
    arms = (placed_points(model, q) - link_transforms(model, q)[1][links]) / system.size
    effects = []
    for step in basis.T:
        twists = link_twists(model, q, system.scale * step) / np.repeat([system.size, 1.0], 3)
        points = twists[links, :3] + np.cross(twists[links, 3:], arms)
        effects.append(np.concatenate([points.ravel(), twists[turning].ravel(), step[motors]]))
    return int(np.linalg.matrix_rank(np.array(effects), tol=_UNSEEN))
