"""Loop closure: the equations that the cut joints add, and CINEGEN's augmented Jacobian."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import hypot

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats, TaskKind
from kinegen.kinematics.configurations import Configuration, checked
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.results import Result

__all__ = [
    "FrameTask",
    "LoopGap",
    "augmented_jacobian",
    "loop_gap",
    "loop_jacobian",
    "loop_poses",
    "loop_residual",
]


@dataclass(frozen=True, slots=True)
class LoopGap(Result):
    """The largest gaps of all loops; both are 0 if all loops are closed."""

    distance: float
    """[m]"""
    angle: float
    """[rad]"""

    @property
    def largest(self) -> float:
        """The larger of the two numbers, to compare with rounding errors."""
        return max(self.distance, self.angle)

    def columns(self) -> dict[str, list[float]]:
        """One row."""
        return {"distance [m]": [self.distance], "angle [rad]": [self.angle]}


@dataclass(frozen=True, slots=True)
class FrameTask:
    """A target for a frame: its full pose, its position or its rotation."""

    frame: str
    kind: TaskKind = TaskKind.POSE

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "kind", TaskKind(self.kind))
        except ValueError:
            kinds = ", ".join(f"TaskKind.{kind.name}" for kind in TaskKind)
            raise UsageError(f"a task's kind must be one of {kinds}, got {self.kind!r}") from None


def loop_residual(model: AnyModel, q: Configuration = None) -> Floats:
    """phi(q), (6 · loop_count): per loop the offset [m, rad] of the cut joint's two ends.

    Three numbers p_KM_K [m], then the rotation vector of R_KM [rad]; all zero when closed.
    """
    model = model_of(model)
    out = np.empty(6 * model.constraint_count)
    model.kernels.loop_residual(checked(model, q), out)
    return out


def loop_gap(model: AnyModel, q: Configuration = None) -> LoopGap:
    """The widest gap of any loop: distance [m] and angle [rad]."""
    distance = angle = 0.0
    phi = loop_residual(model, q).tolist()
    for first in range(0, len(phi), 6):
        x, y, z, a, b, c = phi[first : first + 6]
        wide, turned = hypot(x, y, z), hypot(a, b, c)
        # by hand: max() takes longer than both distances
        distance = wide if wide > distance else distance
        angle = turned if turned > angle else angle
    return LoopGap(distance, angle)


def loop_jacobian(model: AnyModel, q: Configuration = None) -> Floats:
    """J_phi, (6 · loop_count, nv): the exact derivative of the residual, open or closed."""
    model = model_of(model)
    out = np.empty((6 * model.constraint_count, model.nv))
    model.kernels.loop_jacobian(checked(model, q), out)
    return out


def loop_poses(model: AnyModel, q: Configuration = None) -> Floats:
    """Poses of both ends M and K of every cut joint, (loop_count, 2, 7): wxyz, xyz [m]."""
    model = model_of(model)
    out = np.empty((model.constraint_count, 2, 7))
    model.kernels.loop_poses(checked(model, q), out)
    return out


def augmented_jacobian(model: AnyModel, q: Configuration, tasks: Iterable[FrameTask]) -> Floats:
    """Rows of all tasks (world axes, linear first), then the rows of all loops."""
    model = model_of(model)
    asked = list(tasks)
    pairs = np.array([(model.site(t.frame), t.kind) for t in asked], dtype=np.int32).reshape(-1, 2)
    rows = sum(task.kind.row_count for task in asked) + 6 * model.constraint_count
    out = np.empty((rows, model.nv))
    model.kernels.augmented_jacobian(checked(model, q), pairs, out)
    return out
