"""How far shapes are from each other: signed distances, nearest points, and their gradients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.protocols.contact import FoundClearances, ShapeArrays, ShapeKind
from kinegen.kernels.reference.base.bound import BoundModel
from kinegen.kernels.reference.contact.convex import gjk
from kinegen.kernels.reference.contact.find import separate, touch_heights
from kinegen.kernels.reference.contact.shapes import Shape, Shapes

__all__ = ["BoundClearance", "PairDistance", "ball_distance", "list_pairs", "measure_pair"]


@dataclass(slots=True, eq=False)
class PairDistance:
    """The distance of two shapes, with q = p + distance · normal."""

    distance: float
    normal: Floats
    """From the first shape to the second."""
    p: Floats
    """On the first."""
    q: Floats
    """On the second."""

    @classmethod
    def around(cls, middle: Floats, distance: float, normal: Floats) -> PairDistance:
        """From a point between the nearest points."""
        half = 0.5 * distance * normal
        return cls(distance, normal, middle - half, middle + half)

    def swapped(self) -> PairDistance:
        """Of the second shape to the first."""
        return PairDistance(self.distance, -self.normal, self.q, self.p)


def _convex(a: Shape, b: Shape, margin: float) -> PairDistance | None:
    scale, radii = a.reach + b.reach, a.radius + b.radius
    sep, _ = gjk(a, b, scale, margin + radii)
    if sep is None:
        sep = separate(a, b, scale, margin)
    if sep is None or sep.distance - radii >= margin:
        return None
    middle = 0.5 * (sep.p + sep.q + (a.radius - b.radius) * sep.normal)
    return PairDistance.around(middle, sep.distance - radii, sep.normal)


def _plane(a: Shape, b: Shape, margin: float) -> PairDistance | None:
    n = a.R[:, 2]
    q = b.support(-n) - b.radius * n
    distance = float((q - a.p) @ n)
    return PairDistance(distance, n, q - distance * n, q) if distance < margin else None


def _heights(a: Shape, b: Shape, margin: float) -> PairDistance | None:
    rows = touch_heights(a, b, margin)
    if not rows:
        return None
    _, _, point, normal, distance = min(rows, key=lambda row: row[4])
    return PairDistance.around(point, distance, normal)


def measure_pair(one: Shape, other: Shape, margin: float) -> PairDistance | None:
    """Distance of two shapes; None: they are not nearer than the margin."""
    swap = one.kind > other.kind
    a, b = (other, one) if swap else (one, other)
    if b.kind <= ShapeKind.HEIGHTS:
        return None
    by_kind = {ShapeKind.PLANE: _plane, ShapeKind.HEIGHTS: _heights}
    found = by_kind.get(a.kind, _convex)(a, b, margin)
    return found.swapped() if found is not None and swap else found


def ball_distance(a: Shape, b: Shape) -> float:
    """A lower bound of the distance of two shapes: that of the balls around them."""
    if b.kind == ShapeKind.PLANE:
        a, b = b, a
    if a.kind == ShapeKind.PLANE:
        return float((b.p - a.p) @ a.R[:, 2]) - b.reach
    return float(np.linalg.norm(b.p - a.p)) - a.reach - b.reach


def list_pairs(shapes: Shapes) -> list[tuple[int, int]]:
    """Pairs of shapes that may touch, in order."""
    count = len(shapes.all)
    return [(i, j) for i in range(count) for j in range(i + 1, count) if shapes.meets[i, j]]


def find_clearances(
    shapes: Shapes, pairs: list[tuple[int, int]], body: Ints, margin: float
) -> list[tuple[int, int, PairDistance]]:
    """The nearest shapes of each two bodies that are nearer to each other than a margin."""
    rows: dict[tuple[int, int], tuple[int, int, PairDistance]] = {}
    for i, j in pairs:
        key = int(body[i]), int(body[j])
        within = rows[key][2].distance if key in rows else margin
        a, b = shapes.all[i], shapes.all[j]
        if not ball_distance(a, b) < within:
            continue
        found = measure_pair(a, b, within)
        if found is not None:
            rows[key] = i, j, found
    return list(rows.values())


def distance_gradient(
    model: BoundModel, q: Floats, Xs_WL: Floats, link_a: int, link_b: int, found: PairDistance
) -> Floats:
    """Gradient of a pair's distance, (nv,): how fast the nearest points part along the normal."""

    def along(link: int, point: Floats) -> Floats:
        local = (point - Xs_WL[link, 9:]) @ Xs_WL[link, :9].reshape(3, 3)
        J = np.empty((6, model.nv))
        model.site_jacobian(q, link, local, -1, np.empty(7), J)
        return np.asarray(found.normal @ J[:3])

    return along(link_b, found.q) - along(link_a, found.p)


class BoundClearance:
    """Distances between the bodies of a model; see the protocol."""

    def __init__(self, ints: Ints, reals: Floats, body: Ints, /, *arrays: Any) -> None:
        self.model = BoundModel(ints, reals)
        self.body = np.asarray(body)
        self.shapes = Shapes(ShapeArrays(*arrays))
        self.pairs = list_pairs(self.shapes)

    def place(self, q: Floats) -> Floats:
        """Brings the shapes to a configuration; returns X_WL, (link_count, 12)."""
        Xs_WL = np.empty((self.shapes.link_count, 12))
        self.model.forward_links(q, Xs_WL)
        self.shapes.place(Xs_WL)
        return Xs_WL

    def measure(self, qs: Floats, margin: float, gradients: bool, threads: int) -> FoundClearances:
        """See the protocol; ``threads`` has no effect here."""
        at: list[int] = []
        pairs: list[tuple[int, int]] = []
        rows: list[Floats] = []
        slopes: list[Floats] = []
        for number, q in enumerate(qs):
            Xs_WL = self.place(q)
            for i, j, d in find_clearances(self.shapes, self.pairs, self.body, margin):
                at.append(number)
                pairs.append((i, j))
                rows.append(np.concatenate([[d.distance], d.normal, d.p, d.q]))
                if gradients:
                    a, b = (self.shapes.all[k].link for k in (i, j))
                    slopes.append(distance_gradient(self.model, q, Xs_WL, a, b, d))
        return (
            np.array(at, np.int32),
            np.array(pairs, np.int32).reshape(-1, 2),
            np.array(rows, float).reshape(-1, 10),
            np.array(slopes, float).reshape(-1, self.model.nv),
        )
