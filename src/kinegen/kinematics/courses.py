"""Courses: straight ways of a frame or of joints, followed through singular poses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kinegen.errors import AssemblyError, UsageError
from kinegen.kernels import Floats, HandleKind
from kinegen.kinematics.assembly import inputs_of
from kinegen.kinematics.configurations import velocity
from kinegen.kinematics.handles import Handle
from kinegen.kinematics.positions import pose
from kinegen.kinematics.scaled_motion import RANK, ScaledMotion, null_basis
from kinegen.kinematics.task_rows import Aim, FrameRows, JointRows, Line, Rows, frame_rows

__all__ = ["Course", "Curve", "Way", "as_course", "follow"]

_SHORTEST = 1e-4
"""Scaled step below which a curve cannot be followed any further."""
_PROGRESS = 0.05
"""Scaled way along a line per joint motion below which the line is near its end."""


@dataclass(frozen=True, slots=True)
class Course:
    """A straight way that a frame or some joints are on."""

    frame: str | None = None
    """Frame or link that moves."""
    velocity: npt.ArrayLike = ()
    """3 numbers (its origin's velocity; its rotation is kept where the mechanism can turn it
    freely), or 6 (linear, then angular), in world axes; only the direction counts."""
    joints: Mapping[str, float | Sequence[float]] = field(default_factory=dict)
    """Speeds of joints; motors that are not named hold still."""
    handle: Handle | None = None
    """A handle that moves straight to its target."""


AnyCourse: TypeAlias = Course | Handle | Mapping[str, float | Sequence[float]]
"""A course, a handle on its way to its target, or speeds by joint."""


def as_course(course: AnyCourse) -> Course:
    """A course from what people give."""
    if isinstance(course, Course):
        return course
    if isinstance(course, Handle):
        return Course(handle=course)
    if isinstance(course, Mapping):
        return Course(joints=course)
    raise UsageError(f"a course is a Course, a Handle or speeds by joint, got {course!r}")


class Way:
    """A course from where a mechanism is: its coordinates, its line and its unit."""

    def __init__(
        self, motion: ScaledMotion, q: Floats, course: Course, inputs: Sequence[str] | None = None
    ) -> None:
        model = motion.model
        self.rows: Rows
        if course.joints:
            speeds = velocity(model, course.joints)
            held = [name for name in inputs_of(model) if model.loops] if inputs is None else inputs
            rows = JointRows(motion, list(dict.fromkeys([*course.joints, *held])))
            v = speeds[rows.variables]
            direction, lengths = v / motion.scale[rows.variables], v
            self.rows = rows
            units = {quantity for name in course.joints
                     for _, quantity in model.joint(name).type.info.variables}  # fmt: skip
            self.unit = "m" if units == {"length"} else "rad"
        else:
            self.rows, direction = _frame_course(motion, q, course)
            linear = _linear_part(self.rows, direction)
            self.unit = "m" if np.linalg.norm(linear) > 0 else "rad"
            lengths = linear * motion.size if self.unit == "m" else direction
        size = float(np.linalg.norm(direction))
        if not size > 0:
            raise UsageError("the course goes nowhere: its velocity is zero or its target is here")
        self.length = float(np.linalg.norm(lengths))
        """Way to the target of a handle [``unit``]."""
        self.line = Line(self.rows, q, direction)
        self.per_step = self.length / size
        """Way [m or rad] per scaled way along the line."""

    def distance(self, q: Floats) -> float:
        """How far q is along the course [``unit``]."""
        return self.line.along(q) * self.per_step


def _frame_course(motion: ScaledMotion, q: Floats, course: Course) -> tuple[FrameRows, Floats]:
    """Rows and scaled direction of a frame's course."""
    if course.handle is not None:
        handle = course.handle
        rows = frame_rows(motion, q, handle)
        X = pose(motion.model, q, handle.frame)
        parts = []
        if handle.position is not None:
            way = np.asarray(handle.position, dtype=float) - X.apply(handle.point)
            parts.append(way / motion.size)
        if handle.rotation is not None:
            parts.append((handle.rotation @ X.so3.inverse()).log())
        if handle.direction is not None:
            parts.append(np.zeros(2))
        return rows, np.concatenate(parts)
    if course.frame is None:
        raise UsageError("a course needs a frame with its velocity, a handle, or joints")
    try:
        numbers = np.array(course.velocity, dtype=float)
    except (TypeError, ValueError):
        numbers = np.empty(0)
    if numbers.shape not in {(3,), (6,)} or not np.isfinite(numbers).all():
        raise UsageError(
            f"the velocity of frame '{course.frame}' takes 3 or 6 finite numbers, got "
            f"{course.velocity!r}"
        )
    rows = frame_rows(motion, q, course.frame)
    if len(numbers) == 6:
        rows = FrameRows(motion, [Aim(course.frame, HandleKind.POSE)])
    elif _is_twisted(motion, q, rows):
        rows = FrameRows(motion, [Aim(course.frame, HandleKind.POINT)])
    direction = np.zeros(len(rows.labels))
    direction[: len(numbers)] = numbers
    direction[:3] /= motion.size
    return rows, direction


