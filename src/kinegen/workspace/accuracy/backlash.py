"""Backlash and tolerances: how far backlash lets the tool move while everything is held (B11).

RobotDesigner enumerates all combinations of backlash, which grows exponentially with the joints.
Here every direction is one convex problem. To first order the furthest that backlash a, bounded per
source, lets the tool go in direction d, loops kept, is

    max  d · T a   with  P a = 0,  |a_j| <= bound_j
      =  min over lambda of  sum_j bound_j |(T' d - P' lambda)_j|,

so that every lambda gives a bound that holds, and the best one is met. It is found by reweighted
least squares, whose cost is linear in the number of sources; the a that belongs to it is then tried
on the mechanism itself and improved where it got to.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kinegen.errors import UsageError, seed_number, whole_number
from kinegen.kernels import Floats
from kinegen.kinematics.configurations import Configuration
from kinegen.kinematics.solving.assembling.assembly import assemble
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model
from kinegen.memory import names_memory
from kinegen.results import Columns, Result
from kinegen.workspace.accuracy.sources import LooseModel, sources_of
from kinegen.workspace.bodies.body import MOST_DIRECTIONS

__all__ = ["Backlash", "backlash"]

ROUNDS = 30
"""Reweightings: the bound is settled to four digits."""
SOFT = 1e-9
"""Weights never grow beyond the inverse of this share of the largest residual."""
SETTLED = 1.0001
"""Extents are given with this much more: the search for them settles to about a hundredth of it."""
IMPROVED = 3
"""How often an extreme pose is looked for again from where the last one was."""


@dataclass(frozen=True, slots=True, eq=False)
class Backlash(Result):
    """The effect of backlash on a frame at one pose."""

    model: Model
    frame: str
    q: Floats
    """The pose without backlash, (nq,)."""
    poses: Floats
    """Poses of the frame that were found (quaternion wxyz, xyz), (n, 7): extreme ones, and some
    between."""
    lower: Floats
    """Largest deviations found along -x, -y, -z of the world [m], (3,)."""
    upper: Floats
    """Largest deviations found along x, y, z [m], (3,)."""
    bound: Floats
    """First-order bound along x, y, z, in both directions [m], (3,)."""
    turn: Floats
    """First-order bound of the rotation about x, y, z, in both directions [rad], (3,)."""
    worst: float
    """Largest deviation found in any direction [m]."""
    worst_q: Floats
    """Configuration of that pose, (nq,)."""
    shares: dict[str, float]
    """Share of each source in the largest of the three bounds [m], largest first."""
    elapsed: float
    """Time it took [s]."""

    @property
    def name(self) -> str:
        """Of the mechanism."""
        return self.model.name

    @property
    def points(self) -> Floats:
        """Positions of the frame that were found [m], (n, 3)."""
        return self.poses[:, 4:]

    def columns(self) -> Columns:
        """A row per pose that was found."""
        heads = (*(f"{axis} [m]" for axis in "xyz"), *(f"quaternion {part}" for part in "wxyz"))
        return dict(zip(heads, [*self.poses[:, 4:].T, *self.poses[:, :4].T], strict=True))


@names_memory("the poses within the backlash: use fewer directions and poses")
def backlash(
    model: AnyModel,
    q: Configuration = None,
    frame: str | None = None,
    *,
    angle: float = 0.0,
    joints: Mapping[str, float] | None = None,
    length: float = 0.0,
    wobble: float = 0.0,
    directions: int = 60,
    fill: int = 200,
    seed: int = 0,
) -> Backlash:
    """How far backlash and tolerances let a frame move from its nominal pose, with fixed motors.

    Args:
        model: The mechanism or its model.
        q: The pose; default: the file's start, loops closed.
        frame: The frame or link; default: the last.
        angle: Angular backlash of every joint [rad]; for ball joints, in any direction.
        joints: Angular backlash by joint, instead of ``angle``; see
            :func:`kinegen.workspace.accuracy.sources.sources_of`.
        length: Tolerance of every bar, and backlash of every slide [m].
        wobble: How far the axis of a hinge may tilt in its bearing [rad].
        directions: Number of directions in which the farthest pose is searched.
        fill: Number of poses in between, for the picture.
        seed: Seed of these poses.
    """
    begin = time.perf_counter()
    model = model_of(model)
    directions = whole_number(directions, "the number of directions", 0, MOST_DIRECTIONS)
    fill, seed = (
        whole_number(fill, "the number of poses in between", 0, 10_000_000),
        seed_number(seed),
    )
    tool = frame or model.site_names[-1]
    sources = sources_of(model, angle, joints=joints, length=length, wobble=wobble)
    if not any(math.isfinite(source.bound) for source in sources):
        raise UsageError(
            "there is no backlash: specify an angle, a length, a wobble or the backlash of joints"
        )
    home = assemble(model, q).q
    loose = LooseModel(model, home, tool, sources)
    none = np.zeros(loose.count)
    task, rows = loose.columns(home, none)
    first = _FirstOrder(loose, task, _scaled(model, rows))
    start = loose.move(none)
    if start is None:
        raise UsageError(f"mechanism '{model.name}' cannot be closed at this pose")
    where = start[2]
    bound, turn, best = np.zeros(3), np.zeros(3), (-1.0, none)
    for axis in range(3):
        bound[axis], residual, _ = first.extreme(task[axis])
        turn[axis] = first.extreme(task[3 + axis])[0]
        if bound[axis] > best[0]:
            best = bound[axis], residual
    if not np.isfinite(bound).all():
        raise UsageError(
            f"frame '{tool}' of mechanism '{model.name}' is not held in some direction: joints "
            "that move freely need their own backlash, given by angle"
        )
    found = [start]
    axes = np.vstack([np.eye(3), -np.eye(3)])
    for way in np.vstack([axes, _sphere(directions)]):
        found += _furthest(loose, way, first)
    rng = np.random.default_rng(seed)
    extremes = np.array([numbers for _, numbers, _ in found])
    for k in range(fill):
        # free draws crowd the middle: between extreme poses lies what they seldom meet
        made = _between(loose, extremes, rng) if k % 2 else _anywhere(loose, first.rows, rng)
        if made is not None:
            found.append(made)
    poses = np.array([pose for _, _, pose in found])
    away = poses[:, 4:] - where[4:]
    far = np.linalg.norm(away, axis=1)
    shares = {
        source.name: float(source.bound * np.linalg.norm(best[1][part]))
        for source, part in zip(sources, loose.parts, strict=True)
        if math.isfinite(source.bound)
    }
    return Backlash(
        model, tool, home, poses,
        SETTLED * np.maximum(-away.min(axis=0), 0.0), SETTLED * np.maximum(away.max(axis=0), 0.0),
        bound, turn,
        SETTLED * float(far.max()), found[int(far.argmax())][0],
        dict(sorted(shares.items(), key=lambda item: -item[1])), time.perf_counter() - begin,
    )  # fmt: skip


Found = tuple[Floats, Floats, Floats]
"""Configuration, numbers of the sources, pose of the frame."""


class _FirstOrder:
    """The convex problem at one pose: everything that does not depend on the direction."""

    def __init__(self, loose: LooseModel, task: Floats, rows: Floats) -> None:
        self.loose, self.task = loose, task
        self.limits = np.array([s.bound if math.isfinite(s.bound) else 0.0 for s in loose.sources])
        self.owner = np.repeat(np.arange(len(loose.parts)), [s.size for s in loose.sources])
        self.free = ~np.isfinite(np.repeat([s.bound for s in loose.sources],
                                           [s.size for s in loose.sources]))  # fmt: skip
        # what moves freely must not be pulled: multipliers are split into those that see to that
        # and the rest, which are chosen
        self.rows = rows
        self.of_free = np.linalg.pinv(rows[:, self.free], rcond=1e-9)
        kept = rows - rows[:, self.free] @ (self.of_free @ rows)
        _, values, right = np.linalg.svd(kept, full_matrices=False)
        rank = int((values > 1e-9 * max(float(np.linalg.norm(rows)), 1e-300)).sum())
        self.kept = right[:rank].T
        self.kept[self.free] = 0.0

    def extreme(self, aim: Floats) -> tuple[float, Floats, Floats]:
        """The bound in a direction, the residual behind it, and the numbers that meet it."""
        base = aim - self.rows.T @ (self.of_free.T @ aim[self.free])
        if np.abs(base[self.free]).max(initial=0.0) > 1e-7 * max(1.0, float(np.abs(aim).max())):
            return math.inf, aim, np.zeros(len(aim))
        base[self.free] = 0.0
        if np.abs(base).max(initial=0.0) < 1e-13 * max(self.loose.model.size, 1.0):
            return 0.0, base, np.zeros(len(aim))  # nothing moves it that way
        weights = np.ones(len(aim))
        value, residual, numbers = math.inf, base, np.zeros(len(aim))
        finite = self.limits > 0
        for _ in range(ROUNDS if self.kept.shape[1] else 2):
            left = base
            if self.kept.shape[1]:
                weighted = self.kept.T * weights
                square = weighted @ self.kept
                square[np.diag_indices_from(square)] += 1e-14 * np.trace(square)
                left = base - self.kept @ np.linalg.solve(square, weighted @ base)
            sizes = self._lengths(left)
            total = float(self.limits @ sizes)
            # the weighted optimum keeps the loops; shrunk into its bounds it can be tried
            trial = weights * left
            trial[self.free] = -self.of_free @ (self.rows @ np.where(self.free, 0.0, trial))
            largest = float((self._lengths(trial)[finite] / self.limits[finite]).max(initial=0.0))
            if total < value:
                value, residual = total, left
            if largest > 0 and aim @ trial / largest > aim @ numbers:
                numbers = trial / largest
            least = SOFT * max(float(sizes.max(initial=0.0)), 1e-300)
            weights = (self.limits / np.maximum(sizes, least))[self.owner]
        return value, residual, numbers

    def _lengths(self, numbers: Floats) -> Floats:
        """Length of each source's part."""
        return np.sqrt(np.bincount(self.owner, numbers**2, len(self.limits)))


