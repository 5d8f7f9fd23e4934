"""Gears, belts and chains."""

from __future__ import annotations

import math

import numpy as np

from kinegen.formats.drawing.coupling_parts.directions import across, turn_about_z
from kinegen.formats.drawing.coupling_parts.painter import Gear, Painter
from kinegen.kernels import Floats
from kinegen.mechanism.couplings.gear_axes import GearAxes, Wheel, gear_axes
from kinegen.mechanism.graph import Coupling, CouplingKind
from kinegen.mechanism.shapes.data import (
    Box,
    Cylinder,
    Plate,
)

__all__ = [
    "ADDENDUM",
    "DEDENDUM",
    "ROOT_SHARE",
    "TIP_SHARE",
    "draw_belt",
    "draw_gear",
    "draw_gears",
]

MOST_TEETH = 120
"""Gears with more are drawn with so many: finer ones look smooth."""
THICKNESS = 0.16
"""Of gears, by the smaller pitch radius of a pair."""
ADDENDUM, DEDENDUM = 0.95, 1.1
"""Of teeth beyond and below the pitch circle, by the module."""
ROOT_SHARE, TIP_SHARE = 0.72, 0.34
"""Widths of a tooth at its root and tip, by the pitch on the pitch circle."""


def draw_gears(painter: Painter, row: Coupling) -> None:
    """Two gears whose teeth mesh at the start."""
    values = painter.values()
    axes = gear_axes(painter.mechanism, row, values)
    teeth = [number.evaluate(values) for number in row.numbers]
    a, b = axes.first, axes.second
    normal = a.axis
    radii = _pitch_radii(axes, teeth, row.internal)
    thickness = THICKNESS * min(radii)
    centres = [a.point, _beside(b.point, a.point, normal)] if axes.are_parallel else [
        a.point, b.point,
    ]  # fmt: skip
    sides = [a.axis, a.axis if axes.are_parallel else b.axis]
    rings = [row.internal and radii[i] == max(radii) for i in (0, 1)]
    known = [_known(painter, wheel.link, centres[i], radii[i]) for i, wheel in enumerate((a, b))]
    order = (1, 0) if known[0] is None and known[1] is not None else (0, 1)
    done: list[Gear | None] = list(known)
    for i in order:
        if done[i] is not None:
            continue
        other = done[1 - i]
        toward = centres[1 - i] - centres[i]
        gear = Gear(centres[i], sides[i], radii[i], teeth[i], 0.0, rings[i])
        gear.phase = _meshed(gear, other, toward, rings[1 - i])
        done[i] = gear
        wheel = (a, b)[i]
        painter.gears.setdefault(wheel.link, []).append(gear)
        draw_gear(painter, painter.link(wheel.link), gear, thickness)


def _known(painter: Painter, link: str, centre: Floats, radius: float) -> Gear | None:
    for gear in painter.gears.get(link, ()):
        near = float(np.linalg.norm(gear.centre - centre)) < 1e-6 + 1e-3 * radius
        if near and abs(gear.radius - radius) < 1e-3 * radius:
            return gear
    return None


def draw_gear(painter: Painter, link: int, gear: Gear, thickness: float) -> None:
    """A disc, or a ring, with its teeth."""
    count = max(3, min(round(gear.teeth), MOST_TEETH))
    module = 2 * gear.radius / count
    x, y = across(gear.axis)
    R = np.column_stack([x, y, gear.axis])
    inward = -1.0 if gear.inside else 1.0
    root = gear.radius - inward * DEDENDUM * module
    tip = gear.radius + inward * ADDENDUM * module
    pitch = math.tau * gear.radius / count
    if gear.inside:
        _draw_rim(painter, link, R, gear.centre, root, root + 2.2 * module, thickness)
    else:
        painter.put(link, Cylinder, R, gear.centre, radius=root, length=thickness)
    foot, head = ROOT_SHARE * pitch / 2, TIP_SHARE * pitch / 2
    deep = 0.3 * module * inward  # into the body, so that no gap shows
    for i in range(count):
        angle = gear.phase + math.tau * i / count
        turned = R @ turn_about_z(angle)
        low, high = sorted((root - deep, tip))
        ends = (foot, head) if not gear.inside else (head, foot)
        outline = ((low, -ends[0]), (high, -ends[1]), (high, ends[1]), (low, ends[0]))
        painter.put(link, Plate, turned, gear.centre, outline=outline, thickness=thickness)


