"""The singular pose ahead: where a heading first meets a singularity, and how far that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kernels.protocols.singular import MonitorStatus, SearchEnd
from kinegen.kinematics.configurations import Configuration
from kinegen.kinematics.limits import outside_limits
from kinegen.kinematics.mobility.scaled_motion import closed_configuration
from kinegen.kinematics.singular.headings import AnyHeading, Heading, Way, as_heading
from kinegen.kinematics.singular.singularity import Probe, Singularity, examine
from kinegen.kinematics.singular.task_rows import Tasks
from kinegen.kinematics.singular.words import listed
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.headings import q_columns
from kinegen.mechanism.model import Model
from kinegen.results import Columns, Result

__all__ = ["NOWHERE", "Ahead", "search", "singular_ahead", "watched_by"]

STEP = 0.03
"""Largest move of any joint between looks [rad, or sizes of the mechanism]."""
NEAR = 0.02
"""A distance below this is worth a warning though it does not reach zero."""
NOWHERE = "the heading leads nowhere: its velocity is zero or its target is already reached"
_ENDS = {
    SearchEnd.NO_FURTHER: ": the motion cannot continue",
    SearchEnd.LOST: ": the motion ends there",
}


@dataclass(frozen=True, slots=True, eq=False)
class Ahead(Result):
    """What lies ahead on a heading."""

    model: Model
    singular: Singularity | None
    """The first singular pose, or the nearest miss of one; None when there is none."""
    exact: bool
    """Whether the pose is singular itself, and not only passes one closely."""
    distance: float
    """Way to it along the heading, or how far was looked [``unit``]."""
    unit: str
    """'m' or 'rad'."""
    text: str
    """In words."""
    path: Floats
    """Closed poses from the present one to it, or to where the search ended, (n, nq)."""

    @property
    def found(self) -> bool:
        """Whether there is a singular pose ahead."""
        return self.singular is not None

    @property
    def q(self) -> Floats | None:
        """The singular pose, (nq,), or None."""
        return None if self.singular is None else self.singular.q

    def columns(self) -> Columns:
        """A row per pose of the path."""
        return q_columns(self.model, self.path)


def singular_ahead(
    model: AnyModel,
    q: Configuration,
    tasks: Tasks | None = None,
    *,
    heading: AnyHeading,
    inputs: Sequence[str] | None = None,
    within: float | None = None,
    limits: bool = True,
    step: float = STEP,
    near: float = NEAR,
) -> Ahead:
    """Search along a heading for the first singular pose of either kind.

    The mechanism moves with closed loops. At the end of a frame's reach, the result is the pose
    where the frame would have to turn back.

    Args:
        model: the compiled mechanism.
        q: configuration with closed loops.
        tasks: frames that should move; by default the heading's own, or the file's last.
        heading: a :class:`Heading`, a handle on its way to its target, or speeds by joint.
        inputs: joints that are driven; by default those with motors.
        within: how far to search [m or rad]; default: up to the target of a handle, otherwise four
            times the size of the mechanism, or one turn.
        limits: whether to stop at joint limits.
        step: largest motion of any joint between two checks [rad, or sizes of the mechanism].
        near: distance within which a pose counts as singular; 0: exactly singular poses only.
    """
    model = model_of(model)
    here, wanted = closed_configuration(model, q), as_heading(heading)
    way = Way(model, here, wanted, inputs)
    probe = Probe(model, here, watched_by(model, wanted) if tasks is None else tasks, inputs)
    return search(probe, way, here, way.reach if within is None else within, limits, step, near)


def watched_by(model: Model, heading: Heading) -> Tasks:
    """The frame that a heading is about; the file's last for headings of joints."""
    if heading.handle is not None:
        return heading.handle
    return heading.frame or model.site_names[-1]


def search(
    probe: Probe, way: Way, q: Floats, reach: float, limits: bool, step: float, near: float
) -> Ahead:
    """Follow a way until something singular is met; a negative reach: as far as is useful."""
    status, end, is_length, distance, _, _, path = probe.monitor.ahead(
        q, way.ints, way.reals, reach, limits, step, near
    )
    if status == MonitorStatus.HEADING_IS_ZERO:
        raise UsageError(NOWHERE)
    found = examine(probe, path[-1]) if end == SearchEnd.FOUND else None
    why = _ENDS.get(SearchEnd(end), "")
    if end == SearchEnd.LIMIT:
        before = outside_limits(probe.model, q)
        beyond = sorted(set(outside_limits(probe.model, path[-1])) - set(before))
        why = f": joint {listed(beyond)} reaches its limit"
    unit = "m" if is_length else "rad"
    exact = found is not None and found.kind != "none"
    text = _text(found, distance, unit, why)
    return Ahead(probe.model, found, exact, distance, unit, text, np.array(path))


def _text(found: Singularity | None, distance: float, unit: str, why: str) -> str:
    way = f"{distance * 1000:.4g} mm" if unit == "m" else f"{math.degrees(distance):.4g}°"
    if found is None:
        return f"no singular pose within {way}{why}"
    if found.kind != "none":
        return f"after {way}: {found.text}"
    kind = "frame" if found.task_distance < found.gain_distance else "loops"
    least = min(found.task_distance, found.gain_distance)
    return f"after {way} the motion passes close to a singular pose ({kind} {least:.2g})"
