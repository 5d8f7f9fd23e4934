"""Handles: targets of a frame while a mechanism is dragged or solved."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.kernels import Floats, HandleKind, Ints
from kinegen.kernels.call_records import HandleInts, HandleReals, Three
from kinegen.kernels.records import flat, parts, size_of
from kinegen.kinematics.configurations import Configuration
from kinegen.mechanism.any_model import AnyModel
from kinegen.mechanism.model import Model
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3

__all__ = ["NO_HANDLES", "POSITION", "TURN", "Handle", "pack_handles"]

ORIGIN, Z_AXIS = (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Handle:
    """A target for a point or the pose of a frame or link: grabbed, or pinned there."""

    frame: str
    """Name of the frame or link."""
    position: npt.ArrayLike | None = None
    """Target position of the point in the world [m]; None leaves its position free."""
    rotation: SO3 | None = None
    """Target rotation R_WF; None leaves it free."""
    direction: npt.ArrayLike | None = None
    """Target direction of ``axis`` in the world; rotation about it stays free."""
    point: npt.ArrayLike = ORIGIN
    """The grabbed point, given in the frame [m]."""
    axis: npt.ArrayLike = Z_AXIS
    """The axis to which ``direction`` applies, given in the frame."""
    pin: bool = False
    """Whether the handle is a pin, which is kept exactly, like a loop; other handles are followed
    as well as possible."""
    weight: float = 1.0
    """Weight of its position relative to other handles."""
    rotation_weight: float = 1.0
    """Weight of its rotation."""
    kind: HandleKind = field(init=False)

    def __post_init__(self) -> None:
        if self.rotation is not None and self.direction is not None:
            raise UsageError(f"handle on '{self.frame}': specify rotation or direction, not both")
        if self.position is None and self.direction is not None:
            raise UsageError(f"handle on '{self.frame}': a direction needs a position too")
        if self.position is None and self.rotation is None:
            raise UsageError(f"handle on '{self.frame}': specify a position, a rotation, or both")
        for what, value in (
            ("weight", self.weight),
            ("rotation_weight", self.rotation_weight),
        ):
            if not 0 < value < math.inf:
                raise UsageError(f"handle on '{self.frame}': {what} is {value}, must be positive")
        kind = HandleKind.POINT
        if self.position is None:
            kind = HandleKind.ROTATION
        elif self.rotation is not None:
            kind = HandleKind.POSE
        elif self.direction is not None:
            kind = HandleKind.DIRECTION
        object.__setattr__(self, "kind", kind)

    @staticmethod
    def pose(frame: str, target: SE3, *, pin: bool = False) -> Handle:
        """A handle whose target is a full pose X_WF."""
        return Handle(frame, target.translation, target.so3, pin=pin)

    @staticmethod
    def here(model: AnyModel, q: Configuration, frame: str, *, rotation: bool = True) -> Handle:
        """A pin that holds a frame where it is at q."""
        from kinegen.kinematics.positions import pose

        X = pose(model, q, frame)
        return Handle(frame, X.translation, X.so3 if rotation else None, pin=True)


def pack_handles(model: Model, handles: Sequence[Handle]) -> tuple[Ints, Floats]:
    """Handles as the kernels take them: rows of ``HandleInts`` and of ``HandleReals``."""
    ints, reals = [], []
    for handle in handles:
        ints.append([*HandleInts(model.site(handle.frame), int(handle.kind), int(handle.pin))])
        position, turn = ORIGIN, _NO_TURN
        if handle.position is not None:
            position = _three(handle.position, handle, "position")
        if handle.rotation is not None:
            w, x, y, z = handle.rotation.quat.tolist()
            turn = w, x, y, z
        if handle.direction is not None:
            turn = *_unit(handle.direction, handle, "direction"), 0.0
        point = ORIGIN if handle.point is ORIGIN else _three(handle.point, handle, "point")
        axis = Z_AXIS if handle.axis is Z_AXIS else _unit(handle.axis, handle, "axis")
        reals.append(
            flat(HandleReals(point, axis, position, turn, handle.weight, handle.rotation_weight))
        )
    return (
        np.array(ints, dtype=np.int32).reshape(-1, _INTS),
        np.array(reals, dtype=float).reshape(-1, _REALS),
    )


_INTS, _REALS = size_of(HandleInts), size_of(HandleReals)
NO_HANDLES = np.zeros((0, _INTS), np.int32), np.zeros((0, _REALS))
"""No handles, as the kernels take them."""
_, _, POSITION, TURN, *_ = parts(HandleReals)
"""Where these lie in the row of a handle."""
_NO_TURN = (1.0, 0.0, 0.0, 0.0)


def _three(values: npt.ArrayLike, handle: Handle, what: str) -> Three:
    try:
        x, y, z = np.asarray(values, dtype=float).tolist()
        if math.isfinite(x + y + z):
            return x, y, z
    except (TypeError, ValueError):
        pass
    raise UsageError(f"handle on '{handle.frame}': {what} takes 3 finite numbers, got {values!r}")


def _unit(values: npt.ArrayLike, handle: Handle, what: str) -> Three:
    x, y, z = _three(values, handle, what)
    length = math.hypot(x, y, z)
    if length < 1e-12:
        raise UsageError(f"handle on '{handle.frame}': {what} has zero length")
    return x / length, y / length, z / length
