"""Crossing singular poses: what lies on each side, and the way there with bounded steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.errors import AssemblyError, UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.branch_directions import branch_directions
from kinegen.kinematics.branch_signs import BranchSigns
from kinegen.kinematics.configurations import Configuration, configuration, difference
from kinegen.kinematics.courses import AnyCourse, Curve, Way, follow
from kinegen.kinematics.nearest_singular import lost_measure, nearest_singular
from kinegen.kinematics.scaled_motion import ScaledMotion
from kinegen.kinematics.singular_ahead import singular_ahead
from kinegen.kinematics.singularity import SINGULAR, Probe, Singularity, examine
from kinegen.kinematics.singularity_words import listed, main_joints
from kinegen.kinematics.task_rows import Line, Tasks
from kinegen.mechanism.joint_types import JointType
from kinegen.mechanism.model import Model

__all__ = ["Crossing", "Side", "cross", "sides"]

AMPLITUDE = 0.5
"""How far a phantom is from the singular pose [rad, or sizes of the mechanism]."""
_STEP = 0.03
"""Largest move of any joint between the poses of a path [rad, or sizes of the mechanism]."""
_TRANSVERSE = 0.05
"""A standing motion with less than this share across the singular poses stays among them."""


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One way on from a singular pose."""

    name: str
    """In words, such as "'B' bends the other way (-)"."""
    sign: int
    """Sign of the motion of the joint that is named first."""
    q: Floats
    """A pose beyond: the phantom, (nq,)."""
    path: tuple[Floats, ...]
    """Closed poses from the present one through the singular one to the phantom."""
    crosses: bool
    """Whether it leads to another branch, and not back to the present one."""


@dataclass(frozen=True, slots=True, eq=False)
class Crossing:
    """A singular pose and the ways on from it."""

    singular: Singularity
    sides: tuple[Side, ...]
    """Those that cross first."""

    def side(self, which: int | str) -> Side:
        """A side by index, or by a part of its name."""
        if isinstance(which, int):
            if 0 <= which < len(self.sides):
                return self.sides[which]
        else:
            for side in self.sides:
                if which in side.name:
                    return side
        names = "; ".join(f"{i}: {side.name}" for i, side in enumerate(self.sides))
        raise UsageError(f"there is no side {which!r}; sides: {names}")


def sides(
    model: Model,
    q: Configuration,
    tasks: Tasks | None = None,
    *,
    course: AnyCourse | None = None,
    inputs: Sequence[str] | None = None,
    kind: str | None = None,
    amplitude: float = AMPLITUDE,
) -> Crossing:
    """The singular pose ahead or nearby, and the poses beyond on each of its sides.

    With a course it is the first one on it, and phantoms have the frame (or the inputs) back where
    they are now, if they can. Without one it is the nearest, and the phantoms of a pair have the
    frame (or the inputs) in the same place.

    Args:
        model: the compiled mechanism.
        q: the present configuration, loops closed.
        tasks: frames that should move; by default the course's own, or the file's last.
        course: where it is going, as for :func:`singular_ahead`.
        inputs: joints that are driven; by default those with motors.
        kind: 'task' or 'gain', when only that kind is meant.
        amplitude: how far beyond the phantoms are [rad, or sizes of the mechanism].
    """
    here = configuration(model, q)
    way: Way | None = None
    if course is not None:
        ahead = singular_ahead(model, here, course, tasks, inputs=inputs, near=0.0)
        if ahead.singular is None:
            raise UsageError(f"there is nothing to cross: {ahead.text}")
        approach, way = list(ahead.path), ahead.way
        watched: Tasks | None = tasks
        if watched is None:
            watched = [aim.frame for aim in way.frames] or None
        probe = Probe(model, here, watched or model.site_names[-1], inputs)
    else:
        probe = Probe(model, here, model.site_names[-1] if tasks is None else tasks, inputs)
        approach = nearest_singular(probe, here, kind, _STEP)
    singular = examine(probe, approach[-1])
    if kind is not None and singular.kind not in {kind, "both"}:
        raise UsageError(f"the singular pose ahead is not of kind '{kind}': {singular.text}")
    return _Explorer(probe, approach, singular, way, kind, amplitude).crossing()
