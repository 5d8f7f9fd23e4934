"""The singular pose ahead: where a course first meets a singularity, and how far that is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.branch_signs import BranchSigns
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.kinematics.courses import AnyCourse, Course, Curve, Way, as_course, follow
from kinegen.kinematics.singularity import SINGULAR, Probe, Singularity, examine
from kinegen.kinematics.task_rows import Tasks
from kinegen.mechanism.model import Model

__all__ = ["Ahead", "singular_ahead"]

STEP = 0.03
"""Largest move of any joint between looks [rad, or sizes of the mechanism]."""
_LOOKS = 2000
"""Looks at most: ten turns of a joint."""
_WORTH = 0.25
"""Dips of a distance above this are not looked into."""
_NEAR = 0.02
"""A distance below this is worth a warning though it does not reach zero."""
_GOLDEN = (5**0.5 - 1) / 2


@dataclass(frozen=True, slots=True, eq=False)
class Ahead:
    """What lies ahead on a course."""

    singular: Singularity | None
    """The first singular pose, or the nearest miss of one; None when there is none."""
    exact: bool
    """Whether the pose is singular itself, and not only passes one closely."""
    distance: float
    """Way to it along the course, or how far was looked [``unit``]."""
    unit: str
    """'m' or 'rad'."""
    text: str
    """In words."""
    path: tuple[Floats, ...]
    """Closed poses from the present one to it, or to where the search ended."""
    way: Way
    """The course with its coordinates."""

    @property
    def found(self) -> bool:
        """Whether there is a singular pose ahead."""
        return self.singular is not None

    @property
    def q(self) -> Floats | None:
        """The singular pose, (nq,), or None."""
        return None if self.singular is None else self.singular.q


def singular_ahead(
    model: Model,
    q: Configuration,
    course: AnyCourse,
    tasks: Tasks | None = None,
    *,
    inputs: Sequence[str] | None = None,
    within: float | None = None,
    limits: bool = True,
    step: float = STEP,
) -> Ahead:
    """Look along a course for the first singular pose of either kind.

    The mechanism is moved with closed loops. At the end of a frame's reach the pose found is the
    one where it would have to turn back.

    Args:
        model: the compiled mechanism.
        q: configuration with closed loops.
        course: a :class:`Course`, a handle on its way to its target, or speeds by joint.
        tasks: frames that should move; by default the course's own, or the file's last.
        inputs: joints that are driven; by default those with motors.
        within: how far to look [m, or rad]; by default to a handle's target, else four sizes of the
            mechanism or one turn.
        limits: whether to stop at joint limits.
        step: largest move of any joint between two looks [rad, or sizes of the mechanism].
    """
    here, wanted = configuration(model, q), as_course(course)
    probe = Probe(model, here, _watched(model, wanted) if tasks is None else tasks, inputs)
    way = Way(probe.motion, here, wanted, inputs)
    return search(probe, way, here, _reach(probe, way, wanted, within), limits, step)


def _watched(model: Model, course: Course) -> Tasks:
    if course.handle is not None:
        return course.handle
    return course.frame or model.site_names[-1]


def _reach(probe: Probe, way: Way, course: Course, within: float | None) -> float:
    if within is not None:
        return within
    if course.handle is not None:
        direction = np.asarray(way.line.rows.offset(way.line.q0, way.line.q0)[0])
        del direction
        return way.length
    return 4 * probe.motion.size if way.unit == "m" else 2 * np.pi
