"""Crossing singular poses: what lies on each side, and the way there with bounded steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.errors import AssemblyError, UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.configurations import Configuration, configuration, difference
from kinegen.kinematics.courses import AnyCourse, Way, as_course
from kinegen.kinematics.nearest_singular import nearest_singular
from kinegen.kinematics.outlook import AMPLITUDE, STEP, Outlook, Side
from kinegen.kinematics.scaled_motion import ScaledMotion, closed_configuration
from kinegen.kinematics.singular_ahead import reach_of, search, watched_by
from kinegen.kinematics.singularity import Probe, Singularity, examine
from kinegen.kinematics.task_rows import Tasks
from kinegen.mechanism.model import Model

__all__ = ["Crossing", "Side", "cross", "sides"]


@dataclass(frozen=True, slots=True, eq=False)
class Crossing:
    """A singular pose and the ways on from it."""

    singular: Singularity
    sides: tuple[Side, ...]
    """Those that cross first."""

    def side(self, which: int | str) -> Side:
        """A side by index, or by a part of its name."""
        if isinstance(which, int):
            if 0 <= which < len(self.sides):
                return self.sides[which]
        else:
            for side in self.sides:
                if which in side.name:
                    return side
        names = "; ".join(f"{i}: {side.name}" for i, side in enumerate(self.sides))
        raise UsageError(f"there is no side {which!r}; sides: {names}")


def sides(
    model: Model,
    q: Configuration,
    tasks: Tasks | None = None,
    *,
    course: AnyCourse | None = None,
    inputs: Sequence[str] | None = None,
    kind: str | None = None,
    amplitude: float = AMPLITUDE,
) -> Crossing:
    """The singular pose ahead or nearby, and the poses beyond on each of its sides.

    With a course it is the first one on it, and phantoms have the frame (or the inputs) back where
    they are now, if they can. Without one it is the nearest, and the phantoms of a pair have the
    frame (or the inputs) in the same place.

    Args:
        model: the compiled mechanism.
        q: the present configuration, loops closed.
        tasks: frames that should move; by default the course's own, or the file's last.
        course: where it is going, as for :func:`singular_ahead`.
        inputs: joints that are driven; by default those with motors.
        kind: 'task' or 'gain', when only that kind is meant.
        amplitude: how far beyond the phantoms are [rad, or sizes of the mechanism].
    """
    here = closed_configuration(model, q)
    way: Way | None = None
    if course is not None:
        wanted = as_course(course)
        probe = Probe(model, here, tasks or watched_by(model, wanted), inputs)
        way = Way(probe.motion, here, wanted, inputs)
        reach = reach_of(probe, way, wanted, None)
        ahead = search(probe, way, here, reach, limits=True, step=STEP, near=0.0)
        if ahead.singular is None:
            raise UsageError(f"there is nothing to cross: {ahead.text}")
        approach = list(ahead.path)
    else:
        probe = Probe(model, here, tasks or model.site_names[-1], inputs)
        approach = nearest_singular(probe, here, kind, STEP)
    singular = examine(probe, approach[-1])
    if kind is not None and singular.kind not in {kind, "both"}:
        raise UsageError(f"the singular pose ahead is not of kind '{kind}': {singular.text}")
    kinds = (kind,) if kind else ("task", "gain") if singular.kind == "both" else (singular.kind,)
    outlook = Outlook(probe, approach, way, kinds[0], amplitude)
    return Crossing(singular, tuple(outlook.sides(meeting=singular.branch_point)))


def cross(
    model: Model,
    q: Configuration,
    tasks: Tasks | None = None,
    side: Side | int | str = 0,
    *,
    max_step: float,
    dt: float | None = None,
    course: AnyCourse | None = None,
    inputs: Sequence[str] | None = None,
) -> list[Floats]:
    """The way through a singular pose to one of its sides, in small steps with closed loops.

    Args:
        model: the compiled mechanism.
        q: the present configuration, loops closed.
        tasks: frames that should move, as for :func:`sides`.
        side: a side that :func:`sides` gave, its index, or a part of its name.
        max_step: largest change of any joint between two configurations [rad or m].
        dt: time between two configurations [s]; joints then stay below their motors' speeds too.
        course: as for :func:`sides`.
        inputs: as for :func:`sides`.
    """
    if not (np.isfinite(max_step) and max_step > 0):
        raise UsageError(f"max_step is {max_step}, must be positive [rad or m]")
    if dt is not None and not (np.isfinite(dt) and dt > 0):
        raise UsageError(f"dt is {dt} s, must be positive")
    if not isinstance(side, Side):
        side = sides(model, q, tasks, course=course, inputs=inputs).side(side)
    elif np.abs(difference(model, configuration(model, q), side.path[0])).max(initial=0.0) > 1e-6:
        raise UsageError("this side was found from another pose: ask for the sides again")
    bounds = np.full(model.nv, max_step)
    if dt is not None:
        bounds = np.minimum(bounds, model.speed * dt)
    return refine(ScaledMotion(model), side.path, bounds)


def refine(motion: ScaledMotion, path: Sequence[Floats], bounds: Floats) -> list[Floats]:
    """The path with closed poses put in between until no joint moves by more than its bound."""
    found = [path[0]]
    # from the back, so that what is still to come is at the end of the list
    ahead = [(q, 0) for q in path[:0:-1]]
    while ahead:
        q, depth = ahead.pop()
        x = motion.between(found[-1], q)
        if (np.abs(x * motion.scale) <= bounds).all():
            if np.abs(x).max(initial=0.0) > 0:
                found.append(q)
        elif depth > 40:
            raise AssemblyError(
                f"mechanism '{motion.model.name}' would jump on the way across", gap=0.0
            )
        else:
            ahead += [(q, depth + 1), (motion.close(motion.move(found[-1], x / 2)), depth + 1)]
    return found
