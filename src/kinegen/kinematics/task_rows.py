"""Rows of what is watched while a mechanism moves: frames, or the joints that drive it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.kernels import Floats, HandleKind, TaskKind
from kinegen.kinematics.closure import Task
from kinegen.kinematics.handles import Handle
from kinegen.kinematics.jacobians import jacobian
from kinegen.kinematics.positions import pose
from kinegen.kinematics.scaled_motion import RANK, ScaledMotion
from kinegen.spatial import SE3

__all__ = ["FrameRows", "JointRows", "Line", "Rows", "Tasks", "frame_rows"]

Tasks: TypeAlias = str | Task | Handle | Sequence[str | Task | Handle]
"""What is asked of frames: by name (their point if that says everything, else their pose), as tasks
or as handles, one or several."""

_KINDS = {
    TaskKind.POSE: HandleKind.POSE,
    TaskKind.POINT: HandleKind.POINT,
    TaskKind.ROTATION: HandleKind.ROTATION,
}


class Rows(Protocol):
    """Coordinates that are watched: how they change, and how far they are from an anchor pose."""

    @property
    def labels(self) -> tuple[str, ...]:
        """What each row is about, such as 'handle x'."""
        ...

    def jacobian(self, q: Floats, /) -> Floats:
        """Scaled change per scaled step, (rows, nv)."""
        ...

    def offset(self, q0: Floats, q: Floats, /) -> tuple[Floats, Floats]:
        """Scaled way from q0 to q in these coordinates, and its derivative by steps at q."""
        ...


@dataclass(frozen=True, slots=True)
class Aim:
    """One frame and what of it is watched."""

    frame: str
    kind: HandleKind
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Given in the frame [m]."""
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    """For directions, given in the frame."""


class FrameRows:
    """Points, rotations and directions of frames, in world axes; lengths by the size."""

    def __init__(self, motion: ScaledMotion, aims: Sequence[Aim]) -> None:
        self.motion = motion
        self.aims = tuple(aims)

    @property
    def labels(self) -> tuple[str, ...]:
        """Frame and axis of each row."""
        parts = {
            HandleKind.POINT: ("x", "y", "z"),
            HandleKind.POSE: ("x", "y", "z", "turn x", "turn y", "turn z"),
            HandleKind.ROTATION: ("turn x", "turn y", "turn z"),
            HandleKind.DIRECTION: ("x", "y", "z", "tilt 1", "tilt 2"),
        }
        return tuple(f"{aim.frame} {part}" for aim in self.aims for part in parts[aim.kind])

    def jacobian(self, q: Floats) -> Floats:
        """Scaled change per scaled step, (rows, nv)."""
        return np.vstack([self._rows(aim, q, pose(self.motion.model, q, aim.frame))
                          for aim in self.aims])  # fmt: skip

    def offset(self, q0: Floats, q: Floats) -> tuple[Floats, Floats]:
        """Scaled way from q0 to q: of points, and rotation vectors [rad]; and its derivative."""
        values, rows = [], []
        for aim in self.aims:
            X0, X = (pose(self.motion.model, at, aim.frame) for at in (q0, q))
            moved = (X.apply(aim.point) - X0.apply(aim.point)) / self.motion.size
            J = self._rows(aim, q, X, X0)
            if aim.kind is not HandleKind.ROTATION:
                values.append(moved)
            if aim.kind is HandleKind.DIRECTION:
                values.append(_across(X0, aim) @ X.so3.apply(_unit(aim.axis)))
            elif aim.kind is not HandleKind.POINT:
                turn = (X.so3 @ X0.so3.inverse()).log()
                values.append(turn)
                J[-3:] = _log_derivative(turn) @ J[-3:]
            rows.append(J)
        return np.concatenate(values), np.vstack(rows)

    def _rows(self, aim: Aim, q: Floats, X: SE3, X0: SE3 | None = None) -> Floats:
        """Rows at X; a direction's two ways to tilt are those of the anchor, if there is one."""
        J = jacobian(self.motion.model, q, aim.frame, point=aim.point) * self.motion.scale
        J[:3] /= self.motion.size
        if aim.kind is HandleKind.POINT:
            return J[:3]
        if aim.kind is HandleKind.ROTATION:
            return J[3:]
        if aim.kind is HandleKind.DIRECTION:
            axis = X.so3.apply(_unit(aim.axis))
            # a tilt across · (w × axis) is w · (axis × across)
            tilts = np.cross(axis, _across(X0 or X, aim))
            return np.vstack([J[:3], tilts @ J[3:]])
        return J


