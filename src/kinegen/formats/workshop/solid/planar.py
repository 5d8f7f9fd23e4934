"""Solid parts of a planar mechanism: thick plates, pins with heads, caps and spacers."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from kinegen.formats.workshop.flat.assembly import FlatAssembly
from kinegen.formats.workshop.flat.part import FlatPart, Pin
from kinegen.formats.workshop.flat.plane import PlaneOfMotion
from kinegen.formats.workshop.solid.hardware import pin_parts
from kinegen.formats.workshop.solid.part import Prism, SolidPart
from kinegen.kernels import Floats
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3

__all__ = ["flat_solids"]


def flat_solids(
    assembly: FlatAssembly, *, ground: bool = True, pins: bool = True
) -> list[SolidPart]:
    """The parts of a planar mechanism as solids, in their place in the stack.

    Args:
        assembly: Its flat parts.
        ground: Whether the ground is a part.
        pins: Whether pins, caps and spacers are parts.
    """
    found = [_plate(part, assembly) for part in assembly.made(ground=ground)]
    if not pins:
        return found
    names = [pin.name for pin in assembly.pins]
    for index, pin in enumerate(assembly.pins):
        number = names[: index + 1].count(pin.name)
        name = f"{pin.name}-{number}" if names.count(pin.name) > 1 else pin.name
        found += _pin(pin, name, assembly)
    return found


def _plate(part: FlatPart, assembly: FlatAssembly) -> SolidPart:
    sizes = assembly.sizes
    body = Prism(
        outline=part.outline(sizes),
        openings=tuple(part.cuts(sizes)),
        thickness=sizes.thickness,
    )
    place = part.at
    X_WS = _pose(assembly.plane, place.x, place.y, part.level * sizes.step, place.angle)
    return SolidPart(
        part.name, part.kind, (body,), X_WS=X_WS, color=part.color, density=part.density,
        mass_in_file=part.mass_in_file,
    )  # fmt: skip


def _pin(pin: Pin, name: str, assembly: FlatAssembly) -> list[SolidPart]:
    """A pin through all its levels, its cap, and tubes where it passes a level without a part."""
    parts = {part.name: part for part in assembly.parts}
    sizes = assembly.sizes
    owner, at = pin.parts[0]
    x, y = parts[owner].at.point(at)
    levels = sorted(parts[name].level for name, _ in pin.parts)
    bottom = levels[0] * sizes.step
    X_WS = _pose(assembly.plane, x, y, bottom, 0.0)
    step = sizes.step
    tubes = [
        ((low + 1 - levels[0]) * step, (high - low - 1) * step - sizes.spacer)
        for low, high in pairwise(levels)
        if high > low + 1
    ]
    length = pin.length(parts, sizes)
    return pin_parts(name, X_WS, length, tubes, sizes)


def _pose(plane: PlaneOfMotion, x: float, y: float, height: float, angle: float) -> SE3:
    """A frame in the plane, turned about its normal, at a height over it."""
    R_WP = SO3.from_matrix(plane.R_WP)
    p_W: Floats = plane.R_WP @ np.array([x, y, height])
    return SE3(R_WP @ SO3.exp([0.0, 0.0, angle]), p_W)
