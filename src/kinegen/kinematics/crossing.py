"""Crossing singular poses: what lies on each side, and the way there with bounded steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.errors import AssemblyError, UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.branch_directions import branch_directions
from kinegen.kinematics.branch_signs import BranchSigns
from kinegen.kinematics.configurations import Configuration, configuration, difference
from kinegen.kinematics.courses import AnyCourse, Curve, Way, as_course, follow
from kinegen.kinematics.nearest_singular import distance_of, nearest_singular, weakness
from kinegen.kinematics.scaled_motion import ScaledMotion, beyond_limits
from kinegen.kinematics.side_names import side_name
from kinegen.kinematics.singular_ahead import reach_of, search, watched_by
from kinegen.kinematics.singularity import Probe, Singularity, examine
from kinegen.kinematics.task_rows import Line, Tasks
from kinegen.mechanism.model import Model

__all__ = ["Crossing", "Side", "cross", "sides"]

AMPLITUDE = 0.5
"""How far a phantom is from the singular pose [rad, or sizes of the mechanism]."""
_STEP = 0.03
"""Largest move of any joint between the poses of a path [rad, or sizes of the mechanism]."""
_TURN = np.pi / 2
"""How far a turn in place goes: then the frame can move where it could not before."""
_FARTHEST = 2.5
"""A joint that has moved this far has not come back to where it was [rad, or sizes]."""
_TRIAL = 0.05
"""Scaled motion that tells whether singular poses are left."""
_TRANSVERSE = 0.01
"""Singular poses are left if the distance grows by more than this share of the motion."""


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One way on from a singular pose."""

    name: str
    """In words, such as "'B' bends the other way (-)"."""
    sign: int
    """Sign of the motion of the joint that is named first."""
    q: Floats
    """A pose beyond: the phantom, (nq,)."""
    path: tuple[Floats, ...]
    """Closed poses from the present one through the singular one to the phantom."""
    crosses: bool
    """Whether it leads to another branch, and not back to the present one."""
    beyond: tuple[str, ...]
    """Joints that are outside their limits somewhere on the way."""


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
    here = configuration(model, q)
    way: Way | None = None
    if course is not None:
        wanted = as_course(course)
        probe = Probe(model, here, tasks or watched_by(model, wanted), inputs)
        way = Way(probe.motion, here, wanted, inputs)
        reach = reach_of(probe, way, wanted, None)
        ahead = search(probe, way, here, reach, limits=True, step=_STEP, near=0.0)
        if ahead.singular is None:
            raise UsageError(f"there is nothing to cross: {ahead.text}")
        approach = list(ahead.path)
    else:
        probe = Probe(model, here, tasks or model.site_names[-1], inputs)
        approach = nearest_singular(probe, here, kind, _STEP)
    singular = examine(probe, approach[-1])
    if kind is not None and singular.kind not in {kind, "both"}:
        raise UsageError(f"the singular pose ahead is not of kind '{kind}': {singular.text}")
    kinds = (kind,) if kind else ("task", "gain") if singular.kind == "both" else (singular.kind,)
    view = _View(probe, approach, singular, way, kinds[0], amplitude)
    found = view.at_branch_point() if singular.branch_point else view.at_fold()
    return Crossing(singular, tuple(sorted(found, key=lambda side: not side.crosses)))


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