def _furthest(loose: LooseModel, way: Floats, first: _FirstOrder) -> list[Found]:
    """Poses on the way to the furthest in a direction, each looked for from the last."""
    found: list[Found] = []
    best = -math.inf
    for _ in range(IMPROVED):
        numbers = first.extreme(way @ first.task[:3])[2]
        made = _within(loose, numbers)
        if made is None:
            break
        reach = float(way @ made[2][4:])
        found.append(made)
        if reach <= best + 1e-9 * loose.model.size:
            break
        best = reach
        task, rows = loose.columns(made[0], made[1])
        first = _FirstOrder(loose, task, _scaled(loose.model, rows))
    return found


def _anywhere(loose: LooseModel, rows: Floats, rng: np.random.Generator) -> Found | None:
    """A pose somewhere within the backlash."""
    numbers = np.zeros(loose.count)
    for source, part in zip(loose.sources, loose.parts, strict=True):
        if math.isfinite(source.bound):
            numbers[part] = source.bound * rng.uniform(-1, 1, source.size) / math.sqrt(source.size)
    if len(rows):
        numbers -= np.linalg.lstsq(rows, rows @ numbers, rcond=1e-9)[0]
    return _within(loose, numbers / max(1.0, loose.excess(numbers)))


def _between(loose: LooseModel, extremes: Floats, rng: np.random.Generator) -> Found | None:
    """A pose between three extreme ones: bounds are convex, and loops keep to first order."""
    return _within(loose, rng.dirichlet(np.ones(3)) @ extremes[rng.integers(len(extremes), size=3)])


def _within(loose: LooseModel, numbers: Floats) -> Found | None:
    """The pose of some numbers, drawn back until every source is within its bound."""
    made = None
    for _ in range(4):
        made = loose.move(numbers)
        if made is None:
            numbers = 0.5 * numbers
            continue
        over = loose.excess(made[1])
        if over <= 1 + 1e-9:
            return made
        numbers = numbers / (over * (1 + 1e-6))
    return None if made is None or loose.excess(made[1]) > 1 + 1e-6 else made


def _scaled(model: Model, rows: Floats) -> Floats:
    """Loop rows with lengths by the mechanism's size."""
    if not len(rows):
        return rows
    shaped = rows.reshape(-1, 2, 3, rows.shape[1]).copy()
    shaped[:, 0] /= model.size
    return shaped.reshape(rows.shape)


def _sphere(count: int) -> Floats:
    """Directions spread evenly: a spiral with the golden angle."""
    if count < 1:
        return np.zeros((0, 3))
    z = 1 - (2 * np.arange(count) + 1) / count
    around = np.arange(count) * math.pi * (3 - math.sqrt(5))
    ring = np.sqrt(1 - z * z)
    return np.column_stack([ring * np.cos(around), ring * np.sin(around), z])
