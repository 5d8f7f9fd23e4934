"""Closing a pose that somebody set or took over: the motors stay where they are, if they can."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from kinegen.errors import AssemblyError
from kinegen.kernels import Floats
from kinegen.kinematics.solving.assembling.assembly import assemble, close, inputs_of
from kinegen.kinematics.solving.assembling.explained import assemble_explained
from kinegen.kinematics.solving.assembling.words import start_note
from kinegen.kinematics.tolerances import is_closed, relative_gap
from kinegen.mechanism.model import Model
from kinegen.results import Result

__all__ = ["ClosedPose", "carried_pose", "close_pose", "close_start"]

ATTEMPTS = 40
"""Starts from which loops are tried to be closed: fractions of a second even in vain."""


@dataclass(frozen=True, slots=True, eq=False)
class ClosedPose(Result):
    """A pose whose loops are closed, or the reason why they are not."""

    q: Floats
    """(nq,)"""
    complaint: str | None = None
    """Why its loops are open, in words; None where they are closed."""
    note: str = ""
    """What closing the file's start changed of the values that the file states, in words."""


def close_pose(model: Model, q: Floats) -> ClosedPose:
    """The pose next to q (nq,) with closed loops; q itself where they cannot be closed.

    Motors stay where they are as long as the loops can be closed so.
    """
    if is_closed(model, q):
        return ClosedPose(q)
    motors = inputs_of(model)
    complaint = None
    for locked in (motors, ()) if motors else ((),):
        near, _ = close(model, q, locked=locked, limits=True)
        if is_closed(model, near):
            return ClosedPose(near)
        try:
            # what is wrong is looked for when nothing is held
            closed = assemble if locked else assemble_explained
            return ClosedPose(closed(model, q, locked=locked, attempts=ATTEMPTS).q)
        except AssemblyError as error:
            complaint = str(error)
    return ClosedPose(q, complaint)


def close_start(model: Model) -> ClosedPose:
    """The file's start with closed loops; as closed as it gets where they cannot be closed."""
    try:
        found = assemble_explained(model, attempts=ATTEMPTS)
        return ClosedPose(found.q, None, start_note(model, found))
    except AssemblyError as error:
        complaint = str(error)
    if model.mode is not None:  # there may be no such mode, and others
        with contextlib.suppress(AssemblyError):
            return ClosedPose(assemble(model, model.start(), attempts=ATTEMPTS).q, complaint)
    # so that the gap that people see is the one that cannot be closed
    start = model.start()
    near = close(model, start, limits=True)[0]
    return ClosedPose(min(start, near, key=lambda q: relative_gap(model, q)), complaint)


def carried_pose(model: Model, start: Floats, other: Model, q: Floats) -> Floats:
    """A pose of another model taken over by the names of joints, loops as they are.

    Args:
        model: The model that gets it.
        start: Where joints begin that the other does not have, or has with another type, (nq,).
        other: The other model.
        q: Its pose.
    """
    known = {joint.name: joint for joint in other.joints}
    own = start.copy()
    for joint in model.joints:
        before = known.get(joint.name)
        if before is not None and before.type is joint.type:
            own[joint.q] = q[before.q]
    return own