class _View:
    """A singular pose with the way that led there, and what can be seen from it."""

    def __init__(
        self, probe: Probe, approach: list[Floats], singular: Singularity, way: Way | None,
        kind: str, amplitude: float,
    ) -> None:  # fmt: skip
        self.probe, self.motion, self.approach = probe, probe.motion, approach
        self.singular, self.way, self.kind, self.amplitude = singular, way, kind, amplitude
        self.q, self.start = approach[-1], approach[0]
        before = next((q for q in approach[::-1] if np.abs(self.motion.between(q, self.q)).max()
                       > 1e-9), None)  # fmt: skip
        self.came: Floats | None = None
        """Scaled direction of the motion that led here."""
        if before is not None:
            x = self.motion.between(before, self.q)
            self.came = x / np.abs(x).max()
        self.signs = BranchSigns.of(probe, self.start)

    def at_fold(self) -> list[Side]:
        """The two ways of a motion that stands still here, and where it leads nowhere, all four."""
        probe = self.probe
        rows, rank = (
            (probe.watched, probe.task_rank)
            if self.kind == "task"
            else (probe.drive, probe.drive_rank)
        )
        assert rows is not None
        _, lost, standing = probe.weakest(self.q, rows, rank)
        line = Line(rows, self.q, lost[:, 0])
        n = standing[:, 0] / np.abs(standing[:, 0]).max()
        if self._stays_singular(n):
            turn = Curve(self.motion, line, probe.loop_rank)
            found = [self._side(turn, sign * n, _TURN, in_place=True) for sign in (1, -1)]
            across = self._across()
            through = across if self.came is None else self.came
            across *= np.sign(across @ through) or 1.0
            straight = Curve(self.motion, self.way.line if self.way else None, probe.loop_rank)
            for sign in (1, -1):
                x, named = sign * through, sign * across
                found.append(self._side(straight, x, self.amplitude, named=named))
            return found
        home: float | None = None
        if self.way is not None and isinstance(self.way.rows, type(rows)):
            line, home = self.way.line, self.way.line.along(self.start)
            if abs(line.along(self.q) - home) < 1e-9:
                home = None
        curve = Curve(self.motion, line, probe.loop_rank)
        first = self._side(curve, n, self.amplitude, line=line, home=home)
        home = line.along(first.q) if home is None else home
        return [first, self._side(curve, -n, self.amplitude, line=line, home=home)]

    def at_branch_point(self) -> list[Side]:
        """All ways that meet where the loops lose rank."""
        curve = Curve(self.motion, None, self.probe.loop_rank)
        return [self._side(curve, x, self.amplitude, meeting=True)
                for x in branch_directions(self.motion, self.q, self.came)]  # fmt: skip

    def _stays_singular(self, n: Floats) -> bool:
        """Whether a standing motion leads to singular poses only."""
        for sign in (1, -1):
            there = self.motion.close(self.motion.move(self.q, sign * _TRIAL * n))
            if distance_of(self.probe, there, self.kind) > _TRANSVERSE * _TRIAL:
                return False
        return True

    def _across(self) -> Floats:
        """The direction in which singular poses are left fastest."""
        near = self.motion.neighbours(self.q, 1e-3, 1)[0]
        measure = weakness(self.probe, near, self.kind)
        x = self.motion.gradient(near, measure, self.probe.loop_rank)
        return np.asarray(x / max(float(np.abs(x).max()), 1e-300))

    def _side(
        self, curve: Curve, x: Floats, amplitude: float, *, line: Line | None = None,
        home: float | None = None, in_place: bool = False, meeting: bool = False,
        named: Floats | None = None,
    ) -> Side:  # fmt: skip
        """Follow a direction from the singular pose to the phantom.

        That is where the line is back at ``home``, if it comes there, and else ``amplitude`` away.
        """
        path, end = [self.q], None
        for there, _ in follow(curve, self.q, x, _STEP):
            path.append(there)
            moved = float(np.abs(self.motion.between(self.q, there)).max())
            if end is None and moved >= amplitude:
                end = len(path)
                if line is None or home is None:
                    break
            if line is not None and home is not None:
                before, now = line.along(path[-2]) - home, line.along(there) - home
                if before * now <= 0 and len(path) > 2:
                    path[-1] = curve.between(path[-2], there, before / (before - now))
                    end = len(path)
                    break
            if moved > _FARTHEST:
                break
        path = path[:end]
        # without signs the direction tells: on, or back where it came from
        crosses = self.came is None or float(x @ self.came) > 0
        if self.signs.names:
            crosses = self.signs.signs(path[-1]) != self.signs.signs(self.start)
        crosses = crosses and not in_place
        name, sign = side_name(
            self.probe.model, x if named is None else named, self.came, crosses=crosses,
            in_place=in_place, meeting=meeting, inputs=self.probe.inputs,
        )  # fmt: skip
        whole = (*self.approach, *path[1:])
        outside = {name: None for q in whole for name in beyond_limits(self.probe.model, q)}
        return Side(name, sign, path[-1], whole, crosses, tuple(outside))
