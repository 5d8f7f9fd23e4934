"""Headings: straight ways of a frame or of joints, followed to the first singular pose.

The specification of ``native/kernel/singular/heading.hpp``. The mechanism is followed along the
curve of poses that keep its loops and its line, by its tangent. That curve does not end where the
frame must turn back: there the mechanism continues smoothly into its other branch. Signs that
change and dips of the distances are narrowed down.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kinegen.kernels.call_records import HeadingInts, HeadingReals
from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.protocols.singular import HEADING_INTS, HEADING_REALS, HeadingType, SearchEnd
from kinegen.kernels.protocols.solver import HandleKind
from kinegen.kernels.records import parts
from kinegen.kernels.reference.loops.scaled_motion import ScaledMotion, null_basis
from kinegen.kernels.reference.singular.branch_signs import BranchSigns
from kinegen.kernels.reference.singular.probe import USUAL_REACH, Probe, choose_kind, values_of
from kinegen.kernels.reference.singular.rows import FrameRows, JointRows, Line, Rows, read_aim
from kinegen.kernels.tolerances import RANK, SINGULAR

_, _, DIRECTION = parts(HeadingReals)
LOOK_STEP = 0.03
"""Largest move of any joint between looks [rad, or sizes of the mechanism]."""
LOOK_LIMIT = 2000
"""Looks at most: ten turns of a joint."""
PATIENCE = 60
"""Looks without headway before the search ends: about half a turn of a joint."""
WORTH_A_LOOK = 0.25
"""Dips of a distance above this are not looked into."""
HIT_VALUE = 1e-6
"""A look below this has hit the singular pose itself, where no sign is left to change."""
SHORTEST_STEP = 1e-4
"""Scaled step below which a curve cannot be followed any further."""
_PROGRESS = 0.05
"""Scaled way along a line per joint motion below which the line is near its end."""
_GOLDEN = (5**0.5 - 1) / 2


class Heading:
    """A heading from where a mechanism is: its coordinates, its line and its unit."""

    def __init__(self, rows: Rows, q: Floats, direction: Floats, length: float, unit: bool) -> None:
        size = float(np.linalg.norm(direction))
        self.rows, self.is_length = rows, unit
        self.line = Line(rows, q, direction)
        self.per_step = length / size
        """Way [m or rad] per scaled way along the line."""

    def distance(self, q: Floats) -> float:
        """How far q is along the heading [m, or rad]."""
        return self.line.along(q) * self.per_step


def read_heading(motion: ScaledMotion, q: Floats, ints: Ints, reals: Floats) -> Heading | None:
    """A heading from its numbers (see the protocol); None when it goes nowhere."""
    given = HeadingInts(*ints[:HEADING_INTS].tolist())
    if given.type == HeadingType.FRAME:
        return _frame_heading(motion, q, given.site, given.kind, reals)
    v, marked = reals[HEADING_REALS:], ints[HEADING_INTS:]
    variables = np.flatnonzero((marked != 0) | (v != 0)).astype(np.int32)
    direction = v[variables] / motion.scale[variables]
    if not np.linalg.norm(direction) > 0:
        return None
    unit = bool(motion.is_length[v != 0].all())
    return Heading(
        JointRows(motion, variables), q, direction, float(np.linalg.norm(v[variables])), unit
    )


def _frame_heading(
    motion: ScaledMotion, q: Floats, site: int, kind: int, reals: Floats
) -> Heading | None:
    given, free_choice = reals[DIRECTION].copy(), kind < 0
    if free_choice:
        # three numbers: its rotation is kept where the mechanism can turn freely
        given[3:] = 0
        kind = choose_kind(motion, q, site)
        if _is_twisted(motion, q, FrameRows(motion, [read_aim(site, kind, reals)])):
            kind = HandleKind.POINT
    rows = FrameRows(motion, [read_aim(site, kind, reals)])
    direction = given[: rows.count].copy()
    linear = 0 if kind == HandleKind.ROTATION else 3
    direction[:linear] /= motion.size
    most = float(np.abs(direction).max(initial=0.0))
    if free_choice:
        # of which counts what the frame can ever do: nothing leads out of a mechanism's plane
        U, values, _ = np.linalg.svd(np.hstack(_usual_ways(motion, q, rows)))
        ways = U[:, : int((values >= RANK).sum())]
        direction = ways @ (ways.T @ direction)
    size = float(np.linalg.norm(direction))
    length = motion.size * float(np.linalg.norm(direction[:linear]))
    if not size > 1e-9 * most:
        return None
    return Heading(rows, q, direction, length if length > 0 else size, length > 0)


def _usual_ways(motion: ScaledMotion, q: Floats, rows: FrameRows) -> list[Floats]:
    """What coordinates can do in poses near q, (count, dof) each."""
    return [rows.jacobian(at) @ motion.free(at) for at in motion.neighbours(q, USUAL_REACH, 3)]


def _is_twisted(motion: ScaledMotion, q: Floats, rows: FrameRows) -> bool:
    """Whether the directions in which a frame can move change, so it cannot keep its rotation."""
    parts = _usual_ways(motion, q, rows)
    rank = max(int((values_of(part) >= RANK).sum()) for part in parts)
    return int((values_of(np.hstack(parts)) >= RANK).sum()) > rank


class Curve:
    """Poses that keep the loops and a line, if there is one, followed by their tangent."""

    def __init__(self, probe: Probe, keep: Line | None, *, hurry: bool = False) -> None:
        """Describe the curve; ``hurry``: with joints to spare, go along with the least motion."""
        self.motion, self.keep, self._hurry = probe.motion, keep, hurry
        self._rank = probe.loop_rank if keep is None else None

    def tangent(self, q: Floats, like: Floats) -> Floats:
        """The direction at q most like a given one, its largest part 1; zero if there is none."""
        J = self.motion.loops(q)
        if self.keep is None:
            basis = null_basis(J, self._rank)
        else:
            basis = null_basis(np.vstack([J, self.keep.jacobian(q)]))
            if self._hurry and basis.shape[1] > 1:
                ahead = self.keep.ahead(q)
                if float(np.linalg.norm(ahead @ basis)) > _PROGRESS:
                    like = ahead
        x = basis @ (like @ basis)
        largest = float(np.abs(x).max(initial=0.0))
        return x / largest if largest > 1e-9 else np.zeros_like(x)

    def between(self, q0: Floats, q1: Floats, share: float) -> Floats | None:
        """The pose of the curve at a share of the way from q0 to q1, or None."""
        return self.motion.close(
            self.motion.move(q0, share * self.motion.between(q0, q1)), self.keep
        )


def follow(
    curve: Curve, q: Floats, tangent: Floats, step: float
) -> Iterator[tuple[Floats, Floats]]:
    """Poses and tangents along a curve, at most ``step`` (scaled) apart; ends where it is lost."""
    h = step
    x = curve.tangent(q, tangent)
    while x.any():
        there = curve.motion.close(curve.motion.move(q, h * x), curve.keep)
        moved = h * x if there is None else curve.motion.between(q, there)
        # a jump to elsewhere shows as a step that is longer than asked for, or goes another way
        if there is None or float(np.abs(moved - h * x).max()) > 0.3 * h:
            h /= 2
            if h < SHORTEST_STEP:
                return
            continue
        q, tangent = there, moved / float(np.abs(moved).max())
        yield q, tangent
        h = min(step, 1.5 * h)
        x = curve.tangent(q, tangent)


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """What is seen at one pose of a heading."""

    q: Floats
    distances: tuple[float, float]
    signs: Floats
    """Signed values of the branches' blocks."""


