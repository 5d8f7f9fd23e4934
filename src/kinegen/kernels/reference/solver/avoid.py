"""Solving that avoids collisions: rows that keep bodies apart, and steps that pass through nothing.

Near bodies add rows to a step, as joint limits do: where the step would bring them nearer than the
distance to keep, the row holds them there and the motion slides along. A step counts only if the
bodies have not met between its two ends: their distances at both ends are together longer than the
way that the one moved against the other, or one plane, fixed to either body, separates them at both
ends.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.protocols.contact import ShapeKind
from kinegen.kernels.reference.contact.clearance import (
    BoundClearance,
    PairDistance,
    ball_distance,
    distance_gradient,
    measure_pair,
)
from kinegen.kernels.reference.contact.convex import separation
from kinegen.kernels.reference.contact.find import touch_pair
from kinegen.kernels.reference.contact.shapes import Shape
from kinegen.kernels.reference.solver.state import Solver

__all__ = ["Avoidance"]

CONTACTS = 64
"""Contacts that one step regards."""
LOOK = 0.1
"""Distance, in sizes of the mechanism, from which on bodies add rows to a step."""
ROUNDING = 1e-9
"""Depth, in sizes, that is rounding."""


@dataclass(slots=True, eq=False)
class Contact:
    """A contact of near bodies, as a row of the next step."""

    pair: int
    distance: float
    row: Floats
    """Scaled variables to metres, (nv,)."""
    is_held: bool = False


@dataclass(slots=True, eq=False)
class Avoidance:
    """Bodies that must not meet, where they were at the anchor, and what stands in the way."""

    bodies: BoundClearance
    keep: float
    """Distance to keep [m]."""
    blocked: int = -1
    """Pair of shapes that stopped or led the last step; -1: none."""
    least: float = math.inf
    """Distance of the nearest bodies at the anchor [m]."""
    anchor: list[Shape] = field(default_factory=list)
    distances: list[float] = field(default_factory=list)
    """Per pair, at the anchor: a lower bound."""
    near: dict[int, PairDistance] = field(default_factory=dict)
    """Pairs below the horizon, at the anchor."""
    contacts: list[Contact] = field(default_factory=list)

    def _horizon(self, s: Solver) -> float:
        return max(4 * self.keep, LOOK * s.size)

    def set_anchor(self, s: Solver, q: Floats) -> None:
        """The pose that the next step is judged from."""
        shapes, horizon = self.bodies.shapes, self._horizon(s)
        self.bodies.place(q)
        self.anchor = [replace(shape) for shape in shapes.all]
        self.near, self.distances = {}, []
        for k, (i, j) in enumerate(self.bodies.pairs):
            a, b = shapes.all[i], shapes.all[j]
            distance = ball_distance(a, b)
            if distance < horizon:
                found = measure_pair(a, b, horizon)
                distance = horizon if found is None else found.distance
                if found is not None:
                    self.near[k] = found
            self.distances.append(distance)
        self.least = min((found.distance for found in self.near.values()), default=math.inf)

    def find_rows(self, s: Solver, q: Floats) -> None:
        """Contacts of near bodies and their rows at q."""
        shapes = self.bodies.shapes
        Xs_WL = self.bodies.place(q)
        self.contacts, self.blocked = [], -1
        for k in self.near:
            i, j = self.bodies.pairs[k]
            for one, other, p, n, distance in touch_pair(
                shapes.all[i], shapes.all[j], self._horizon(s)
            ):
                links = shapes.all[one].link, shapes.all[other].link
                row = distance_gradient(s.model, q, Xs_WL, *links, PairDistance(distance, n, p, p))
                self.contacts.append(Contact(k, distance, row * s.scale))
        del self.contacts[CONTACTS:]

    def _bound(self, distance: float) -> float:
        """How far a contact may be after a step at least.

        Where bodies are too near already they come no nearer, and out of the inner half of the
        distance to keep.
        """
        if distance >= self.keep:
            return self.keep
        if distance >= 0.5 * self.keep or distance <= -self.keep:
            return distance
        return 0.5 * self.keep

    def hold_contact(self, s: Solver, x: Floats, radius: float) -> tuple[Floats, Floats] | None:
        """The contact that the move would pass furthest, as a hard row; None if there is none."""
        longest = float(np.abs(x).max(initial=0.0))
        share = min(1.0, radius / longest) if longest > 0 else 1.0
        worst, furthest = None, ROUNDING * s.size
        for one in self.contacts:
            over = self._bound(one.distance) - (one.distance + share * float(one.row @ x))
            if not one.is_held and over > furthest:
                worst, furthest = one, over
        if worst is None:
            return None
        worst.is_held = True
        if self.blocked < 0:
            self.blocked = worst.pair
        rhs = (self._bound(worst.distance) - worst.distance) / s.size
        return worst.row[None] / s.size, np.array([rhs])

    def stays_clear(self, s: Solver, q: Floats) -> bool:
        """Whether bodies stayed clear of each other from the anchor to q."""
        self.bodies.place(q)
        rounding = ROUNDING * s.size
        for k, (i, j) in enumerate(self.bodies.pairs):
            a0, b0 = self.anchor[i], self.anchor[j]
            a1, b1 = self.bodies.shapes.all[i], self.bodies.shapes.all[j]
            d0, way = self.distances[k], min(_way(a0, b0, a1, b1), _way(b0, a0, b1, a1))
            if d0 >= way:
                continue
            found = measure_pair(a1, b1, max(way - d0, rounding))
            if found is None:
                continue
            if found.distance < min(d0, 0.0) - rounding:
                self.blocked = k
                return False
            # ground is solid below, and what overlaps already must not come deeper
            solid = min(a1.kind, b1.kind) <= ShapeKind.HEIGHTS
            if d0 < 0 or solid or d0 + found.distance >= way:
                continue
            slack = max(self.keep, rounding)
            ends = [(a1, b1, self.near[k].normal, (a0, a1), (b0, b1))] if k in self.near else []
            ends.append((a0, b0, found.normal, (a1, a0), (b1, b0)))
            if not any(
                _separates(a, b, n, *ride, slack) for a, b, n, *rides in ends for ride in rides
            ):
                self.blocked = k
                return False
        return True


def _way(a0: Shape, b0: Shape, a1: Shape, b1: Shape) -> float:
    """How far b moves against a between two places of both, at most."""
    R0, R1 = a0.R.T @ b0.R, a1.R.T @ b1.R
    p0, p1 = (b0.p - a0.p) @ a0.R, (b1.p - a1.p) @ a1.R
    # a chord of the turn: |R1 - R0| = 2 √2 sin(angle / 2)
    turn = float(np.linalg.norm(R1 - R0)) / math.sqrt(2)
    return float(np.linalg.norm(p1 - p0)) + (turn * b0.reach if turn else 0.0)


def _separates(a: Shape, b: Shape, n: Floats, old: Shape, new: Shape, slack: float) -> bool:
    """Whether a plane across n, fixed to the body that went from old to new, separates a and b."""
    return separation(a, b, new.R @ (old.R.T @ n)) - a.radius - b.radius >= -slack
