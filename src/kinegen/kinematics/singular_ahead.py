"""The singular pose ahead: where a course first meets a singularity, and how far that is."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.branch_signs import BranchSigns
from kinegen.kinematics.configurations import Configuration
from kinegen.kinematics.courses import AnyCourse, Course, Curve, Way, as_course, follow
from kinegen.kinematics.scaled_motion import beyond_limits, closed_configuration
from kinegen.kinematics.singularity import SINGULAR, Probe, Singularity, examine
from kinegen.kinematics.singularity_words import listed
from kinegen.kinematics.task_rows import Tasks
from kinegen.mechanism.model import Model

__all__ = ["Ahead", "singular_ahead"]

STEP = 0.03
"""Largest move of any joint between looks [rad, or sizes of the mechanism]."""
_LOOKS = 2000
"""Looks at most: ten turns of a joint."""
_PATIENCE = 60
"""Looks without headway before the search ends: about half a turn of a joint."""
_WORTH = 0.25
"""Dips of a distance above this are not looked into."""
NEAR = 0.02
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
    near: float = NEAR,
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
        near: poses that pass a singular one within this distance count; 0: exact ones only.
    """
    here, wanted = closed_configuration(model, q), as_course(course)
    probe = Probe(model, here, watched_by(model, wanted) if tasks is None else tasks, inputs)
    way = Way(probe.motion, here, wanted, inputs)
    return search(probe, way, here, reach_of(probe, way, wanted, within), limits, step, near)


def watched_by(model: Model, course: Course) -> Tasks:
    """The frame that a course is about; the file's last for courses of joints."""
    if course.handle is not None:
        return course.handle
    return course.frame or model.site_names[-1]


def reach_of(probe: Probe, way: Way, course: Course, within: float | None) -> float:
    """How far to look on a course."""
    if within is not None:
        return within
    if course.handle is not None:
        return way.length
    return 4 * probe.motion.size if way.unit == "m" else 2 * math.pi


@dataclass(frozen=True, slots=True, eq=False)
class _Look:
    """What is seen at one pose of a course."""

    q: Floats
    distances: Floats
    """Of both kinds; infinite where a kind does not exist."""
    sides: Floats
    """Signed values of the branches' blocks."""


def search(
    probe: Probe, way: Way, q: Floats, reach: float, limits: bool, step: float, near: float
) -> Ahead:
    """Follow a way until something singular is met."""
    signs = BranchSigns.of(probe, q)
    curve = Curve(probe.motion, way.line, probe.loop_rank, hurry=True)

    def look(at: Floats) -> _Look:
        values = probe.task_values(at), probe.gain_values(at)
        ends = [float(v[-1]) if len(v) else math.inf for v in values]
        return _Look(at, np.array(ends), signs.values(at))

    def ahead(found: Singularity | None, path: list[Floats], why: str = "") -> Ahead:
        distance = way.distance(path[-1])
        exact = found is not None and found.kind != "none"
        text = _text(found, distance, way.unit, why)
        return Ahead(found, exact, distance, way.unit, text, tuple(path), way)

    looks, path = [look(q)], [q]
    farthest, last_gain = 0.0, 0
    outside = set(beyond_limits(probe.model, q))  # who is outside already may go on
    if looks[0].distances.min() < SINGULAR:
        return ahead(examine(probe, q), path)
    for there, _ in follow(curve, q, way.line.ahead(q), step):
        looks = [*looks[-2:], look(there)]
        for candidate in (*_crossings(curve, look, looks), *_dips(curve, look, looks)):
            found = examine(probe, candidate)
            if found.kind != "none" or min(found.task_distance, found.gain_distance) < near:
                return ahead(found, [*path, candidate])
        path.append(there)
        distance = way.distance(there)
        if len(path) > _LOOKS or abs(distance) >= reach:
            return ahead(None, path)
        if distance > farthest + 1e-6 * reach:
            farthest, last_gain = distance, len(path)
        elif len(path) > last_gain + _PATIENCE:
            return ahead(None, path, ": the way leads no further")
        beyond = set(beyond_limits(probe.model, there)) - outside if limits else ()
        if beyond:
            return ahead(None, path, f": joint {listed(sorted(beyond))} meets its limit")
    return ahead(None, path, ": the way ends there")


def _crossings(curve: Curve, look: Callable[[Floats], _Look], looks: list[_Look]) -> list[Floats]:
    """Poses between the last two looks where a block changes its sign, nearest first."""
    a, b = looks[-2:]
    shares = []
    for i in np.flatnonzero(a.sides * b.sides < 0):
        # regula falsi, the standing end's value halved (the Illinois variant)
        low, high, f_low, f_high = 0.0, 1.0, a.sides[i], b.sides[i]
        for _ in range(60):
            share = (low * f_high - high * f_low) / (f_high - f_low)
            value = look(curve.between(a.q, b.q, share)).sides[i]
            if abs(value) < 1e-12 or high - low < 1e-13:
                break
            if value * f_high < 0:
                low, f_low = high, f_high
            else:
                f_low /= 2
            high, f_high = share, value
        shares.append(share)
    return [curve.between(a.q, b.q, share) for share in sorted(shares)]


def _dips(curve: Curve, look: Callable[[Floats], _Look], looks: list[_Look]) -> list[Floats]:
    """Poses within the last three looks where a distance is smallest, by golden section."""
    if len(looks) < 3:
        return []
    values = np.array([each.distances for each in looks])
    found = []
    for kind in range(2):
        first, middle, last = values[:, kind]
        if not (middle < first and middle <= last and middle < _WORTH):
            continue

        def at(s: float) -> Floats:
            return curve.between(looks[int(s)].q, looks[int(s) + 1].q, s - int(s))

        def value(s: float, kind: int = kind) -> float:
            return float(look(at(s)).distances[kind])

        low, high = 0.0, 2.0 - 1e-12
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        f_left, f_right = value(left), value(right)
        while high - low > 1e-9:
            if f_left < f_right:
                high, right, f_right = right, left, f_left
                left = high - _GOLDEN * (high - low)
                f_left = value(left)
            else:
                low, left, f_left = left, right, f_right
                right = low + _GOLDEN * (high - low)
                f_right = value(right)
        found.append(at((low + high) / 2))
    return found


def _text(found: Singularity | None, distance: float, unit: str, why: str) -> str:
    way = f"{distance * 1000:.4g} mm" if unit == "m" else f"{math.degrees(distance):.4g}°"
    if found is None:
        return f"no singular pose within {way}{why}"
    if found.kind != "none":
        return f"after {way}: {found.text}"
    kind = "frame" if found.task_distance < found.gain_distance else "loops"
    least = min(found.task_distance, found.gain_distance)
    return f"after {way} a singular pose is passed closely ({kind} {least:.2g})"
