"""The branches of a singular pose: which ways lead on from it, and a pose beyond on each.

The specification of ``native/kernel/singular/branches_beyond.hpp``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.protocols.singular import BranchKind, SingularKind
from kinegen.kernels.reference.loops.scaled_motion import ScaledMotion, fresh_part, signed
from kinegen.kernels.reference.singular.branch_signs import BranchSigns
from kinegen.kernels.reference.singular.heading import LOOK_STEP, Curve, follow
from kinegen.kernels.reference.singular.nearest import DIFFERENCE_STEP, gradient, weakness
from kinegen.kernels.reference.singular.probe import CLOSE_REACH, LOST_VALUE, Probe
from kinegen.kernels.reference.singular.rows import Line
from kinegen.kernels.tolerances import BRANCH_RANK, SINGULAR

_NEAR = 0.25
"""A start within this share of a phantom's distance is not mirrored: the phantom would hide in
the mechanism."""
_TURN = math.pi / 2
"""How far a turn in place goes: then the frame can move where it could not before."""
FARTHEST_WAY = 2.5
"""A joint that has moved this far has not come back to where it was [rad, or sizes]."""
LONGEST_WAY = 400
"""Poses of a way to a phantom at most."""
TRIAL_MOTION = 0.05
"""Scaled motion that shows whether singular poses are left."""
_TRANSVERSE = 0.01
"""Singular poses are left if the distance grows by more than this share of the motion."""
NAMED_SHARE = 0.4
"""Joints with this share of the largest motion are named."""


@dataclass(slots=True, eq=False)
class BranchBeyond:
    """One way on from a singular pose, with what its name needs."""

    kind: BranchKind
    crosses: bool
    sign: int
    joint: int
    other: int
    same: bool
    goes_on: bool
    led: bool
    path: list[Floats]
    """Closed poses from the singular one, left out, to the phantom."""


@dataclass(frozen=True, slots=True, eq=False)
class _Way:
    """How far and to what a branch is followed."""

    curve: Curve
    amplitude: float
    line: Line | None = None
    """The phantom is where this line is back at ``home``, if it comes there."""
    home: float | None = None
    in_place: bool = False
    meeting: bool = False
    named: Floats | None = None


class Outlook:
    """A singular pose with the way that led there, and what can be seen from it."""

    def __init__(
        self, probe: Probe, signs: BranchSigns, approach: Sequence[Floats], way: Line | None,
        kind: SingularKind, amplitude: float,
    ) -> None:  # fmt: skip
        self.probe, self.motion, self.signs = probe, probe.motion, signs
        self.way, self.kind, self.amplitude = way, kind, amplitude
        self.q, self.start = approach[-1], approach[0]
        self.came: Floats | None = None
        """Scaled direction of the motion that led here."""
        ways = [self.motion.between(q, self.q) for q in approach[:-1]]
        far = [x for x in ways if np.abs(x).max() > TRIAL_MOTION / 2] or ways[:1]
        if far and np.abs(far[-1]).max() > 1e-9:
            self.came = far[-1] / np.abs(far[-1]).max()

    def branches_beyond(self, *, meeting: bool) -> list[BranchBeyond]:
        """Every way on, those that cross first; ``meeting``: where the loops lose rank."""
        found = [branch for branch in self._at_branch_point() if branch] if meeting else []
        found = found or [branch for branch in self._at_fold() if branch]
        return sorted(found, key=lambda branch: not branch.crosses)

    def _at_branch_point(self) -> list[BranchBeyond | None]:
        """Every way that meets where the loops lose rank."""
        way = _Way(Curve(self.probe, None), self.amplitude, meeting=True)
        return [self._branch(way, x) for x in branch_directions(self.motion, self.q, self.came)]

    def _at_fold(self) -> list[BranchBeyond | None]:
        """The two ways of a motion that stands still here, and where it leads nowhere, all four."""
        probe = self.probe
        task = self.kind is SingularKind.TASK
        rows = probe.watched if task else probe.drive
        _, lost, standing = probe.weakest(
            self.q, rows, probe.task_rank if task else probe.drive_rank
        )
        if not lost.shape[1]:
            return []
        # the line through here in the direction that is lost, all that can move kept
        U, values, _ = np.linalg.svd(rows.jacobian(self.q) @ probe.free(self.q))
        line = Line(rows, self.q, lost[:, 0], U[:, : int((values > LOST_VALUE).sum())].T)
        n = standing[:, 0] / np.abs(standing[:, 0]).max()
        if self._stays_singular(n):
            turn = _Way(Curve(probe, line), _TURN, in_place=True)
            return [self._branch(turn, n), self._branch(turn, -n), *self._through()]
        home: float | None = None
        if self.way is not None and self._stands(self.way, n):
            # a heading whose own coordinates stand still in this motion comes back on it
            line = self.way
            far = float(np.abs(self.motion.between(self.start, self.q)).max())
            if far >= _NEAR * self.amplitude:
                home = line.along(self.start)
        curve = Curve(probe, line)
        first = self._branch(_Way(curve, self.amplitude, line, home), n)
        if home is None and first is not None:
            home = line.along(first.path[-1])
        return [first, self._branch(_Way(curve, self.amplitude, line, home), -n)]

    def _through(self) -> list[BranchBeyond | None]:
        """Straight through, and back."""
        near = self.motion.neighbours(self.q, CLOSE_REACH, 1)[0]
        across = gradient(self.probe, near, weakness(self.probe, near, self.kind))
        if across is None:
            return []
        across /= max(float(np.abs(across).max()), 1e-300)
        through = across if self.came is None else self.came
        if across @ through < 0:
            across = -across
        curve = Curve(self.probe, self.way)
        return [
            self._branch(_Way(curve, self.amplitude, named=sign * across), sign * through)
            for sign in (1, -1)
        ]

    def _stays_singular(self, n: Floats) -> bool:
        """Whether a standing motion leads to singular poses only."""
        for sign in (1, -1):
            there = self.motion.close(self.motion.move(self.q, sign * TRIAL_MOTION * n))
            if there is None or self.probe.distance(there, self.kind) > _TRANSVERSE * TRIAL_MOTION:
                return False
        return True

    def _stands(self, way: Line, x: Floats) -> bool:
        """Whether the heading's own coordinates stand still in a motion."""
        return float(np.abs(way.rows.jacobian(self.q) @ x).max()) < SINGULAR

    def _branch(self, way: _Way, x: Floats) -> BranchBeyond | None:
        """Follow a direction from the singular pose to the phantom; None if it leads nowhere."""
        path, end = [self.q], None
        for there, _ in follow(way.curve, self.q, x, LOOK_STEP):
            path.append(there)
            moved = float(np.abs(self.motion.between(self.q, there)).max())
            if end is None and moved >= way.amplitude:
                end = len(path)
                if way.home is None:
                    break
            if way.line is not None and way.home is not None:
                before, now = (way.line.along(q) - way.home for q in path[-2:])
                if before * now <= 0 and len(path) > 2:
                    path[-1] = _come_home(way.curve, way.line, path[-2], there, way.home)
                    end = len(path)
                    break
            if moved > FARTHEST_WAY or len(path) > LONGEST_WAY:
                break
        path = path[1:end]
        if not path:
            return None
        # without signs the direction decides: onward, or back where it came from
        crosses = self.came is None or float(x @ self.came) > 0
        if self.signs.count:
            crosses = self.signs.signs(path[-1]) != self.signs.signs(self.start)
        branch = self._named(x if way.named is None else way.named, way.in_place, way.meeting)
        branch.crosses, branch.path = crosses and not way.in_place, path
        return branch

    # Names

    def _named(self, x: Floats, in_place: bool, meeting: bool) -> BranchBeyond:
        joints = self._main_joints(x, 2)
        branch = BranchBeyond(
            BranchKind.IN_PLACE if in_place else BranchKind.BENDS, False, self._sign(x, joints[0]),
            joints[0], joints[1] if len(joints) > 1 else -1, False, False, self.came is not None,
            [],
        )  # fmt: skip
        if not in_place and meeting and self.came is not None:
            self._name_meeting(x, self.came, branch)
        return branch

    def _name_meeting(self, x: Floats, came: Floats, branch: BranchBeyond) -> None:
        """A way on from a branch point, compared with the one that led there."""
        driven = set(self.probe.drive.variables.tolist())
        largest = float(np.abs(came).max())
        movers = [
            joint for joint, part in enumerate(self.motion.joint_parts())
            if part.start in driven and self._part(came, joint) > 0.05 * largest
        ]  # fmt: skip
        driver = movers[0] if movers else self._main_joints(came, 1)[0]
        branch.sign, branch.joint, branch.other = self._sign(x, driver), driver, driver
        branch.goes_on = branch.sign == self._sign(came, driver)
        likeness = float(x @ came) / float(np.linalg.norm(x) * np.linalg.norm(came))
        if abs(likeness) > 0.99:
            branch.kind = BranchKind.ONWARD if likeness > 0 else BranchKind.BACK
            return
        branch.kind = BranchKind.PARTS
        # both motions per unit of the driver's: they differ most in one joint
        own, theirs = (max(self._part(y, driver), 1e-9) for y in (x, came))
        change = x / own * (1 if branch.goes_on else -1) - came / theirs
        others = [joint for joint in self._main_joints(change, 3) if joint != driver]
        branch.joint = others[0] if others else driver
        branch.same = self._sign(x, branch.joint) == self._sign(came, branch.joint)

    def _main_joints(self, x: Floats, most: int) -> list[int]:
        """The joints with the largest shares in a motion, largest first; of equals the first."""
        shares = [float(np.linalg.norm(x[part])) for part in self.motion.joint_parts()]
        largest = max(shares)
        named: list[int] = []
        while len(named) < most:
            top = max(shares)
            if not top > 0 or top < NAMED_SHARE * largest:
                break
            joint = next(j for j, share in enumerate(shares) if share >= (1 - 1e-9) * top)
            named.append(joint)
            shares[joint] = 0.0
        return named or [0]

    def _part(self, x: Floats, joint: int) -> float:
        return float(np.abs(x[list(self.motion.joint_parts())[joint]]).max(initial=0.0))

    def _sign(self, x: Floats, joint: int) -> int:
        part = x[list(self.motion.joint_parts())[joint]]
        return int(np.sign(part[np.abs(part).argmax()])) if len(part) else 0