def _is_twisted(motion: ScaledMotion, q: Floats, rows: FrameRows) -> bool:
    """Whether a frame's freedoms change from pose to pose, so that it cannot keep its rotation."""
    near = motion.neighbours(q, 0.1, 3)
    parts = [rows.jacobian(each) @ motion.free(each) for each in near]
    rank = max(np.linalg.matrix_rank(part, tol=RANK) for part in parts)
    return bool(np.linalg.matrix_rank(np.hstack(parts), tol=RANK) > rank)


def _linear_part(rows: Rows, direction: Floats) -> Floats:
    return np.array(
        [0.0 if " t" in label else x for label, x in zip(rows.labels, direction, strict=True)]
    )  # " turn", " tilt"


class Curve:
    """Poses that keep the loops and a condition, followed by their tangent.

    The curve does not end where a frame or an input must turn back: there the mechanism goes on
    smoothly, into its other branch.
    """

    def __init__(
        self, motion: ScaledMotion, keep: Line | None, rank: int, *, hurry: bool = False
    ) -> None:
        """Describe the curve.

        Args:
            motion: the mechanism.
            keep: the line that is kept, or None for the loops alone.
            rank: of the loop rows in ordinary poses.
            hurry: where joints are to spare, go along the line with the least motion.
        """
        self.motion, self.keep, self._hurry = motion, keep, hurry
        self._rank = rank if keep is None else None

    def tangent(self, q: Floats, like: Floats) -> Floats:
        """The direction at q most like a given one, its largest part 1; zero if there is none."""
        J = self.motion.loops(q)
        if self.keep is None:
            basis = null_basis(J, self._rank)
        else:
            basis = null_basis(np.vstack([J, self.keep.jacobian(q)]))
            if self._hurry and basis.shape[1] > 1:
                ahead = self.keep.ahead(q)
                if float(np.linalg.norm(ahead @ basis)) > _PROGRESS:
                    like = ahead
        x = basis @ (like @ basis)
        largest = float(np.abs(x).max(initial=0.0))
        return x / largest if largest > 1e-9 else np.zeros_like(x)

    def at(self, q: Floats) -> Floats:
        """The pose of the curve next to q."""
        return self.motion.close(q, keep=self.keep)

    def between(self, q0: Floats, q1: Floats, share: float) -> Floats:
        """The pose of the curve at a share of the way from q0 to q1."""
        return self.at(self.motion.move(q0, share * self.motion.between(q0, q1)))


def follow(
    curve: Curve, q: Floats, tangent: Floats, step: float
) -> Iterator[tuple[Floats, Floats]]:
    """Poses and tangents along a curve, at most ``step`` (scaled) apart; ends where it is lost.

    Args:
        curve: what is followed.
        q: a pose on it.
        tangent: where to go first.
        step: largest move of any variable [rad, or sizes of the mechanism].
    """
    h = step
    while True:
        x = curve.tangent(q, tangent)
        if not x.any():
            return
        try:
            there = curve.at(curve.motion.move(q, h * x))
        except AssemblyError:
            there = None
        moved = h * x if there is None else curve.motion.between(q, there)
        # a jump to elsewhere shows as a step that is longer than asked for, or goes another way
        if there is None or float(np.abs(moved - h * x).max()) > 0.3 * h:
            h /= 2
            if h < _SHORTEST:
                return
            continue
        q, tangent = there, moved / float(np.abs(moved).max())
        yield q, tangent
        h = min(step, 1.5 * h)
