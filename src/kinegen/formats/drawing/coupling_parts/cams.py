"""Profiles of cams and curves of guides."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from kinegen.formats.drawing.coupling_parts.directions import across
from kinegen.formats.drawing.coupling_parts.painter import Painter
from kinegen.kernels import Floats
from kinegen.mechanism.couplings.gear_axes import AxisError
from kinegen.mechanism.graph import Coupling
from kinegen.mechanism.model_parts import ModelCoupling
from kinegen.mechanism.shapes.data import (
    Box,
    Cylinder,
    Plate,
)

__all__ = ["draw_cam", "draw_curve"]

CAM_STEPS = 120
"""Places around a cam."""
CURVE_STEPS = 96
"""Pieces of the curve of a guide."""
CURVE_SHARE = 80
"""A curve is as thin as this share of its extent."""


def draw_cam(painter: Painter, row: Coupling, coupling: ModelCoupling) -> None:
    """The plate of a cam, and the roller and stem of its follower."""
    follower, at, along = painter.axis_of(coupling.members[0])
    cam, centre, axis = painter.axis_of(coupling.members[1])
    if abs(float(along @ axis)) > 1e-3 or not coupling.is_length:
        raise AxisError("only plate cams with sliding followers can be drawn")
    joints = [painter.model.joints[i] for i in coupling.joints]
    q = painter.model.start()
    lift, turn = float(q[joints[0].q][0]), float(q[joints[1].q][0])
    heights = np.array([painter.height(coupling, turn + a) for a in _round()]) - lift
    # the roller's middle is the follower's own frame, or as far out as the lift needs
    there = at + lift * along - centre
    there = there - axis * float(axis @ there)
    offset = float(np.cross(along, there) @ axis)
    reach = float(there @ along)
    base = max(reach, 1.6 * float(np.ptp(heights)) - float(heights.min()))
    roller = 0.21 * base if reach < base else 0.21 * reach
    side = np.cross(axis, along)
    # where the roller's middle goes, as the cam sees it
    points = []
    for a, height in zip(_round(), heights, strict=True):
        x, y = base + float(height), -offset
        points.append((x * math.cos(a) + y * math.sin(a), -x * math.sin(a) + y * math.cos(a)))
    outline = _shrunk(np.array(points)[::-1], roller)
    R = np.column_stack([along, side, axis])
    thickness = 0.3 * base
    for piece in _convex_sectors(outline):
        painter.put(cam, Plate, R, centre, outline=piece, thickness=thickness)
    middle = centre + base * along - offset * side
    painter.put(follower, Cylinder, R, middle, radius=roller, length=1.15 * thickness)
    stem = 1.6 * base
    turned = np.column_stack([side, axis, along])
    place = middle + (stem / 2) * along
    painter.put(follower, Box, turned, place, size=(0.7 * roller, 0.7 * roller, stem))


def draw_curve(painter: Painter, coupling: ModelCoupling) -> None:
    """The curve of a guide as a thin tube on its link, and the pin that runs in it."""
    own = {
        one.members[0].rpartition(".")[2]: one
        for one in painter.model.couplings
        if one.guide == coupling.guide
    }
    if coupling is not own["x"]:
        return  # drawn with the first coordinate
    along = painter.model.joint(f"{coupling.guide}.s")
    low, high = (float(part[along.v][0]) for part in (painter.model.lower, painter.model.upper))
    turn = math.pi if along.type.info.is_hinge else painter.model.size
    low = low if math.isfinite(low) else -turn
    high = high if math.isfinite(high) else turn
    places = np.zeros((CURVE_STEPS + 1, 3))
    for i, u in enumerate(np.linspace(low, high, CURVE_STEPS + 1)):
        for k, axis in enumerate("xyz"):
            if axis in own:
                places[i, k] = painter.height(own[axis], float(u))
    if not np.isfinite(places).all():
        raise AxisError("the curve is undefined at some points")
    link = painter.link(coupling.guide)
    R, p = painter.poses[link, :9].reshape(3, 3), painter.poses[link, 9:]
    size = float(np.ptp(places, axis=0).max())
    thin = size / CURVE_SHARE
    for a, b in pairwise(places @ R.T + p):
        way = b - a
        length = float(np.linalg.norm(way))
        if length < 1e-3 * thin:
            continue
        x, y = across(way / length)
        turned = np.column_stack([x, y, way / length])
        painter.put(link, Cylinder, turned, (a + b) / 2, radius=thin, length=length + thin)
    carrier = painter.model.joint(f"{coupling.guide}.point")
    place = painter.poses[carrier.parent, 9:]
    painter.put(
        int(carrier.child), Cylinder, R, place, radius=2.2 * thin, length=6 * thin,
        color="#3b3b3b",
    )  # fmt: skip


def _round() -> list[float]:
    return [math.tau * i / CAM_STEPS for i in range(CAM_STEPS)]


def _shrunk(points: Floats, by: float) -> Floats:
    """A closed curve, counter-clockwise, moved inwards by the roller's radius."""
    before, after = np.roll(points, 1, axis=0), np.roll(points, -1, axis=0)
    along = after - before
    along = along / np.linalg.norm(along, axis=1, keepdims=True)
    return np.asarray(points + by * np.column_stack([-along[:, 1], along[:, 0]]))


def _convex_sectors(outline: Floats) -> Iterator[tuple[tuple[float, float], ...]]:
    """Convex pieces of what lies around the origin: sectors, as wide as they can be."""
    count, first = len(outline), 0
    while first < count:
        last = first + 1
        while last < count and _is_convex(outline, first, last + 1):
            last += 1
        chain = [outline[i % count] for i in range(first, last + 1)]
        yield tuple((float(x), float(y)) for x, y in ((0.0, 0.0), *chain))
        first = last


def _is_convex(outline: Floats, first: int, last: int) -> bool:
    count = len(outline)
    points = [np.zeros(2), *(outline[i % count] for i in range(first, last + 1))]
    for i in range(len(points)):
        a, b, c = points[i], points[(i + 1) % len(points)], points[(i + 2) % len(points)]
        if (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]) < -1e-15:
            return False
    return True