def _come_home(curve: Curve, line: Line, q0: Floats, q1: Floats, home: float) -> Floats:
    """The pose between two of a curve where a line is at ``home``, by regula falsi."""
    low, high = line.along(q0) - home, line.along(q1) - home
    a, b = 0.0, 1.0
    q = q1
    for _ in range(20):
        share = a + (b - a) * low / (low - high) if low != high else b
        found = curve.between(q0, q1, share)
        if found is None:
            break
        q = found
        value = line.along(q) - home
        if abs(value) < 1e-12:
            break
        if value * low > 0:
            a, low, high = share, value, high / 2
        else:
            b, high, low = share, value, low / 2
    return q


def refine(motion: ScaledMotion, path: Sequence[Floats], bounds: Floats) -> list[Floats] | None:
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
            continue
        middle = motion.close(motion.move(found[-1], x / 2)) if depth < 40 else None
        if middle is None:
            return None
        ahead += [(q, depth + 1), (middle, depth + 1)]
    return found


def branch_directions(motion: ScaledMotion, q: Floats, came: Floats | None) -> list[Floats]:
    """Scaled directions of every way on from a branch point, largest part 1.

    A motion x leaves the point only if the loops can follow to second order too: what they would
    have to accelerate, d(J_phi)/dt x, must not be in the directions that they have lost. In the
    plane of two free motions that is a quadratic equation for the direction.
    """
    U, values, Vt = np.linalg.svd(motion.loops(q))
    rank = int((values > BRANCH_RANK * values[0]).sum())
    free, lost = Vt[rank:].T, U[:, rank:]
    if free.shape[1] < 2 or not lost.shape[1] or (free.shape[1] > 2 and came is None):
        return []
    if free.shape[1] > 2 and came is not None:
        # the direction that led here, and the one that is new at this point: the weakest
        first = free @ (free.T @ came)
        first /= np.linalg.norm(first)
        before = motion.close(motion.move(q, -CLOSE_REACH * came / np.abs(came).max()))
        if before is None:
            return []
        usual = np.linalg.svd(motion.loops(before))[2][rank + 1 :].T
        second = fresh_part(free, usual, 1)[:, 0]
        second -= first * (first @ second)
        free = np.column_stack([first, second / np.linalg.norm(second)])
    a, b = free.T

    def bend(x: Floats) -> Floats:
        ends = [motion.loops(motion.move(q, sign * DIFFERENCE_STEP * x)) @ x for sign in (1, -1)]
        return np.asarray(lost.T @ (ends[0] - ends[1]) / (2 * DIFFERENCE_STEP))

    # bend(cos t · a + sin t · b) = c² aa + 2 c s ab + s² bb in each lost direction
    aa, bb = bend(a), bend(b)
    _, sizes, patterns = np.linalg.svd(np.column_stack([aa, (bend(a + b) - bend(a - b)) / 2, bb]))
    if sizes[0] < 1e-9:
        return []
    aa1, ab2, bb1 = patterns[0]
    half = float(np.hypot((aa1 - bb1) / 2, ab2 / 2))
    mean, phase = (aa1 + bb1) / 2, math.atan2(ab2 / 2, (aa1 - bb1) / 2)
    # mean + half cos(2t - phase) = 0
    if half < abs(mean) * (1 - 1e-9):
        return []
    turn = math.acos(min(1.0, max(-1.0, -mean / half)))
    ways = []
    for t in dict.fromkeys([(phase + turn) / 2, (phase - turn) / 2]):
        x = math.cos(t) * a + math.sin(t) * b
        ways.append(signed((x / np.abs(x).max())[:, None])[:, 0])
    if came is not None:
        # the way that is most like the one that led here comes first
        ways.sort(key=lambda x: -abs(float(x @ came)) / float(np.linalg.norm(x)))
    return [sign * x for x in ways for sign in (1, -1)]
