"""What is watched while a mechanism moves: frames with what of them counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.kernels import Floats, HandleKind, Ints, TaskKind
from kinegen.kernels.call_records import AimInts, AimReals
from kinegen.kernels.records import parts, size_of
from kinegen.kinematics.closure import FrameTask
from kinegen.kinematics.handles import Z_AXIS, Handle
from kinegen.mechanism.model import Model

__all__ = ["Aim", "FrameRows", "Tasks", "pack_aims", "unpack_aims"]

Tasks: TypeAlias = str | FrameTask | Handle | Sequence[str | FrameTask | Handle]
"""Tasks of frames: by name (their point if that says everything, else their pose), as tasks
or as handles, one or several."""

POINT, AXIS = parts(AimReals)
_KINDS = {
    TaskKind.POSE: HandleKind.POSE,
    TaskKind.POINT: HandleKind.POINT,
    TaskKind.ROTATION: HandleKind.ROTATION,
}
_PARTS = {
    HandleKind.POINT: ("x", "y", "z"),
    HandleKind.POSE: ("x", "y", "z", "turn x", "turn y", "turn z"),
    HandleKind.ROTATION: ("turn x", "turn y", "turn z"),
    HandleKind.DIRECTION: ("x", "y", "z", "tilt 1", "tilt 2"),
}


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

    def __init__(self, aims: Sequence[Aim]) -> None:
        self.aims = tuple(aims)

    @property
    def labels(self) -> tuple[str, ...]:
        """Frame and axis of each row."""
        return tuple(f"{aim.frame} {part}" for aim in self.aims for part in _PARTS[aim.kind])


def pack_aims(model: Model, tasks: Tasks) -> tuple[Ints, Floats]:
    """Frames, tasks or handles as the kernels take them: rows of ``AimInts`` and ``AimReals``.

    A frame that is only named has the kind -1: the kernels decide.
    """
    if not isinstance(tasks, Sequence | FrameTask | Handle):
        raise UsageError(f"tasks must be names of frames, Tasks or Handles, got {tasks!r}")
    asked = [tasks] if isinstance(tasks, str | FrameTask | Handle) else list(tasks)
    if not asked:
        raise UsageError("name at least one frame to watch")
    ints = np.zeros((len(asked), size_of(AimInts)), dtype=np.int32)
    reals = np.zeros((len(asked), size_of(AimReals)))
    for row, numbers, task in zip(ints, reals, asked, strict=True):
        kind, numbers[AXIS] = -1, Z_AXIS
        if isinstance(task, FrameTask):
            kind = _KINDS[task.kind]
        elif isinstance(task, Handle):
            kind = task.kind
            numbers[POINT], numbers[AXIS] = _three(task.point), _three(task.axis)
        row[:] = AimInts(model.site(task if isinstance(task, str) else task.frame), kind)
    return ints, reals


def unpack_aims(model: Model, ints: Ints, reals: Floats) -> FrameRows:
    """The rows of aims whose kinds are decided."""
    return FrameRows(
        [
            Aim(model.site_names[site], HandleKind(kind), _three(row[POINT]), _three(row[AXIS]))
            for (site, kind), row in zip(ints.tolist(), reals, strict=True)
        ]
    )


def _three(values: npt.ArrayLike) -> tuple[float, float, float]:
    x, y, z = np.asarray(values, dtype=float)
    return float(x), float(y), float(z)
