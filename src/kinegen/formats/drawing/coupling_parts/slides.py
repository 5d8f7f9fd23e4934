"""Racks and screws."""

from __future__ import annotations

import math

import numpy as np

from kinegen.formats.drawing.coupling_parts.directions import across
from kinegen.formats.drawing.coupling_parts.painter import Gear, Painter
from kinegen.formats.drawing.coupling_parts.wheels import (
    ADDENDUM,
    DEDENDUM,
    ROOT_SHARE,
    TIP_SHARE,
    draw_gear,
)
from kinegen.mechanism.couplings.gear_axes import AxisError
from kinegen.mechanism.graph import Coupling
from kinegen.mechanism.model_parts import ModelCoupling
from kinegen.mechanism.shapes.data import (
    Box,
    Cylinder,
    Plate,
)

__all__ = ["draw_rack", "draw_screw"]


def draw_rack(painter: Painter, row: Coupling, coupling: ModelCoupling) -> None:
    """A rack and its pinion, whose teeth mesh at the start."""
    radius = row.numbers[0].evaluate(painter.values())
    slider, _, along = painter.axis_of(coupling.members[0])
    pinion, centre, axis = painter.axis_of(coupling.members[1])
    side = np.cross(along, axis)
    if np.linalg.norm(side) < 0.999:
        raise AxisError("a rack slides across its pinion's axis")
    contact = math.copysign(1.0, radius) * side
    size = abs(radius)
    teeth = 20
    module = 2 * size / teeth
    x, y = across(axis)
    phase = math.atan2(float(contact @ y), float(contact @ x))
    thickness = 0.35 * size
    draw_gear(painter, pinion, Gear(centre, axis, size, teeth, phase), thickness)
    # the rack's teeth stand in the pinion's gaps at the start
    pitch = math.pi * module
    joint = painter.model.joints[coupling.joints[0]]
    low, high = (float(part[joint.v][0]) for part in (painter.model.lower, painter.model.upper))
    travel = high - low if math.isfinite(high - low) else 4 * math.pi * size
    half = max(6, math.ceil((travel / 2 + 1.2 * size) / pitch))
    middle = centre + size * contact
    start = float(painter.model.start()[joint.q][0])
    if math.isfinite(high - low):
        middle = middle + (start - (low + high) / 2) * along * -1.0
    R = np.column_stack([along, np.cross(axis, along), axis])
    outward = float(R[:, 1] @ contact)
    body = middle + (DEDENDUM + 0.9) * module * contact
    painter.put(slider, Box, R, body, size=(2 * half * pitch, 1.8 * module, thickness))
    for i in range(-half, half):
        place = middle + (i + 0.5) * pitch * along
        tip, foot = -ADDENDUM * module * outward, (DEDENDUM + 0.1) * module * outward
        corners = [
            (-ROOT_SHARE * pitch / 2, foot), (ROOT_SHARE * pitch / 2, foot),
            (TIP_SHARE * pitch / 2, tip), (-TIP_SHARE * pitch / 2, tip),
        ]  # fmt: skip
        outline = tuple(corners if tip > foot else corners[::-1])
        painter.put(slider, Plate, R, place, outline=outline, thickness=thickness)


def draw_screw(painter: Painter, row: Coupling, coupling: ModelCoupling) -> None:
    """A threaded rod and the block of its nut."""
    lead = abs(row.numbers[0].evaluate(painter.values()))
    nut, at, along = painter.axis_of(coupling.members[0])
    turning, centre, axis = painter.axis_of(coupling.members[1])
    if np.linalg.norm(np.cross(along, axis)) > 1e-3:
        raise AxisError("a nut slides along its screw")
    joint = painter.model.joints[coupling.joints[0]]
    low, high = (float(part[joint.v][0]) for part in (painter.model.lower, painter.model.upper))
    if not math.isfinite(high - low):
        low, high = -0.5 * painter.model.size, 0.5 * painter.model.size
    radius = max(0.04 * (high - low), 0.8 * lead)
    x, y = across(axis)
    R = np.column_stack([x, y, axis])
    from_nut = float((at - centre) @ axis)
    sense = float(np.sign(axis @ along))
    first, last = sorted((from_nut + sense * low, from_nut + sense * high))
    first, last = first - 2 * radius, last + 2 * radius
    length = last - first
    middle = centre + (first + last) / 2 * axis
    painter.put(turning, Cylinder, R, middle, radius=0.8 * radius, length=length)
    pitch = max(lead, length / 60)
    for i in range(int(length / pitch)):
        place = centre + (first + (i + 0.5) * pitch) * axis
        painter.put(turning, Cylinder, R, place, radius=radius, length=0.35 * pitch)
    start = float(painter.model.start()[joint.q][0])
    place = centre + axis * (from_nut + sense * start)
    painter.put(nut, Box, R, place, size=(4 * radius, 4 * radius, 3 * radius))
