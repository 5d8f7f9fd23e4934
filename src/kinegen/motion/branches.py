"""Branches with names: the different ways in which a mechanism can begin a curve."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kinegen.curves.curve import Curve
from kinegen.kernels import Floats
from kinegen.kinematics.analytic.closed_form import analytic_geometry
from kinegen.kinematics.configurations import Configuration
from kinegen.kinematics.handles import Handle
from kinegen.kinematics.positions import pose
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model
from kinegen.motion.crossings import signs_for
from kinegen.motion.follow import path_branches
from kinegen.motion.targets import Tool
from kinegen.results import Result, ResultList

__all__ = ["PathBranch", "branch_namer", "named_branches"]

MOST = 12
"""Branches that are offered: more cannot be distinguished by eye."""
_LIMB = 3
"""Joints of a limb that still make a name."""


@dataclass(frozen=True, slots=True, eq=False)
class PathBranch(Result):
    """A branch in which a curve can begin."""

    name: str
    """Describes how the arm or its limbs bend, in words or signs."""
    q: Floats
    """The pose at the first point that is reached, (nq,)."""


def named_branches(
    model: AnyModel,
    curve: Curve,
    *,
    frame: str | None = None,
    tool: Tool = None,
    wrist_angle: float | None = None,
    start: Configuration = None,
    limits: bool = True,
) -> ResultList[PathBranch]:
    """Different branches, nearest to ``start`` first, named by how the arm or its limbs bend.

    If the curve leaves degrees of freedom open, there are whole families of poses; the nearest one
    of each name represents them. Arguments as for :func:`kinegen.motion.follow`.
    """
    model = model_of(model)
    found = path_branches(
        model, curve, frame=frame, tool=tool, wrist_angle=wrist_angle, start=start, limits=limits
    )
    if not len(found):
        return ResultList()
    name_of = branch_namer(model, found[0], frame or model.site_names[-1])
    named: dict[str, Floats] = {}
    for q in found:
        named.setdefault(name_of(q), q)
        if len(named) == MOST:
            break
    return ResultList(PathBranch(name, q) for name, q in named.items())


def branch_namer(model: Model, q: Floats, frame: str) -> Callable[[Floats], str]:
    """Gives the name of the branch of a pose; 'branch 1', 'branch 2', … where there is no other.

    Args:
        model: The compiled mechanism.
        q: One of the poses that are to be named.
        frame: The frame that follows a curve.
    """
    return _by_words(model, frame) or _by_signs(model, frame, q) or _by_count()


def _by_count() -> Callable[[Floats], str]:
    count = itertools.count(1)
    return lambda q: f"branch {next(count)}"


def _by_words(model: Model, frame: str) -> Callable[[Floats], str] | None:
    """'front, elbow up, …' for arms whose answers are known in closed form."""
    geometry = analytic_geometry(model, frame)
    if geometry is None:
        return None

    def name(q: Floats) -> str:
        answers = geometry.solve(pose(model, q, frame), start=q)
        near = [a for a in answers if a.exact]
        if not near:
            return "another"
        best = min(near, key=lambda a: float(np.abs(np.sin((a.q - q) / 2)).max()))
        return best.branch

    return name


def _by_signs(model: Model, frame: str, q: Floats) -> Callable[[Floats], str] | None:
    """On which side of its singular poses each limb is, where sides are known."""
    signs = signs_for(model, Handle(frame, pose(model, q, frame).translation), q)
    if signs is None:
        return None
    labels = [_limb(name.removeprefix("held: ")) for name in signs.names]
    # what the motors hold says nothing about how the curve is begun
    limbs = [k for k, name in enumerate(signs.names) if not name.startswith("held: ")]
    ways: dict[tuple[int, ...], str] = {}

    def name(q: Floats) -> str:
        every = signs.signs(q)
        sides = tuple(every[k] for k in limbs)
        if not sides:
            return "the only branch"
        if all(labels[k] for k in limbs):
            return ", ".join(
                f"{labels[k]} {'+' if side > 0 else '−' if side < 0 else '0'}"
                for k, side in zip(limbs, sides, strict=True)
            )
        return ways.setdefault(sides, f"branch {len(ways) + 1}")

    return name


def _limb(block: str) -> str:
    """The joints of a block, for its name; '' where they are too many to be one."""
    joints = dict.fromkeys(variable.split()[0] for variable in block.split("+"))
    return "–".join(joints) if len(joints) <= _LIMB else ""
