"""The outlook from a singular pose: its sides, and the way to a phantom on each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.branch_directions import branch_directions
from kinegen.kinematics.branch_signs import BranchSigns
from kinegen.kinematics.courses import Curve, Way, follow
from kinegen.kinematics.nearest_singular import distance_of, weakness
from kinegen.kinematics.scaled_motion import beyond_limits
from kinegen.kinematics.side_names import side_name
from kinegen.kinematics.singularity import LOST, SINGULAR, Probe
from kinegen.kinematics.task_rows import Line

__all__ = ["AMPLITUDE", "STEP", "Outlook", "Side"]

AMPLITUDE = 0.5
"""How far a phantom is from the singular pose [rad, or sizes of the mechanism]."""
STEP = 0.03
"""Largest move of any joint between the poses of a path [rad, or sizes of the mechanism]."""
_TURN = np.pi / 2
"""How far a turn in place goes: then the frame can move where it could not before."""
_FARTHEST = 2.5
"""A joint that has moved this far has not come back to where it was [rad, or sizes]."""
_LONGEST = 400
"""Poses of a way to a phantom at most."""
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


class Outlook:
    """A singular pose with the way that led there, and what can be seen from it."""

    def __init__(
        self, probe: Probe, approach: list[Floats], way: Way | None, kind: str, amplitude: float
    ) -> None:
        self.probe, self.motion, self.approach = probe, probe.motion, approach
        self.way, self.kind, self.amplitude = way, kind, amplitude
        self.q, self.start = approach[-1], approach[0]
        self.came: Floats | None = None
        """Scaled direction of the motion that led here."""
        ways = [self.motion.between(q, self.q) for q in approach[:-1]]
        far = [x for x in ways if np.abs(x).max() > _TRIAL / 2] or ways[:1]
        if far and np.abs(far[-1]).max() > 1e-9:
            self.came = far[-1] / np.abs(far[-1]).max()
        self.signs = BranchSigns.of(probe, self.start)

    def sides(self, *, meeting: bool) -> list[Side]:
        """All ways on, those that cross first; ``meeting``: where the loops lose rank."""
        found = self._at_branch_point() if meeting else []
        led = [side for side in found or self._at_fold() if len(side.path) > len(self.approach)]
        return sorted(led, key=lambda side: not side.crosses)

    def _at_fold(self) -> list[Side]:
        """The two ways of a motion that stands still here, and where it leads nowhere, all four."""
        probe = self.probe
        rows, rank = (
            (probe.watched, probe.task_rank)
            if self.kind == "task"
            else (probe.drive, probe.drive_rank)
        )
        assert rows is not None
        _, lost, standing = probe.weakest(self.q, rows, rank)
        U, values, _ = np.linalg.svd(rows.jacobian(self.q) @ probe.free(self.q))
        line = Line(rows, self.q, lost[:, 0], U[:, : int((values > LOST).sum())].T)
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
        if self.way is not None and self._stands(self.way, n):
            line, home = self.way.line, self.way.line.along(self.start)
            if abs(line.along(self.q) - home) < 1e-9:
                home = None
        curve = Curve(self.motion, line, probe.loop_rank)
        first = self._side(curve, n, self.amplitude, line=line, home=home)
        home = line.along(first.q) if home is None else home
        return [first, self._side(curve, -n, self.amplitude, line=line, home=home)]

    def _at_branch_point(self) -> list[Side]:
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

    def _stands(self, way: Way, x: Floats) -> bool:
        """Whether the course's own coordinates stand still in a motion."""
        return float(np.abs(way.rows.jacobian(self.q) @ x).max()) < SINGULAR

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
        for there, _ in follow(curve, self.q, x, STEP):
            path.append(there)
            moved = float(np.abs(self.motion.between(self.q, there)).max())
            if end is None and moved >= amplitude:
                end = len(path)
                if line is None or home is None:
                    break
            if line is not None and home is not None:
                before, now = line.along(path[-2]) - home, line.along(there) - home
                if before * now <= 0 and len(path) > 2:
                    path[-1] = _come_home(curve, line, path[-2], there, home)
                    end = len(path)
                    break
            if moved > _FARTHEST or len(path) > _LONGEST:
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


def _come_home(curve: Curve, line: Line, q0: Floats, q1: Floats, home: float) -> Floats:
    """The pose between two of a curve where a line is at ``home``, by regula falsi."""
    low, high = line.along(q0) - home, line.along(q1) - home
    a, b = 0.0, 1.0
    q = q1
    for _ in range(20):
        share = a + (b - a) * low / (low - high) if low != high else b
        q = curve.between(q0, q1, share)
        value = line.along(q) - home
        if abs(value) < 1e-12:
            break
        if value * low > 0:
            a, low, high = share, value, high / 2
        else:
            b, high, low = share, value, low / 2
    return q