@dataclass(slots=True, eq=False)
class Ahead:
    """What lies ahead on a heading."""

    end: SearchEnd
    distance: float
    """Way to it along the heading, or how far was looked [m, or rad]."""
    distances: tuple[float, float]
    """From both kinds of singular poses, of the pose that was found."""
    path: list[Floats]


@dataclass(frozen=True, slots=True)
class Options:
    """How to look."""

    reach: float
    """How far [m, or rad]."""
    limits: bool
    """Whether to stop at joint limits."""
    step: float
    """Largest scaled move between looks."""
    near: float
    """Poses that pass a singular one within this distance count; 0: exact ones only."""


def search(probe: Probe, signs: BranchSigns, heading: Heading, q: Floats, o: Options) -> Ahead:
    """Follow a heading until something singular is met."""
    curve = Curve(probe, heading.line, hurry=True)

    def look(at: Floats) -> Look:
        return Look(at, probe.distances(at), signs.values(at))

    def ahead(end: SearchEnd, path: list[Floats], distances: tuple[float, float]) -> Ahead:
        return Ahead(end, heading.distance(path[-1]), distances, path)

    looks, path = [look(q)], [q]
    first = looks[0].distances
    farthest, last_gain = 0.0, 0
    outside = probe.motion.beyond_limits(q)  # joints that are outside already may continue
    if min(first) < SINGULAR:
        return ahead(SearchEnd.FOUND, path, first)
    for there, _ in follow(curve, q, heading.line.ahead(q), o.step):
        looks = [*looks[-2:], look(there)]
        for candidate in _candidates(probe, signs, curve, looks, o.near):
            distances = probe.distances(candidate)
            if min(distances) < max(SINGULAR, o.near):
                return ahead(SearchEnd.FOUND, [*path, candidate], distances)
        path.append(there)
        if min(looks[-1].distances) < HIT_VALUE:
            return ahead(SearchEnd.FOUND, path, looks[-1].distances)
        distance = heading.distance(there)
        if len(path) > LOOK_LIMIT or abs(distance) >= o.reach:
            return ahead(SearchEnd.REACH, path, first)
        if distance > farthest + 1e-6 * o.reach:
            farthest, last_gain = distance, len(path)
        elif len(path) > last_gain + PATIENCE:
            return ahead(SearchEnd.NO_FURTHER, path, first)
        if o.limits and probe.motion.beyond_limits(there) - outside:
            return ahead(SearchEnd.LIMIT, path, first)
    return ahead(SearchEnd.LOST, path, first)