def _draw_rim(
    painter: Painter,
    link: int,
    R: Floats,
    centre: Floats,
    inner: float,
    outer: float,
    thickness: float,
) -> None:
    """A ring of short straight pieces."""
    count = 36
    half = math.pi / count
    for i in range(count):
        turned = R @ turn_about_z(math.tau * i / count)
        near, far = inner * math.tan(half) * 1.002, outer * math.tan(half) * 1.002
        outline = ((inner, -near), (outer, -far), (outer, far), (inner, near))
        painter.put(link, Plate, turned, centre, outline=outline, thickness=thickness)


def draw_belt(painter: Painter, row: Coupling) -> None:
    """The pulleys of a belt or chain, and its straight runs."""
    values = painter.values()
    axes = gear_axes(painter.mechanism, row, values)
    sizes = [number.evaluate(values) for number in row.numbers]
    if row.measured_by == "teeth":
        # of wheels only the teeth are known: drawn in proportion
        most = 0.22 * axes.distance
        sizes = [most * size / max(sizes) for size in sizes]
    a, b = axes.first, axes.second
    normal, first = a.axis, a.point
    second = _beside(b.point, first, normal)
    width = 0.5 * min(sizes)
    for wheel, centre, radius in ((a, first, sizes[0]), (b, second, sizes[1])):
        _draw_pulley(painter, painter.link(wheel.link), wheel, normal, centre, radius, width, row)
    # straight runs between points of contact, on the link that carries both axes
    along = (second - first) / np.linalg.norm(second - first)
    across = np.cross(normal, along)
    distance = float(np.linalg.norm(second - first))
    thin = 0.08 * min(sizes)
    for side in (1.0, -1.0):
        other = -side if row.crossed else side
        lean = (sizes[0] * side - sizes[1] * other) / distance
        lean = max(-0.99, min(0.99, lean))
        n = lean * along + math.sqrt(1 - lean * lean) * across * 1.0
        n = n if side > 0 else lean * along - math.sqrt(1 - lean * lean) * across
        start = first + (sizes[0] + thin / 2) * n
        m = n if not row.crossed else -n
        end = second + (sizes[1] + thin / 2) * m
        way = end - start
        length = float(np.linalg.norm(way))
        R = np.column_stack([way / length, np.cross(normal, way / length), normal])
        size = (length, thin, 0.8 * width)
        painter.put(
            painter.link(axes.carrier), Box, R, (start + end) / 2, size=size, color="#3b3b3b"
        )


def _draw_pulley(
    painter: Painter, link: int, wheel: Wheel, normal: Floats, centre: Floats, radius: float,
    width: float, row: Coupling,
) -> None:  # fmt: skip
    x, y = across(normal)
    R = np.column_stack([x, y, normal])
    if row.kind is CouplingKind.CHAIN:
        teeth = row.numbers[row.members.index(wheel.link)].evaluate(painter.values())
        draw_gear(painter, link, Gear(centre, normal, radius, teeth, 0.0), 0.5 * width)
        return
    painter.put(link, Cylinder, R, centre, radius=radius, length=width)
    for side in (-1, 1):  # flanges
        place = centre + side * 0.5 * width * normal
        painter.put(link, Cylinder, R, place, radius=1.12 * radius, length=0.12 * width)


def _pitch_radii(axes: GearAxes, teeth: list[float], internal: bool) -> list[float]:
    if axes.are_parallel:
        total = abs(teeth[0] - teeth[1]) if internal else teeth[0] + teeth[1]
        return [axes.distance * count / total for count in teeth]
    reach = float(np.linalg.norm(axes.second.point - axes.first.point))
    return [0.7 * reach * count / math.hypot(*teeth) for count in teeth]


def _beside(point: Floats, other: Floats, normal: Floats) -> Floats:
    """A point moved along an axis into the plane of another one."""
    return np.asarray(point - normal * float(normal @ (point - other)))


def _meshed(gear: Gear, other: Gear | None, toward: Floats, other_inside: bool) -> float:
    """The phase with which a gear meshes with one that is drawn, or with a tooth towards it."""
    x, y = across(gear.axis)
    sign = -1.0 if other_inside else 1.0  # a pinion touches its ring on the far side
    angle = math.atan2(sign * float(toward @ y), sign * float(toward @ x))
    if other is None:
        return angle
    back = -toward if not gear.inside else toward * -1.0
    u, v = across(other.axis)
    flip = -1.0 if gear.inside else 1.0
    met = math.atan2(flip * float(back @ v), flip * float(back @ u))
    pitch = math.tau / other.teeth
    ahead = ((met - other.phase) % pitch) * other.radius  # how far the contact is past a tooth
    turning = float(np.sign(gear.axis @ other.axis)) or 1.0
    sense = -1.0 if gear.inside or other_inside else 1.0
    # rolling on each other, outer gears turn opposite ways; the gap faces the tooth
    return angle + sense * turning * ahead / gear.radius + math.pi / gear.teeth
