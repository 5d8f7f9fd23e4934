"""What is watched while a mechanism moves, and straight lines in such coordinates.

The specification of ``native/kernel/singular/rows.hpp``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from kinegen.kernels.call_records import AimReals
from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.protocols.solver import HandleKind
from kinegen.kernels.records import parts
from kinegen.kernels.reference.base.rotation import cross, left_jacobian, rotation_log
from kinegen.kernels.reference.loops.scaled_motion import ScaledMotion

Placement = tuple[Floats, Floats]
"""Rotation and translation of a frame."""
AIM = parts(AimReals)


class Rows(Protocol):
    """Coordinates: how they change, and how far they are from an anchor pose."""

    @property
    def count(self) -> int:
        """How many there are."""
        ...

    def jacobian(self, q: Floats, /) -> Floats:
        """Scaled change per scaled step, (count, nv)."""
        ...

    def offset(self, q0: Floats, q: Floats, /) -> tuple[Floats, Floats]:
        """Scaled way from q0 to q in these coordinates, and its derivative by steps at q."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Aim:
    """One frame and what of it is watched."""

    site: int
    kind: HandleKind
    point: Floats
    """Given in the frame [m]."""
    axis: Floats
    """For directions, given in the frame, unit."""

    @property
    def rows(self) -> int:
        """How many coordinates it has."""
        return {HandleKind.POSE: 6, HandleKind.DIRECTION: 5}.get(self.kind, 3)


def read_aim(site: int, kind: int, reals: Floats) -> Aim:
    """An aim from its numbers: point, axis."""
    point, axis = (reals[part] for part in AIM)
    length = float(np.linalg.norm(axis))
    axis = axis / length if length > 0 else np.array([0.0, 0.0, 1.0])
    return Aim(site, HandleKind(kind), point.copy(), axis)


class FrameRows:
    """Points, rotations and directions of frames, in world axes; lengths by the size."""

    def __init__(self, motion: ScaledMotion, aims: Sequence[Aim]) -> None:
        self.motion, self.aims = motion, tuple(aims)

    @property
    def count(self) -> int:
        """How many rows there are."""
        return sum(aim.rows for aim in self.aims)

    def jacobian(self, q: Floats) -> Floats:
        """Scaled change per scaled step, (count, nv)."""
        rows = [self._rows(aim, q, self.motion.site(q, aim.site), None) for aim in self.aims]
        return np.vstack([np.zeros((0, self.motion.nv)), *rows])

    def offset(self, q0: Floats, q: Floats) -> tuple[Floats, Floats]:
        """Scaled way from q0 to q: of points, and rotation vectors [rad]; and its derivative."""
        values, rows = [], []
        for aim in self.aims:
            (R0, p0), (R, p) = (self.motion.site(at, aim.site) for at in (q0, q))
            J = self._rows(aim, q, (R, p), (R0, p0))
            if aim.kind is not HandleKind.ROTATION:
                values.append((p + R @ aim.point - p0 - R0 @ aim.point) / self.motion.size)
            if aim.kind is HandleKind.DIRECTION:
                values.append(two_across(R0 @ aim.axis) @ (R @ aim.axis))
            elif aim.kind is not HandleKind.POINT:
                turn = rotation_log(R @ R0.T)
                values.append(turn)
                J[-3:] = np.linalg.solve(left_jacobian(turn), J[-3:])
            rows.append(J)
        return np.concatenate(values), np.vstack(rows)

    def _rows(self, aim: Aim, q: Floats, X: Placement, X0: Placement | None) -> Floats:
        """Rows at X; a direction's two ways to tilt are those of the anchor, if there is one."""
        J = self.motion.site_rows(q, aim.site, aim.point)
        if aim.kind is HandleKind.POINT:
            return J[:3]
        if aim.kind is HandleKind.ROTATION:
            return J[3:]
        if aim.kind is HandleKind.DIRECTION:
            # a tilt across · (w × axis) is w · (axis × across)
            tilts = np.cross(X[0] @ aim.axis, two_across((X0 or X)[0] @ aim.axis))
            return np.vstack([J[:3], tilts @ J[3:]])
        return J


class JointRows:
    """Some variables of joints."""

    def __init__(self, motion: ScaledMotion, variables: Ints) -> None:
        self.motion, self.variables = motion, variables

    @property
    def count(self) -> int:
        """How many variables there are."""
        return len(self.variables)

    def jacobian(self, q: Floats) -> Floats:
        """One row per variable, (count, nv)."""
        return np.asarray(np.eye(self.motion.nv)[self.variables])

    def offset(self, q0: Floats, q: Floats) -> tuple[Floats, Floats]:
        """Scaled way from q0 to q and its derivative; quaternions by their rotation vector."""
        return self.motion.between(q0, q)[self.variables], self.jacobian(q)


class Line:
    """The condition that coordinates stay on a straight line through where they are at q0."""

    def __init__(
        self, rows: Rows, q0: Floats, direction: Floats, across: Floats | None = None
    ) -> None:
        """Draw the line.

        Args:
            rows: the coordinates.
            q0: where it begins.
            direction: of the line, over the rows.
            across: directions that must not change, orthonormal rows; by default all others.
        """
        self.rows, self.q0 = rows, q0.copy()
        self.direction = direction / np.linalg.norm(direction)
        self._across = np.linalg.svd(self.direction[None])[2][1:] if across is None else across

    def error(self, q: Floats) -> Floats:
        """How far q is off the line, scaled."""
        return np.asarray(self._across @ self.rows.offset(self.q0, q)[0])

    def jacobian(self, q: Floats) -> Floats:
        """Its derivative by scaled steps."""
        return np.asarray(self._across @ self.rows.offset(self.q0, q)[1])

    def ahead(self, q: Floats) -> Floats:
        """Way along the line per scaled step of each variable, (nv,)."""
        return np.asarray(self.direction @ self.rows.offset(self.q0, q)[1])

    def along(self, q: Floats) -> float:
        """How far along the line q is, scaled."""
        return float(self.direction @ self.rows.offset(self.q0, q)[0])


def two_across(a: Floats) -> Floats:
    """Two unit vectors across a unit vector, the first from the axis that it has least of."""
    axis = int(np.argmin(np.abs(a)))
    u = np.eye(3)[axis] - a[axis] * a
    u /= np.linalg.norm(u)
    return np.array([u, cross(a, u)])
