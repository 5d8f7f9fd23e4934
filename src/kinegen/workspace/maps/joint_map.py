"""Joint-space map: the joint values of each branch over a box of places (R5, R7, R8)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError, whole_number
from kinegen.kernels import Floats
from kinegen.kernels.tolerances import LIMIT_SLACK
from kinegen.kinematics.analytic.closed_form import (
    AnalyticKind,
    AnalyticSolutions,
    analytic_geometry,
    physical_reach,
    solve_analytic,
    solve_wrist_angle,
)
from kinegen.kinematics.configurations import Configuration, configuration, difference
from kinegen.kinematics.limits import past_limits
from kinegen.kinematics.positions import pose
from kinegen.kinematics.solving.assembling.assembly import MOST_ATTEMPTS
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.headings import q_headings
from kinegen.mechanism.model import Model
from kinegen.memory import names_memory
from kinegen.results import Columns, Result
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3
from kinegen.workspace.budget import MOST_POSES, check_budget
from kinegen.workspace.maps.sheets import Progress, Sheets

__all__ = ["Branch", "JointMap", "MapChart", "joint_map"]

Box = Mapping[str, tuple[float, float, int]]
"""Axis 'x', 'y', 'z' → lowest, highest, number of values [m]."""
NEARBY = 200
"""Places next to a frame at which its branch is looked for."""


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """One branch of the inverse kinematics over all places."""

    name: str
    """In words, as 'front, elbow up'; without a closed form 'current' for the branch of
    the pose that was given, numbers for others."""
    qs: Floats
    """Joint values, (n, nq); NaN where this branch does not get there."""
    lamps: npt.NDArray[np.bool_]
    """Which joints are out of their range, (n, joints): q1, q2, … of 3D-RAS."""

    @property
    def reached(self) -> npt.NDArray[np.bool_]:
        """Places that this branch reaches, limits aside, (n,)."""
        return np.asarray(np.isfinite(self.qs).all(axis=1))

    @property
    def within(self) -> npt.NDArray[np.bool_]:
        """Places that it reaches with every joint in its range, (n,)."""
        return self.reached & ~self.lamps.any(axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class MapChart(Result):
    """Joint values along an axis of a map."""

    places: Floats
    """Along the axis [m], (m,)."""
    values: Floats
    """Joint values there [rad, m], (m, nq)."""


@dataclass(frozen=True, slots=True, eq=False)
class JointMap(Result):
    """Joint values over a box of positions."""

    model: Model
    frame: str
    joints: tuple[str, ...]
    """Names of the variables, one per column of ``qs``."""
    points: Floats
    """Places [m], (n, 3), x slowest, z fastest."""
    shape: tuple[int, int, int]
    """Values on x, y, z."""
    branches: tuple[Branch, ...]
    """The branches, the one that reaches most places first; of equals, the one with more places
    within the limits."""
    beyond: Floats
    """How far each place is beyond the arm's length [m], (n,): 3D-RAS eq. 19-20; NaN for arms
    without a closed form."""

    @property
    def name(self) -> str:
        """Of the mechanism."""
        return self.model.name

    @property
    def lamps(self) -> npt.NDArray[np.bool_]:
        """Joints that leave their range somewhere on the first branch, (joints,)."""
        return np.asarray(self.branches[0].lamps.any(axis=0))

    def columns(self) -> Columns:
        """A row per position and branch: position, branch, joint values (empty: not reached)."""
        joints = np.concatenate([branch.qs for branch in self.branches]).T
        places = np.tile(self.points, (len(self.branches), 1)).T
        return {
            "branch": np.repeat([branch.name for branch in self.branches], len(self.points)),
            **dict(zip(("x [m]", "y [m]", "z [m]"), places, strict=True)),
            **dict(zip(q_headings(self.model), joints, strict=True)),
        }

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Positions, and for each branch the joint values and the joints that are out of range."""
        return {
            "points": self.points,
            "joints": np.array(self.joints),
            "branches": np.array([branch.name for branch in self.branches]),
            "qs": np.stack([branch.qs for branch in self.branches]),
            "lamps": np.stack([branch.lamps for branch in self.branches]),
            "beyond": self.beyond,
        }

    def chart(self, axis: str, branch: int = 0) -> MapChart:
        """Joint values along an axis, with the other axes at their middle."""
        branch = whole_number(branch, "a branch", 0, len(self.branches) - 1)
        if axis not in "xyz" or len(axis) != 1:
            raise UsageError(f"there is no axis '{axis}'; axes: x, y, z")
        k = "xyz".index(axis)
        at: list[int | slice] = [count // 2 for count in self.shape]
        at[k] = slice(None)
        place = tuple(at)
        places = self.points[:, k].reshape(self.shape)[place]
        values = self.branches[branch].qs.reshape(*self.shape, -1)[place]
        return MapChart(places, values)

    def present_branch(self, q: Configuration = None) -> int:
        """The present branch of the mechanism: the nearest one at the position next to the frame.

        Args:
            q: Its pose; default: the file's start.
        """
        home = configuration(self.model, q)
        here = pose(self.model, home, self.frame).translation
        order = np.linalg.norm(self.points - here, axis=1).argsort(kind="stable")
        for place in order[:NEARBY]:
            moves = [
                float(np.linalg.norm(difference(self.model, home, one.qs[place])))
                if one.reached[place]
                else math.inf
                for one in self.branches
            ]
            if min(moves) < math.inf:
                return int(np.argmin(moves))
        return 0


@names_memory("a joint map: use fewer values per axis")
def joint_map(
    model: AnyModel,
    box: Box,
    *,
    frame: str | None = None,
    start: Configuration = None,
    wrist_angle: float | None = None,
    rotation: SO3 | None = None,
    attempts: int = 40,
    progress: Progress | None = None,
) -> JointMap:
    """Joint values of every branch for positions on a grid.

    Args:
        model: The mechanism or its model.
        box: Axis → lowest, highest, number of values [m]; along other axes the frame stays at its
            starting position.
        frame: The frame or link; default: the last.
        start: The pose at which branches begin; default: the file's start.
        wrist_angle: Angle of the hand above the horizontal [rad], for arms as in 3D-RAS.
        rotation: The rotation of the frame; default: any (arms of three joints, wrist arms without
            an angle, the solver).
        attempts: Starts per search if there is no closed form: branches are then searched at a few
            positions and continued to the others.
        progress: Called with the finished and total number of positions; if it returns False, the
            computation ends and keeps its results so far.
    """
    model = model_of(model)
    attempts = whole_number(attempts, "attempts", 1, MOST_ATTEMPTS)
    tool = frame or model.site_names[-1]
    if not model.nq:
        raise UsageError(
            f"mechanism '{model.name}' has no moving joint, so there are no joint values"
        )
    home = configuration(model, start)
    axes = _axes(model, box, home, tool)
    shape = (len(axes[0]), len(axes[1]), len(axes[2]))
    check_budget(
        math.prod(shape), 16 * model.nq, what="the joint map", remedy="Use fewer values per axis."
    )
    points = np.stack(np.meshgrid(*axes, indexing="ij")).reshape(3, -1)
    formula = _formula(model, tool, wrist_angle, rotation, home)
    if formula is None:
        sheets = Sheets(model, tool, rotation, points, shape, home)
        here = pose(model, home, tool).translation
        made = sheets.run(here, attempts, progress)
        found = {f"branch {n + 1}" if n else "current": qs for n, qs in enumerate(made)}
    else:
        found = _by_formula(formula, points, model.nq, progress)
    if not found:
        raise UsageError(f"'{tool}' of mechanism '{model.name}' reaches no place of the box")
    branches = [Branch(name, qs.T, _lamps(model, qs).T) for name, qs in found.items()]
    branches.sort(key=lambda one: (-int(one.reached.sum()), -int(one.within.sum())))
    beyond = np.full(points.shape[1], np.nan)
    if analytic_geometry(model, tool) is not None:
        beyond = np.array([physical_reach(model, tool, point).beyond for point in points.T])
    labels = [
        joint.name if joint.q.stop - joint.q.start == 1 else f"{joint.name}.{k}"
        for joint in model.joints
        for k in range(joint.q.stop - joint.q.start)
    ]
    return JointMap(model, tool, tuple(labels), points.T, shape, tuple(branches), beyond)


def _axes(model: Model, box: Box, home: Floats, tool: str) -> list[Floats]:
    here = pose(model, home, tool).translation
    wrong = sorted(set(box) - set("xyz"))
    if wrong or not box:
        raise UsageError(f"a box must have the axes x, y, z, got {', '.join(wrong) or 'none'}")
    axes = []
    for k, axis in enumerate("xyz"):
        low, high, count = box.get(axis, (float(here[k]), float(here[k]), 1))
        if not (math.isfinite(low) and math.isfinite(high)) or low > high or count < 1:
            raise UsageError(
                f"axis {axis} of the box is {low} … {high} in {count} values: use two finite "
                "numbers, the lower first, and a count of at least 1"
            )
        if count > MOST_POSES:
            raise UsageError(f"axis {axis} of the box has {count:,} values: use fewer")
        axes.append(np.linspace(low, high, count) if count > 1 else np.array([(low + high) / 2]))
    return axes


Formula = Callable[[Floats], AnalyticSolutions]


def _formula(
    model: Model, tool: str, wrist_angle: float | None, rotation: SO3 | None, home: Floats
) -> Formula | None:
    """The closed form for places, where the arm has one."""
    if wrist_angle is not None:
        return lambda point: solve_wrist_angle(model, tool, point, wrist_angle, start=home)
    geometry = analytic_geometry(model, tool)
    if rotation is None and geometry is not None and geometry.kind is AnalyticKind.POSITION:
        # arms of three joints have a closed form that needs no rotation and does not look at it
        rotation = pose(model, home, tool).so3
    if rotation is not None and geometry is not None:
        return lambda point: solve_analytic(model, tool, SE3(rotation, point), start=home)
    return None


def _by_formula(
    formula: Formula, points: Floats, nq: int, progress: Progress | None
) -> dict[str, Floats]:
    """Joint values (nq, n) by branch."""
    found: dict[str, Floats] = {}
    for i, point in enumerate(points.T):
        for answer in formula(point):
            if answer.exact:
                if answer.branch not in found:
                    found[answer.branch] = np.full((nq, points.shape[1]), np.nan)
                found[answer.branch][:, i] = answer.q
        if progress is not None and i % 64 == 0 and progress(i, points.shape[1]) is False:
            break
    return found


def _lamps(model: Model, qs: Floats) -> npt.NDArray[np.bool_]:
    """Joints out of their range at each place, (joints, n)."""
    with np.errstate(invalid="ignore"):  # places without a pose are not numbers
        outside = past_limits(model, qs.T) > LIMIT_SLACK
    return np.array([outside[:, joint.v].any(axis=1) for joint in model.joints])
