"""Targets: what is requested from a frame at every point of a curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from kinegen.curves.curve import Curve, CurvePoints
from kinegen.errors import UsageError
from kinegen.kernels import Floats, HandleKind
from kinegen.kinematics.handles import Handle
from kinegen.spatial.rotation import SO3

__all__ = ["Targets", "Tool", "targets_of"]

Tool: TypeAlias = Literal["normal"] | SO3 | npt.ArrayLike | None
"""How the tool is held: None leaves its rotation free, an SO3 is kept, three numbers are where its
z axis points, 'normal' points it at the surface."""

POINTS = 200
"""Points of a path when nothing else is said."""


@dataclass(frozen=True, slots=True, eq=False)
class Targets:
    """Where a frame should be, point by point."""

    frame: str
    points: CurvePoints
    kind: HandleKind
    turns: Floats | None
    """Quaternions wxyz (n, 4) or directions (n, 3); None where the rotation is free."""

    def __len__(self) -> int:
        return len(self.points.xyz)

    @property
    def exist(self) -> npt.NDArray[np.bool_]:
        """Which points exist, (n,)."""
        if self.turns is None:
            return self.points.exist
        return np.asarray(self.points.exist & np.isfinite(self.turns).all(axis=1))

    def missing(self, index: int) -> str:
        """Why a point does not exist."""
        return self.points.reason(index) or "the surface has no normal here"

    def handle(self, index: int) -> Handle:
        """What is asked at one point."""
        xyz = self.points.xyz[index]
        if self.turns is None:
            return Handle(self.frame, xyz)
        if self.kind is HandleKind.POSE:
            return Handle(self.frame, xyz, SO3(self.turns[index]))
        return Handle(self.frame, xyz, direction=self.turns[index])


def targets_of(
    curve: Curve | CurvePoints,
    frame: str,
    tool: Tool,
    *,
    points: int | None = None,
    step: float | None = None,
) -> Targets:
    """A curve as targets of a frame; with ``points`` or at most ``step`` [m] apart."""
    if points is not None and step is not None:
        raise UsageError("specify the number of points or their step, not both")
    if isinstance(curve, CurvePoints):
        found = curve
    elif isinstance(curve, Curve):
        found = (
            curve.spaced(step)
            if step is not None
            else curve.sample(POINTS if points is None else points)
        )
    else:
        raise UsageError(f"a path needs a Curve, such as segment(…), not {curve!r}")
    count = len(found.xyz)
    if not count:
        raise UsageError("a path needs at least one point, got none")
    if tool is None:
        return Targets(frame, found, HandleKind.POINT, None)
    if isinstance(tool, SO3):
        return Targets(frame, found, HandleKind.POSE, np.tile(tool.quat, (count, 1)))
    if isinstance(tool, str):
        if tool != "normal":
            raise UsageError(f"tool must be 'normal', a rotation or a direction, not '{tool}'")
        if found.normals is None:
            raise UsageError(
                "this curve does not lie on a surface: specify a direction of the tool instead"
            )
        return Targets(frame, found, HandleKind.DIRECTION, -found.normals)
    try:
        axis = np.asarray(tool, dtype=float)
    except (TypeError, ValueError):
        axis = np.empty(0)
    length = float(np.linalg.norm(axis)) if axis.shape == (3,) else 0.0
    if not (np.isfinite(length) and length > 0):
        raise UsageError(f"the direction of the tool must be 3 finite numbers, got {tool!r}")
    return Targets(frame, found, HandleKind.DIRECTION, np.tile(axis / length, (count, 1)))