def _candidates(
    probe: Probe, signs: BranchSigns, curve: Curve, looks: list[Look], near: float
) -> Iterator[Floats]:
    """Poses among the last looks that may be singular: changes of sign, nearest first, and dips."""
    a, b = looks[-2:]
    changes = np.flatnonzero(a.signs * b.signs < 0).tolist()
    for share in sorted(_narrow_sign(signs, curve, a, b, i) for i in changes):
        pose = curve.between(a.q, b.q, share) if share >= 0 else None
        if pose is not None:
            yield pose
    for kind in range(2) if len(looks) == 3 else ():
        first, middle, last = (each.distances[kind] for each in looks)
        if middle < first and middle <= last and middle < WORTH_A_LOOK:
            pose = _narrow_dip(probe, curve, looks, kind, near)
            if pose is not None:
                yield pose


def _narrow_sign(signs: BranchSigns, curve: Curve, a: Look, b: Look, i: int) -> float:
    """The share of the way from a to b where value number i changes sign; -1 if it is lost.

    By regula falsi, the standing end's value halved (the Illinois variant).
    """
    low, high, f_low, f_high, share = 0.0, 1.0, float(a.signs[i]), float(b.signs[i]), 0.0
    for _ in range(60):
        share = (low * f_high - high * f_low) / (f_high - f_low)
        pose = curve.between(a.q, b.q, share)
        if pose is None:
            return -1.0
        value = float(signs.values(pose)[i])
        if abs(value) < 1e-12 or abs(high - low) < 1e-13:
            break
        if value * f_high < 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = share, value
    return share


def _narrow_dip(
    probe: Probe, curve: Curve, looks: list[Look], kind: int, near: float
) -> Floats | None:
    """The pose within three looks where a distance is smallest, by golden section."""

    def at(t: float) -> Floats | None:
        first = 0 if t < 1 else 1
        return curve.between(looks[first].q, looks[first + 1].q, t - first)

    def value(t: float) -> float:
        pose = at(t)
        return math.inf if pose is None else probe.distances(pose)[kind]

    low, high = 0.0, 2.0 - 1e-12
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    f_left, f_right = value(left), value(right)
    before, here, after = (each.distances[kind] for each in looks)
    # slopes of a distance are at most about the change of a look per look
    slope = 4 * max(abs(before - here), abs(after - here))
    while high - low > 1e-9:
        # a dip that can no longer come near enough is not worth more looks
        if min(f_left, f_right) - slope * (high - low) > max(near, SINGULAR):
            return None
        if f_left < f_right:
            high, right, f_right = right, left, f_left
            left = high - _GOLDEN * (high - low)
            f_left = value(left)
        else:
            low, left, f_left = left, right, f_right
            right = low + _GOLDEN * (high - low)
            f_right = value(right)
    return at((low + high) / 2)