class JointRows:
    """The variables of some joints."""

    def __init__(self, motion: ScaledMotion, names: Sequence[str]) -> None:
        self.motion = motion
        self.names = tuple(names)
        model = motion.model
        self.variables = np.array(
            [i for name in names for i in range(model.nv)[model.joint(name).v]], dtype=int
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """The joint of each row."""
        joints = (self.motion.model.joint(name) for name in self.names)
        return tuple(joint.name for joint in joints for _ in joint.type.info.variables)

    def jacobian(self, q: Floats) -> Floats:
        """One row per variable, (rows, nv)."""
        return np.asarray(np.eye(self.motion.model.nv)[self.variables])

    def offset(self, q0: Floats, q: Floats) -> tuple[Floats, Floats]:
        """Scaled way from q0 to q and its derivative; quaternions by their rotation vector."""
        return self.motion.between(q0, q)[self.variables], self.jacobian(q)


class Line:
    """The condition that coordinates stay on a straight line through where they are at q0."""

    def __init__(
        self, rows: Rows, q0: Floats, direction: Floats, across: Floats | None = None
    ) -> None:
        """Draw the line.

        Args:
            rows: the coordinates.
            q0: where it begins.
            direction: of the line, over the rows.
            across: directions that must not change, orthonormal rows; by default all others.
        """
        self.rows, self.q0 = rows, q0
        self.direction = direction / np.linalg.norm(direction)
        self._across = np.linalg.svd(self.direction[None])[2][1:] if across is None else across

    def error(self, q: Floats) -> Floats:
        """How far q is off the line, scaled."""
        return np.asarray(self._across @ self.rows.offset(self.q0, q)[0])

    def jacobian(self, q: Floats) -> Floats:
        """Its derivative by scaled steps."""
        return np.asarray(self._across @ self.rows.offset(self.q0, q)[1])

    def ahead(self, q: Floats) -> Floats:
        """Way along the line per scaled step of each variable, (nv,)."""
        return np.asarray(self.direction @ self.rows.offset(self.q0, q)[1])

    def along(self, q: Floats) -> float:
        """How far along the line q is, scaled."""
        return float(self.direction @ self.rows.offset(self.q0, q)[0])


def frame_rows(motion: ScaledMotion, q: Floats, tasks: Tasks) -> FrameRows:
    """The rows of frames, tasks or handles.

    A frame that is only named is watched by its point where that moves in as many ways as its whole
    pose does near q, and by its pose otherwise.
    """
    if not isinstance(tasks, Sequence | Task | Handle):
        raise UsageError(f"tasks are frames' names, Tasks or Handles, got {tasks!r}")
    asked = [tasks] if isinstance(tasks, str | Task | Handle) else list(tasks)
    if not asked:
        raise UsageError("name at least one frame to watch")
    return FrameRows(motion, [_aim(motion, q, task) for task in asked])


def _aim(motion: ScaledMotion, q: Floats, task: str | Task | Handle) -> Aim:
    motion.model.site(task if isinstance(task, str) else task.frame)  # an error names the frames
    if isinstance(task, Task):
        return Aim(task.frame, _KINDS[task.kind])
    if isinstance(task, Handle):
        return Aim(task.frame, task.kind, _three(task.point), _three(task.axis))
    point_rank = pose_rank = 0
    rows = FrameRows(motion, [Aim(task, HandleKind.POSE)])
    for near in motion.neighbours(q, 0.1, 2):
        J = rows.jacobian(near) @ motion.free(near)
        if J.size:
            point_rank = max(point_rank, int(np.linalg.matrix_rank(J[:3], tol=RANK)))
            pose_rank = max(pose_rank, int(np.linalg.matrix_rank(J, tol=RANK)))
    return Aim(task, HandleKind.POINT if point_rank == pose_rank else HandleKind.POSE)


def _three(values: npt.ArrayLike) -> tuple[float, float, float]:
    x, y, z = np.asarray(values, dtype=float)
    return float(x), float(y), float(z)


def _unit(axis: Sequence[float]) -> Floats:
    return np.asarray(axis) / math.hypot(*axis)


def _across(X: SE3, aim: Aim) -> Floats:
    """Two directions across the aim's axis, (2, 3)."""
    return np.asarray(np.linalg.svd(X.so3.apply(_unit(aim.axis))[None])[2][1:])


def cross_matrix(a: Floats) -> Floats:
    """The matrix [a]× with [a]× b = a × b."""
    x, y, z = a.tolist()
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def _log_derivative(turn: Floats) -> Floats:
    """Change of a rotation vector per angular velocity in the outer axes, (3, 3)."""
    angle = float(np.linalg.norm(turn))
    W = cross_matrix(turn)
    # 1/12 is the limit for small angles; its next term is below rounding there
    c = 1 / 12 if angle < 1e-4 else (1 - angle / 2 / math.tan(angle / 2)) / angle**2
    return np.asarray(np.eye(3) - W / 2 + c * W @ W)
