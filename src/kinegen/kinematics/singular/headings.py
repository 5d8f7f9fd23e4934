"""Headings: straight ways of a frame or of joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.kernels import Floats, HandleKind, Ints
from kinegen.kernels.call_records import HeadingInts, HeadingReals
from kinegen.kernels.protocols.singular import HEADING_INTS, HEADING_REALS, HeadingType
from kinegen.kernels.records import parts
from kinegen.kinematics.configurations import velocity
from kinegen.kinematics.handles import Z_AXIS, Handle
from kinegen.kinematics.positions import pose
from kinegen.kinematics.singular.task_rows import pack_aims
from kinegen.kinematics.solving.assembling.assembly import inputs_of
from kinegen.mechanism.model import Model

__all__ = ["Heading", "Way", "as_heading"]

TYPE = parts(HeadingInts)[0]
_, AXIS, DIRECTION = parts(HeadingReals)


@dataclass(frozen=True, slots=True)
class Heading:
    """The direction in which a frame or some joints move."""

    frame: str | None = None
    """Frame or link that moves."""
    velocity: npt.ArrayLike = ()
    """3 numbers, the velocity of its origin, of which only the part that it can ever perform
    counts, with its rotation kept if the mechanism can rotate it freely; or 6 (linear, then
    angular). World axes; only the direction counts."""
    joints: Mapping[str, float | Sequence[float]] = field(default_factory=dict)
    """Speeds of joints; motors that are not named hold still."""
    handle: Handle | None = None
    """A handle that moves straight to its target."""


AnyHeading: TypeAlias = Heading | Handle | Mapping[str, float | Sequence[float]]
"""A heading, a handle on its way to its target, or speeds by joint."""


def as_heading(heading: AnyHeading) -> Heading:
    """A heading from what people give."""
    if isinstance(heading, Heading):
        return heading
    if isinstance(heading, Handle):
        return Heading(handle=heading)
    if isinstance(heading, Mapping):
        return Heading(joints=heading)
    raise UsageError(f"a heading must be a Heading, a Handle or speeds by joint, got {heading!r}")


class Way:
    """A heading from where a mechanism is, as the kernels take it; without one, no heading."""

    def __init__(
        self, model: Model, q: Floats, heading: Heading | None, inputs: Sequence[str] | None = None
    ) -> None:
        self.ints: Ints = np.zeros(HEADING_INTS + model.nv, dtype=np.int32)
        """Type, site, kind, a mark per variable."""
        self.reals: Floats = np.zeros(HEADING_REALS + model.nv)
        """Point, axis, direction [m, rad]; a speed per variable."""
        self.reach = -1.0
        """Way to the target of a handle [m, or rad]; else negative."""
        self.ints[TYPE] = HeadingType.NONE
        if heading is None:
            return
        if heading.joints:
            self._set_joints(model, heading, inputs)
        elif heading.handle is not None:
            self._set_handle(model, q, heading.handle)
        elif heading.frame is not None:
            self._set_frame(model, heading.frame, heading.velocity)
        else:
            raise UsageError("a heading needs a frame with its velocity, a handle, or joints")

    def _set_joints(self, model: Model, heading: Heading, inputs: Sequence[str] | None) -> None:
        self.ints[TYPE] = HeadingType.JOINTS
        self.reals[HEADING_REALS:] = velocity(model, heading.joints)
        own = inputs_of(model) if model.constraint_count else ()
        held = list(own) if inputs is None else inputs
        for name in [*heading.joints, *held]:
            self.ints[HEADING_INTS:][model.joint(name).v] = 1

    def _set_frame(self, model: Model, frame: str, given: npt.ArrayLike) -> None:
        try:
            numbers = np.array(given, dtype=float)
        except (TypeError, ValueError):
            numbers = np.empty(0)
        if numbers.shape not in {(3,), (6,)} or not np.isfinite(numbers).all():
            raise UsageError(
                f"the velocity of frame '{frame}' takes 3 or 6 finite numbers, got {given!r}"
            )
        kind = -1 if len(numbers) == 3 else HandleKind.POSE
        self.ints[:HEADING_INTS] = HeadingInts(HeadingType.FRAME, model.site(frame), kind)
        self.reals[AXIS] = Z_AXIS
        self.reals[DIRECTION][: len(numbers)] = numbers

    def _set_handle(self, model: Model, q: Floats, handle: Handle) -> None:
        ints, reals = pack_aims(model, handle)
        self.ints[:HEADING_INTS] = HeadingInts(HeadingType.FRAME, *ints[0])
        self.reals[: reals.size] = reals[0]
        X, parts = pose(model, q, handle.frame), []
        if handle.position is not None:
            parts.append(np.asarray(handle.position, dtype=float) - X.apply(handle.point))
        if handle.rotation is not None:
            parts.append((handle.rotation @ X.so3.inverse()).log())
        direction = np.concatenate(parts) if parts else np.zeros(0)
        self.reals[DIRECTION][: len(direction)] = direction
        linear = direction[:3] if handle.position is not None else np.zeros(0)
        self.reach = float(np.linalg.norm(linear)) or float(np.linalg.norm(direction))
